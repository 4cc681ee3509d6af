// SPDX-License-Identifier: Apache-2.0
// `poolproof laws`: related cases through a backend, their answers held against each other.
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/judging.hpp"
#include "cli/law_failure.hpp"
#include "cli/law_log.hpp"
#include "cli/limits.hpp"
#include "cli/request.hpp"

#include <poolproof/laws.hpp>
#include <poolproof/text.hpp>

#include <algorithm>
#include <cstdio>

namespace poolproof::cli {

namespace {

constexpr std::size_t shown_failures = 5;  // of either kind

/// What is shown of the questions that failed: broken laws, which only this command finds, before answers
/// that are wrong by themselves.
class Shown {
public:
    void add(const LawJudged& j) {
        Kind& kind = j.verdict.broken ? broken_ : deviating_;
        if (++kind.questions <= shown_failures) kind.texts.push_back(law_failure_text(j));
    }
    void print() const {
        print(broken_, "break their law");
        print(deviating_, "meet an answer that is wrong by itself");
    }

private:
    struct Kind {
        std::vector<std::string> texts;
        std::size_t questions = 0;
    };
    static void print(const Kind& k, const char* what) {
        if (k.questions > 0) std::printf("%zu questions %s:\n\n", k.questions, what);
        for (const std::string& text : k.texts) std::printf("%s", text.c_str());
        if (k.questions > k.texts.size())
            std::printf("... and %zu more of these\n\n", k.questions - k.texts.size());
    }

    Kind broken_, deviating_;
};

void print_totals(const Declaration& d, const std::string& profile, const std::vector<Law>& laws,
                  const LawTotals& t) {
    std::printf("%s%s%s under profile %s\n\n  %-22s", d.name.c_str(), d.version.empty() ? "" : " ",
                d.version.c_str(), profile.c_str(), "law");
    for (const auto n : outcome_names) std::printf(" %9s", std::string(n).c_str());
    std::printf(" law broken  bits compared\n");
    for (std::size_t k = 0; k < laws.size(); ++k) {
        std::printf("  %-22s", laws[k].name.c_str());
        for (const Index n : t.rows[k].by_outcome) std::printf(" %9lld", static_cast<long long>(n));
        std::printf(" %10lld  %13lld\n", static_cast<long long>(t.rows[k].broken),
                    static_cast<long long>(t.rows[k].compared));
    }
    const LawTotals::Row all = t.sum();
    std::printf("\n%s: of %lld judged questions %lld deviate or broke, and %lld break their law\n",
                all.bad() > 0       ? "DEVIATES"
                : all.judged() == 0 ? "NOTHING JUDGED"
                                    : "conforms",
                static_cast<long long>(all.judged()), static_cast<long long>(all.bad()),
                static_cast<long long>(all.broken));
}

Checked<std::vector<Law>> chosen_laws(const std::vector<std::string>& names) {
    if (names.empty()) return all_laws();
    std::vector<Law> r;
    for (const std::string& name : names) {
        const auto hit =
            std::find_if(all_laws().begin(), all_laws().end(), [&](const Law& l) { return l.name == name; });
        if (hit == all_laws().end())
            return Rejection{"--law", "'" + name + "' is not known",
                             remedy(name, names_of(all_laws()), "'poolproof laws --list' lists them")};
        r.push_back(*hit);
    }
    return r;
}

int list_laws() {
    for (const Law& l : all_laws()) std::printf("  %-22s %s\n", l.name.c_str(), l.claim.c_str());
    return Exit::ok;
}

}  // namespace

int run_laws(const Arguments& a) {
    if (!a.positional.empty())
        return refuse({a.positional.front(), "is not expected here", "name a law with --law"});
    if (a.has("--list")) return list_laws();
    Request request;
    Limits limits;
    Index cases = default_cases;
    if (const auto p = read_request(a, request)) return refuse(*p);
    if (const auto p = read_count(a, cases)) return refuse(*p);
    if (const auto p = read_limits(a, limits)) return refuse(*p);
    const auto first = whole_number("--first", a.value("--first").value_or("0"), 0, Index{1} << 40);
    if (!first) return refuse(first.rejection());
    const auto laws = chosen_laws(a.values("--law"));
    if (!laws) return refuse(laws.rejection());
    auto backend = find_backend(a.value("--backend").value_or("reference"), limits);
    if (!backend) return refuse(backend.rejection());
    if (!judge_can_be_trusted()) return Exit::untrusted;
    watch_for_interrupts();
    if (const auto why = started(**backend)) return backend_trouble(*why);
    if (!request.profile) request.profile = (*backend)->declaration().profile;
    auto log = LawLog::open(a.value("--json"), request, (*backend)->declaration(),
                            static_cast<std::uint64_t>(*first), cases);
    if (!log) return refuse(log.rejection());
    Shown shown;
    const auto totals = judge_laws(**backend, *laws, request, static_cast<std::uint64_t>(*first),
                                   static_cast<std::uint64_t>(cases), [&](const LawJudged& j) {
                                       if (j.verdict.verdict.outcome >= Outcome::deviates) {
                                           shown.add(j);
                                           log->failure(j);
                                       }
                                       return interrupted() == 0;
                                   });
    if (!totals) return refuse(totals.rejection());
    shown.print();
    print_totals((*backend)->declaration(), *request.profile, *laws, *totals);
    if (interrupted() != 0)
        std::printf("INTERRUPTED after %lld of %lld questions\n",
                    static_cast<long long>(totals->sum().asked()), static_cast<long long>(cases));
    if (const auto p = log->close(*laws, *totals, interrupted() == 0 && !(*backend)->gone()))
        return refuse(*p);
    if (interrupted() != 0) return 128 + interrupted();
    if (totals->unmet > 0) {
        std::fprintf(stderr,
                     "poolproof: not to be trusted: %lld questions whose permitted sets do not meet\n",
                     static_cast<long long>(totals->unmet));
        return Exit::untrusted;
    }
    if (totals->sum().bad() > 0) return Exit::deviates;
    if (const auto why = (*backend)->gone()) return backend_trouble("gave up: " + *why);
    return totals->sum().judged() > 0 ? Exit::ok : Exit::nothing_judged;
}

}  // namespace poolproof::cli

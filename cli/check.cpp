// SPDX-License-Identifier: Apache-2.0
// `poolproof check`: generated cases through backends, judged. Results go to standard output, talk to
// standard error.
#include "cli/command.hpp"
#include "cli/log.hpp"
#include "cli/verdict_text.hpp"

#include <poolproof/backend.hpp>
#include <poolproof/generate.hpp>
#include <poolproof/text.hpp>

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

namespace poolproof::cli {

namespace {

constexpr Index default_cases = 3000;
constexpr std::size_t shown_failures = 20;

struct Tallies {
    std::array<Index, outcome_names.size()> by_outcome{};
    std::map<std::string, std::array<Index, outcome_names.size()>> by_op;
    Index values = 0;

    void add(Op op, const Verdict& v) {
        const auto k = static_cast<std::size_t>(v.outcome);
        ++by_outcome[k];
        ++by_op[std::string(name(op))][k];
        values += v.tally.conforming + v.tally.deviating;
    }
    Index count(Outcome o) const { return by_outcome[static_cast<std::size_t>(o)]; }
    Index bad() const { return count(Outcome::deviates) + count(Outcome::broke); }
    Index judged() const { return count(Outcome::conforms) + bad(); }
};

/// Finds the enumerators that an option names.
template <class Names, class Enum>
std::optional<Rejection> chosen(const Arguments& a, const char* option, const Names& names,
                                std::vector<Enum>& to) {
    for (const std::string& value : a.values(option)) {
        const auto hit = std::find(names.begin(), names.end(), value);
        if (hit == names.end())
            return Rejection{option, "'" + value + "' is not known", "see 'poolproof check --help'"};
        to.push_back(static_cast<Enum>(hit - names.begin()));
    }
    return std::nullopt;
}

/// Feeds the judge wrong answers that it must refuse: a run whose judge lets them pass proves nothing.
bool judge_refuses_wrong_answers() {
    const auto c =
        read_case(R"({"op":"avg_pool","attrs":{"kernel":[3]},"input":{"shape":[3],"data":[1,2,4]}})");
    const Expected expected = expect(*plan(*c), *c);
    const auto outcome = [&](const char* reply) {
        return judge(expected, *read_answer(reply, Format::f64)).outcome;
    };
    return outcome(R"({"outputs":{"y":{"shape":[1],"data":["0x1.2aaaaaaaaaaabp+1"]}}})") ==
               Outcome::conforms &&
           outcome(R"({"outputs":{"y":{"shape":[1],"data":["0x1.2aaaaaaabp+1"]}}})") == Outcome::deviates &&
           outcome(R"({"outputs":{"y":{"shape":[1],"data":["nan"]}}})") == Outcome::deviates &&
           outcome(R"({"outputs":{"y":{"shape":[],"data":["0x1.2aaaaaaaaaaabp+1"]}}})") ==
               Outcome::deviates &&
           outcome(R"({"rejected":"no"})") == Outcome::deviates &&
           outcome(R"({"declined":"no"})") == Outcome::declined;
}

/// One line on a terminal, now and then a line elsewhere.
class Progress {
public:
    Progress(std::string backend, Index cases) : backend_(std::move(backend)), cases_(cases) {}
    ~Progress() {
        if (terminal_) std::fprintf(stderr, "\r\033[K");
    }

    void at(Index done, Index bad) {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < (terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(30000)))
            return;
        last_ = now;
        std::fprintf(stderr, "%spoolproof: %s: %lld of %lld cases, %lld failing%s", terminal_ ? "\r" : "",
                     backend_.c_str(), static_cast<long long>(done), static_cast<long long>(cases_),
                     static_cast<long long>(bad), terminal_ ? " " : "\n");
    }

private:
    std::string backend_;
    Index cases_;
    bool terminal_ = isatty(STDERR_FILENO) == 1;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void print_failure(std::uint64_t index, const std::string& text, const Case& c) {
    std::printf("case %llu %s  case       %s\n\n", static_cast<unsigned long long>(index), text.c_str(),
                write_case(c).c_str());
}

void print_summary(const std::string& backend, const std::string& profile, const Tallies& t) {
    std::printf("%s under profile %s\n\n  %-18s", backend.c_str(), profile.c_str(), "op");
    for (const auto n : outcome_names) std::printf(" %9s", std::string(n).c_str());
    std::printf("\n");
    for (const auto& [op, counts] : t.by_op) {
        std::printf("  %-18s", op.c_str());
        for (const Index n : counts) std::printf(" %9lld", static_cast<long long>(n));
        std::printf("\n");
    }
    const char* verdict = t.bad() > 0 ? "DEVIATES" : t.judged() == 0 ? "NOTHING JUDGED" : "conforms";
    std::printf("\n%s: %lld of %lld judged cases deviate, %lld values compared\n", verdict,
                static_cast<long long>(t.bad()), static_cast<long long>(t.judged()),
                static_cast<long long>(t.values));
}

struct Run {
    Request request;
    Index cases = default_cases;
    Log* log = nullptr;
};

Checked<Tallies> check_backend(const Backend& backend, Run run) {
    if (!run.request.profile) run.request.profile = backend.profile;
    const auto make = generator(run.request);
    if (!make) return make.rejection();
    Tallies t;
    {
        Progress progress(backend.name, run.cases);
        for (Index i = 0; i < run.cases; ++i) {
            const auto index = static_cast<std::uint64_t>(i);
            const Case c = (*make)(index);
            const auto settled = plan(c);
            const Expected expected = expect(*settled, c);
            const Verdict v = judge(expected, backend.run(c));
            t.add(c.op, v);
            if (v.outcome >= Outcome::deviates) {
                if (static_cast<std::size_t>(t.bad()) <= shown_failures)
                    print_failure(index, verdict_text(v, *settled, c, expected), c);
                if (run.log != nullptr)
                    run.log->failure(backend.name, index, c, verdict_line(v, *settled, c, expected));
            }
            progress.at(i + 1, t.bad());
        }
    }
    if (static_cast<std::size_t>(t.bad()) > shown_failures)
        std::printf("... and %lld more failing cases\n\n",
                    static_cast<long long>(t.bad()) - static_cast<long long>(shown_failures));
    print_summary(backend.name, *run.request.profile, t);
    if (run.log != nullptr) run.log->tallies(backend.name, *run.request.profile, t.by_outcome);
    return t;
}

std::optional<Rejection> read_run(const Arguments& a, Run& run) {
    const auto seed =
        whole_number("--seed", a.value("--seed").value_or("1"), 0, std::numeric_limits<Index>::max());
    if (!seed) return seed.rejection();
    run.request.seed = static_cast<std::uint64_t>(*seed);
    const auto cases = whole_number("--cases", a.value("--cases").value_or(std::to_string(default_cases)), 1,
                                    Index{1} << 40);
    if (!cases) return cases.rejection();
    run.cases = *cases;
    run.request.profile = a.value("--profile");
    std::array<std::string_view, 8> ops{};
    std::copy_n(op_names.begin(), ops.size(), ops.begin());
    if (auto p = chosen(a, "--op", ops, run.request.ops)) return p;
    if (auto p = chosen(a, "--mode", mode_names, run.request.modes)) return p;
    return chosen(a, "--dtype", format_names, run.request.formats);
}

}  // namespace

int run_check(const Arguments& a) {
    if (!a.positional.empty())
        return refuse({a.positional.front(), "is not expected here", "name a backend with --backend"});
    Run run;
    if (const auto p = read_run(a, run)) return refuse(*p);
    auto names = a.values("--backend");
    if (names.empty()) names.emplace_back("reference");
    std::vector<Backend> backends;
    for (const std::string& name : names) {
        auto found = find_backend(name);
        if (!found) return refuse(found.rejection());
        backends.push_back(std::move(*found));
    }
    auto log = Log::open(a.value("--json"), a.value("--report"), run.request, run.cases);
    if (!log) return refuse(log.rejection());
    run.log = &*log;
    if (!judge_refuses_wrong_answers()) {
        std::fprintf(stderr, "poolproof: the self-check failed: the judge accepts wrong answers\n");
        return Exit::untrusted;
    }
    Index bad = 0;
    bool every_backend_judged = true;
    for (const Backend& b : backends) {
        const auto t = check_backend(b, run);
        if (!t) return refuse(t.rejection());
        bad += t->bad();
        every_backend_judged &= t->judged() > 0;
    }
    log->close();
    if (bad > 0) return Exit::deviates;
    return every_backend_judged ? Exit::ok : Exit::nothing_judged;
}

}  // namespace poolproof::cli

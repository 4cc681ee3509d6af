// SPDX-License-Identifier: Apache-2.0
// `poolproof check`: generated cases and the vectors through backends, judged. Results go to standard output,
// talk to standard error.
#include "cli/command.hpp"
#include "cli/explained.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/judging.hpp"
#include "cli/limits.hpp"
#include "cli/log.hpp"
#include "cli/progress.hpp"
#include "cli/request.hpp"

#include <poolproof/backend.hpp>
#include <poolproof/run.hpp>
#include <poolproof/search.hpp>
#include <poolproof/text.hpp>
#include <poolproof/vectors.hpp>

#include <algorithm>
#include <filesystem>
#include <map>

namespace poolproof::cli {

namespace {

constexpr std::size_t shown_failures = 5;

/// What was done of what was planned, and why answers were declined.
struct Account {
    std::uint64_t seed = 1;
    Index planned = 0;  ///< generated cases; 0: layers in their place
    Index generated = 0, vectors = 0;
    std::map<std::string, Index> declined{};

    std::string done() const {
        const std::string cases = std::to_string(generated);
        return (planned > 0 ? cases + " of " + std::to_string(planned) + " generated cases"
                            : cases + " cases of layers") +
               " and " + std::to_string(vectors) + " vectors";
    }
};

/// The reasons given most often.
void print_declined(const Account& account) {
    constexpr std::size_t shown = 3;
    std::vector<std::pair<Index, std::string>> reasons;
    for (const auto& [why, n] : account.declined) reasons.emplace_back(n, why);
    std::stable_sort(reasons.begin(), reasons.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    Index others = 0;
    for (std::size_t k = 0; k < reasons.size(); ++k)
        if (k < shown)
            std::printf("  %lld declined: %s\n", static_cast<long long>(reasons[k].first),
                        reasons[k].second.c_str());
        else
            others += reasons[k].first;
    if (others > 0) std::printf("  %lld declined for other reasons\n", static_cast<long long>(others));
}

void print_summary(const Declaration& d, const std::string& profile, const Totals& t,
                   const Account& account) {
    std::printf("%s%s%s under profile %s\nseed %llu, generator %d: %s\n\n  %-18s", d.name.c_str(),
                d.version.empty() ? "" : " ", d.version.c_str(), profile.c_str(),
                static_cast<unsigned long long>(account.seed), generator_version, account.done().c_str(),
                "op");
    for (const auto n : outcome_names) std::printf(" %9s", std::string(n).c_str());
    std::printf("\n");
    for (const auto& [op, counts] : t.by_op) {
        std::printf("  %-18s", op.c_str());
        for (const Index n : counts) std::printf(" %9lld", static_cast<long long>(n));
        std::printf("\n");
    }
    if (t.not_covered > 0)
        std::printf("  %lld of %lld cases are not covered by what it declares\n",
                    static_cast<long long>(t.not_covered), static_cast<long long>(t.cases));
    print_declined(account);
    const char* verdict = t.never_answered()   ? "NOTHING ANSWERED"
                          : t.bad() > 0        ? "DEVIATES"
                          : t.judged() == 0    ? "NOTHING JUDGED"
                          : interrupted() != 0 ? "conforms so far"
                                               : "conforms";
    std::printf("\n");
    if (interrupted() != 0) std::printf("INTERRUPTED after %s\n", account.done().c_str());
    std::printf("%s: %lld of %lld judged cases deviate or broke, %lld values compared\n", verdict,
                static_cast<long long>(t.bad()), static_cast<long long>(t.judged()),
                static_cast<long long>(t.values));
}

struct Settings {
    Request request;
    Index cases = default_cases;
    Limits limits;
    std::vector<Case> layers;  ///< to be judged in place of generated cases
    Log* log = nullptr;
    std::optional<std::string> folder;    ///< where the log is
    bool rejections = false;              ///< whether programs get the vectors that must be rejected, too
    const VectorBase* vectors = nullptr;  ///< those that go with the program; null: none
    bool smoke = false;                   ///< the smoke set alone
};

/// The source, with its cases that are covered counted as they are taken.
Source counted(Source source, const Declaration& d, Index& covered) {
    return [source = std::move(source), &d, &covered]() {
        auto s = source();
        if (s && covers(d, s->c)) ++covered;
        return s;
    };
}

/// One source after another.
Source chained(Source first, Source second) {
    return [first = std::move(first), second = std::move(second), ended = false]() mutable {
        if (!ended)
            if (auto s = first()) return s;
        ended = true;
        return second();
    };
}

/// The vectors that the options leave.
Source vectors_of(const Settings& run, const Declaration& declaration, bool obeys) {
    const bool all =
        run.layers.empty() && run.request.spatial_ranks.empty() && run.request.policy == Choices{};
    if (run.vectors == nullptr || !all) return [] { return std::optional<Subject>(); };
    VectorFilter filter{run.request.ops, run.request.modes, run.request.formats};
    filter.profile = *run.request.profile;
    filter.smoke = run.smoke;
    filter.rejections = run.rejections || obeys || rejects(declaration);
    return vector_cases(*run.vectors, filter, declaration, obeys);
}

/// What became of one backend.
struct Checkup {
    Totals totals;
    bool gone = false;
};

Checked<Checkup> check_backend(Backend& backend, const std::string& name, Settings run) {
    const bool obeys = obeys_policies(name);
    if (!run.request.profile) run.request.profile = backend.declaration().profile;
    const auto& known = profile_names();
    if (std::find(known.begin(), known.end(), *run.request.profile) == known.end())
        return Rejection{"profile",
                         "'" + *run.request.profile + "', as the option or the backend has it, is not known",
                         "choose torchlean, pytorch, onnx or tiny_pool with --profile"};
    const auto source = !run.layers.empty() ? layer_cases(run.layers, run.request)
                                            : generated_cases(run.request, backend.declaration(), 0,
                                                              static_cast<std::uint64_t>(run.cases));
    if (!source) return source.rejection();
    Index sent = 0;
    const Source all =
        chained(counted(*source, backend.declaration(), sent), vectors_of(run, backend.declaration(), obeys));
    Checkup result;
    Account account{run.request.seed, run.layers.empty() ? run.cases : 0};
    Index bad = 0, done = 0;
    FirstFailures first;
    {
        Progress progress(backend.declaration().name, run.cases);
        result.totals = judge_all(backend, all, [&](const Judged& j) {
            if (j.verdict.outcome >= Outcome::deviates) {
                if (static_cast<std::size_t>(++bad) <= shown_failures) print_failure(j);
                first.keep(j);
                if (run.log != nullptr)
                    run.log->failure(backend.declaration().name, j.subject.label, j.subject.c,
                                     j.plan == nullptr ? verdict_line(j.verdict)
                                                       : verdict_line(j.verdict, *j.plan, j.subject.c));
            }
            if (j.verdict.outcome == Outcome::declined)
                ++account.declined[without_numbers(j.observation.why)];
            progress.at(++done, bad);
            return interrupted() == 0;
        });
    }
    account.generated = std::min(sent, done);
    account.vectors = done - account.generated;
    if (static_cast<std::size_t>(bad) > shown_failures)
        std::printf("... and %lld more failing cases\n\n",
                    static_cast<long long>(bad) - static_cast<long long>(shown_failures));
    result.gone = backend.gone().has_value();
    const auto lost = first.explain(backend, name, run.folder);
    print_summary(backend.declaration(), *run.request.profile, result.totals, account);
    if (const auto why = backend.gone())
        std::fprintf(stderr, "poolproof: gave up after %s: %s\n", account.done().c_str(), why->c_str());
    if (run.log != nullptr) run.log->totals(backend.declaration(), *run.request.profile, result.totals);
    if (lost) return *lost;
    return result;
}

std::optional<Rejection> read_settings(const Arguments& a, Settings& run) {
    if (auto p = read_request(a, run.request)) return p;
    if (auto p = read_count(a, run.cases)) return p;
    if (const auto path = a.value("--layers")) {
        const auto text = file_bytes(*path);
        if (!text) return Rejection{"--layers", "'" + *path + "' cannot be read", "name a file that exists"};
        auto layers = read_layers(*text);
        if (!layers) {
            Rejection r = layers.rejection();
            r.field = "--layers '" + *path + "': " + r.field;
            return r;
        }
        run.layers = std::move(*layers);
    }
    run.limits.first_ends = enough_first_ends;
    return read_limits(a, run.limits);
}

}  // namespace

int run_check(const Arguments& a) {
    if (!a.positional.empty())
        return refuse({a.positional.front(), "is not expected here", "name a backend with --backend"});
    Settings run;
    if (const auto p = read_settings(a, run)) return refuse(*p);
    auto names = a.values("--backend");
    if (names.empty()) names.emplace_back("reference");
    std::vector<std::unique_ptr<Backend>> backends;
    for (const std::string& name : names) {
        auto found = find_backend(name, run.limits);
        if (!found) return refuse(found.rejection());
        backends.push_back(std::move(*found));
    }
    const std::string which = a.value("--vectors").value_or("valid");
    if (which != "all" && which != "valid" && which != "smoke" && which != "none")
        return refuse({"--vectors", "'" + which + "' is not known", "use all, valid, smoke or none"});
    auto log = Log::open(a.value("--json"), a.value("--report"),
                         {names, run.request, run.layers.empty() ? run.cases : 0, which,
                          static_cast<Index>(run.layers.size())});
    if (!log) return refuse(log.rejection());
    run.log = &*log;
    run.folder = a.value("--report");
    if (!judge_can_be_trusted()) return Exit::untrusted;
    const auto folder = which == "none" ? std::nullopt : vector_folder();
    const auto vectors = folder ? read_vectors(*folder) : Checked<VectorBase>(VectorBase{});
    if (!folder && which != "none")
        std::fprintf(stderr, "poolproof: no vectors beside the program; generated cases alone\n");
    if (!vectors) return refuse(vectors.rejection());
    run.vectors = &*vectors;
    run.smoke = which == "smoke";
    run.rejections = which == "all";
    watch_for_interrupts();
    Index bad = 0, disagreements = 0;
    bool every_backend_judged = true, backend_trouble = false;
    for (std::size_t k = 0; k < backends.size(); ++k) {
        const auto& b = backends[k];
        const std::string& name = names[k];
        if (interrupted() != 0) break;
        if (const auto why = started(*b)) {
            std::fprintf(stderr, "poolproof: %s\n", why->c_str());
            backend_trouble = true;
            continue;
        }
        const auto result = check_backend(*b, name, run);
        if (!result) return refuse(result.rejection());
        // It is the backend that is in trouble then, and no case.
        const bool silent = result->gone && result->totals.never_answered();
        if (!silent) bad += result->totals.bad();
        disagreements += result->totals.disagreements;
        every_backend_judged &= result->totals.judged() > 0;
        backend_trouble |= result->gone;
    }
    if (const auto p = log->close(interrupted() == 0 && !backend_trouble)) return refuse(*p);
    if (interrupted() != 0) return 128 + interrupted();
    if (disagreements > 0) {
        std::fprintf(
            stderr,
            "poolproof: not to be trusted: the certified and the exact oracle disagree about %lld cases\n",
            static_cast<long long>(disagreements));
        return Exit::untrusted;
    }
    if (bad > 0) return Exit::deviates;
    if (backend_trouble) return Exit::backend;
    return every_backend_judged ? Exit::ok : Exit::nothing_judged;
}

}  // namespace poolproof::cli

// SPDX-License-Identifier: Apache-2.0
// `poolproof replay` and `poolproof reduce`: cases from a file through a backend again, and made smaller.
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/judging.hpp"
#include "cli/limits.hpp"
#include "cli/output.hpp"
#include "cli/searching.hpp"

#include <poolproof/text.hpp>

#include <cstdio>
#include <span>

namespace poolproof::cli {

namespace {

struct Asked {
    std::string path;
    std::vector<FiledCase> cases;
    std::unique_ptr<Backend> backend;
};

/// Reads the one file and brings up the one backend of a command; or the exit code in their place.
Checked<Asked> read_asked(const Arguments& a, std::string& trouble) {
    if (a.positional.size() != 1)
        return Rejection{"FILE", a.positional.empty() ? "is missing" : "is given more than once",
                         "name one file of cases, or - for standard input"};
    Asked r;
    r.path = a.positional.front();
    auto cases = read_case_file(r.path);
    if (!cases) return cases.rejection();
    r.cases = std::move(*cases);
    Limits limits;
    if (auto p = read_limits(a, limits)) return *p;
    auto backend = find_backend(a.value("--backend").value_or("reference"), limits);
    if (!backend) return backend.rejection();
    r.backend = std::move(*backend);
    if (const auto why = started(*r.backend)) trouble = *why;
    return r;
}

/// What the failure is most like, for the first few of a file that are small enough for hundreds of
/// hypotheses.
class Likeness {
public:
    std::string of(const Judged& j) {
        constexpr Index most_cells = 5000;
        if (left_ == 0 || j.subject.c.input.size() > most_cells) return "";
        const Expected* const expected = j.expected();
        if (expected == nullptr) return "";
        --left_;
        const auto ranked = explain(j.subject.c, *expected, j.observation);
        return ranked.empty() ? "" : likeness(ranked.front()) + rivals(ranked);
    }

private:
    /// A small case cannot tell all faults from one another.
    static std::string rivals(const std::vector<Explanation>& ranked) {
        constexpr std::size_t most_named = 4;
        std::string names;
        std::size_t n = 0;
        for (const Explanation& e : std::span(ranked).subspan(1))
            if (e.explained == ranked.front().explained && ++n <= most_named)
                names += (names.empty() ? "" : ", ") + e.name;
        if (n > most_named) names += " and " + std::to_string(n - most_named) + " more";
        return names.empty() ? "" : "  or like " + names + "\n";
    }

    int left_ = 20;
};

}  // namespace

int run_replay(const Arguments& a) {
    std::string trouble;
    auto asked = read_asked(a, trouble);
    if (!asked) return refuse(asked.rejection());
    if (!trouble.empty()) return backend_trouble(trouble);
    if (!judge_can_be_trusted()) return Exit::untrusted;
    watch_for_interrupts();
    std::size_t next = 0;
    const Source source = [&]() -> std::optional<Subject> {
        if (next == asked->cases.size()) return std::nullopt;
        const FiledCase& f = asked->cases[next++];
        return Subject{asked->path + ":" + std::to_string(f.line), f.c, true};
    };
    Likeness like;
    const Totals t = judge_all(*asked->backend, source, [&like](const Judged& j) {
        if (j.verdict.outcome >= Outcome::deviates)
            print_failure(j, like.of(j));
        else
            std::printf("%s %s%s\n", j.subject.label.c_str(), std::string(name(j.verdict.outcome)).c_str(),
                        j.verdict.why.empty() ? "" : (": " + j.verdict.why).c_str());
        return interrupted() == 0;
    });
    std::printf("%s: %lld of %lld judged cases deviate or broke", asked->backend->declaration().name.c_str(),
                static_cast<long long>(t.bad()), static_cast<long long>(t.judged()));
    if (t.not_covered > 0)
        std::printf(", %lld are not covered by what it declares", static_cast<long long>(t.not_covered));
    std::printf("\n");
    if (interrupted() != 0) return 128 + interrupted();
    if (t.bad() > 0) return Exit::deviates;
    if (const auto why = asked->backend->gone()) return backend_trouble(*why);
    return t.judged() > 0 ? Exit::ok : Exit::nothing_judged;
}

int run_reduce(const Arguments& a) {
    const auto evaluations =
        whole_number("--evaluations", a.value("--evaluations").value_or("10000"), 2, 1'000'000'000);
    if (!evaluations) return refuse(evaluations.rejection());
    std::string trouble;
    auto asked = read_asked(a, trouble);
    if (!asked) return refuse(asked.rejection());
    if (!trouble.empty()) return backend_trouble(trouble);
    watch_for_interrupts();
    Index reduced = 0;
    for (const FiledCase& f : asked->cases) {
        if (interrupted() != 0) return 128 + interrupted();
        // One at a time: a case is reduced for itself, though another one may show the same fault.
        constexpr std::chrono::hours patience{24};
        Searching search(*asked->backend,
                         {*evaluations, [] { return interrupted() != 0; }, *evaluations, patience, patience});
        if (!search.restore(static_cast<std::uint64_t>(number_of(f.about, "first").value_or(0)),
                            number_of(f.about, "cases").value_or(1), f.c)) {
            std::fprintf(stderr, "poolproof: %s:%zu does not fail\n", asked->path.c_str(), f.line);
            continue;
        }
        ++reduced;
        const Bucket& b = search.buckets().front();
        const Case c = search.sent(0);
        print_line(write_case(c) + "\n" + about(b, asked->backend->declaration(), f.origin()));
    }
    if (const auto why = asked->backend->gone()) return backend_trouble(*why);
    return reduced > 0 ? Exit::ok : Exit::nothing_judged;
}

}  // namespace poolproof::cli

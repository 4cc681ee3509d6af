// SPDX-License-Identifier: Apache-2.0
// `poolproof mutants`: the vectors and the cases of `check` against every liar, the laws against those that
// survive both, and what shrinking and explaining make of each kill. The suite is as strong as this table
// says, and CI fails if a liar survives.
#include "cli/command.hpp"
#include "cli/files.hpp"
#include "cli/gates.hpp"
#include "cli/request.hpp"

#include <poolproof/backend.hpp>
#include <poolproof/run.hpp>
#include <poolproof/search.hpp>
#include <poolproof/text.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>

namespace poolproof::cli {

namespace {

constexpr Index studied = 200;  ///< cases after the kill, which tell hypotheses apart

struct Trial {
    Liar liar;
    std::unique_ptr<Backend> backend;
    Answers answers;
    std::unique_ptr<Buckets> buckets;
    std::optional<std::string> vector;  ///< the first that killed it
    std::optional<Index> killed;        ///< after how many generated cases
    std::optional<Index> question;      ///< of a law that killed it, where nothing else did

    bool survived() const { return !vector && !killed && !question; }
    const char* gate() const {
        return vector ? "vectors" : killed ? "generated cases" : question ? "laws" : "**survived**";
    }
    bool done(Index cases) const { return killed && cases >= *killed + studied; }
    const Bucket& bucket() const { return buckets->all().front(); }
    Index values() const {
        const Case& c = bucket().smallest;
        return c.input.size();
    }
};

/// How well the liar is named: first among the hypotheses, first with others that say the same, or not.
std::string naming(const Trial& t) {
    const auto& all = t.bucket().explanations;
    const auto own = std::find_if(all.begin(), all.end(),
                                  [&](const Explanation& e) { return e.name == t.liar.name && e.whole(); });
    if (own == all.end()) return "no";
    Index equals = 0;
    for (const Explanation& e : all) equals += e.whole() && e.contradicted <= own->contradicted ? 1 : 0;
    return equals == 1 ? "yes" : "one of " + std::to_string(equals);
}

void feed(Trial& t, std::uint64_t index, const Case& c, const std::optional<Expected>& expected) {
    const Observation o = t.answers(c);
    const Verdict v = expected ? judge(*expected, o) : judge_rejection(o);
    if (v.outcome >= Outcome::deviates) {
        if (!t.killed) t.killed = static_cast<Index>(index) + 1;
        t.buckets->add(index, c, expected ? &*expected : nullptr, o, v);
    } else if (t.killed && expected) {
        t.buckets->add_right(
            c, [&] { return &*expected; }, o);
    }
}

/// Runs all trials of one profile side by side: each case is expected once for all of them.
std::optional<Rejection> run_trials(const std::string& profile, std::vector<Trial*> trials,
                                    std::uint64_t seed, Index cases) {
    Request request;
    request.seed = seed;
    request.profile = profile;
    // Liars declare nothing, so that one's cases are the others'.
    const auto source = generated_cases(request, trials.front()->backend->declaration(), 0,
                                        static_cast<std::uint64_t>(cases + studied));
    if (!source) return source.rejection();
    for (Index k = 0; k < cases + studied && !trials.empty(); ++k) {
        const Subject s = *(*source)();
        const auto settled = plan(s.c);
        const auto expected = settled ? std::optional(expect(*settled, s.c)) : std::nullopt;
        for (Trial* t : trials)
            if (t->killed || k < cases) feed(*t, static_cast<std::uint64_t>(k), s.c, expected);
        std::erase_if(trials, [&](Trial* t) { return t->done(k + 1); });
    }
    return std::nullopt;
}

template <class T> T median(std::vector<T> v) {
    if (v.empty()) return {};
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
}

struct Summary {
    std::size_t liars = 0, killed = 0, by_vectors = 0, by_cases = 0, by_laws = 0, named = 0, named_among = 0;
    std::vector<Index> cases, values;
};

Summary summary(const std::vector<Trial>& trials) {
    Summary s;
    s.liars = trials.size();
    for (const Trial& t : trials) {
        s.killed += t.survived() ? 0 : 1;
        s.by_vectors += t.vector ? 1 : 0;
        s.by_laws += t.question ? 1 : 0;
        if (!t.killed) continue;
        ++s.by_cases;
        s.cases.push_back(*t.killed);
        s.values.push_back(t.values());
        const std::string n = naming(t);
        s.named += n == "yes" ? 1 : 0;
        s.named_among += n != "no" ? 1 : 0;
    }
    return s;
}

std::string text(const Summary& s) {
    const auto number = [](auto n) { return std::to_string(n); };
    const auto worst = [](const std::vector<Index>& v) {
        return v.empty() ? Index{0} : *std::max_element(v.begin(), v.end());
    };
    return number(s.killed) + " of " + number(s.liars) + " liars killed: " + number(s.by_vectors) +
           " by the vectors, " + number(s.by_cases) + " by generated cases, " + number(s.by_laws) +
           " by a law alone. Generated cases to the kill: median " + number(median(s.cases)) + ", worst " +
           number(worst(s.cases)) + ". Input values of the shrunk case: median " + number(median(s.values)) +
           ", worst " + number(worst(s.values)) + ".\nThe fault is named: " + number(s.named) + " alone, " +
           number(s.named_among) + " alone or as one of several that answer alike.\n";
}

/// The kill matrix as Markdown. A rerun writes the same bytes.
std::string matrix(const std::vector<Trial>& trials, std::uint64_t seed, Index cases) {
    std::string s =
        "# How strong the suite is\n\nWritten by `poolproof mutants`: every liar of `backends/faulty` "
        "against "
        "the vectors and the first " +
        std::to_string(cases) + " cases of `poolproof check --seed " + std::to_string(seed) +
        "` under its own profile, and against the laws if it survives both. \"Gate\" is the first of the "
        "three "
        "that kills it, \"vector\" the first one that does, \"cases\" how many generated ones it took; "
        "\"values\" is the size of the "
        "input "
        "of the shrunk case; \"named\" says whether the fault explains all failures looked at, alone or with "
        "others that answer alike on all of them.\n\n" +
        text(summary(trials)) +
        "\n| liar | profile | clause to catch it | gate | vector | cases | clause that did | values | named "
        "|\n"
        "|---|---|---|---|---|---:|---|---:|---|\n";
    for (const Trial& t : trials) {
        s += "| `" + t.liar.name + "` | " + t.backend->declaration().profile + " | " + t.liar.clause + " | " +
             t.gate() + " | " + t.vector.value_or("") + " | ";
        if (t.killed)
            s += std::to_string(*t.killed) + " | " + t.bucket().verdict.clause + " | " +
                 std::to_string(t.values()) + " | " + naming(t) + " |\n";
        else
            s += "| | | |\n";
    }
    return s +
           "\n## The shrunk cases\n\nEach replays: `poolproof replay FILE --backend "
           "faulty:NAME`.\n\n```json\n" +
           [&] {
               std::string lines;
               for (const Trial& t : trials)
                   if (t.killed) lines += write_case(t.bucket().smallest) + "\n";
               return lines;
           }() +
           "```\n";
}

Checked<std::vector<Trial>> chosen_trials(const std::vector<std::string>& only) {
    std::vector<Trial> r;
    const auto names = names_of(liars());
    for (const std::string& name : only)
        if (std::find(names.begin(), names.end(), name) == names.end())
            return Rejection{"--only", "'" + name + "' is not known",
                             remedy(name, names, "'poolproof backends --faulty' lists those there are")};
    for (const Liar& l : liars()) {
        if (!only.empty() && std::find(only.begin(), only.end(), l.name) == only.end()) continue;
        auto backend = find_backend("faulty:" + l.name);
        if (!backend) return backend.rejection();
        Trial t;
        t.liar = l;
        t.backend = std::move(*backend);
        t.answers = [b = t.backend.get()](const Case& c) { return b->run(c); };
        r.push_back(std::move(t));
    }
    // Buckets hold on to the answers, which must stay where they are.
    for (Trial& t : r) t.buckets = std::make_unique<Buckets>(t.answers);
    return r;
}

/// The vectors against all trials of one profile.
void run_vectors_of(const VectorBase& base, const std::string& profile, const std::vector<Trial*>& trials) {
    VectorFilter filter;
    filter.profile = profile;
    const auto all = instances(base, filter);
    for (Trial* t : trials) t->vector = failed_vector(all, *t->backend);
}

/// Those that go with the program, unless none are wanted.
Checked<VectorBase> wanted_vectors(const Arguments& a) {
    const std::string which = a.value("--vectors").value_or("all");
    if (which != "all" && which != "none")
        return Rejection{"--vectors", "'" + which + "' is not known", "use all or none"};
    const auto folder = which == "none" ? std::nullopt : vector_folder();
    return folder ? read_vectors(*folder) : Checked<VectorBase>(VectorBase{});
}

}  // namespace

int run_mutants(const Arguments& a) {
    if (!a.positional.empty())
        return refuse({a.positional.front(), "is not expected here", "name a liar with --only"});
    const auto cases =
        whole_number("--cases", a.value("--cases").value_or(std::to_string(default_cases)), 1, 1'000'000'000);
    if (!cases) return refuse(cases.rejection());
    const auto seed =
        whole_number("--seed", a.value("--seed").value_or("1"), 0, std::numeric_limits<Index>::max());
    if (!seed) return refuse(seed.rejection());
    auto trials = chosen_trials(a.values("--only"));
    if (!trials) return refuse(trials.rejection());

    const auto vectors = wanted_vectors(a);
    if (!vectors) return refuse(vectors.rejection());

    std::map<std::string, std::vector<Trial*>> by_profile;
    for (Trial& t : *trials) by_profile[t.backend->declaration().profile].push_back(&t);
    for (auto& [profile, group] : by_profile) {
        run_vectors_of(*vectors, profile, group);
        if (const auto p = run_trials(profile, group, static_cast<std::uint64_t>(*seed), *cases))
            return refuse(*p);
    }
    for (Trial& t : *trials) {
        if (!t.survived()) continue;
        const auto question = failed_question(*t.backend, static_cast<std::uint64_t>(*seed), *cases);
        if (!question) return refuse(question.rejection());
        t.question = *question;
    }

    for (const Trial& t : *trials)
        if (t.survived()) std::printf("survived: %s: %s\n", t.liar.name.c_str(), t.liar.vice.c_str());
    const Summary s = summary(*trials);
    std::printf("%s", text(s).c_str());
    if (const auto path = a.value("--out")) {
        const std::string text = matrix(*trials, static_cast<std::uint64_t>(*seed), *cases);
        if (const auto p = write_file("--out", *path, text)) return refuse(*p);
    }
    return s.killed == s.liars ? Exit::ok : Exit::deviates;
}

}  // namespace poolproof::cli

// SPDX-License-Identifier: Apache-2.0
// `poolproof vectors run`: backends judged by the stored answers alone, under one profile or several.
#include "cli/judging.hpp"
#include "cli/limits.hpp"
#include "cli/output_file.hpp"
#include "cli/vectors.hpp"

#include <poolproof/text.hpp>

#include <cstdio>
#include <optional>

namespace poolproof::cli {

namespace {

/// Out of the label `vector SLUG`.
std::string vector_id(const Judged& j) { return j.subject.label.substr(j.subject.label.find(' ') + 1); }

/// An answer as a line that those who judge by the files alone read.
std::string answer_line(const Judged& j) {
    const Observation& o = j.observation;
    std::string line =
        "{\"id\":" + json_string(vector_id(j)) + ",\"dtype\":" + json_string(name(j.subject.c.format));
    if (o.kind == Observation::Kind::answered) {
        line += ",\"outputs\":{";
        for (std::size_t k = 0; k < o.outputs.size(); ++k)
            line += (k > 0 ? "," : "") + json_string(o.outputs[k].first) + ":" +
                    write_tensor(o.outputs[k].second, TensorForm::data);
        return line + "}}\n";
    }
    constexpr std::array<const char*, 5> kinds{"answered", "declined", "rejected", "failed", "broke"};
    return line + ",\"" + kinds[static_cast<std::size_t>(o.kind)] + "\":" + json_string(o.why) + "}\n";
}

/// Everything that is wrong with an answer, by what its vector says and without the oracle.
void print_deviation(const Judged& j, const Vector& v) {
    const std::string text = j.verdict.first_deviations.empty()
                                 ? verdict_text(j.verdict)
                                 : verdict_text(j.verdict, *j.expected(),
                                                [&](Index position) { return exact_value(v, position); });
    std::printf("%s (%s) %s  case       %s\n\n", j.subject.label.c_str(),
                std::string(name(j.subject.c.format)).c_str(), text.c_str(), shown_case(j.subject.c).c_str());
}

/// What is asked of every backend.
struct Asked {
    VectorFilter filter;
    std::optional<std::string> profile;  ///< as it was given
    bool for_answers = false;            ///< judges by the files alone take one profile
};

/// The one that was named, or else the backend's own. `all` is each that it can do; that is also what the
/// reference does unasked.
std::vector<std::string> profiles_for(const std::string& backend_name, const Declaration& d,
                                      const Asked& asked) {
    if (asked.profile && *asked.profile != "all") return {*asked.profile};
    const bool every = asked.profile || (backend_name == "reference" && !asked.for_answers);
    return every && obeys_policies(backend_name) ? profile_names() : std::vector<std::string>{d.profile};
}

void print_totals(const Totals& t, std::size_t other_policies) {
    for (std::size_t k = 0; k < outcome_names.size(); ++k)
        if (t.by_outcome[k] > 0)
            std::printf("  %-10s %6lld\n", std::string(outcome_names[k]).c_str(),
                        static_cast<long long>(t.by_outcome[k]));
    if (t.not_covered > 0 || other_policies > 0)
        std::printf("  %lld not covered by what it declares, %zu under other policies than its own\n",
                    static_cast<long long>(t.not_covered), other_policies);
}

/// One backend while it is judged.
struct Running {
    Backend& backend;
    std::string name;
    const VectorBase& base;
    OutputFile* answers;  ///< null where nobody asked for them
};

/// Judges under the filter's profile. Prints the first deviations and what they add up to.
Totals judge_under(const Running& r, const VectorFilter& filter, std::vector<VectorInstance> all) {
    constexpr Index shown = 20;
    const Declaration& d = r.backend.declaration();
    const std::size_t other_policies = std::erase_if(
        all, [&](const VectorInstance& i) { return !suits(d, filter.profile, i.c, obeys_policies(r.name)); });
    Index bad = 0;
    Totals t = judge_by_vectors(r.backend, all, [&](const Judged& j) {
        if (r.answers != nullptr) r.answers->write(answer_line(j));
        if (j.verdict.outcome >= Outcome::deviates && ++bad <= shown)
            print_deviation(j, *r.base.find(vector_id(j)));
        return true;
    });
    if (bad > shown) std::printf(".. and %lld more\n\n", static_cast<long long>(bad - shown));
    print_totals(t, other_policies);
    std::printf("%s: %s under profile %s: %lld of %lld judged vector instances deviate or broke\n",
                t.never_answered() ? "NOTHING ANSWERED"
                : t.bad() > 0      ? "DEVIATES"
                : t.judged() == 0  ? "NOTHING JUDGED"
                                   : "conforms",
                d.name.c_str(), filter.profile.c_str(), static_cast<long long>(t.bad()),
                static_cast<long long>(t.judged()));
    return t;
}

/// Judges one backend; the exit code for it alone.
int run_backend(const std::string& name, const Limits& limits, const Asked& asked, const VectorBase& base,
                OutputFile* answers) {
    auto backend = find_backend(name, limits);
    if (!backend) return refuse(backend.rejection());
    if (const auto why = started(**backend)) return backend_trouble(*why);
    bool any = false, answered = false;
    Index bad = 0, judged = 0;
    for (const std::string& profile : profiles_for(name, (*backend)->declaration(), asked)) {
        VectorFilter filter = asked.filter;
        filter.profile = profile;
        auto all = instances(base, filter);
        if (all.empty()) continue;
        any = true;
        const Totals t = judge_under({**backend, name, base, answers}, filter, std::move(all));
        bad += t.bad();
        judged += t.judged();
        answered |= t.cases - t.not_covered > t.count(Outcome::broke);
    }
    if (!any) return refuse(none_left());
    const auto gone = (*backend)->gone();
    if (bad > 0 && (answered || !gone)) return Exit::deviates;
    if (gone) return backend_trouble("gave up: " + *gone);
    return judged == 0 ? Exit::nothing_judged : Exit::ok;
}

}  // namespace

int judge_vectors(const Arguments& a, VectorBase& base, const std::filesystem::path&) {
    Limits limits;
    if (const auto r = read_limits(a, limits)) return refuse(*r);
    limits.first_ends = enough_first_ends;
    const auto filter = vector_filter(a, "", EveryProfile::allowed);
    if (!filter) return refuse(filter.rejection());
    const Asked asked{*filter, a.value("--profile"), a.has("--answers")};
    auto names = a.values("--backend");
    if (names.empty()) names.emplace_back("reference");
    std::optional<OutputFile> answers;
    if (const auto path = a.value("--answers")) {
        if (names.size() > 1 || asked.profile == "all")
            return refuse({"--answers", "are those of one backend under one profile", "name one"});
        auto file = OutputFile::open("--answers", *path);
        if (!file) return refuse(file.rejection());
        answers = std::move(*file);
    }
    int worst = Exit::ok;
    for (const std::string& name : names) {
        const int code = run_backend(name, limits, asked, base, answers ? &*answers : nullptr);
        if (code == Exit::bad_input) return code;
        if (worst == Exit::ok || code == Exit::deviates) worst = code;
    }
    if (answers)
        if (const auto p = answers->close()) return refuse(*p);
    return worst;
}

}  // namespace poolproof::cli

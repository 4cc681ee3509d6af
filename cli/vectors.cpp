// SPDX-License-Identifier: Apache-2.0
// `poolproof vectors`: the one tool that reads, judges by, and writes the vectors.
#include "cli/command.hpp"
#include "cli/limits.hpp"
#include "cli/lines.hpp"
#include "cli/output_file.hpp"

#include <poolproof/text.hpp>
#include <poolproof/vectors.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>

namespace poolproof::cli {

namespace {

using Action = int (*)(const Arguments&, VectorBase&, const std::filesystem::path&);

std::string operand(const Arguments& a) { return a.positional.size() > 1 ? a.positional[1] : std::string(); }

template <class Names, class Enum>
std::optional<Rejection> chosen(const Arguments& a, const char* option, const Names& names,
                                std::vector<Enum>& to) {
    for (const std::string& value : a.values(option)) {
        const auto hit = std::find(names.begin(), names.end(), value);
        if (hit == names.end())
            return Rejection{option, "'" + value + "' is not known", "see 'poolproof vectors --help'"};
        to.push_back(static_cast<Enum>(hit - names.begin()));
    }
    return std::nullopt;
}

Checked<VectorFilter> filter_of(const Arguments& a, const std::string& profile) {
    VectorFilter f;
    f.profile = a.value("--profile").value_or(profile);
    f.smoke = a.has("--smoke");
    if (auto p = chosen(a, "--op", op_names, f.ops)) return *p;
    if (auto p = chosen(a, "--mode", mode_names, f.modes)) return *p;
    if (auto p = chosen(a, "--dtype", format_names, f.formats)) return *p;
    if (auto p = chosen(a, "--level", level_names, f.levels)) return *p;
    return f;
}

int add(const Arguments& a, VectorBase& base, const std::filesystem::path& folder) {
    std::ifstream in(operand(a));
    if (!in)
        return refuse({operand(a).empty() ? "add" : operand(a), "cannot be read", "name a file of drafts"});
    std::size_t line_number = 0;
    int code = Exit::ok;
    for (std::string line; std::getline(in, line);) {
        ++line_number;
        if (line.empty()) continue;
        auto draft = read_draft(line);
        std::optional<Rejection> r;
        if (!draft)
            r = draft.rejection();
        else
            r = add_vector(base, std::move(*draft));
        if (r) {
            r->field = operand(a) + ":" + std::to_string(line_number) + ": " + r->field;
            code = refuse(*r);
        }
    }
    if (code != Exit::ok) return code;  // all or nothing
    if (const auto r = write_vectors(base, folder)) return refuse(*r);
    std::printf("%zu vectors\n", base.count());
    return Exit::ok;
}

int lint(const Arguments&, VectorBase& base, const std::filesystem::path&) {
    const auto complaints = lint_vectors(base);
    for (const Rejection& r : complaints) std::printf("%s\n", message(r).c_str());
    std::printf("%zu vectors in %zu files, %zu complaints\n", base.count(), base.files.size(),
                complaints.size());
    return complaints.empty() ? Exit::ok : Exit::deviates;
}

int list(const Arguments& a, VectorBase& base, const std::filesystem::path&) {
    for (const VectorFile& f : base.files)
        for (const Vector& v : f.vectors) {
            if (a.has("--smoke") && !v.smoke) continue;
            std::printf("%-60s %-12s %-8s %s\n", v.id.c_str(), std::string(name(v.level)).c_str(),
                        v.clause.c_str(), v.note.c_str());
        }
    return Exit::ok;
}

int show(const Arguments& a, VectorBase& base, const std::filesystem::path&) {
    const Vector* v = base.find(operand(a));
    if (v == nullptr)
        return refuse(
            {operand(a).empty() ? "show" : operand(a), "is no vector", "see 'poolproof vectors list'"});
    std::printf("%s\n", vector_text(*v).c_str());
    return Exit::ok;
}

/// An answer as a line that those who judge by the files alone read.
std::string answer_line(const Judged& j) {
    const Observation& o = j.observation;
    std::string line = "{\"id\":" + json_string(j.subject.label.substr(j.subject.label.find(' ') + 1)) +
                       ",\"dtype\":" + json_string(name(j.subject.c.format));
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

/// Judges one backend; the exit code for it alone.
int run_backend(const std::string& backend_name, const Arguments& a, const VectorBase& base) {
    Limits limits;
    if (const auto r = read_limits(a, limits)) return refuse(*r);
    auto backend = find_backend(backend_name, limits);
    if (!backend) return refuse(backend.rejection());
    if (const auto why = (*backend)->start()) return backend_trouble(*why);
    const Declaration& d = (*backend)->declaration();
    const auto filter = filter_of(a, d.profile);
    if (!filter) return refuse(filter.rejection());
    auto all = instances(base, *filter);
    if (all.empty()) return refuse({"vectors", "none is left by the options", "ask for less"});
    const std::size_t before = all.size();
    std::erase_if(all, [&](const VectorInstance& i) {
        return !suits(d, filter->profile, i.c, obeys_policies(backend_name));
    });
    constexpr Index shown = 20;
    Index bad = 0;
    std::optional<OutputFile> answers;
    if (const auto path = a.value("--answers")) {
        auto file = OutputFile::open("--answers", *path);
        if (!file) return refuse(file.rejection());
        answers = std::move(*file);
    }
    const Totals t = judge_by_vectors(**backend, all, [&](const Judged& j) {
        if (answers) answers->write(answer_line(j));
        if (j.verdict.outcome >= Outcome::deviates && ++bad <= shown)
            std::printf("%s (%s) %s  case       %s\n\n", j.subject.label.c_str(),
                        std::string(name(j.subject.c.format)).c_str(), verdict_text(j.verdict).c_str(),
                        write_case(j.subject.c).c_str());
        return true;
    });
    for (std::size_t k = 0; k < outcome_names.size(); ++k)
        if (t.by_outcome[k] > 0)
            std::printf("  %-10s %6lld\n", std::string(outcome_names[k]).c_str(),
                        static_cast<long long>(t.by_outcome[k]));
    if (t.not_covered > 0 || all.size() < before)
        std::printf("  %lld not covered by what it declares, %zu under other policies than its own\n",
                    static_cast<long long>(t.not_covered), before - all.size());
    std::printf("%s: %s under profile %s: %lld of %lld judged vector instances deviate or broke\n",
                t.bad() > 0       ? "DEVIATES"
                : t.judged() == 0 ? "NOTHING JUDGED"
                                  : "conforms",
                d.name.c_str(), filter->profile.c_str(), static_cast<long long>(t.bad()),
                static_cast<long long>(t.judged()));
    if (answers)
        if (const auto p = answers->close()) return refuse(*p);
    if (t.bad() > 0) return Exit::deviates;
    if (const auto why = (*backend)->gone()) {
        std::fprintf(stderr, "poolproof: gave up: %s\n", why->c_str());
        return Exit::backend;
    }
    return t.judged() == 0 ? Exit::nothing_judged : Exit::ok;
}

int run(const Arguments& a, VectorBase& base, const std::filesystem::path&) {
    auto names = a.values("--backend");
    if (names.empty()) names.emplace_back("reference");
    int worst = Exit::ok;
    for (const std::string& backend_name : names) {
        const int code = run_backend(backend_name, a, base);
        if (code == Exit::bad_input) return code;
        if (worst == Exit::ok || code == Exit::deviates) worst = code;
    }
    return worst;
}

int write_export(const Arguments& a, VectorBase& base, const std::filesystem::path&) {
    const auto form = a.value("--format"), out = a.value("--out");
    if (!form || !out)
        return refuse({"export", "needs --format and --out", "see 'poolproof vectors --help'"});
    const auto filter = filter_of(a, *form == "onnx" ? "onnx" : "torchlean");
    if (!filter) return refuse(filter.rejection());
    const auto count = export_vectors(base, *filter, *form, *out);
    if (!count) return refuse(count.rejection());
    std::printf("%zu vector instances in %s\n", *count, out->c_str());
    return *count > 0 ? Exit::ok : Exit::nothing_judged;
}

int strength(const Arguments&, VectorBase& base, const std::filesystem::path&) {
    struct Row {
        std::size_t vectors = 0, smoke = 0;
        std::string first;
    };
    std::vector<Row> rows(liars().size());
    std::size_t smoke = 0;
    for (const VectorFile& f : base.files)
        for (const Vector& v : f.vectors) {
            smoke += v.smoke ? 1 : 0;
            for (const std::size_t k : kills(v)) {
                if (rows[k].vectors++ == 0) rows[k].first = v.id;
                rows[k].smoke += v.smoke ? 1 : 0;
            }
        }
    std::size_t killed = 0, killed_by_smoke = 0;
    std::printf("# Which deliberate faults the vectors find\n\nWritten by `poolproof vectors strength`.\n\n");
    std::printf("| liar | clause | vectors | smoke | for example |\n|---|---|---:|---:|---|\n");
    for (std::size_t k = 0; k < rows.size(); ++k) {
        killed += rows[k].vectors > 0 ? 1 : 0;
        killed_by_smoke += rows[k].smoke > 0 ? 1 : 0;
        std::printf("| %s | %s | %zu | %zu | %s |\n", liars()[k].name.c_str(), liars()[k].clause.c_str(),
                    rows[k].vectors, rows[k].smoke, rows[k].first.c_str());
    }
    std::printf("\n%zu of %zu liars are killed by %zu vectors, %zu by the %zu of the smoke set\n", killed,
                rows.size(), base.count(), killed_by_smoke, smoke);
    return killed == rows.size() ? Exit::ok : Exit::deviates;
}

int smoke(const Arguments&, VectorBase& base, const std::filesystem::path& folder) {
    for (const std::string& survivor : mark_smoke(base)) std::printf("%s survives\n", survivor.c_str());
    if (const auto r = write_vectors(base, folder)) return refuse(*r);
    return Exit::ok;
}

int freeze(const Arguments&, VectorBase& base, const std::filesystem::path& folder) {
    if (const auto r = freeze_vectors(base, folder)) return refuse(*r);
    std::printf("%zu vectors are frozen for revision %d\n", base.count(), spec_revision);
    return Exit::ok;
}

int select(const Arguments& a, VectorBase& base, const std::filesystem::path&) {
    const auto seed =
        whole_number("--seed", a.value("--seed").value_or("1"), 0, std::numeric_limits<Index>::max());
    if (!seed) return refuse(seed.rejection());
    const auto cases = whole_number("--cases", a.value("--cases").value_or("2000"), 1, Index{1} << 30);
    if (!cases) return refuse(cases.rejection());
    const auto most = whole_number("--most", a.value("--most").value_or("1000"), 1, Index{1} << 20);
    if (!most) return refuse(most.rejection());
    for (const std::string& line :
         selected_drafts(base, static_cast<std::uint64_t>(*seed), static_cast<std::uint64_t>(*cases),
                         static_cast<std::size_t>(*most)))
        std::printf("%s\n", line.c_str());
    return Exit::ok;
}

struct Named {
    std::string_view name;
    Action action;
};
constexpr std::array<Named, 10> actions{{{"add", add},
                                         {"lint", lint},
                                         {"list", list},
                                         {"show", show},
                                         {"run", run},
                                         {"export", write_export},
                                         {"strength", strength},
                                         {"select", select},
                                         {"smoke", smoke},
                                         {"freeze", freeze}}};

}  // namespace

bool obeys_policies(const std::string& backend_name) {
    return backend_name == "reference" || backend_name.starts_with("faulty:");
}

int run_vectors(const Arguments& a) {
    const std::string name = a.positional.empty() ? "" : a.positional.front();
    const auto action =
        std::find_if(actions.begin(), actions.end(), [&](const Named& n) { return n.name == name; });
    if (action == actions.end())
        return refuse({"vectors", name.empty() ? "is told to do nothing" : "cannot '" + name + "'",
                       "use add, lint, list, show, run, export, strength, select, smoke or freeze"});
    const bool takes_operand = name == "add" || name == "show";
    if (a.positional.size() > (takes_operand ? 2U : 1U))
        return refuse({a.positional.back(), "is not expected here", "see 'poolproof vectors --help'"});
    const auto given = a.value("--dir");
    const auto folder = given ? std::optional<std::filesystem::path>(*given) : vector_folder();
    if (!folder) return refuse({"vectors", "are not beside the program", "name their folder with --dir"});
    auto base = read_vectors(*folder);
    if (!base) return refuse(base.rejection());
    return action->action(a, *base, *folder);
}

}  // namespace poolproof::cli

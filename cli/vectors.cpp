// SPDX-License-Identifier: Apache-2.0
// `poolproof vectors`: the one tool that reads, judges by, and writes the vectors.
#include "cli/vectors.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace poolproof::cli {

namespace {

using Action = int (*)(const Arguments&, VectorBase&, const std::filesystem::path&);

int lint(const Arguments&, VectorBase& base, const std::filesystem::path&) {
    const auto complaints = lint_vectors(base);
    for (const Rejection& r : complaints) std::printf("%s\n", message(r).c_str());
    std::printf("%zu vectors in %zu files, %zu complaints\n", base.count(), base.files.size(),
                complaints.size());
    return complaints.empty() ? Exit::ok : Exit::deviates;
}

int list(const Arguments& a, VectorBase& base, const std::filesystem::path&) {
    auto filter = vector_filter(a, "", EveryProfile::allowed);
    if (!filter) return refuse(filter.rejection());
    if (filter->profile == "all") filter->profile.clear();
    bool any = false;
    for (const VectorFile& f : base.files)
        for (const Vector& v : f.vectors)
            if (meets(*filter, v)) {
                any = true;
                std::printf("%-60s %-12s %-8s %s\n", v.id.c_str(), std::string(name(v.level)).c_str(),
                            v.clause.c_str(), v.note.c_str());
            }
    return any ? Exit::ok : refuse(none_left());
}

int show(const Arguments& a, VectorBase& base, const std::filesystem::path&) {
    const std::string slug = vectors_operand(a);
    if (slug.empty())
        return refuse(
            {"SLUG", "is missing", "name a vector after 'show'; 'poolproof vectors list' has them"});
    const Vector* v = base.find(slug);
    if (v == nullptr) return refuse({slug, "is no vector", "see 'poolproof vectors list'"});
    std::printf("%s\n", vector_text(*v).c_str());
    return Exit::ok;
}

int write_export(const Arguments& a, VectorBase& base, const std::filesystem::path&) {
    const auto form = a.value("--format"), out = a.value("--out");
    if (!form || !out)
        return refuse({"export", "needs --format and --out", "see 'poolproof vectors --help'"});
    const auto filter = vector_filter(a, *form == "onnx" ? "onnx" : "torchlean", EveryProfile::refused);
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

using Names = std::vector<std::string_view>;

struct Named {
    std::string_view name;
    Action action;
    Names options{};  ///< besides --dir
};

const std::vector<Named>& actions() {
    static const std::vector<Named> table{
        {"add",
         add_vectors,
         {"--id", "--theme", "--clause", "--flag", "--note", "--change", "--level", "--dtype", "--profile"}},
        {"lint", lint},
        {"list", list, {"--profile", "--op", "--mode", "--dtype", "--level", "--smoke"}},
        {"show", show},
        {"run",
         judge_vectors,
         {"--backend", "--profile", "--op", "--mode", "--dtype", "--level", "--smoke", "--answers",
          "--deadline", "--memory", "--restarts"}},
        {"export",
         write_export,
         {"--format", "--out", "--profile", "--op", "--mode", "--dtype", "--level", "--smoke"}},
        {"strength", strength},
        {"select", select, {"--seed", "--cases", "--most"}},
        {"smoke", smoke},
        {"freeze", freeze}};
    return table;
}

std::string listed(const Names& names) {
    std::string s;
    for (const std::string_view n : names) s += ", " + std::string(n);
    return s;
}

/// An option that would have no effect is refused.
std::optional<Rejection> foreign_option(const Arguments& a, const Named& action) {
    for (const auto& [option, values] : a.options)
        if (option != "--dir" &&
            std::find(action.options.begin(), action.options.end(), option) == action.options.end())
            return Rejection{option, "is not an option of 'vectors " + std::string(action.name) + "'",
                             "it takes --dir" + listed(action.options)};
    return std::nullopt;
}

}  // namespace

std::string vectors_operand(const Arguments& a) {
    return a.positional.size() > 1 ? a.positional[1] : std::string();
}

Rejection none_left() {
    return {"vectors", "none is left by the options",
            "leave out some of --profile, --op, --mode, --dtype, --level and --smoke"};
}

std::optional<Rejection> known_profile(const Arguments& a, EveryProfile every) {
    const auto profile = a.value("--profile");
    auto known = profile_names();
    if (every == EveryProfile::allowed) known.emplace_back("all");
    if (!profile || std::find(known.begin(), known.end(), *profile) != known.end()) return std::nullopt;
    return unknown_name("--profile", *profile, known);
}

Checked<VectorFilter> vector_filter(const Arguments& a, const std::string& profile, EveryProfile every) {
    VectorFilter f;
    if (auto p = known_profile(a, every)) return *p;
    f.profile = a.value("--profile").value_or(profile);
    f.smoke = a.has("--smoke");
    if (auto p = chosen_of(a, "--op", op_names, f.ops)) return *p;
    if (auto p = chosen_of(a, "--mode", mode_names, f.modes)) return *p;
    if (auto p = chosen_of(a, "--dtype", format_names, f.formats)) return *p;
    if (auto p = chosen_of(a, "--level", level_names, f.levels)) return *p;
    return f;
}

bool obeys_policies(const std::string& backend_name) {
    return backend_name == "reference" || backend_name.starts_with("faulty:");
}

int run_vectors(const Arguments& a) {
    const std::string name = a.positional.empty() ? "" : a.positional.front();
    const auto& all = actions();
    const auto action = std::find_if(all.begin(), all.end(), [&](const Named& n) { return n.name == name; });
    if (action == all.end())
        return refuse({"vectors", name.empty() ? "is told to do nothing" : "cannot '" + name + "'",
                       "use add, lint, list, show, run, export, strength, select, smoke or freeze"});
    const bool takes_operand = name == "add" || name == "show";
    if (a.positional.size() > (takes_operand ? 2U : 1U))
        return refuse({a.positional.back(), "is not expected here", "see 'poolproof vectors --help'"});
    if (const auto r = foreign_option(a, *action)) return refuse(*r);
    const auto given = a.value("--dir");
    const auto folder = given ? std::optional<std::filesystem::path>(*given) : vector_folder();
    if (!folder) return refuse({"vectors", "are not beside the program", "name their folder with --dir"});
    auto base = read_vectors(*folder);
    if (!base) return refuse(base.rejection());
    return action->action(a, *base, *folder);
}

}  // namespace poolproof::cli

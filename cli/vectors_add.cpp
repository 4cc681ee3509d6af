// SPDX-License-Identifier: Apache-2.0
// `poolproof vectors add`: drafts, and case files as reduce, fuzz and check write them.
#include "cli/lines.hpp"
#include "cli/vectors.hpp"

#include <cstdio>
#include <memory>

namespace poolproof::cli {

namespace {

/// A draft or a case, and what the file says about it.
struct Entry {
    std::string text, about;
    std::size_t line = 0;
};

Checked<std::vector<Entry>> read_entries(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!file)
        return Rejection{path.empty() ? "add" : path, "cannot be read", "name a file of drafts or of cases"};
    std::vector<Entry> r;
    Lines lines(file.get());
    while (auto line = lines.next()) {
        const bool about = line->text.starts_with("{\"type\":");
        if (about && !r.empty())
            r.back().about = std::move(line->text);
        else if (!about)
            r.push_back({std::move(line->text), "", line->number});
    }
    if (const auto why = lines.unread(path)) return *why;
    if (r.empty()) return Rejection{path, "holds neither a draft nor a case", "give one per line"};
    return r;
}

Checked<Promotion> promotion_of(const Arguments& a) {
    Promotion p{a.value("--id").value_or(""), a.value("--theme").value_or(""),
                a.value("--clause").value_or(""), a.value("--note").value_or(""),
                a.value("--change").value_or("")};
    std::vector<Level> levels;
    if (auto r = chosen_of(a, "--level", level_names, levels)) return *r;
    if (levels.size() > 1) return Rejection{"--level", "is given twice", "a vector has one level"};
    if (!levels.empty()) p.level = levels.front();
    p.flags = a.values("--flag");
    p.profiles = a.values("--profile");
    if (auto r = known_profile(a, EveryProfile::refused)) return *r;
    if (auto r = chosen_of(a, "--dtype", format_names, p.formats)) return *r;
    return p;
}

}  // namespace

int add_vectors(const Arguments& a, VectorBase& base, const std::filesystem::path& folder) {
    const std::string path = vectors_operand(a);
    const auto as = promotion_of(a);
    if (!as) return refuse(as.rejection());
    const auto entries = read_entries(path);
    if (!entries) return refuse(entries.rejection());
    if (!as->id.empty() && entries->size() > 1)
        return refuse({"--id", "is one name for " + std::to_string(entries->size()) + " cases",
                       "add them one by one, or let them be named"});
    int code = Exit::ok;
    std::vector<std::string> added;
    for (const Entry& e : *entries) {
        auto draft = read_draft_or_case(base, e.text, e.about, *as);
        std::optional<Rejection> r;
        if (draft) added.push_back(draft->vector.id);
        if (!draft)
            r = draft.rejection();
        else
            r = add_vector(base, std::move(*draft));
        if (!r) continue;
        r->field = path + ":" + std::to_string(e.line) + ": " + r->field;
        code = refuse(*r);
    }
    if (code != Exit::ok) return code;
    if (const auto r = write_vectors(base, folder)) return refuse(*r);
    if (added.size() == 1) std::printf("%s: ", added.front().c_str());
    std::printf("%zu vectors\n", base.count());
    return Exit::ok;
}

}  // namespace poolproof::cli

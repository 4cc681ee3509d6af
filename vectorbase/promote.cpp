// SPDX-License-Identifier: Apache-2.0
// From a case that was found to a draft: its dtype and its profile move out of it, and what was written about
// it becomes its clause and its note.
#include "vectorbase/described.hpp"
#include "vectorbase/form.hpp"

#include <poolproof/text.hpp>

#include <algorithm>

namespace poolproof {

namespace {

using text::Json;

/// The strings of a line about a case; empty where it has none.
struct About {
    std::string backend, version, outcome, clause, fault, vice;
};

std::string string_of(const Json& object, const char* name) {
    const Json* s = object.find(name);
    return s != nullptr && s->is(Json::Kind::string) ? std::string(s->text()) : std::string();
}

Checked<About> read_about(const std::string& line) {
    About a;
    if (line.empty()) return a;
    const auto document = text::parse(line);
    if (!document) return document.rejection();
    const Json& root = document->root;
    a.backend = string_of(root, "backend");
    a.version = string_of(root, "version");
    a.outcome = string_of(root, "outcome");
    a.clause = string_of(root, "clause");
    if (const Json* all = root.find("explanations"); all != nullptr && !all->items().empty()) {
        a.fault = string_of(all->items().front(), "fault");
        a.vice = string_of(all->items().front(), "vice");
    }
    return a;
}

std::string note_of(const About& a) {
    if (a.backend.empty()) return "";
    std::string s = a.backend + " " + a.version + ": " + a.outcome;
    if (!a.clause.empty()) s += " by " + a.clause;
    if (!a.fault.empty()) return s + ", as " + a.fault + " does: " + a.vice;
    return s + ".";
}

/// The letters and digits of a name, in lower case, other characters as underscores.
std::string word(std::string_view name) {
    std::string s;
    for (const char c : name) {
        const char low = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        s += (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9') ? low : '_';
    }
    return s;
}

std::string id_of(const Case& c, const About& a) {
    std::string s = a.backend.empty() ? "found" : word(a.backend);
    for (const std::string_view part : {name(c.op), name(c.mode), std::string_view(a.clause)})
        if (!part.empty()) s += "-" + word(part);
    return s;
}

std::vector<std::string> flags_with(const std::vector<std::string>& further, const Case& c,
                                    const VectorBase& base) {
    auto r = vectorbase::flags_of(c, base);
    if (!plan(c) && vectorbase::has_note(base, "rejection")) r.emplace_back("rejection");
    r.insert(r.end(), further.begin(), further.end());
    std::sort(r.begin(), r.end());
    r.erase(std::unique(r.begin(), r.end()), r.end());
    return r;
}

/// Floats share answers, and so do integers; a mean of integers is none of floats.
std::vector<Format> formats_like(Format f) {
    std::vector<Format> r;
    for (std::size_t k = 0; k < format_names.size(); ++k)
        if (is_integer(static_cast<Format>(k)) == is_integer(f)) r.push_back(static_cast<Format>(k));
    return r;
}

std::string draft_text(Case c, const About& a, const Promotion& as, const VectorBase& base) {
    if (c.attrs.memory == Memory::contiguous) c.attrs.memory.reset();
    text::ObjectWriter out;
    out.add_string("id", as.id.empty() ? vectorbase::free_id(base, id_of(c, a)) : as.id);
    out.add_string("theme", as.theme.empty() ? "found" : as.theme);
    out.add_string("level", name(as.level.value_or(vectorbase::level_of(c))));
    const std::string clause = as.clause.empty() ? a.clause : as.clause;
    if (!clause.empty()) out.add_string("clause", clause);
    out.add("flags", text::list(flags_with(as.flags, c, base), json_string));
    out.add_string("note", as.note.empty() ? note_of(a) : as.note);
    if (!as.change.empty()) out.add_string("change", as.change);
    if (!plan(c)) out.add("rejected", "true");
    out.add("dtypes", vectorbase::formats_text(as.formats.empty() ? formats_like(c.format) : as.formats));
    out.add("profiles", text::list(as.profiles.empty() ? vectorbase::profiles_from(*c.profile) : as.profiles,
                                   json_string));
    out.add("case", vectorbase::question_text(c));
    return out.text();
}

/// The vector must ask what the case asked: in its dtype, under its profile, unless others were chosen.
std::optional<Rejection> left_out(const Vector& v, const Case& c, const Promotion& as) {
    if (as.formats.empty() && std::find(v.formats.begin(), v.formats.end(), c.format) == v.formats.end())
        return Rejection{v.id + ": case.dtype",
                         "has no answer that a file can hold in " + std::string(name(c.format)),
                         "name other dtypes"};
    if (as.profiles.empty() &&
        std::find(v.profiles.begin(), v.profiles.end(), *c.profile) == v.profiles.end())
        return Rejection{v.id + ": case.profile", "has no answer that a file can hold under " + *c.profile,
                         "name another profile"};
    return std::nullopt;
}

Checked<Draft> promoted(const VectorBase& base, std::string_view line, const std::string& about,
                        const Promotion& as) {
    auto c = read_case(line);
    if (!c) return c.rejection();
    if (!c->profile) c->profile = "torchlean";
    const auto said = read_about(about);
    if (!said) return said.rejection();
    if (as.note.empty() && said->backend.empty())
        return Rejection{"note", "cannot be made, for nothing is said about the case", "say what it shows"};
    auto draft = read_draft(draft_text(*c, *said, as, base));
    if (!draft) return draft.rejection();
    if (auto r = left_out(draft->vector, *c, as)) return *r;
    return draft;
}

}  // namespace

Checked<Draft> read_draft_or_case(const VectorBase& base, std::string_view line, const std::string& about,
                                  const Promotion& as) {
    const auto document = text::parse(line);
    if (!document) return document.rejection();
    if (document->root.find("op") != nullptr) return promoted(base, line, about, as);
    if (as != Promotion{})
        return Rejection{"draft", "says all of itself", "leave out the options that say it of a case"};
    return read_draft(line);
}

}  // namespace poolproof

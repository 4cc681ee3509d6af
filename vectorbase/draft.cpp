// SPDX-License-Identifier: Apache-2.0
// From a case to a vector: its formats, its profiles, and its answers from the oracle.
#include "vectorbase/draft.hpp"

#include "vectorbase/described.hpp"
#include "vectorbase/form.hpp"

#include <poolproof/text.hpp>

#include <algorithm>

namespace poolproof {

namespace vectorbase {

namespace {

constexpr int exact_bits = 80;

/// What the oracle says, as far as a file can hold it.
struct Reply {
    std::optional<Rejection> rejected;
    Expected expected;
    std::string exact, clause;

    /// What has to agree between profiles, and for `exact` between formats.
    std::string text() const { return rejected ? "rejected" : exact + outputs_text(expected); }
};

/// Nothing where an answer cannot be held, or says nothing: joint sets, vacuous bounds, open values alone.
std::optional<Reply> reply(const Case& c) {
    const auto p = plan(c);
    if (!p) return Reply{p.rejection(), {}, {}, {}};
    Reply r{std::nullopt, expect(*p, c), write_exact(exact(*p, c, exact_bits)), {}};
    bool decided = false;
    for (ExpectedOutput& o : r.expected.outputs) {
        if (o.joint) return std::nullopt;
        for (const Permitted& v : o.values) {
            if (v.vacuous && !v.open) return std::nullopt;
            decided |= !v.open;
        }
        for (const PermittedIndices& i : o.positions) decided |= i.has_value();
        decided |= size(o.shape) == 0;  // its shape is the answer
        if (r.clause.empty()) r.clause = o.clause;
    }
    if (!decided) return std::nullopt;
    return r;
}

Checked<Case> in_format(const std::string& question, Format f) {
    return read_case("{\"dtype\":" + json_string(name(f)) + "," + question.substr(1));
}

std::optional<Reply> reply_under(const Case& c, const std::string& profile) {
    Case asked = c;
    asked.profile = profile;
    return reply(asked);
}

/// Why a reply, or that there is none, is not what is wanted under a profile.
Rejection unwanted(const std::optional<Reply>& r, const std::string& profile) {
    if (!r)
        return {"case", "has no answer that a file can hold",
                "let it have a decided value, no vacuous bound and no joint set"};
    if (!r->rejected)
        return {"rejected", "is asked for, but the case is valid under " + profile, "leave it out"};
    return {"case." + r->rejected->field, r->rejected->reason + ", under " + profile,
            r->rejected->remedy + "; or say `rejected`"};
}

/// The default profile first, then by name.
bool by_rank(const std::string& a, const std::string& b) {
    const auto rank = [](const std::string& p) { return std::pair(p != "torchlean", p); };
    return rank(a) < rank(b);
}

}  // namespace

std::optional<Rejection> answer(Vector& v, const Wanted& wanted) {
    std::vector<std::string> profiles = wanted.profiles;
    if (profiles.empty()) {
        profiles = profile_names();
        std::sort(profiles.begin(), profiles.end(), by_rank);
    }
    std::vector<Format> formats = wanted.formats;
    if (formats.empty())
        for (std::size_t f = 0; f < format_names.size(); ++f) formats.push_back(static_cast<Format>(f));
    std::sort(formats.begin(), formats.end());
    // JSON numbers are rounded once, to the first format that can be; from then on all must hold them
    // exactly.
    for (const Format f : formats)
        if (const auto c = in_format(v.question, f)) {
            v.question = question_text(*c);
            break;
        }
    v.profiles.clear();
    v.formats.clear();
    v.answers.clear();
    std::vector<std::string> texts;  // of the formats taken
    std::optional<Rejection> why;    // that of the first format; what follows may only be its consequence
    const auto note = [&why](Rejection r) {
        if (!why) why = std::move(r);
    };
    for (const std::string& profile : profiles) {
        std::vector<std::string> here;
        std::vector<Reply> replies;
        for (const Format f : v.profiles.empty() ? formats : v.formats) {
            const auto c = in_format(v.question, f);
            if (!c) note(c.rejection());
            const auto r = c ? reply_under(*c, profile) : std::nullopt;
            const bool right = r && r->rejected.has_value() == wanted.rejected;
            if (c && !right) note(unwanted(r, profile));
            if (!right || (v.profiles.empty() && !replies.empty() && r->exact != replies.front().exact)) {
                if (v.profiles.empty()) continue;
                break;
            }
            here.push_back(r->text());
            replies.push_back(*r);
            if (v.profiles.empty()) v.formats.push_back(f);
        }
        if (v.profiles.empty() ? here.empty() : here != texts) continue;
        if (v.profiles.empty()) {
            texts = here;
            v.exact = replies.front().exact;
            if (v.clause.empty()) v.clause = replies.front().clause;
            for (std::size_t k = 0; k < v.formats.size() && !wanted.rejected; ++k)
                v.answers.push_back({v.formats[k], std::move(replies[k].expected)});
        }
        v.profiles.push_back(profile);
    }
    if (v.profiles.empty()) return *why;
    std::sort(v.profiles.begin(), v.profiles.end(), by_rank);
    const auto base = in_format(v.question, v.formats.front());
    v.question = question_text(*base);
    if (wanted.rejected) v.rejected = reply_under(*base, v.profiles.front())->rejected->field;
    v.hash = content_hash(v);
    return std::nullopt;
}

}  // namespace vectorbase

Checked<Draft> read_draft(std::string_view line) {
    const auto document = text::parse(line);
    if (!document) return document.rejection();
    text::Reading reading;
    Draft d;
    vectorbase::Wanted wanted;
    text::Fields fields(document->root, "draft", reading);
    vectorbase::read_description(fields, d.vector, reading);
    d.theme = fields.string("theme").value_or("");
    d.change = fields.string("change").value_or("");
    wanted.rejected = fields.boolean("rejected").value_or(false);
    if (!vectorbase::is_slug(d.theme))
        reading.reject("draft.theme", "is missing or no word", "name the theme");
    if (const auto* p = fields.find("profiles"))
        wanted.profiles = vectorbase::strings_at(*p, "draft.profiles", reading);
    if (const auto* f = fields.find("dtypes"))
        wanted.formats = vectorbase::formats_at(*f, "draft.dtypes", reading);
    if (const auto* c = fields.required("case", "write the case"))
        d.vector.question = vectorbase::compact(*c);
    fields.close();
    if (!reading.failed() && (document->root.find("case")->find("dtype") != nullptr ||
                              document->root.find("case")->find("profile") != nullptr))
        reading.reject("draft.case", "names a dtype or a profile", "name them in `dtypes` and `profiles`");
    if (reading.failed()) return *reading.rejection;
    if (auto r = vectorbase::answer(d.vector, wanted)) {
        r->field = d.vector.id + ": " + r->field;
        return *r;
    }
    return d;
}

namespace {

/// The id of another vector with this content, or nothing.
std::string same_content(const VectorBase& base, const Vector& v) {
    for (const VectorFile& f : base.files)
        for (const Vector& o : f.vectors)
            if (o.hash == v.hash && o.id != v.id) return o.id;
    return "";
}

/// What lint would complain of, found before the vector is there.
std::optional<Rejection> unfit(const VectorBase& base, const Vector& v) {
    if (!vectorbase::is_clause(v.clause))
        return Rejection{v.id + ".clause",
                         v.clause.empty() ? "is missing" : "'" + v.clause + "' is not in docs/SPEC.md",
                         "name one of 'poolproof explain'"};
    for (const std::string& flag : v.flags)
        if (!vectorbase::has_note(base, flag))
            return Rejection{v.id + ".flags", "'" + flag + "' has no note",
                             "use one of flags.json, or add a note of it there"};
    if (const std::string other = same_content(base, v); !other.empty())
        return Rejection{v.id, "has the content of " + other, "leave one out"};
    return std::nullopt;
}

/// A note for each state that is another now; a rejection if the draft does not say why.
std::optional<Rejection> note_change(VectorBase& base, const Vector& old, const Draft& draft) {
    const Vector& v = draft.vector;
    const bool content = old.hash != v.hash, level = old.level != v.level;
    if ((content || level) && draft.change.empty())
        return Rejection{
            v.id, content ? "is there already, with other content" : "is there already, with another level",
            "say why in `change`, or rename it"};
    if (content) base.changes.push_back({v.id, old.hash, v.hash, draft.change});
    if (level)
        base.changes.push_back(
            {v.id, std::string(name(old.level)), std::string(name(v.level)), draft.change});
    return std::nullopt;
}

}  // namespace

std::optional<Rejection> add_vector(VectorBase& base, Draft draft) {
    Vector& v = draft.vector;
    if (auto r = unfit(base, v)) return r;
    const auto op = text::parse(v.question);
    VectorFile fresh{std::string(op->root.find("op")->text()), draft.theme, {}};
    const Vector* old = base.find(v.id);
    if (old != nullptr)
        if (auto r = note_change(base, *old, draft)) return r;
    if (old != nullptr) {
        v.smoke |= old->smoke;
        for (VectorFile& f : base.files)
            std::erase_if(f.vectors, [&](const Vector& o) { return o.id == v.id; });
        std::erase_if(base.files, [](const VectorFile& f) { return f.vectors.empty(); });
    }
    auto file =
        std::lower_bound(base.files.begin(), base.files.end(), fresh,
                         [](const VectorFile& a, const VectorFile& b) { return a.name() < b.name(); });
    if (file == base.files.end() || file->name() != fresh.name())
        file = base.files.insert(file, std::move(fresh));
    const auto at = std::lower_bound(file->vectors.begin(), file->vectors.end(), v,
                                     [](const Vector& a, const Vector& b) { return a.id < b.id; });
    file->vectors.insert(at, std::move(v));
    return std::nullopt;
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// From a case to a vector: its formats, its profiles, and its answers from the oracle.
#include "vectorbase/draft.hpp"

#include "vectorbase/form.hpp"

#include <poolproof/text.hpp>

#include <algorithm>

namespace poolproof {

namespace vectorbase {

namespace {

constexpr int exact_bits = 80;

/// What the oracle says, as far as a file can hold it.
struct Reply {
    bool rejected = false;
    std::string field;  ///< that is wrong
    Expected expected;
    std::string exact, clause;

    /// What has to agree between profiles, and for `exact` between formats.
    std::string text() const { return rejected ? "rejected" : exact + outputs_text(expected); }
};

/// Nothing where an answer cannot be held, or says nothing: joint sets, vacuous bounds, open values alone.
std::optional<Reply> reply(const Case& c) {
    const auto p = plan(c);
    if (!p) return Reply{true, p.rejection().field, {}, {}, {}};
    Reply r{false, {}, expect(*p, c), write_exact(exact(*p, c, exact_bits)), {}};
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

std::optional<Case> in_format(const std::string& question, Format f, Rejection* why = nullptr) {
    auto c = read_case("{\"dtype\":" + json_string(name(f)) + "," + question.substr(1));
    if (c) return std::move(*c);
    if (why != nullptr) *why = c.rejection();
    return std::nullopt;
}

std::optional<Reply> reply_under(const Case& c, const std::string& profile) {
    Case asked = c;
    asked.profile = profile;
    return reply(asked);
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
    Rejection why{"case", "has no answer that a file can hold",
                  "let it have a decided value, no vacuous bound and no joint set"};
    for (const std::string& profile : profiles) {
        const bool first = profile == profiles.front();
        std::vector<std::string> here;
        std::vector<Reply> replies;
        for (const Format f : v.profiles.empty() ? formats : v.formats) {
            const auto c = in_format(v.question, f, first ? &why : nullptr);
            const auto r = c ? reply_under(*c, profile) : std::nullopt;
            if (!r || r->rejected != wanted.rejected ||
                (v.profiles.empty() && !replies.empty() && r->exact != replies.front().exact)) {
                if (r && r->rejected && first)
                    why = {"case." + r->field, "is rejected under " + profile,
                           "mend the case, or say `rejected`"};
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
    if (v.profiles.empty()) return why;
    std::sort(v.profiles.begin(), v.profiles.end(), by_rank);
    const auto base = in_format(v.question, v.formats.front());
    v.question = question_text(*base);
    if (wanted.rejected) v.rejected = reply_under(*base, v.profiles.front())->field;
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

std::optional<Rejection> add_vector(VectorBase& base, Draft draft) {
    Vector& v = draft.vector;
    const auto op = text::parse(v.question);
    VectorFile fresh{std::string(op->root.find("op")->text()), draft.theme, {}};
    const Vector* old = base.find(v.id);
    if (old != nullptr && old->hash != v.hash) {
        if (draft.change.empty())
            return Rejection{v.id, "is there already, with other content",
                             "say why in `change`, or rename it"};
        base.changes.push_back({v.id, old->hash, v.hash, draft.change});
    }
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

// SPDX-License-Identifier: Apache-2.0
// Drafts out of generated cases: those that tell something that no other vector tells.
#include "vectorbase/described.hpp"
#include "vectorbase/form.hpp"
#include "vectorbase/strength.hpp"

#include <poolproof/text.hpp>

#include <algorithm>
#include <map>

namespace poolproof {

namespace {

constexpr Index most_cells = 24;  // of input and of output
constexpr std::size_t most_text = 700;

/// What a vector tells: a liar it kills or a feature it shows, together with where.
class Tellings {
public:
    std::vector<std::size_t> of(const Case& c, const Expected* expected) {
        std::vector<std::size_t> r;
        const std::string op(name(c.op)), format(name(c.format));
        const auto add = [&](const std::string& what) {
            for (const std::string& where :
                 {op + " " + std::string(name(c.mode)), op + " under " + *c.profile, op + " " + format})
                r.push_back(number(what + " in " + where));
        };
        const auto& all = vectorbase::all_liars();
        for (std::size_t k = 0; k < all.size(); ++k)
            if (vectorbase::lies(*all[k], c, expected)) add(liars()[k].name);
        for (const Feature f : features(c)) add(std::string(name(f)));
        return r;
    }

    const std::string& text(std::size_t telling) const { return texts_[telling]; }

private:
    std::size_t number(const std::string& s) {
        const auto [at, fresh] = numbers_.emplace(s, texts_.size());
        if (fresh) texts_.push_back(s);
        return at->second;
    }

    std::map<std::string, std::size_t> numbers_;
    std::vector<std::string> texts_;
};

struct Candidate {
    Case c;
    std::vector<std::size_t> tells;
    std::size_t cost = 0;
};

/// Whether a file can hold all its answers.
bool can_be_held(const Expected& e) {
    bool decided = false;
    for (const ExpectedOutput& o : e.outputs) {
        if (o.joint || size(o.shape) > most_cells) return false;
        for (const Permitted& v : o.values) {
            if (v.vacuous && !v.open) return false;
            decided |= !v.open;
        }
    }
    return decided;
}

std::vector<std::size_t> told(const VectorBase& base, Tellings& tellings) {
    std::vector<std::size_t> r;
    for (const VectorFile& file : base.files)
        for (const Vector& v : file.vectors)
            for (const std::string& profile : v.profiles)
                for (std::size_t k = 0; k < v.formats.size(); ++k) {
                    const auto more = tellings.of(instance(v, v.formats[k], profile),
                                                  v.must_be_rejected() ? nullptr : &v.answers[k].expected);
                    r.insert(r.end(), more.begin(), more.end());
                }
    std::sort(r.begin(), r.end());
    r.erase(std::unique(r.begin(), r.end()), r.end());
    return r;
}

std::vector<Candidate> candidates(std::uint64_t seed, std::uint64_t cases,
                                  const std::vector<std::size_t>& known, Tellings& tellings) {
    std::vector<Candidate> r;
    for (const std::string& profile : profile_names()) {
        Request request;
        request.seed = seed;
        request.profile = profile;
        const auto generate = generator(request);
        if (!generate) continue;
        for (std::uint64_t i = 0; i < cases; ++i) {
            Candidate one{(*generate)(i), {}, 0};
            one.c.attrs.memory.reset();
            if (one.c.input.size() > most_cells) continue;
            one.cost = vectorbase::question_text(one.c).size();
            const auto p = plan(one.c);
            if (!p || one.cost > most_text) continue;
            const Expected expected = expect(*p, one.c);
            if (!can_be_held(expected)) continue;
            for (const std::size_t t : tellings.of(one.c, &expected))
                if (!std::binary_search(known.begin(), known.end(), t)) one.tells.push_back(t);
            if (!one.tells.empty()) r.push_back(std::move(one));
        }
    }
    return r;
}

std::string draft_line(const Candidate& one, const std::vector<std::string>& fresh, const std::string& id,
                       const VectorBase& base) {
    text::ObjectWriter out;
    out.add_string("id", id);
    out.add_string("theme", one.c.mode == Mode::forward ? "forward" : name(one.c.mode));
    out.add_string("level", name(vectorbase::level_of(one.c)));
    out.add("flags", text::list(vectorbase::flags_of(one.c, base), json_string));
    std::string note = "Tells " + fresh.front();
    if (fresh.size() > 1) note += " and " + std::to_string(fresh.size() - 1) + " more";
    out.add_string("note", note + ", as no vector before it.");
    if (is_integer(one.c.format)) out.add("dtypes", R"(["i8","u8","i32","i64"])");
    out.add("profiles", text::list(vectorbase::profiles_from(*one.c.profile), json_string));
    out.add("case", vectorbase::question_text(one.c));
    return out.text();
}

}  // namespace

std::vector<std::string> selected_drafts(const VectorBase& base, std::uint64_t seed, std::uint64_t cases,
                                         std::size_t most) {
    Tellings tellings;
    const auto known = told(base, tellings);
    const auto all = candidates(seed, cases, known, tellings);
    std::vector<std::vector<std::size_t>> sets;
    std::vector<std::size_t> costs;
    for (const Candidate& one : all) {
        sets.push_back(one.tells);
        costs.push_back(one.cost);
    }
    std::vector<std::string> lines;
    std::vector<bool> told_already;
    std::map<std::string, int> ids;
    for (const std::size_t k : vectorbase::greedy_cover(sets, costs, most)) {
        std::vector<std::string> fresh;
        for (const std::size_t t : all[k].tells) {
            told_already.resize(std::max(told_already.size(), t + 1));
            if (!told_already[t]) fresh.push_back(tellings.text(t));
            told_already[t] = true;
        }
        const std::string what = fresh.front().substr(0, fresh.front().find(' '));
        const std::string plain =
            std::string(name(all[k].c.op)) + "-" + std::string(name(all[k].c.mode)) + "-" + what;
        std::string id;
        do {
            const int n = ++ids[plain];
            id = n == 1 ? plain : plain + "-" + std::to_string(n);
        } while (base.find(id) != nullptr);
        lines.push_back(draft_line(all[k], fresh, id, base));
    }
    return lines;
}

}  // namespace poolproof

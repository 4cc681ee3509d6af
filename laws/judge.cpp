// SPDX-License-Identifier: Apache-2.0
// Whether the answers to a relation's cases have to do with each other what its law says. Numbers come from
// the oracle: here patterns are compared, and sets by their ends.
#include "laws/parts.hpp"

#include <poolproof/text.hpp>

#include <algorithm>

namespace poolproof {

namespace {

const ExpectedOutput* output_named(const Expected& e, const std::string& name) {
    for (const ExpectedOutput& o : e.outputs)
        if (o.name == name) return &o;
    return nullptr;
}

/// Whether an answer is whole: every output there, in its format and shape.
bool complete(const LawSide& s) {
    if (s.answer.kind != Observation::Kind::answered) return false;
    return std::all_of(s.expected.outputs.begin(), s.expected.outputs.end(), [&](const ExpectedOutput& o) {
        const Tensor* t = s.answer.find(o.name);
        return t != nullptr && t->shape == o.shape && t->format == o.format;
    });
}

/// The one pattern of a set, if it is one; any NaN stands for all.
std::optional<Bits> single(const Permitted& p, Format f) {
    const int kinds = int{p.range} + int{p.nan} + int{p.infinity} + int{p.minus_infinity};
    if (p.open || p.vacuous || kinds != 1) return std::nullopt;
    if (p.nan) return quiet_nan_bits(f);
    if (p.infinity) return infinity_bits(f);
    if (p.minus_infinity) return infinity_bits(f) | sign_bit(f);
    return p.lowest == p.highest ? std::optional(p.lowest) : std::nullopt;
}

bool same(Format f, Bits a, Bits b) { return a == b || (is_nan(f, a) && is_nan(f, b)); }

/// Whether a value may be in both sets. What cannot be mapped is given the benefit of the doubt.
bool meet(const Permitted& a, const Permitted& b, Format f, const Pairing& pairing) {
    if (a.open || b.open || (a.nan && b.nan)) return true;
    const auto mapped = [&](Bits x) { return pairing.map ? pairing.map(x) : std::optional(x); };
    for (const Bits inf : {infinity_bits(f), infinity_bits(f) | sign_bit(f)})
        if (!is_integer(f) && permits(b, f, inf) && permits(a, f, mapped(inf).value_or(inf))) return true;
    if (!a.range || !b.range) return false;
    const auto low = mapped(b.lowest), high = mapped(b.highest);
    if (!low || !high) return true;
    const auto [least, most] = std::minmax({ordinal(f, *low), ordinal(f, *high)});
    return ordinal(f, a.lowest) <= most && least <= ordinal(f, a.highest);
}

class Comparison {
public:
    Comparison(const Pairing& pairing, const std::vector<LawSide>& sides, LawVerdict& v)
        : pairing_(pairing),
          one_(*output_named(sides[pairing.one].expected, pairing.output)),
          other_(*output_named(sides[pairing.other].expected, pairing.output)),
          got_(*sides[pairing.one].answer.find(pairing.output)),
          there_(*sides[pairing.other].answer.find(pairing.output)),
          v_(v) {}

    /// What is broken first, in words.
    std::optional<std::string> run() {
        for (Index i = 0; i < got_.size(); ++i) {
            const auto j = pairing_.at ? pairing_.at(i) : std::optional(i);
            if (j && !(one_.positions.empty() ? values_agree(i, *j) : positions_agree(i, *j)))
                return pairing_.output + "[" + std::to_string(i) + "] is " + hex_float(got_.format, got_[i]) +
                       ", and " + pairing_.output + "[" + std::to_string(*j) + "] of the other case is " +
                       hex_float(there_.format, there_[*j]);
        }
        return std::nullopt;
    }

private:
    bool values_agree(Index i, Index j) {
        const Format f = one_.format;
        const Permitted &a = one_.values[static_cast<std::size_t>(i)],
                        &b = other_.values[static_cast<std::size_t>(j)];
        const auto wanted = single(a, f), elsewhere = single(b, f);
        const auto mapped = [&](Bits x) { return pairing_.map ? pairing_.map(x) : std::optional(x); };
        const auto as_one = elsewhere ? mapped(*elsewhere) : std::nullopt;
        if (!wanted || !as_one || !same(f, *wanted, *as_one)) {
            v_.sets_met = v_.sets_met && (pairing_.choice || meet(a, b, f, pairing_));
            return true;
        }
        ++v_.compared;
        const auto answered = mapped(there_[j]);
        return answered && same(f, got_[i], *answered);
    }

    bool positions_agree(Index i, Index j) {
        const PermittedIndices &a = one_.positions[static_cast<std::size_t>(i)],
                               &b = other_.positions[static_cast<std::size_t>(j)];
        if (!a || !b || a->size() != 1 || *a != *b) return true;
        ++v_.compared;
        return got_[i] == there_[j];
    }

    const Pairing& pairing_;
    const ExpectedOutput &one_, &other_;
    const Tensor &got_, &there_;
    LawVerdict& v_;
};

void break_law(LawVerdict& v, const Law& law, std::string clause, const std::string& why) {
    v.broken = true;
    v.verdict.outcome = Outcome::deviates;
    v.verdict.clause = std::move(clause);
    v.verdict.why = law.name + ": " + why;
    v.verdict.first_deviations.clear();
}

/// The worst of what is said of each side; a law that was answered whole is judged.
void take_worst(LawVerdict& v, const std::vector<LawSide>& sides) {
    for (std::size_t k = 0; k < sides.size(); ++k) {
        Verdict own = judge(sides[k].expected, sides[k].answer);
        const bool worse = own.outcome > v.verdict.outcome;
        // What is open or vacuous on one side may be judged on another.
        const bool counts = own.outcome >= Outcome::deviates || own.outcome == Outcome::declined;
        if (k == 0 || (worse && counts) || own.outcome < std::min(v.verdict.outcome, Outcome::declined)) {
            v.verdict = std::move(own);
            v.side = k;
        }
    }
}

}  // namespace

LawVerdict judge_law(const Law& law, const Relation& relation, const std::vector<Observation>& answers) {
    std::vector<LawSide> sides;
    for (std::size_t k = 0; k < relation.cases.size(); ++k) {
        const Case& c = relation.cases[k];
        Plan settled = *plan(c);
        Expected expected = expect(settled, c, {0, slice_count(settled, c)});
        sides.push_back({c, std::move(settled), std::move(expected), answers[k]});
    }
    LawVerdict v;
    take_worst(v, sides);
    if (relation.repeats) {
        const Verdict again =
            judge_repeat({}, sides.front().plan, sides.front().c, sides.front().answer, sides.back().answer);
        if (again.outcome == Outcome::deviates) break_law(v, law, again.clause, again.why);
        v.compared += complete(sides.front()) ? 1 : 0;
    }
    if (v.broken || !std::all_of(sides.begin(), sides.end(), complete)) return v;
    const ExpectedOutput& last = sides.back().expected.outputs.front();
    const std::string clause = !law.clause.empty()                      ? law.clause
                               : last.clause_at && !last.values.empty() ? last.clause_at(0)
                                                                        : last.clause;
    for (const Pairing& p : relation.pairings) {
        Comparison comparison(p, sides, v);
        if (const auto why = comparison.run(); why && !v.broken) break_law(v, law, clause, *why);
    }
    if (relation.also && !v.broken)
        if (const auto why = relation.also(sides)) break_law(v, law, clause, *why);
    return v;
}

const std::vector<Law>& all_laws() {
    static const std::vector<Law> all = [] {
        std::vector<Law> r;
        for (auto family : {law::call_laws, law::slice_laws, law::arithmetic_laws, law::geometry_laws,
                            law::winner_laws, law::adjoint_laws})
            for (Law& l : family()) r.push_back(std::move(l));
        return r;
    }();
    return all;
}

}  // namespace poolproof

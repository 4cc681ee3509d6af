// SPDX-License-Identifier: Apache-2.0
// Membership: is the pattern one of the permitted ones? No tolerance, and no floating-point number, lives
// here.
#include <poolproof/verdict.hpp>

#include <algorithm>

namespace poolproof {

namespace {

std::string shown(const Shape& shape) {
    std::string s = "[";
    for (const Index n : shape) s += (s.size() > 1 ? "," : "") + std::to_string(n);
    return s + "]";
}

Verdict whole(Outcome outcome, std::string clause, std::string why) {
    Verdict v;
    v.outcome = outcome;
    v.clause = std::move(clause);
    v.why = std::move(why);
    return v;
}

void deviate(Verdict& v, const ExpectedOutput& output, Index position, Bits got) {
    ++v.tally.deviating;
    if (v.clause.empty()) v.clause = output.clause_at ? output.clause_at(position) : output.clause;
    if (v.first_deviations.size() < shown_deviations)
        v.first_deviations.push_back({output.name, position, got});
}

void judge_values(Verdict& v, const ExpectedOutput& output, const Tensor& got) {
    for (Index i = 0; i < got.size(); ++i) {
        const Permitted& p = output.values[static_cast<std::size_t>(i)];
        if (!permitted(output, i, got[i]))
            deviate(v, output, i, got[i]);
        else if (p.vacuous)
            ++v.tally.vacuous;
        else
            ++(p.open ? v.tally.open : v.tally.conforming);
    }
}

/// The number of an index output's element; nothing for a pattern that is no whole number.
std::optional<Index> position_of(Format f, Bits b) {
    if (is_integer(f)) return integer_value(f, b);
    if (is_nan(f, b) || is_infinite(f, b) || is_negative(f, b)) return std::nullopt;
    if (is_zero(f, b)) return 0;
    const int fraction = precision(f) - 1;
    const auto biased = static_cast<int>(magnitude(f, b) >> fraction);
    const int shift = biased - max_exponent(f) - fraction;  // of the significand, to the left
    const Bits significand = (magnitude(f, b) & ((Bits{1} << fraction) - 1)) | Bits{1} << fraction;
    if (biased == 0 || shift < -fraction || shift + fraction > 61) return std::nullopt;
    if (shift >= 0) return static_cast<Index>(significand << shift);
    const Bits lost = significand & ((Bits{1} << -shift) - 1);
    return lost != 0 ? std::nullopt : std::optional(static_cast<Index>(significand >> -shift));
}

void judge_positions(Verdict& v, const ExpectedOutput& output, const Tensor& got) {
    for (Index i = 0; i < got.size(); ++i) {
        if (!permitted(output, i, got[i]))
            deviate(v, output, i, got[i]);
        else
            ++(output.positions[static_cast<std::size_t>(i)] ? v.tally.conforming : v.tally.open);
    }
}

Outcome outcome_of(const Tally& t) {
    if (t.deviating > 0) return Outcome::deviates;
    if (t.conforming > 0) return Outcome::conforms;
    return t.open > 0 ? Outcome::open : Outcome::vacuous;
}

/// Values that are permitted one by one may still not come from one choice of winners.
void decide_jointly(Verdict& v, const ExpectedOutput& output, const Tensor& got) {
    const Decision d = output.joint->decide(got);
    if (d == Decision::permitted) return;
    v.clause = output.clause;
    v.outcome = d == Decision::refused ? Outcome::deviates : Outcome::open;
    v.why = d == Decision::refused
                ? "no choice of winners under ties '" + output.joint->kind + "' gives these values together"
                : "too many ties under '" + output.joint->kind +
                      "' to decide whether one choice gives all values";
}

/// An output that no answer has.
const std::string* stray(const Observation& o) {
    for (const auto& [name, tensor] : o.outputs)
        if (name != "y" && name != "dy" && name != "dx" && name != "indices") return &name;
    return nullptr;
}

Verdict judge_answer(const Expected& expected, const Observation& observation) {
    Verdict v;
    if (const auto* name = stray(observation))
        return whole(Outcome::deviates, "Answer", "the output '" + *name + "' is one that no answer has");
    for (const ExpectedOutput& output : expected.outputs) {
        const Tensor* got = observation.find(output.name);
        if (got == nullptr)
            return whole(Outcome::deviates, "Answer", "the output '" + output.name + "' is missing");
        if (got->shape != output.shape)
            return whole(Outcome::deviates, "WOut",
                         "the shape of '" + output.name + "' is " + shown(got->shape) + ", but must be " +
                             shown(output.shape));
        if (got->format != output.format)
            return whole(Outcome::deviates, "Answer",
                         "the dtype of '" + output.name + "' is " + std::string(name(got->format)) +
                             ", but must be " + std::string(name(output.format)));
        if (output.positions.empty())
            judge_values(v, output, *got);
        else
            judge_positions(v, output, *got);
        if (output.joint && v.tally.deviating == 0) decide_jointly(v, output, *got);
        if (v.outcome != Outcome::conforms) return v;
    }
    v.outcome = outcome_of(v.tally);
    return v;
}

}  // namespace

bool permitted(const ExpectedOutput& output, Index position, Bits got) {
    const auto i = static_cast<std::size_t>(position);
    if (output.positions.empty()) return permits(output.values[i], output.format, got);
    const PermittedIndices& any_of = output.positions[i];
    if (!any_of) return true;
    const auto index = position_of(output.format, got);
    return index && std::find(any_of->begin(), any_of->end(), *index) != any_of->end();
}

Verdict judge(const Expected& expected, const Observation& o) {
    switch (o.kind) {
        case Observation::Kind::answered: return judge_answer(expected, o);
        case Observation::Kind::declined: return whole(Outcome::declined, "", o.why);
        case Observation::Kind::rejected:
            return whole(Outcome::deviates, "Answer", "a valid case was rejected: " + o.why);
        case Observation::Kind::failed:
            return whole(Outcome::deviates, "Answer", "a valid case failed: " + o.why);
        case Observation::Kind::broke: break;
    }
    return whole(Outcome::broke, "", o.why);
}

// [Answer]
Verdict judge_declined(Verdict declined) {
    return whole(Outcome::deviates, "Answer", "a case that is declared was declined: " + declined.why);
}

// [Det]
Verdict judge_repeat(Verdict first, const Plan& plan, const Observation& one, const Observation& other) {
    if (first.outcome > Outcome::vacuous || plan.policy.deterministic == Deterministic::open) return first;
    if (one.kind == other.kind && one.outputs == other.outputs) return first;
    first.outcome = other.kind == Observation::Kind::broke ? Outcome::broke : Outcome::deviates;
    first.clause = "Det";
    first.why = "nondeterministic: the same request was answered differently the second time";
    return first;
}

Verdict judge_rejection(const Observation& o) {
    switch (o.kind) {
        case Observation::Kind::rejected: return whole(Outcome::conforms, "Answer", "");
        case Observation::Kind::declined: return whole(Outcome::declined, "", o.why);
        case Observation::Kind::broke: return whole(Outcome::broke, "", o.why);
        case Observation::Kind::answered:
            return whole(Outcome::deviates, "Answer", "a case that must be rejected was answered");
        case Observation::Kind::failed: break;
    }
    return whole(Outcome::deviates, "Answer", "a case that must be rejected failed: " + o.why);
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// Membership: is the pattern one of the permitted ones? No tolerance, and no floating-point number, lives
// here.
#include <poolproof/text.hpp>
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

void judge_value(Verdict& v, const ExpectedOutput& output, const Permitted& p, const Tensor& got, Index i) {
    const Bits b = got[i];
    if (!permits(p, output.format, b))
        deviate(v, output, i, b);
    else if (p.vacuous)
        ++v.tally.vacuous;
    else
        ++(p.open ? v.tally.open : v.tally.conforming);
}

void judge_values(Verdict& v, const ExpectedOutput& output, const Tensor& got) {
    Index i = output.first;
    for (const Permitted& p : output.values) judge_value(v, output, p, got, i++);
}

/// The number of an index output's element; nothing for a pattern that is no whole number.
std::optional<Index> position_of(Format f, Bits b) {
    if (is_integer(f)) return integer_value(f, b);
    if (is_zero(f, b)) return 0;  // [Zero]
    if (is_nan(f, b) || is_infinite(f, b) || is_negative(f, b)) return std::nullopt;
    const int fraction = precision(f) - 1;
    const auto biased = static_cast<int>(magnitude(f, b) >> fraction);
    const int shift = biased - max_exponent(f) - fraction;  // of the significand, to the left
    const Bits significand = (magnitude(f, b) & ((Bits{1} << fraction) - 1)) | Bits{1} << fraction;
    if (biased == 0 || shift < -fraction || shift + fraction > 61) return std::nullopt;
    if (shift >= 0) return static_cast<Index>(significand << shift);
    const Bits lost = significand & ((Bits{1} << -shift) - 1);
    return lost != 0 ? std::nullopt : std::optional(static_cast<Index>(significand >> -shift));
}

/// Whether an index pattern names one of the positions that may be reported.
bool may_report(const PermittedIndices& any_of, Format f, Bits got) {
    if (!any_of) return true;
    const auto index = position_of(f, got);
    return index && std::find(any_of->begin(), any_of->end(), *index) != any_of->end();
}

void judge_positions(Verdict& v, const ExpectedOutput& output, const Tensor& got) {
    Index i = output.first;
    for (const PermittedIndices& any_of : output.positions) {
        if (!may_report(any_of, output.format, got[i]))
            deviate(v, output, i, got[i]);
        else
            ++(any_of ? v.tally.conforming : v.tally.open);
        ++i;
    }
}

Outcome outcome_of(const Tally& t) {
    if (t.deviating > 0) return Outcome::deviates;
    if (t.conforming > 0) return Outcome::conforms;
    return t.open > 0 ? Outcome::open : Outcome::vacuous;
}

/// The answer of an output, or a verdict on what was given in its place.
std::optional<Verdict> shape_verdict(const ExpectedOutput& output, const Tensor* got) {
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
    return std::nullopt;
}

/// Whether every output that the case asks for is the same, bit by bit; what else there is does not matter.
bool same_outputs(const Case& c, const Observation& one, const Observation& other) {
    const auto asked = asked_outputs(c);
    return std::all_of(asked.begin(), asked.end(), [&](const AskedOutput& output) {
        const Tensor *a = one.find(output.name), *b = other.find(output.name);
        return a == nullptr || b == nullptr ? a == b : *a == *b;
    });
}

/// About how many values make a block: few enough for a cache. Screens, which keep nothing but what they
/// leave in doubt, go through more at a time.
constexpr Index block_values = Index{1} << 14, screened_blocks = 16;

/// Calls `use` for the parts of some slices, in order, of up to `count` slices each.
template <class Use> void for_each_part(const Slices& slices, Index count, Use use) {
    const Index end = slices.first + slices.count;
    for (Index first = slices.first; first < end; first += count)
        use(Slices{first, std::min(count, end - first)});
}

/// Collects the judgments of an answer's blocks, of which each is the expected sets of some slices.
class Judgment {
public:
    explicit Judgment(const Observation& o) : observation_(o) {}

    void add(const Expected& block) {
        for (const ExpectedOutput& output : block.outputs) {
            const Tensor* got = observation_.find(output.name);
            if (!misshapen_) misshapen_ = shape_verdict(output, got);
            if (misshapen_) return;
            judge_values(verdict_, output, *got);
            judge_positions(verdict_, output, *got);
            if (!output.joint || verdict_.tally.deviating > 0) continue;
            jointly_ = both(jointly_, output.joint->decide(*got));
            joint_ = {output.clause, output.joint->kind};
        }
    }

    /// Judges slices of `each` values by the short way, where there is one: only what it leaves in doubt
    /// needs its set, found in blocks of up to `count` slices. `outline` is what is expected, without values.
    bool add_screened(const Expected& outline, const Plan& plan, const Case& c, const Slices& slices,
                      Index each, Index count, Stages* stages) {
        const ExpectedOutput& output = outline.outputs.front();
        const Tensor& got = *observation_.find(output.name);
        doubtful_.clear();
        if (outline.outputs.size() > 1 || !screen(plan, c, slices, got, doubtful_)) return false;
        const Index sure = slices.count * each - static_cast<Index>(doubtful_.size());
        verdict_.tally.conforming += sure;
        if (stages != nullptr) stages->screened += sure;
        auto from = doubtful_.cbegin();
        for_each_part(slices, count, [&](const Slices& block) {
            const auto to = std::lower_bound(from, doubtful_.cend(), (block.first + block.count) * each);
            if (from == to) return;
            const std::vector<Index> positions(from, to);
            const auto sets = permitted_at(plan, c, block, positions, stages);
            for (const Permitted& p : sets) judge_value(verdict_, output, p, got, *from++);
        });
        return true;
    }

    bool misshapen() const { return misshapen_.has_value(); }

    Verdict verdict() && {
        if (misshapen_) return std::move(*misshapen_);
        Verdict& v = verdict_;
        v.outcome = outcome_of(v.tally);
        if (v.tally.deviating > 0 || jointly_ == Decision::permitted) return std::move(v);
        v.clause = joint_.first;
        v.outcome = jointly_ == Decision::refused ? Outcome::deviates : Outcome::open;
        v.why =
            jointly_ == Decision::refused
                ? "no choice of winners under ties '" + joint_.second + "' gives these values together"
                : "too many ties under '" + joint_.second + "' to decide whether one choice gives all values";
        return std::move(v);
    }

private:
    const Observation& observation_;
    Verdict verdict_;
    std::optional<Verdict> misshapen_;
    std::vector<Index> doubtful_;
    /// Values that are permitted one by one may still not come from one choice of winners.
    Decision jointly_ = Decision::permitted;
    std::pair<std::string, std::string> joint_;  ///< its clause and kind
};

/// The verdict on what is no answer; nothing for an answer.
std::optional<Verdict> unanswered(const Observation& o) {
    switch (o.kind) {
        case Observation::Kind::answered: return std::nullopt;
        case Observation::Kind::declined: return whole(Outcome::declined, "", o.why);
        case Observation::Kind::rejected:
            return whole(Outcome::deviates, "Answer", "a valid case was rejected: " + o.why);
        case Observation::Kind::failed:
            return whole(Outcome::deviates, "Answer", "a valid case failed: " + o.why);
        case Observation::Kind::broke: break;
    }
    return whole(Outcome::broke, "", o.why);
}

}  // namespace

bool permitted(const ExpectedOutput& output, Index position, Bits got) {
    const auto i = static_cast<std::size_t>(position - output.first);
    if (output.positions.empty()) return permits(output.values[i], output.format, got);
    return may_report(output.positions[i], output.format, got);
}

Verdict judge(const Expected& expected, const Observation& o) {
    if (auto v = unanswered(o)) return *v;
    Judgment j(o);
    j.add(expected);
    return std::move(j).verdict();
}

Verdict judge_case(const Plan& plan, const Case& c, const Observation& o, Stages* stages) {
    if (auto v = unanswered(o)) return *v;
    Judgment j(o);
    const Expected outline = expect(plan, c, {0, 0});
    j.add(outline);
    const Index slices = slice_count(plan, c);
    if (slices == 0 || j.misshapen()) return std::move(j).verdict();
    const Index each = size(outline.outputs.front().shape) / slices;
    const Index larger = std::max<Index>({each, c.input.size() / slices, 1});
    const Index count = std::max<Index>(block_values / larger, 1);
    for_each_part({0, slices}, screened_blocks * count, [&](const Slices& part) {
        if (j.add_screened(outline, plan, c, part, each, count, stages)) return;
        for_each_part(part, count, [&](const Slices& block) { j.add(expect(plan, c, block, stages)); });
    });
    return std::move(j).verdict();
}

// [Answer]
Verdict judge_declined(Verdict declined) {
    return whole(Outcome::deviates, "Answer",
                 "a case that is declared was declined: " + std::move(declined.why));
}

// [Det]
Verdict judge_repeat(Verdict first, const Plan& plan, const Case& c, const Observation& one,
                     const Observation& other) {
    if (first.outcome > Outcome::vacuous || plan.policy.deterministic == Deterministic::open) return first;
    if (one.kind == other.kind && same_outputs(c, one, other)) return first;
    if (other.kind == Observation::Kind::broke)
        return whole(Outcome::broke, "", "the second of two equal requests: " + other.why);
    first.outcome = Outcome::deviates;
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

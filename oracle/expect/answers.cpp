// SPDX-License-Identifier: Apache-2.0
// Picks the scalar a plan needs, evaluates the spec in it, and hands out exact answers and permitted
// patterns. Templates end here.
#include "oracle/expect/honest.hpp"
#include "oracle/expect/joint_ties.hpp"
#include "oracle/expect/outline.hpp"
#include "oracle/expect/range.hpp"
#include "oracle/expect/rounding.hpp"
#include "oracle/expect/stepwise.hpp"
#include "oracle/scalar/dyadic.hpp"
#include "oracle/spec/evaluate.hpp"

#include <algorithm>

namespace poolproof {

namespace {

Real real_value(Format f, Bits b) { return {rational_value(f, b)}; }

/// Calls `use` with the plan's evaluation in the cheapest scalar that holds it exactly.
template <class Use> auto evaluated(const Plan& plan, const Case& c, Use use) {
    const auto any_pool = [&](auto holds) {
        return std::any_of(plan.nodes.begin(), plan.nodes.end(),
                           [&](const NodePlan& n) { return n.pool && holds(*n.pool); });
    };
    if (any_pool([](const PoolPlan& p) { return p.reduction == Reduction::smooth_max; }))
        return use(spec::evaluate<Real>(plan, c, real_value));
    const bool divides = any_pool(
        [](const PoolPlan& p) { return p.reduction == Reduction::average || p.policy.ties == Ties::split; });
    if (divides) return use(spec::evaluate<Rational>(plan, c, rational_value));
    return use(spec::evaluate<Dyadic>(plan, c, dyadic_value));
}

std::string special(Kind k) {
    switch (k) {
        case Kind::nan: return "nan";
        case Kind::infinity: return "inf";
        case Kind::minus_infinity: return "-inf";
        case Kind::open:
        case Kind::undetermined: return "open";
        case Kind::finite: break;
    }
    return "";
}

std::pair<Rational, Rational> ends(const Dyadic& a, int) { return {a.rational(), a.rational()}; }
std::pair<Rational, Rational> ends(const Rational& a, int) { return {a, a}; }
std::pair<Rational, Rational> ends(const Real& a, int bits) { return enclose(a, bits); }

template <class S> ExactValue exact_value(const Plan& plan, const Extended<S>& v, int bits) {
    if (!v.is_finite()) return {{}, {}, special(v.kind)};
    const auto [low, high] = ends(v.value, bits);
    if (is_integer(plan.format) &&
        !integer_pattern(plan.format, rounded_mean(low, plan.output().pool->policy.integer_mean)))
        return {{}, {}, special(Kind::open)};
    return {text(low), text(high), {}};
}

std::pair<Bits, Bits> both(Format f, const Rational& a) {
    const Bits b = nearest(f, a);
    return {b, b};
}
std::pair<Bits, Bits> both(Format f, const Dyadic& a) { return both(f, a.rational()); }
std::pair<Bits, Bits> both(Format f, const Real& a) { return nearest(f, a); }

/// An integer answer: a maximum as it is, a mean by the rule for it; open where the rule is, or outside the
/// type.
Permitted permitted_integer(const Plan& plan, const Rational& q) {
    const IntegerMean rule = plan.output().pool->policy.integer_mean;
    const Integer whole = rounded_mean(q, rule);
    const auto b = integer_pattern(plan.format, whole);
    if (!b || (rule == IntegerMean::open && Rational(whole) != q)) return Permitted::anything();
    return Permitted::exactly(*b);
}

/// The correctly rounded value; a zero with the signs it may have [Zero].
template <class S> Permitted permitted(const Plan& plan, const Extended<S>& v) {
    if (v.kind != Kind::finite) return permitted(v.kind);
    const Format f = plan.format;
    if (is_integer(f)) return permitted_integer(plan, ends(v.value, 0).first);
    const auto [low, high] = both(f, v.value);
    Permitted p = rounded_between(f, low, high);
    const bool either = !is_exactly_zero(v.value);  // a value that rounds to zero, not zero itself
    if (is_zero(f, low)) p.lowest = either || (v.zeros & minus_zero) != 0 ? sign_bit(f) : 0;
    if (is_zero(f, high)) p.highest = either || (v.zeros & plus_zero) != 0 ? 0 : sign_bit(f);
    return p;
}

}  // namespace

Exact exact(const Plan& plan, const Case& c, int bits) {
    return evaluated(plan, c, [&](auto evaluation) {
        const Expected shaped = outline(plan, c);
        Exact r;
        r.shape = shaped.outputs.front().shape;
        for (const auto& v : evaluation.values) r.values.push_back(exact_value(plan, v, bits));
        if (asks_for_indices(plan)) {
            r.index_shape = shaped.outputs.back().shape;
            for (auto& positions : evaluation.indices)
                if (positions && positions->size() > 1) positions.reset();  // any of them: no single answer
            r.indices = formed(*plan.output().pool, std::move(evaluation.indices));
        }
        return r;
    });
}

namespace {

std::vector<Permitted> patterns(const Plan& plan, const Case& c) {
    if (correctly_rounded(plan))
        return evaluated(plan, c, [&](auto evaluation) {
            std::vector<Permitted> r;
            for (const auto& v : evaluation.values) r.push_back(permitted(plan, v));
            return r;
        });
    const bool by_steps =
        plan.nodes.size() > 1 && sums_exactly(plan) && plan.policy.accumulate == Accumulate::exact;
    if (by_steps)
        if (auto r = stepwise_patterns(plan, c)) return *r;
    return honest_patterns(plan, c);
}

}  // namespace

namespace {

/// Where the winner is zero or may be flushed to it, it may tie with every cell that may be [MIdx].
void add_flushed(std::vector<PermittedIndices>& positions, const Plan& plan, const Case& c) {
    const std::vector<Axis>& axes = plan.output().pool->axes;
    Index cells = 1;
    for (const Axis& a : axes) cells *= a.extent;
    const Format f = plan.format;
    const auto is_small = [&](Index i) { return magnitude(f, c.input[i]) < Bits{1} << (precision(f) - 1); };
    const auto is_subnormal = [&](Index i) { return is_small(i) && !is_zero(f, c.input[i]); };
    const Index slices = slice_count(plan, c);
    std::size_t at = 0;
    for (Index begin = 0; begin < slices * cells; begin += cells)
        spec::for_each_window(axes, [&](Index, const spec::Window& w) {
            PermittedIndices& any_of = positions[at++];
            if (!any_of || any_of->empty() || !is_small(begin + any_of->front())) return;
            const bool winner_is = is_subnormal(begin + any_of->front());
            if (winner_is && sign(spec::padding_zeros(*plan.output().pool, w)) > 0) {
                any_of.reset();  // it may tie with padding
                return;
            }
            for (const Index tap : w.taps)
                if (winner_is ? is_small(begin + tap) : is_subnormal(begin + tap)) any_of->push_back(tap);
            std::sort(any_of->begin(), any_of->end());
            any_of->erase(std::unique(any_of->begin(), any_of->end()), any_of->end());
        });
}

}  // namespace

Expected expect(const Plan& plan, const Case& c) {
    Expected r = outline(plan, c);
    r.outputs.front().values = patterns(plan, c);
    r.outputs.front().joint = joint_ties(plan, c);
    if (asks_for_indices(plan))
        r.outputs.back().positions = evaluated(plan, c, [&](auto evaluation) {
            const bool flushes = plan.policy.subnormals == Subnormals::may_flush;
            if (flushes && !correctly_rounded(plan) && !is_integer(plan.format))
                add_flushed(evaluation.indices, plan, c);
            return formed(*plan.output().pool, std::move(evaluation.indices));
        });
    return r;
}

std::optional<Index> used_share(const Permitted& p, const ExactValue& exact, Format f, Bits got) {
    if (!p.range || !exact.special.empty() || is_nan(f, got) || is_infinite(f, got) || is_integer(f))
        return std::nullopt;
    const Rational truth = (Rational(exact.lower) + Rational(exact.upper)) / 2;
    const Rational error = rational_value(f, got) - truth;
    const Rational end = rational_value(f, sign(error) < 0 ? p.lowest : p.highest) - truth;
    if (error.is_zero()) return 0;
    if (sign(error) * sign(end) <= 0) return std::nullopt;
    const Integer per_cent = -floor_of(Rational(-100) * error / end);
    return bit_length(per_cent) > 60 ? std::nullopt : std::optional(per_cent.convert_to<Index>());
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// One spec, many scalars: all scalars agree where they are exact, an interval holds what is exact, and the
// dual numbers that the derivatives are read off carry the plain value and the plain push. Holds for every
// policy.
#include "oracle/spec/reductions.hpp"
#include "properties/cases.hpp"

#include <poolproof/expected.hpp>

namespace poolproof {

/// The logarithm's edge is at the primal.
template <class S, class T> bool is_exactly_zero(const Dual<S, T>& a) { return is_exactly_zero(a.primal); }

namespace laws {
namespace {

const std::vector<Op> all_ops{Op::max_pool,          Op::avg_pool,          Op::smooth_max_pool,
                              Op::adaptive_avg_pool, Op::adaptive_max_pool, Op::global_avg_pool,
                              Op::global_max_pool};

/// A case in any mode.
Case in_some_mode(const Case& c) {
    switch (between(0, 2)) {
        case 0: return c;
        case 1: return as_jvp(c, some_tensor(c.input.shape, Spread::tied));
        default: return as_vjp(c, some_tensor(output_shape(c), Spread::tied));
    }
}

RC_GTEST_PROP(Scalars, AgreeOnMaxima, ()) {
    Case c = some_case({.ops = max_ops,
                        .ties = {Ties::first, Ties::last, Ties::all},
                        .spread = one_of(std::vector{Spread::tied, Spread::doubles})});
    seen("a tie", has_tie(c));
    c = in_some_mode(c);
    const auto dyadic = finite<Dyadic>(c);
    const auto rational = finite<Rational>(c);
    const auto interval = finite<Interval>(c);
    const auto real = finite<Real>(c);
    for (std::size_t k = 0; k < rational.size(); ++k) {
        RC_ASSERT(dyadic[k].rational() == rational[k]);
        RC_ASSERT(real[k].rational() == rational[k]);
        RC_ASSERT(interval[k].contains(rational[k]));
    }
}

RC_GTEST_PROP(Scalars, AgreeOnAveragesAndIntervalsHoldThem, ()) {
    const Case c = in_some_mode(some_case({.ops = average_ops, .spread = Spread::doubles}));
    const auto rational = finite<Rational>(c);
    const auto interval = finite<Interval>(c);
    const auto real = finite<Real>(c);
    for (std::size_t k = 0; k < rational.size(); ++k) {
        seen("a number that no interval end can be", denominator_of(rational[k]) % 3 == 0);
        RC_ASSERT(real[k].rational() == rational[k]);
        RC_ASSERT(interval[k].contains(rational[k]));
    }
}

RC_GTEST_PROP(Scalars, IntervalsHoldSmoothMaximaS1SJvp, ()) {
    const Case c =
        in_some_mode(some_case({.ops = smooth_ops, .spread = Spread::doubles, .max_rank = 2, .small = true}));
    const auto interval = finite<Interval>(c);
    const auto real = finite<Real>(c);
    for (std::size_t k = 0; k < real.size(); ++k) {
        seen("an irrational value", !real[k].rational());
        const auto ends = interval[k].ends(-1300);
        RC_ASSERT(compare(Real(ends->first), real[k]).value() <= 0);
        RC_ASSERT(compare(real[k], Real(ends->second)).value() <= 0);
    }
}

RC_GTEST_PROP(Scalars, AgreeWithWhatTheOracleHandsOut, ()) {
    const Case c = in_some_mode(some_case(
        {.ops = all_ops, .ties = every_tie, .spread = Spread::dyadic, .max_rank = 2, .small = true}));
    const Exact answer = exact(settled(c), c);
    const auto real = evaluated<Real>(c);
    RC_ASSERT(answer.values.size() == real.size());
    for (std::size_t k = 0; k < real.size(); ++k) {
        const ExactValue& v = answer.values[k];
        seen("an irrational value", v.lower != v.upper);
        RC_ASSERT(v.special.empty() == real[k].is_finite());
        if (!real[k].is_finite()) continue;
        const Rational low(v.lower), high(v.upper);
        const auto from = compare(Real(low), real[k].value), to = compare(real[k].value, Real(high));
        RC_ASSERT(from == (low == high ? 0 : -1) && to == (low == high ? 0 : -1));
        RC_ASSERT(high - low <= std::max(Rational(abs(low) * power_of_two(-100)), power_of_two(-1200)));
    }
}

// Duals
// ------------------------------------------------------------------------------------------------------------

template <class S> using Number = Dual<S, S>;

/// Values with a tangent each, as one dual number each and apart.
template <class S> struct Directed {
    std::vector<Extended<Number<S>>> duals;
    std::vector<Extended<S>> plain;
    std::vector<S> tangents;
};

template <class S> Directed<S> some_directed() {
    const Index count = between(1, 5);
    const auto x = numbers(some_tensor({count}, Spread::dyadic)),
               t = numbers(some_tensor({count}, Spread::tied));
    Directed<S> r;
    for (std::size_t k = 0; k < x.size(); ++k) {
        r.duals.push_back(Extended<Number<S>>(Number<S>(S(x[k]), S(t[k]))));
        r.plain.push_back(Extended<S>(S(x[k])));
        r.tangents.push_back(S(t[k]));
    }
    return r;
}

template <class S> S pushed(const spec::Row<S>& row, const std::vector<S>& tangents) {
    S total(Index{0});
    for (const auto& s : row.shares) total = total + s.share * tangents[s.tap];
    return total;
}

RC_GTEST_PROP(Duals, OfAnAverageAgreeWithThePlainValueAndThePushV1, ()) {
    const auto d = some_directed<Rational>();
    const Rational divisor = one_of(std::vector<Index>{3, 1, -2, 7});
    const auto dual = spec::average<Number<Rational>>(d.duals, Number<Rational>(divisor), sign(divisor));
    RC_ASSERT(dual.value.primal == spec::average<Rational>(d.plain, divisor, sign(divisor)).value);
    RC_ASSERT(dual.value.tangent == pushed(spec::average_row<Rational>(d.plain.size(), divisor), d.tangents));
}

RC_GTEST_PROP(Duals, OfASmoothMaximumAgreeWithThePlainValueAndThePushS1SJvp, ()) {
    const auto d = some_directed<Real>();
    const Rational beta = one_of(std::vector<Rational>{1, 2, Rational(-1, 2)});
    const Real padding(between(0, 2));
    const auto dual =
        spec::smooth_max<Number<Real>>(d.duals, Number<Real>(Real(beta)), sign(beta), Number<Real>(padding));
    const auto plain = spec::smooth_max<Real>(d.plain, Real(beta), sign(beta), padding);
    seen("an irrational value", !plain.value.rational());
    RC_ASSERT(compare(dual.value.primal, plain.value) == 0);
    const auto row = spec::smooth_max_row<Real>(d.plain, Real(beta), padding);
    RC_ASSERT(compare(dual.value.tangent, pushed(row, d.tangents)) == 0);
}

/// Under `ties` first; over the same values in any order.
RC_GTEST_PROP(Duals, ThatChooseTheFirstOfEqualPrimalsCarryThePushOfAMaximumM1MTie, ()) {
    const Case c = some_case({.ops = {Op::global_max_pool}, .ties = {Ties::first}, .max_rank = 1});
    const Tensor t = some_tensor(c.input.shape, Spread::tied);
    const auto x = numbers(c.input), ts = numbers(t);
    const auto y = finite<Rational>(c), dy = finite<Rational>(as_jvp(c, t));
    seen("a tie", has_tie(c));
    const std::size_t cells = x.size() / y.size();
    for (std::size_t slice = 0; slice < y.size(); ++slice) {
        Number<Rational> best(x[slice * cells], ts[slice * cells]);
        for (std::size_t k = slice * cells + 1; k < (slice + 1) * cells; ++k)
            if (x[k] > best.primal) best = {x[k], ts[k]};
        RC_ASSERT(best.primal == y[slice] && best.tangent == dy[slice]);
    }
}

}  // namespace
}  // namespace laws
}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// The bound of a sum is the formula that is proved in docs/BOUNDS.md, constant by constant: what is larger
// would permit too much, and what is smaller is unproved, though no honest implementation may come near
// enough to notice.
#include "oracle/expect/sum_error.hpp"
#include "oracle/expect/arithmetic.hpp"
#include "oracle/expect/rounding.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace poolproof {

namespace {

double high(const Interval& i) { return i.ends(-2000)->second.convert_to<double>(); }

double factor(double u, Index terms, Index roundings) {
    return high(sum_factor(Interval(Rational(u)), terms, roundings));
}

void expect_close(double got, double due, const std::string& where) {
    EXPECT_NEAR(got, due, 1e-12 * std::abs(due)) << where;
}

Index roundings_of(Index divisor, const std::vector<Integer>& factors) {
    return Scale::by(divisor, factors, {Format::f16, Accumulate::any, {}}).roundings;
}

}  // namespace

TEST(SumError, GrowsByEachTermAfterTheFirstAndByEachRoundingBSumBScale) {
    for (const double u : {0x1p-8, 0x1p-11, 0x1p-24})
        for (const Index terms : {1, 2, 3, 4, 30})
            for (const Index roundings : {0, 2, 4}) {
                const double each =
                    terms > 2 ? u + 3 * u * u : u;  // a compensated sum has three terms [BComp]
                const double due = static_cast<double>(terms - 1) * each + static_cast<double>(roundings) * u;
                expect_close(factor(u, terms, roundings), std::expm1(due),
                             std::to_string(terms) + " terms, " + std::to_string(roundings) + " roundings");
            }
}

TEST(SumError, IsNoLessThanTheProductOfItsRoundingsBSum) {
    for (const double u : {0x1p-3, 0x1p-8})
        for (const Index terms : {2, 5, 9}) {
            const double each = terms > 2 ? u + 3 * u * u : u;
            EXPECT_GE(factor(u, terms, 2),
                      std::pow(1 + each, static_cast<double>(terms - 1)) * (1 + u) * (1 + u) - 1);
        }
}

TEST(SumError, CoversWhatTheTermsBringAlongAndItsGrowthBSum) {
    const Interval quarter(Rational(1, 4));
    EXPECT_EQ(high(sum_error(quarter, Interval(Index{8}), Interval(Index{4}))), 2 + 4 + 1);
}

/// By a number that 11 bits hold or do not, at once or axis by axis.
TEST(SumError, CountsTheRoundingsOfADivisorBScale) {
    EXPECT_EQ(roundings_of(1, {1}), 0);
    EXPECT_EQ(roundings_of(8, {8}), 0);
    EXPECT_EQ(roundings_of(8, {2, 4}), 0);
    EXPECT_EQ(roundings_of(3, {3}), 2);
    EXPECT_EQ(roundings_of(2047, {2047}), 2);
    EXPECT_EQ(roundings_of(4094, {4094}), 2);
    EXPECT_EQ(roundings_of(2049, {2049}), 4 + 2);
    EXPECT_EQ(roundings_of(9, {3, 3}), 4);
    EXPECT_EQ(roundings_of(45 * 47, {45, 47}), 4 + 4);
    EXPECT_EQ(Scale::by(9, {3, 3}, {Format::f16, Accumulate::any, {}}).scalings, 2);
    EXPECT_EQ(Scale::by(6, {2, 3}, {Format::f16, Accumulate::any, {}}).scalings, 2);
    EXPECT_EQ(Scale::by(3, {1, 3}, {Format::f16, Accumulate::any, {}}).scalings, 1);
}

TEST(BoundedSum, OfAbsorbedTermsIsThatOfAllOfThemBUses) {
    const Arithmetic a(Format::f16, Accumulate::any, {});
    const Scale thirds = Scale::by(3, {3}, a), ninths = Scale::by(9, {3, 3}, a);
    BoundedSum all(a), one(a), other(a);
    for (Index k = 1; k < 4; ++k) {
        all.add(Interval(k), thirds, Interval(Rational(1, 64)));
        all.add(Interval(-9 * k), ninths);
        one.add(Interval(k), thirds, Interval(Rational(1, 64)));
        other.add(Interval(-9 * k), ninths);
    }
    one.absorb(other);
    const Span due = all.span(), got = one.span();
    const auto ends_of = [](const Interval& i) { return *i.ends(-100); };
    const auto expect_near = [](const Rational& x, const Rational& y) {
        EXPECT_NEAR(x.convert_to<double>(), y.convert_to<double>(), 1e-12);
    };
    expect_near(ends_of(got.on_grid).first, ends_of(due.on_grid).first);
    expect_near(ends_of(got.on_grid).second, ends_of(due.on_grid).second);
    expect_near(ends_of(got.rounded).first, ends_of(due.rounded).first);
    expect_near(ends_of(got.rounded).second, ends_of(due.rounded).second);
}

TEST(BoundedSum, MayOverflowByItsRoundingsAndByWhatIsScaledLaterBOver) {
    static const Interval half(rational_value(Format::bf16, largest_bits(Format::bf16)) / 2);
    const auto overflows = [](Index terms, const Interval& swollen,
                              IntermediateOverflow rule = IntermediateOverflow::allowed) {
        Policy policy;
        policy.intermediate_overflow = rule;
        const Arithmetic a(Format::bf16, Accumulate::any, policy);
        BoundedSum sum(a);
        for (Index k = 0; k < terms; ++k)
            sum.add(half, {}, Interval(Index{0}), Interval(power_of_two(-100)), swollen);
        return sum.span().overflow;
    };
    EXPECT_FALSE(overflows(1, Interval(Index{1})));
    EXPECT_TRUE(overflows(2, Interval(Index{1})));
    EXPECT_TRUE(overflows(1, Interval(Index{3})));
    EXPECT_FALSE(overflows(2, Interval(Index{1}), IntermediateOverflow::forbidden));
}

/// 1 / 60032 is subnormal in f16: 279.47 of its least numbers, so that 279 of them are an honest reciprocal.
TEST(BoundedSum, TakesASubnormalReciprocalOnItsOwnGridBScale) {
    for (const bool flush : {false, true}) {
        Policy policy;
        policy.subnormals = flush ? Subnormals::may_flush : Subnormals::kept;
        const Arithmetic a(Format::f16, Accumulate::any, policy);
        BoundedSum sum(a);
        sum.add(Interval(Index{60032}), Scale::by(60032, {60032}, a));
        const Permitted p = permitted(sum.span(), a);
        EXPECT_TRUE(permits(p, Format::f16, nearest(Format::f16, 60032 * 279 * power_of_two(-24))));
        EXPECT_EQ(permits(p, Format::f16, 0), flush);
    }
}

/// Eleven bits finer at least: one part in 2049 of what two roundings, one of them finer, may do.
TEST(BoundedSum, InAWiderAccumulatorIsOffByAsMuchLessAsThatIsFinerBAcc) {
    const Arithmetic a(Format::f64, Accumulate::any, {});
    BoundedSum sum(a);
    for (Index k = 1; k < 6; ++k) sum.add(Interval(k), Scale::by(7, {7}, a));
    const auto width = [](const Interval& i) {
        const auto ends = i.ends(-2000);
        return Rational(ends->second - ends->first).convert_to<double>();
    };
    EXPECT_NEAR(width(sum.span().on_grid) / width(sum.span().rounded), 2049, 1e-6);
}

TEST(BoundFunctions, AreAboveTheirValuesByNextToNothing) {
    const Interval one(Index{1});
    const auto is_just_above = [&](const Interval& bound, const Interval& exact) {
        const WorkingPrecision scope(900);
        EXPECT_FALSE(surely_less(bound, exact));
        EXPECT_FALSE(surely_less(exact * (one + Interval::power_of_two(-90)), bound));
    };
    for (const Index e : {-1080, -60, -53, -24, -17, -16, -15, -11, -3, -1}) {
        const Interval x = Interval(Rational(7, 10)) * Interval::power_of_two(e);
        const auto exactly = [&](const auto& function) {
            const WorkingPrecision scope(1500);
            return function();
        };
        is_just_above(growth(x, Interval(Index{1})), exactly([&] { return exp(x) - one; }));
        is_just_above(growth(x, Interval(Index{3})),
                      exactly([&] { return exp(x * Interval(Index{3})) - one; }));
        is_just_above(log_of_more(x), exactly([&] { return log(one + x); }));
        is_just_above(log_of_less(x), exactly([&] { return Interval(Index{0}) - log(one - x); }));
    }
    EXPECT_EQ(growth(one, Interval(Index{0})).sign(), 0);
    EXPECT_EQ(log_of_less(Interval(Index{0})).sign(), 0);
    EXPECT_FALSE(log_of_less(one).ends(0));
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// The bound of a sum is the formula that is proved in docs/BOUNDS.md, constant by constant: what is larger
// would permit too much, and what is smaller is unproved, though no honest implementation may come near
// enough to notice.
#include "oracle/expect/sum_error.hpp"
#include "oracle/expect/arithmetic.hpp"

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

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// Intervals of so few bits that every operation rounds: each end must go outward.
#include "oracle/scalar/interval.hpp"

#include <gtest/gtest.h>

#include <random>

namespace poolproof {

namespace {

Interval between(Index low, Index high) { return hull(Interval(low), Interval(high)); }

}  // namespace

TEST(Interval, RoundsBothEndsOfEveryOperationOutward) {
    std::mt19937 random(20260101);
    const auto below = [&](int n) { return Index{std::uniform_int_distribution(0, n - 1)(random)}; };
    for (int k = 0; k < 2000; ++k) {
        const WorkingPrecision scope(4 + below(8));
        const Rational x(below(4001) - 2000, 1 + below(2000)), y(below(4001) - 2000, 1 + below(2000));
        const Interval a(x), b(y);
        ASSERT_TRUE(a.contains(x)) << x;
        ASSERT_TRUE((a + b).contains(x + y)) << x << " + " << y;
        ASSERT_TRUE((a - b).contains(x - y)) << x << " - " << y;
        ASSERT_TRUE((a * b).contains(x * y)) << x << " * " << y;
        ASSERT_TRUE(y.is_zero() || (a / b).contains(Rational(x / (y.is_zero() ? Rational(1) : y))))
            << x << " / " << y;
        ASSERT_TRUE(widened(a, b).contains(x + y) && widened(a, b).contains(x - y));
    }
}

TEST(Interval, IsLessWhereAllOfItIsOrWhereSomeOfItMayBe) {
    EXPECT_TRUE(surely_less(between(0, 1), between(2, 3)));
    EXPECT_FALSE(surely_less(between(0, 2), between(1, 3)));
    EXPECT_FALSE(surely_less(between(0, 1), between(1, 2)));
    EXPECT_TRUE(possibly_less(between(0, 2), Interval(Index{1})));
    EXPECT_TRUE(possibly_less(between(0, 2), between(1, 3)));
    EXPECT_FALSE(possibly_less(between(2, 3), between(0, 1)));
    EXPECT_FALSE(possibly_less(Interval(Index{1}), Interval(Index{1})));
}

}  // namespace poolproof

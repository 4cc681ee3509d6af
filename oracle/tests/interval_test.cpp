// SPDX-License-Identifier: Apache-2.0
// Intervals of so few bits that every operation rounds: each end must go outward.
#include "oracle/scalar/interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(Interval, ProductsAndQuotientsReachJustAsFarAsThoseOfTheEnds) {
    const WorkingPrecision scope(64);
    const auto is = [](const Interval& i, std::vector<Rational> of) {
        std::sort(of.begin(), of.end());
        return i.ends(-1000) == std::pair(of.front(), of.back());
    };
    for (Index a = -3; a <= 3; ++a)
        for (Index b = a; b <= 3; ++b)
            for (const Index c : {-4, -2, 0, 2, 4})
                for (const Index d : {-4, -2, 0, 2, 4}) {
                    if (d < c) continue;
                    const Rational p(a), q(b), r(c), s(d);
                    EXPECT_TRUE(is(between(a, b) * between(c, d), {p * r, p * s, q * r, q * s}))
                        << a << " " << b << " " << c << " " << d;
                    if (c > 0 || d < 0)
                        EXPECT_TRUE(is(between(a, b) / between(c, d), {p / r, p / s, q / r, q / s}))
                            << a << " " << b << " " << c << " " << d;
                    else
                        EXPECT_FALSE((between(a, b) / between(c, d)).ends(-1000));
                }
}

TEST(Interval, SizesLargestPointsAndHullsAreThoseOfTheEnds) {
    const auto is = [](const Interval& i, Index low, Index high) {
        return i.ends(-1000) == std::pair(Rational(low), Rational(high));
    };
    for (Index a = -3; a <= 3; ++a)
        for (Index b = a; b <= 3; ++b) {
            const Interval i = between(a, b);
            const Index most = std::max(std::abs(a), std::abs(b)),
                        least = a <= 0 && b >= 0 ? 0 : std::min(std::abs(a), std::abs(b));
            EXPECT_TRUE(is(abs(i), least, most)) << a << " " << b;
            EXPECT_TRUE(is(upper(i), b, b)) << a << " " << b;
            EXPECT_TRUE(is(lower(i), a, a)) << a << " " << b;
            EXPECT_TRUE(is(hull(i, Interval(Index{1})), std::min(a, Index{1}), std::max(b, Index{1})));
            EXPECT_TRUE(is(larger(i, Interval(Index{1})), std::max(a, Index{1}), std::max(b, Index{1})));
            EXPECT_TRUE(is(widened(i, between(-2, 1)), a - 2, b + 2)) << a << " " << b;
        }
}

TEST(Interval, ExponentialsAndLogarithmsHoldTheirValuesAtBothEndsHoweverCloseTheyAre) {
    const auto inside = [](const Interval& wide, const Interval& point) {
        EXPECT_FALSE(surely_less(point, wide) || surely_less(wide, point));
        EXPECT_FALSE(surely_less(lower(point), lower(wide))) << "below";
        EXPECT_FALSE(surely_less(upper(wide), upper(point))) << "above";
    };
    for (const Index bits : {12, 64, 128, 256})
        for (const Index x : {-700, -3, 0, 1, 90})
            for (const Index apart : {-1000, -300, -130, -101, -99, -20, 2}) {
                const Interval scale = Interval::power_of_two(bits == 128 ? -9 : 0);
                const auto fine = [&](const auto& f) {
                    const WorkingPrecision scope(2000);
                    return f();
                };
                const Interval both = fine(
                    [&] { return hull(Interval(x), Interval(x) + Interval::power_of_two(apart)) * scale; });
                Interval of_exp(Index{0}), of_log(Index{0});
                {
                    const WorkingPrecision scope(bits);
                    of_exp = exp(both);
                    of_log = x > 0 ? log(both) : Interval(Index{0});
                }
                const WorkingPrecision scope(3000);
                inside(of_exp, lower(exp(lower(both))));
                inside(of_exp, lower(exp(upper(both))));
                if (x <= 0) continue;
                inside(of_log, lower(log(lower(both))));
                inside(of_log, lower(log(upper(both))));
            }
    EXPECT_EQ(exp(Interval(Index{0})).ends(-100), std::pair(Rational(1), Rational(1)));
    EXPECT_EQ(log(Interval(Index{1})).sign(), 0);
}

TEST(Interval, NothingTimesWhateverItMayBeIsNothing) {
    const Interval nothing(Index{0}), anything = Interval(Index{1}) / nothing;
    EXPECT_EQ((nothing * anything).sign(), 0);
    EXPECT_EQ((anything * nothing).sign(), 0);
    EXPECT_FALSE((Interval(Index{1}) * anything).sign());
}

TEST(Interval, IsKeptWhateverItsPrecision) {
    for (const Index bits : {53, 256, 320, 321, 5000}) {
        const WorkingPrecision scope(bits);
        const Interval third = Interval(Rational(1, 3));
        Interval copy(Index{0});
        {
            const WorkingPrecision other(bits == 256 ? 1000 : 256);
            copy = Interval(Index{7}) * Interval(Index{9});
            EXPECT_TRUE(copy.contains(63));
        }
        copy = third;
        EXPECT_EQ(copy.ends(-9000), third.ends(-9000));
        const Interval moved = std::move(copy);
        EXPECT_TRUE(moved.contains(Rational(1, 3)));
        EXPECT_FALSE(moved.contains(Rational(1, 3) + power_of_two(1 - bits)));
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

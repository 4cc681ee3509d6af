// SPDX-License-Identifier: Apache-2.0
// Linear programs of two variables against their corners: what has a solution that is not negative has one
// where two of its lines meet.
#include "oracle/expect/feasible.hpp"

#include <gtest/gtest.h>

#include <random>

namespace poolproof {

namespace {

struct Line {
    Rational a, b, c;  ///< a x + b y = c
};

bool has_corner(const std::vector<Constraint>& constraints) {
    std::vector<Line> lines{{1, 0, 0}, {0, 1, 0}};
    for (const Constraint& one : constraints)
        for (const Rational& end : {one.least, one.greatest})
            lines.push_back({one.coefficients[0], one.coefficients[1], end});
    const auto fits = [&](const Rational& x, const Rational& y) {
        return sign(x) >= 0 && sign(y) >= 0 &&
               std::all_of(constraints.begin(), constraints.end(), [&](const Constraint& one) {
                   const Rational at = one.coefficients[0] * x + one.coefficients[1] * y;
                   return one.least <= at && at <= one.greatest;
               });
    };
    for (const Line& p : lines)
        for (const Line& q : lines) {
            const Rational d = p.a * q.b - p.b * q.a;
            if (!d.is_zero() && fits((p.c * q.b - p.b * q.c) / d, (p.a * q.c - p.c * q.a) / d)) return true;
        }
    return false;
}

}  // namespace

TEST(Feasible, IsWhatHasACorner) {
    std::mt19937 random(20260101);
    const auto below = [&](int n) { return std::uniform_int_distribution(0, n - 1)(random); };
    int with = 0, without = 0;
    for (int k = 0; k < 2000; ++k) {
        std::vector<Constraint> constraints;
        for (int rows = 1 + below(4); rows > 0; --rows) {
            const Rational least(below(13) - 6, 1 + below(3));
            constraints.push_back({{below(7) - 3, below(7) - 3}, least, least + below(3)});
        }
        const bool due = has_corner(constraints);
        ++(due ? with : without);
        ASSERT_EQ(feasible(2, constraints), due) << k;
    }
    EXPECT_GT(with, 500);
    EXPECT_GT(without, 500);
}

TEST(Feasible, IsExactAtAnEdge) {
    const Rational hair = power_of_two(-2000);
    EXPECT_TRUE(feasible(2, {{{1, 1}, 1, 1}, {{2, 3}, 3, 3}}));
    EXPECT_FALSE(feasible(2, {{{1, 1}, 1, 1}, {{2, 3}, 3 + hair, 4}}));
}

}  // namespace poolproof

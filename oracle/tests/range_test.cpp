// SPDX-License-Identifier: Apache-2.0
// The two ends of a range become patterns: what is flushed, what overflows, and which zeros are in it.
#include "oracle/expect/range.hpp"

#include <gtest/gtest.h>

namespace poolproof {

namespace {

constexpr Format f16 = Format::f16;
constexpr Bits minus = 0x8000, least_normal = 0x0400, one = 0x3C00, largest = 0x7BFF, infinity = 0x7C00;

RoundedEnds ends(Bits low, Bits high) {
    RoundedEnds e;
    e.low = low;
    e.high = high;
    e.low_is_negative = is_negative(f16, low) && !is_zero(f16, low);
    e.high_is_positive = !is_negative(f16, high) && !is_zero(f16, high);
    return e;
}

std::pair<Bits, Bits> flushed(Bits low, Bits high) {
    const auto p = permitted_between(f16, ends(low, high), Subnormals::may_flush);
    return {p->lowest, p->highest};
}

}  // namespace

TEST(Range, ReachesZeroFromTheLeastNormalOnWhereSubnormalsAreFlushed) {
    EXPECT_EQ(flushed(least_normal, one), std::pair(minus, one));
    EXPECT_EQ(flushed(least_normal + 1, one), std::pair(least_normal + 1, one));
    EXPECT_EQ(flushed(minus | one, minus | least_normal), std::pair(minus | one, Bits{0}));
    EXPECT_EQ(flushed(minus | one, minus | (least_normal + 1)),
              std::pair(minus | one, minus | (least_normal + 1)));
    const auto kept = permitted_between(f16, ends(1, one), Subnormals::kept);
    EXPECT_EQ(kept->lowest, Bits{1});
}

TEST(Range, HoldsTheInfinityThatItReachesOrThatASumMayPassBOver) {
    const auto permitted = [](auto change) {
        RoundedEnds e = ends(minus | one, one);
        change(e);
        return *permitted_between(f16, e, Subnormals::kept);
    };
    const Permitted none = permitted([](RoundedEnds&) {});
    EXPECT_FALSE(none.infinity || none.minus_infinity || none.nan);
    EXPECT_TRUE(permitted([](RoundedEnds& e) { e.reaches_top = true; }).infinity);
    EXPECT_TRUE(permitted([](RoundedEnds& e) { e.reaches_bottom = true; }).minus_infinity);
    const Permitted above = permitted([](RoundedEnds& e) { e.overflow = true; });
    EXPECT_TRUE(above.infinity && !above.minus_infinity && !above.nan);
    const Permitted below = permitted([](RoundedEnds& e) { e.minus_overflow = true; });
    EXPECT_TRUE(!below.infinity && below.minus_infinity && !below.nan);
    EXPECT_TRUE(permitted([](RoundedEnds& e) { e.overflow = e.minus_overflow = true; }).nan);
}

TEST(Range, OfACorrectlyRoundedValueEndsInTheInfinityPastTheTop) {
    EXPECT_EQ(rounded_between(f16, one, one), Permitted::exactly(one));
    EXPECT_EQ(rounded_between(f16, infinity, infinity), Permitted::with(&Permitted::infinity));
    EXPECT_EQ(rounded_between(f16, minus | infinity, minus | infinity),
              Permitted::with(&Permitted::minus_infinity));
    Permitted top = Permitted::exactly(largest);
    top.infinity = true;
    EXPECT_EQ(rounded_between(f16, largest, infinity), top);
}

}  // namespace poolproof

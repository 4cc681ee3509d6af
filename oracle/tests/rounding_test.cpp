// SPDX-License-Identifier: Apache-2.0
#include "oracle/expect/rounding.hpp"

#include <gtest/gtest.h>

namespace poolproof {
namespace {

constexpr std::array floating{Format::f64, Format::f32, Format::f16, Format::bf16};

/// The value one step past the largest finite, where infinity stands.
Rational beyond(Format f) { return power_of_two(max_exponent(f) + 1); }

Rational value(Format f, Bits b) { return b == infinity_bits(f) ? beyond(f) : rational_value(f, b); }

/// Every rounding of what lies on a pattern, between it and the next, and on the halfway point.
void expect_neighbours(Format f, Bits b) {
    const Rational low = value(f, b), high = value(f, b + 1), half = (low + high) / 2;
    const Rational a_little = (high - low) * power_of_two(-70);
    const Bits even = b + (b & 1), minus = sign_bit(f);
    ASSERT_EQ(nearest(f, low), b);
    ASSERT_EQ(at_most(f, low), b);
    ASSERT_EQ(at_least(f, low), b);
    ASSERT_EQ(nearest(f, half), even);
    ASSERT_EQ(nearest(f, half - a_little), b);
    ASSERT_EQ(nearest(f, half + a_little), b + 1);
    for (const Rational& between : {Rational(low + a_little), half, Rational(high - a_little)}) {
        ASSERT_EQ(at_most(f, between), b);
        ASSERT_EQ(at_least(f, between), b + 1);
        ASSERT_EQ(at_most(f, -between), minus | (b + 1));
        ASSERT_EQ(at_least(f, -between), minus | b);
    }
    ASSERT_EQ(nearest(f, -half), minus | even);
    ASSERT_EQ(nearest(f, -half + a_little), minus | b);
    ASSERT_EQ(nearest(f, -half - a_little), minus | (b + 1));
    if (b == 0) return;
    ASSERT_EQ(nearest(f, -low), minus | b);
    ASSERT_EQ(at_most(f, -low), minus | b);
    ASSERT_EQ(at_least(f, -low), minus | b);
}

TEST(Rounding, ReadsPatternsAsTheirValues) {
    EXPECT_EQ(rational_value(Format::f64, 0x3FF8000000000000), Rational(3, 2));
    EXPECT_EQ(rational_value(Format::f64, 1), power_of_two(-1074));
    EXPECT_EQ(rational_value(Format::f32, 0xC0490FDB), -Rational(13176795, 4194304));
    EXPECT_EQ(rational_value(Format::f16, 0x7BFF), 65504);
    EXPECT_EQ(rational_value(Format::f16, 0x0001), power_of_two(-24));
    EXPECT_EQ(rational_value(Format::f16, 0x0400), power_of_two(-14));
    EXPECT_EQ(rational_value(Format::bf16, 0x4049), Rational(201, 64));
    EXPECT_EQ(rational_value(Format::i8, 0x80), -128);
    EXPECT_EQ(rational_value(Format::u8, 0x80), 128);
    EXPECT_EQ(rational_value(Format::i64, ~Bits{0}), -1);
}

TEST(Rounding, GoesToANeighbourInEveryBinadeOfF16) {
    for (Bits b = 0; b < infinity_bits(Format::f16); b += 5) expect_neighbours(Format::f16, b);
}

TEST(Rounding, GoesToANeighbourAtTheEdgesOfEveryFormat) {
    for (const Format f : floating) {
        const Bits normal = Bits{1} << (precision(f) - 1), one = infinity_bits(f) / 2 / normal * normal;
        for (const Bits b : {Bits{0}, Bits{1}, normal - 2, normal - 1, normal, normal + 1, 2 * normal - 1,
                             one - 1, one, one + 1, largest_bits(f) - 1, largest_bits(f)})
            expect_neighbours(f, b);
    }
}

TEST(Rounding, OverflowsFromHalfAStepPastTheLargestOn) {
    EXPECT_EQ(nearest(Format::f16, 65519), 0x7BFFU);
    EXPECT_EQ(nearest(Format::f16, 65520), 0x7C00U);
    EXPECT_EQ(nearest(Format::f16, -65520), 0xFC00U);
    for (const Format f : floating) {
        for (const Rational& q : {beyond(f), Rational(beyond(f) * beyond(f))}) {
            EXPECT_EQ(nearest(f, q), infinity_bits(f));
            EXPECT_EQ(at_least(f, q), infinity_bits(f));
            EXPECT_EQ(at_most(f, q), largest_bits(f));
            EXPECT_EQ(at_least(f, -q), largest_bits(f) | sign_bit(f));
            EXPECT_EQ(at_most(f, -q), infinity_bits(f) | sign_bit(f));
        }
    }
}

TEST(Rounding, UnderflowsToZeroFromHalfTheLeastOn) {
    for (const Format f : floating) {
        const Rational least = power_of_two(min_exponent(f)), tiny = least * power_of_two(-5000);
        EXPECT_EQ(nearest(f, least / 2), 0U);
        EXPECT_EQ(nearest(f, -least / 2), sign_bit(f));
        EXPECT_EQ(at_least(f, tiny), 1U);
        EXPECT_EQ(at_most(f, tiny), 0U);
        EXPECT_EQ(at_most(f, -tiny), sign_bit(f) | 1U);
    }
}

TEST(Rounding, RoundsIrrationalNumbersToTheirNearest) {
    const auto exactly = [](Bits b) { return std::pair(b, b); };
    EXPECT_EQ(nearest(Format::f64, log(Real(2))), exactly(0x3FE62E42FEFA39EF));
    EXPECT_EQ(nearest(Format::f64, exp(Real(1))), exactly(0x4005BF0A8B145769));
    EXPECT_EQ(nearest(Format::f32, exp(Real(1))), exactly(0x402DF854));
    EXPECT_EQ(nearest(Format::f16, exp(Real(12))), exactly(0x7C00));
}

TEST(Rounding, TellsTheSideOfAHalfwayPointByProof) {
    const Real least = exp(Real(-Rational(pow(Integer(10), 300))));
    const Real half(1 + power_of_two(-53));
    EXPECT_EQ(nearest(Format::f64, half).first, 0x3FF0000000000000U);
    EXPECT_EQ(nearest(Format::f64, half - least).second, 0x3FF0000000000000U);
    EXPECT_EQ(nearest(Format::f64, half + least).first, 0x3FF0000000000001U);
    EXPECT_EQ(nearest(Format::f64, half + least - least), nearest(Format::f64, half));
    EXPECT_EQ(nearest(Format::f16, Real(65520) - least).first, 0x7BFFU);
    EXPECT_EQ(nearest(Format::f16, Real(65520) + least).first, 0x7C00U);
    EXPECT_EQ(nearest(Format::f16, least - Real(65520)).first, 0xFBFFU);
}

TEST(Rounding, RoundsAWholeMeanByTheRule) {
    struct Row {
        Rational mean;
        int toward_zero, floor, half_even, half_away;
    };
    for (const Row& row :
         {Row{{5, 2}, 2, 2, 2, 3}, Row{{-5, 2}, -2, -3, -2, -3}, Row{{7, 2}, 3, 3, 4, 4},
          Row{{-7, 2}, -3, -4, -4, -4}, Row{{8, 3}, 2, 2, 3, 3}, Row{{-8, 3}, -2, -3, -3, -3},
          Row{{7, 3}, 2, 2, 2, 2}, Row{{-1, 2}, 0, -1, 0, -1}, Row{{6, 2}, 3, 3, 3, 3}}) {
        EXPECT_EQ(rounded_mean(row.mean, IntegerMean::toward_zero), row.toward_zero) << row.mean;
        EXPECT_EQ(rounded_mean(row.mean, IntegerMean::floor), row.floor) << row.mean;
        EXPECT_EQ(rounded_mean(row.mean, IntegerMean::half_even), row.half_even) << row.mean;
        EXPECT_EQ(rounded_mean(row.mean, IntegerMean::half_away), row.half_away) << row.mean;
    }
}

TEST(Rounding, HoldsAWholeNumberWithinItsTypeOnly) {
    EXPECT_EQ(integer_pattern(Format::i8, -128), Bits{0x80});
    EXPECT_EQ(integer_pattern(Format::i8, 127), Bits{0x7F});
    EXPECT_EQ(integer_pattern(Format::i8, 128), std::nullopt);
    EXPECT_EQ(integer_pattern(Format::i8, -129), std::nullopt);
    EXPECT_EQ(integer_pattern(Format::u8, 255), Bits{255});
    EXPECT_EQ(integer_pattern(Format::u8, -1), std::nullopt);
    EXPECT_EQ(integer_pattern(Format::i32, -1), Bits{0xFFFFFFFF});
    EXPECT_EQ(integer_pattern(Format::i64, -1), ~Bits{0});
    EXPECT_EQ(integer_pattern(Format::i64, Integer("9223372036854775808")), std::nullopt);
}

}  // namespace
}  // namespace poolproof

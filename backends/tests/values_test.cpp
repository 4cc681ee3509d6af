// SPDX-License-Identifier: Apache-2.0
#include "backends/values.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace poolproof::backends {
namespace {

class NarrowFormat : public testing::TestWithParam<Format> {};

INSTANTIATE_TEST_SUITE_P(Formats, NarrowFormat, testing::Values(Format::f16, Format::bf16),
                         [](const auto& tested) { return std::string(name(tested.param)); });

TEST_P(NarrowFormat, EveryPatternComesBack) {
    const Format f = GetParam();
    for (Bits b = 0; b < 0x10000; ++b) {
        const double x = widened(f, b);
        ASSERT_EQ(std::isnan(x), is_nan(f, b)) << b;
        ASSERT_EQ(narrowed(f, x), is_nan(f, b) ? quiet_nan_bits(f) | (b & sign_bit(f)) : b) << b;
    }
}

TEST_P(NarrowFormat, PatternsAreAnEvenStepApartWithinAnExponent) {
    const Format f = GetParam();
    EXPECT_EQ(widened(f, 1), std::ldexp(1.0, min_exponent(f)));
    EXPECT_EQ(widened(f, largest_bits(f)),
              std::ldexp(2 - std::ldexp(1.0, 1 - precision(f)), max_exponent(f)));
    for (Bits b = 0; b < largest_bits(f); ++b) {
        const int exponent = std::max(static_cast<int>(b >> (precision(f) - 1)) - 1, 0);
        ASSERT_EQ(widened(f, b + 1) - widened(f, b), std::ldexp(1.0, min_exponent(f) + exponent)) << b;
    }
}

TEST_P(NarrowFormat, HalvesGoToTheEvenNeighbourAndTheRestToTheNearest) {
    const Format f = GetParam();
    for (Bits b = 0; b < infinity_bits(f); ++b) {
        const double low = widened(f, b);
        const double step =
            std::ldexp(1.0, min_exponent(f) + std::max(static_cast<int>(b >> (precision(f) - 1)) - 1, 0));
        const double half = low + step / 2;
        const Bits even = b + (b & 1);
        for (const double sign : {1.0, -1.0}) {
            const Bits s = sign < 0 ? sign_bit(f) : 0;
            ASSERT_EQ(narrowed(f, sign * half), s | even) << b;
            ASSERT_EQ(narrowed(f, sign * std::nextafter(half, 0.0)), s | b) << b;
            ASSERT_EQ(narrowed(f, sign * std::nextafter(half, INFINITY)), s | (b + 1)) << b;
        }
    }
}

TEST(Values, FarOutsideTheFormatIsInfinityOrZero) {
    for (const Format f : {Format::f16, Format::bf16}) {
        EXPECT_EQ(narrowed(f, 1e300), infinity_bits(f));
        EXPECT_EQ(narrowed(f, -1e300), infinity_bits(f) | sign_bit(f));
        EXPECT_EQ(narrowed(f, 1e-300), 0U);
        EXPECT_EQ(narrowed(f, -0x1p-1074), sign_bit(f));
    }
}

TEST(Values, IntegersAreSignExtended) {
    EXPECT_EQ(widened(Format::i8, 0x80), -128);
    EXPECT_EQ(widened(Format::u8, 0x80), 128);
    EXPECT_EQ(widened(Format::i64, ~Bits{0}), -1);
}

}  // namespace
}  // namespace poolproof::backends

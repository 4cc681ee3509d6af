// SPDX-License-Identifier: Apache-2.0
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>

namespace poolproof {
namespace {

constexpr Bits double_bits(double x) { return std::bit_cast<Bits>(x); }

/// A decimal's pattern as text, `none` if it has none.
std::string rounded(Format f, std::string_view text) {
    const auto bits = rounded_number(f, text);
    return bits ? hex_float(f, *bits) : "none";
}

std::string exactly(Format f, std::string_view text) {
    const auto bits = exact_number(f, text);
    return bits ? hex_float(f, *bits) : "none";
}

TEST(HexFloat, EveryHalfPrecisionPatternSurvivesTheRoundTrip) {
    for (const Format f : {Format::f16, Format::bf16}) {
        for (Bits b = 0; b < 0x10000; ++b) {
            const Bits kept = is_nan(f, b) ? quiet_nan_bits(f) : b;
            ASSERT_EQ(exact_number(f, hex_float(f, b)), kept) << name(f) << ' ' << b;
        }
    }
}

TEST(HexFloat, AgreesWithStrtodOnDoublesOfEveryExponent) {
    for (Bits field = 0; field < 2047; ++field) {
        const Bits b = field << 52 | ((field * 0x9E3779B97F4A7C15) >> 12);
        const std::string text = hex_float(Format::f64, b);
        ASSERT_EQ(double_bits(std::strtod(text.c_str(), nullptr)), b) << text;
        ASSERT_EQ(exact_number(Format::f64, text), b) << text;
    }
}

TEST(HexFloat, WritesTheShortestCanonicalForm) {
    EXPECT_EQ(hex_float(Format::f64, double_bits(3)), "0x1.8p+1");
    EXPECT_EQ(hex_float(Format::f64, double_bits(-0.0)), "-0x0p+0");
    EXPECT_EQ(hex_float(Format::f64, 0), "0x0p+0");
    EXPECT_EQ(hex_float(Format::f64, 1), "0x1p-1074");
    EXPECT_EQ(hex_float(Format::f64, 3), "0x1.8p-1073");
    EXPECT_EQ(hex_float(Format::f32, largest_bits(Format::f32)), "0x1.fffffep+127");
    EXPECT_EQ(hex_float(Format::f16, 0xFC00), "-inf");
    EXPECT_EQ(hex_float(Format::f16, 0xFFFF), "nan");
    EXPECT_EQ(hex_float(Format::i8, 0x80), "-128");
    EXPECT_EQ(hex_float(Format::u8, 0x80), "128");
    EXPECT_EQ(hex_float(Format::i64, Bits{1} << 63), "-9223372036854775808");
}

TEST(ExactNumber, ReadsEverySpellingOfAHexFloat) {
    for (const char* text : {"0x1.8p+1", "0X1.8P1", "+0x.cp2", "0x3.p0", "0x3", "0x0003.000p0",
                             "0x30000000000000000000000p-88", "0x0.0000000000000000000003p+88"}) {
        EXPECT_EQ(exactly(Format::f64, text), "0x1.8p+1") << text;
    }
    EXPECT_EQ(exactly(Format::f64, "-0x0.0p99999999999999999999"), "-0x0p+0");
}

TEST(ExactNumber, RefusesWhatIsNoHexFloat) {
    for (const char* text :
         {"",        "-",     "0",    "1.5",  "0x",  "0x.",  "0x.p1", "0x1p",   "0x1p+",    "0x1.1.1",
          "0x1p1.0", "--0x1", "0x1 ", " 0x1", "INF", "+inf", "-nan",  "nan(1)", "infinity", "0xg"}) {
        EXPECT_EQ(exactly(Format::f64, text), "none") << text;
    }
}

TEST(ExactNumber, RefusesWhatTheFormatCannotHold) {
    EXPECT_EQ(exactly(Format::f64, "0x1p-1075"), "none");
    EXPECT_EQ(exactly(Format::f64, "0x1p+1024"), "none");
    EXPECT_EQ(exactly(Format::f64, "0x1p+99999999999999999999"), "none");
    EXPECT_EQ(exactly(Format::f64, "0x1.00000000000008p+0"), "none");
    EXPECT_EQ(exactly(Format::f64, "0x1.0000000000000000000000001p+0"), "none");
    EXPECT_EQ(exactly(Format::bf16, "0x1.01p+0"), "none");
    EXPECT_EQ(exactly(Format::f16, "0x1.002p+0"), "none");
    EXPECT_EQ(exactly(Format::f16, "0x1.8p-24"), "none");
}

TEST(ExactNumber, ReadsWholeNumbersForIntegerFormats) {
    EXPECT_EQ(exactly(Format::i64, "0x1.fffffffffffffffcp+62"), "9223372036854775807");
    EXPECT_EQ(exactly(Format::i64, "-0x1p+63"), "-9223372036854775808");
    EXPECT_EQ(exactly(Format::i64, "0x1p+63"), "none");
    EXPECT_EQ(exactly(Format::i64, "9223372036854775808"), "none");
    EXPECT_EQ(exactly(Format::i8, "-128"), "-128");
    EXPECT_EQ(exactly(Format::i8, "0x1p-1"), "none");
    EXPECT_EQ(exactly(Format::i8, "-0x0p+0"), "0");
    EXPECT_EQ(exactly(Format::u8, "-1"), "none");
    EXPECT_EQ(exactly(Format::i32, "nan"), "none");
    EXPECT_EQ(exactly(Format::i32, "1.5"), "none");
}

// A midpoint goes to the even neighbour; one more digit, however far behind, decides otherwise. By way of a
// double or a float alone the second and third lines of each group would fail.
TEST(RoundedNumber, DecidesMidpointsByEveryDigit) {
    const std::string zeros(60, '0'), nines(60, '9');
    EXPECT_EQ(rounded(Format::f16, "1.00048828125"), "0x1p+0");
    EXPECT_EQ(rounded(Format::f16, "1.00048828125" + zeros + "1"), "0x1.004p+0");
    EXPECT_EQ(rounded(Format::f16, "1.00048828124" + nines), "0x1p+0");
    EXPECT_EQ(rounded(Format::f16, "1.00146484375"), "0x1.008p+0");
    EXPECT_EQ(rounded(Format::f16, "1.00146484374" + nines), "0x1.004p+0");
    EXPECT_EQ(rounded(Format::bf16, "-1.00390625"), "-0x1p+0");
    EXPECT_EQ(rounded(Format::bf16, "-1.00390625" + zeros + "1"), "-0x1.02p+0");
    EXPECT_EQ(rounded(Format::f32, "16777217"), "0x1p+24");
    EXPECT_EQ(rounded(Format::f32, "16777217." + zeros + "1"), "0x1.000002p+24");
    EXPECT_EQ(rounded(Format::f64, "9007199254740993"), "0x1p+53");
    EXPECT_EQ(rounded(Format::f64, "9007199254740993." + zeros + "1"), "0x1.0000000000001p+53");
}

TEST(RoundedNumber, RoundsAtTheEdgesOfARange) {
    EXPECT_EQ(rounded(Format::f16, "65519.999999999999999999999999"), "0x1.ffcp+15");
    EXPECT_EQ(rounded(Format::f16, "65520"), "none");
    EXPECT_EQ(rounded(Format::f16, "2.98023223876953125e-8"), "0x0p+0");
    EXPECT_EQ(rounded(Format::f16, "2.98023223876953125000000000000001e-8"), "0x1p-24");
    EXPECT_EQ(rounded(Format::f16, "1e-320"), "0x0p+0");
    EXPECT_EQ(rounded(Format::f16, "1e300"), "none");
    EXPECT_EQ(rounded(Format::f32, "3.4028235677973367e38"), "none");
    EXPECT_EQ(rounded(Format::f32, "3.4028235677973366e38"), "0x1.fffffep+127");
    EXPECT_EQ(rounded(Format::f32, "7.1e-46"), "0x1p-149");
    EXPECT_EQ(rounded(Format::f32, "7e-46"), "0x0p+0");
    EXPECT_EQ(rounded(Format::f64, "1e400"), "none");
    EXPECT_EQ(rounded(Format::f64, "-1e-400"), "-0x0p+0");
    EXPECT_EQ(rounded(Format::f64, "3e-324"), "0x1p-1074");
    EXPECT_EQ(rounded(Format::f64, "-0"), "-0x0p+0");
    EXPECT_EQ(rounded(Format::bf16, "-0.0"), "-0x0p+0");
}

TEST(RoundedNumber, TakesExponentsOfAnyLength) {
    EXPECT_EQ(rounded(Format::f64, "1e99999999999"), "none");
    EXPECT_EQ(rounded(Format::f64, "1e-99999999999999999999999"), "0x0p+0");
    EXPECT_EQ(rounded(Format::f64, "0e99999999999999999999999"), "0x0p+0");
    EXPECT_EQ(rounded(Format::i64, "1e99999999999"), "none");
    EXPECT_EQ(rounded(Format::f64, "1" + std::string(1000, '0') + "e-1000"), "0x1p+0");
    EXPECT_EQ(rounded(Format::f64, "0." + std::string(999, '0') + "1e+1000"), "0x1p+0");
}

TEST(RoundedNumber, TakesWholeNumbersForIntegerFormats) {
    for (const char* text : {"3", "3.0", "3e0", "300e-2", "0.03E+2"})
        EXPECT_EQ(rounded(Format::i8, text), "3");
    EXPECT_EQ(rounded(Format::i8, "-0.0"), "0");
    EXPECT_EQ(rounded(Format::i8, "3.5"), "none");
    EXPECT_EQ(rounded(Format::i8, "128"), "none");
    EXPECT_EQ(rounded(Format::u8, "255"), "255");
    EXPECT_EQ(rounded(Format::u8, "-1"), "none");
    EXPECT_EQ(rounded(Format::i64, "-9223372036854775808"), "-9223372036854775808");
    EXPECT_EQ(rounded(Format::i64, "9223372036854775808"), "none");
    EXPECT_EQ(rounded(Format::i64, "1e19"), "none");
}

}  // namespace
}  // namespace poolproof

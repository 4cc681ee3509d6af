// SPDX-License-Identifier: Apache-2.0
// Derivatives of a maximum whose winner is open: each value one choice gives is permitted, whatever the
// choice, and what no choice gives is not.
#include "oracle/expect/rounding.hpp"
#include "oracle/tests/answers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace poolproof {
namespace {

std::vector<Permitted> sets(const Case& c) { return expect(*plan(c), c).outputs.front().values; }

bool permits_number(const Permitted& p, Format f, const Rational& q) { return permits(p, f, nearest(f, q)); }

/// A window of tied zeros, padding among them or not.
Question tie(const std::string& ties, int cells, bool padding) {
    std::string data = "0";
    for (int k = 1; k < cells; ++k) data += ",0";
    return {"max_pool",
            "\"kernel\":[" + std::to_string(cells + (padding ? 1 : 0)) + R"(],"pad_end":[0],"pad_begin":[)" +
                (padding ? "1" : "0") + "]",
            std::to_string(cells), data, R"("policy":{"max_padding":"zero","ties":")" + ties + "\"}"};
}

TEST(OpenChoices, TheTangentOfEachTiedCellIsPermittedAndOfPaddingNothingMTieMPad) {
    for (const char* ties : {"any", "convex"})
        for (const int cells : {1, 2, 3})
            for (const bool padding : {false, true}) {
                SCOPED_TRACE(std::string(ties) + " of " + std::to_string(cells) +
                             (padding ? " and padding" : ""));
                const Question q = tie(ties, cells, padding);
                const Permitted dy = sets(q.in_jvp(cells == 1 ? "5" : cells == 2 ? "5,7" : "5,7,6"))[0];
                for (int t = 5; t < 5 + std::min(cells, 2); ++t)
                    EXPECT_TRUE(permits_number(dy, Format::f64, t));
                EXPECT_EQ(permits_number(dy, Format::f64, 0), padding);
                EXPECT_FALSE(permits_number(dy, Format::f64, -1) || permits_number(dy, Format::f64, 8));
            }
}

TEST(OpenChoices, ACellsGradientIsAllOrNothingWhereItIsNotAloneMTieMPad) {
    for (const char* ties : {"any", "convex"})
        for (const int cells : {1, 2, 3})
            for (const bool padding : {false, true}) {
                SCOPED_TRACE(std::string(ties) + " of " + std::to_string(cells) +
                             (padding ? " and padding" : ""));
                for (const Permitted& dx : sets(tie(ties, cells, padding).in_vjp("5"))) {
                    EXPECT_TRUE(permits_number(dx, Format::f64, 5));
                    EXPECT_EQ(permits_number(dx, Format::f64, 0), padding || cells > 1);
                    EXPECT_FALSE(permits_number(dx, Format::f64, -1) || permits_number(dx, Format::f64, 6));
                }
            }
}

/// Exact sums do not settle what a convex combination is.
TEST(OpenChoices, AConvexShareIsNotSettledByExactSumsMTie) {
    Question q = tie("convex", 2, false);
    q.rest = R"("policy":{"ties":"convex","accumulate":"exact","accumulate_gradient":"exact"})";
    for (const Case& c : {q.in_vjp("5"), q.in_jvp("5,5")})
        for (const Permitted& p : sets(c)) {
            EXPECT_FALSE(p.open);
            EXPECT_TRUE(permits_number(p, Format::f64, 5));
            EXPECT_FALSE(permits_number(p, Format::f64, 6));
        }
}

/// A weight of 3 beside one of 0: (3 g) (1/3) may come out above g.
TEST(OpenChoices, AConvexShareIsAProductWithAReciprocalAndMayPassTheWholeMTieBScale) {
    const Format f = Format::f32;
    const auto rounded = [&](const Rational& q) { return rational_value(f, nearest(f, q)); };
    const Rational third = rounded(Rational(1, 3));
    int above = 0;
    for (Index k = 1; k < 200; ++k) {
        const Rational g = 1 + k * power_of_two(-23);
        Case c = tie("convex", 2, false).in_vjp("1");
        c.format = f;
        c.input = Tensor(f, {2});
        c.cotangent = Tensor(f, {1});
        c.cotangent->set(0, nearest(f, g));
        const Rational share = rounded(rounded(3 * g) * third);
        above += share > g ? 1 : 0;
        EXPECT_TRUE(permits_number(sets(c)[0], f, share)) << k;
        EXPECT_FALSE(permits_number(sets(c)[0], f, g + 8 * power_of_two(-23))) << k;
    }
    EXPECT_GT(above, 20);
}

/// What is finite but hangs on a choice is no number that a later node could be judged by.
TEST(OpenChoices, InAGraphADerivativeThatHangsOnAChoiceIsOpenMTie) {
    const auto twice = [](const std::string& direction, const std::string& ties) {
        return permitted(case_of(R"({"op":"graph","policy":{"ties":")" + ties + R"("},"attrs":{"nodes":[
            {"op":"max_pool","attrs":{"kernel":[2]},"input":-1},
            {"op":"avg_pool","attrs":{"kernel":[1]},"input":0}]},"input":{"shape":[2],"data":[1,1]},)" +
                                 direction + "}"));
    };
    const std::string jvp = R"("mode":"jvp","tangent":{"shape":[2],"data":[2,4]})",
                      vjp = R"("mode":"vjp","cotangent":{"shape":[1],"data":[2]})";
    for (const char* ties : {"any", "convex"}) {
        EXPECT_EQ(twice(jvp, ties), "open");
        EXPECT_EQ(twice(vjp, ties), "open open");
    }
    EXPECT_EQ(twice(jvp, "last"), "0x1p+2");
    EXPECT_EQ(twice(vjp, "last"), "-0x0p+0..0x0p+0 0x1p+1");
}

}  // namespace
}  // namespace poolproof

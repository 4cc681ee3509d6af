// SPDX-License-Identifier: Apache-2.0
#include "oracle/scalar/exp_sum.hpp"

#include "oracle/scalar/real.hpp"
#include "oracle/tests/answers.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace poolproof {
namespace {

using Terms = std::vector<ExpSum::Term>;

ExpSum e(const Rational& exponent) { return {1, exponent}; }
ExpSum times(const Rational& coefficient, const ExpSum& a) { return a.scaled(coefficient, 0); }

/// An exponent whose exponential nothing holds.
Rational vast() { return Rational(pow(Integer(10), 300)); }

TEST(ExpSum, KeepsOneTermPerExponentInDescendingOrder) {
    EXPECT_EQ((e(0) + e(1) + e(0) + e(Rational(1, 2))).terms(), (Terms{{1, 1}, {Rational(1, 2), 1}, {0, 2}}));
    EXPECT_EQ((e(0) + e(1)) * (e(0) + e(1)), e(2) + times(2, e(1)) + e(0));
    EXPECT_EQ((e(Rational(1, 2)) + e(Rational(-1, 2))) * (e(Rational(1, 2)) + e(Rational(-1, 2))),
              e(1) + times(2, e(0)) + e(-1));
    EXPECT_EQ(e(Rational(1, 3)) * e(Rational(2, 3)), e(1));
}

TEST(ExpSum, IsZeroOnlyWhereEveryCoefficientIs) {
    EXPECT_TRUE(ExpSum().is_zero());
    EXPECT_TRUE(ExpSum(0, 7).is_zero());
    EXPECT_TRUE((e(1) + times(-1, e(1))).is_zero());
    EXPECT_TRUE(
        ((e(0) + e(1)) * (e(0) + times(-1, e(1))) + times(-1, e(0)) + e(2)).is_zero());  // (1+e)(1-e) = 1-e^2
    EXPECT_FALSE(
        (e(Rational(1, 3)) + times(-1, e(Rational("333333333333333333/1000000000000000000")))).is_zero());
    EXPECT_TRUE(e(0).is_one());
    EXPECT_FALSE((e(0) + e(-1)).is_one());
}

TEST(ExpSum, QuotientIsRationalWhereTheSumsAreInProportion) {
    const ExpSum below = e(0) + e(1);
    EXPECT_EQ(fraction(times(Rational(2, 3), below), below).rational(), Rational(2, 3));
    EXPECT_EQ(fraction(times(5, below) * e(-7), below * e(-7)).rational(), Rational(5));
    EXPECT_EQ(fraction({}, below).rational(), Rational(0));
    EXPECT_EQ(fraction(e(0) + times(2, e(1)), below).rational(), std::nullopt);
    EXPECT_EQ(fraction(below, e(0) + e(2)).rational(), std::nullopt);
    EXPECT_EQ(fraction(e(0), below).rational(), std::nullopt);
}

TEST(ExpSum, QuotientHasADenominatorThatBeginsWithOne) {
    const Fraction f = fraction(e(0), times(4, e(3)) + e(1));
    EXPECT_EQ(f.denominator, e(0) + times(Rational(1, 4), e(-2)));
    EXPECT_EQ(f.numerator, times(Rational(1, 4), e(-3)));
}

TEST(ExpSum, SharesOfTwoWindowsCancelAsOneFraction) {
    // e/(1+e) + 1/(1+e) over different denominators: the second is e/(e+e^2).
    const std::vector<Fraction> shares{fraction(e(1), e(0) + e(1)), {e(-1), e(0) + e(-1)}};
    const auto whole = combined(shares, 100);
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->rational(), Rational(1));
    EXPECT_EQ(combined(shares, 3), std::nullopt);  // 2 terms times 2 are more
}

TEST(ExpSum, DecidesSignsAfterDividingByTheLargestTerm) {
    const Real least = exp(Real(-vast()));
    EXPECT_EQ(sign(least), 1);
    EXPECT_EQ(compare(Real(1) + least, Real(1)), 1);
    EXPECT_EQ(compare(Real(1) - least, Real(1)), -1);
    EXPECT_EQ(sign((Real(1) + least) - Real(1) - least), 0);
    EXPECT_EQ(compare(exp(Real(vast())) + Real(1), exp(Real(vast()))), 1);
    EXPECT_EQ(sign(log(Real(1) + least)), 1);
    EXPECT_EQ(compare(log(exp(Real(vast())) + Real(1)), Real(vast())), 1);
}

TEST(ExpSum, GroupsExponentsThatNothingHolds) {
    const Real least = exp(Real(-vast())), most = exp(Real(vast()));
    EXPECT_EQ((least * most).rational(), Rational(1));
    EXPECT_EQ(((Real(1) + least) / (most + Real(1)) * most).rational(), Rational(1));
}

TEST(ExpSum, PowerIsAnExponentialOfALogarithmTimesItsExponent) {
    const auto [low, high] = enclose(exp(Real(3) * log(Real(1) + exp(Real(1)))), 60);
    EXPECT_NEAR(low.convert_to<double>(), std::pow(1 + std::exp(1.0), 3), 1e-9);
    EXPECT_NEAR(high.convert_to<double>(), std::pow(1 + std::exp(1.0), 3), 1e-9);
}

/// Numbers that differ by 2^-900 of their size: too little for a first look, and a proof is asked.
TEST(ExpSum, ProvesTheSignOfWhatIsNextToNothing) {
    const auto expect_signs = [](const Real& a, const Real& divisor, int divisor_sign) {
        const auto [low, high] = enclose(a, 900);
        ASSERT_LT(low, high);
        EXPECT_EQ(sign((a - Real(low)) / divisor), divisor_sign);
        EXPECT_EQ(sign((a - Real(high)) / divisor), -divisor_sign);
        EXPECT_EQ(sign((Real(low) - a) / divisor), -divisor_sign);
        EXPECT_EQ(sign((Real(high) - a) / divisor), divisor_sign);
    };
    const Real one(1), f = Real(1) + exp(Real(-1)), g = Real(3) + exp(Real(-2));
    const Real negative = Real(1) - Real(2) * exp(Real(Rational(-1, 10)));
    expect_signs(f, one, 1);
    expect_signs(f, g, 1);
    expect_signs(f, negative, -1);
    expect_signs(log(f), one, 1);
    expect_signs(Real(Rational(5, 3)) * log(f), one, 1);
    expect_signs(log(f) - log(g), one, 1);
    expect_signs(Real(Rational(7, 2)) * (log(g) - log(f)), one, 1);
}

TEST(ExpSum, IsEnclosedAsNarrowlyAsAskedHoweverMuchCancels) {
    for (Index x = 0; x < 800; x += 7) {
        const auto [low, high] = enclose(log(Real(1) + exp(Real(-x))), 100);
        EXPECT_LE(high - low, low * power_of_two(-100)) << x;
    }
}

TEST(ExpSum, LogarithmOfAnExponentialIsItsExponent) {
    EXPECT_EQ(log(exp(Real(Rational(3, 2)))).rational(), Rational(3, 2));
    EXPECT_EQ(log(Real(1)).rational(), Rational(0));
    EXPECT_EQ(log(Real(2)).rational(), std::nullopt);
}

TEST(SmoothMax, GradientOfTheMiddleOfThreeIsExactlyOneSJvp) {
    // e/(1+e) from the first window and e/(e+e^2) from the second.
    const Question q{"smooth_max_pool", R"("kernel":[2],"stride":[1],"beta":1)", "3", "0,1,2"};
    EXPECT_EQ(q.vjp("1,1"), "[3] 0.26894142136999512074.. 1 0.73105857863000487925..");
}

TEST(SmoothMax, RoundsAGradientBesideAHalfwayPointByAVanishingWeightSJvp) {
    // The middle gets (1 + 2^-52) + 2^-53, less what e^(-2^1000) takes of it.
    const Question q{"smooth_max_pool", R"("kernel":[2],"stride":[1],"beta":1)", "3",
                     R"("-0x1p+1000",0,"-0x1p+1000")", R"("policy":{"accumulate_gradient":"exact"})"};
    EXPECT_EQ(permitted(q.in_vjp(R"("0x1.0000000000001p+0","0x1p-53")")),
              "-0x0p+0..0x0p+0 0x1.0000000000001p+0 -0x0p+0..0x0p+0");
}

TEST(SmoothMax, CountsPaddingBesideAnIrrationalExponentSPadSJvp) {
    // 1 + log(2) beside one tap of padding: log(1 + 2e), and each input has a weight of e/(1 + 2e).
    const Question chain{
        "graph",
        R"("nodes":[{"op":"smooth_max_pool","attrs":{"kernel":[2],"beta":1},"input":-1},)"
        R"({"op":"smooth_max_pool","attrs":{"kernel":[2],"pad_begin":[1],"pad_end":[0],"beta":1},"input":0}])",
        "2", "1,1"};
    EXPECT_EQ(chain.forward(), "[1] 1.86199480405825108163..");
    EXPECT_EQ(chain.vjp("1"), "[2] 0.42231879825151819660.. 0.42231879825151819660..");
}

TEST(SmoothMax, HoldsInAChainForExponentsOfAnySizeS1SPad) {
    // Nobody doubts the larger cell, but its exponent has to be known to within 1 to be divided out.
    const auto chain = [](const std::string& second) {
        const Case c =
            Question{"graph",
                     R"("nodes":[{"op":"smooth_max_pool","attrs":{"kernel":[2],"beta":2},"input":-1},)"
                     R"({"op":"smooth_max_pool","attrs":{)" +
                         second + R"(,"beta":-1},"input":0}])",
                     "2", R"("0x1p+1000",7)"}
                .in_forward();
        return exact(*plan(c), c, 100).values.front();
    };
    const ExactValue alone = chain(R"("kernel":[1])");
    EXPECT_LE(Rational(alone.upper) - Rational(alone.lower), power_of_two(900));
    EXPECT_LE(Rational(alone.lower), power_of_two(1000) + power_of_two(900));
    EXPECT_GE(Rational(alone.upper), power_of_two(1000));
    const ExactValue padded = chain(R"("kernel":[2],"pad_begin":[1],"pad_end":[0])");
    EXPECT_GE(Rational(padded.lower), -power_of_two(-1200));
    EXPECT_EQ(Rational(padded.upper), 0);
}

/// log 4 and log 2 + log 2: no proof is tried, and no refinement tells them apart.
TEST(SmoothMax, LeavesOpenWhichOfTwoIsLargerWhereNothingTellsM1DOpen) {
    const auto graph = [](const std::string& rest) {
        return answer(case_of(R"({"op":"graph","policy":{"smooth_padding":"ignored"},"attrs":{"nodes":[
            {"op":"smooth_max_pool","attrs":{"kernel":[4],"beta":1,"ceil_mode":true},"input":-1},
            {"op":"smooth_max_pool","attrs":{"kernel":[2],"stride":[5],"pad_begin":[1],"pad_end":[0],"beta":1},
             "input":-1},
            {"op":"add","attrs":{},"inputs":[0,1]},
            {"op":"max_pool","attrs":{"kernel":[2]},"input":2}]},
            "input":{"shape":[6],"data":[0,0,0,0,0,0]})" +
                              rest + "}"));
    };
    EXPECT_EQ(graph(""), "[1] open");
    EXPECT_EQ(graph(R"(,"mode":"jvp","tangent":{"shape":[6],"data":[1,2,3,4,5,6]})"), "[1] open");
}

TEST(SmoothMax, WeighsWithExponentialsThatNothingHoldsS1SJvp) {
    const Question q{"smooth_max_pool", R"("kernel":[2],"beta":"0x1p+1000")", "2", R"("0x1p+1000",1)",
                     R"("policy":{"accumulate":"exact"})"};
    EXPECT_EQ(permitted(q.in_forward()), "0x1p+1000");
    EXPECT_EQ(permitted(q.in_jvp("1,0")), "0x1p+0");
    EXPECT_EQ(permitted(q.in_jvp("0,1")), "-0x0p+0..0x0p+0");
}

}  // namespace
}  // namespace poolproof

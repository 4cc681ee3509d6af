// SPDX-License-Identifier: Apache-2.0
// Every value of every policy that changes an answer, in one small case where it does.
#include "oracle/tests/answers.hpp"

#include <gtest/gtest.h>

namespace poolproof {
namespace {

/// A question under a policy, as the inside of its JSON object.
Question under(const std::string& policy, Question q) {
    q.rest = "\"policy\":{" + policy + "}" + (q.rest.empty() ? "" : "," + q.rest);
    return q;
}

Question max(const std::string& attrs, const std::string& shape, const std::string& data) {
    return {"max_pool", attrs, shape, data};
}

Question average(const std::string& attrs, const std::string& shape, const std::string& data) {
    return {"avg_pool", attrs, shape, data};
}

TEST(Policies, TiesChooseWhoHoldsTheDerivativeMTie) {
    const Question tied = max(R"("kernel":[3])", "3", "3,1,3");
    const auto answers = [&](const std::string& ties) {
        const Question q = under("\"ties\":\"" + ties + "\"", tied);
        return q.jvp("1,10,100") + ", " + q.vjp("6");
    };
    EXPECT_EQ(answers("first"), "[1] 1, [3] 6 0 0");
    EXPECT_EQ(answers("last"), "[1] 100, [3] 0 0 6");
    EXPECT_EQ(answers("all"), "[1] 101, [3] 6 0 6");
    EXPECT_EQ(answers("split"), "[1] 101/2, [3] 3 0 3");
    EXPECT_EQ(answers("any"), "[1] open, [3] open 0 open");
    EXPECT_EQ(answers("convex"), "[1] open, [3] open 0 open");
}

TEST(Policies, TiesLeftOpenDecideWhereEveryChoiceAgreesMTie) {
    for (const char* ties : {"any", "convex"}) {
        const Question q =
            under("\"ties\":\"" + std::string(ties) + "\"", max(R"("kernel":[3])", "3", "3,1,3"));
        EXPECT_EQ(q.jvp("7,0,7"), "[1] 7");
        EXPECT_EQ(q.vjp("0"), "[3] 0 0 0");
    }
}

TEST(Policies, TiesChooseTheReportedIndexMIdx) {
    const Question tied = max(R"("kernel":[3],"return_indices":true)", "3", "3,1,3");
    const auto index = [&](const std::string& ties) {
        return permitted(under("\"ties\":\"" + ties + "\"", tied).in_forward());
    };
    EXPECT_EQ(index("first"), "0x1.8p+1 at 0");
    EXPECT_EQ(index("last"), "0x1.8p+1 at 2");
    EXPECT_EQ(index("all"), "0x1.8p+1 at 0");
    EXPECT_EQ(index("split"), "0x1.8p+1 at 0");
    EXPECT_EQ(index("any"), "0x1.8p+1 at 0/2");
    EXPECT_EQ(index("convex"), "0x1.8p+1 at 0/2");
    EXPECT_EQ(under(R"("ties":"any")", tied).forward(), "[1] 3 at ?");
}

TEST(Policies, NanIsTheMaximumOrPassedOverOrOpenMNan) {
    const Question q = max(R"("kernel":[3])", "6", R"(1,"nan",2,"nan","nan","nan")");
    EXPECT_EQ(under(R"("nan":"propagate")", q).forward(), "[2] nan nan");
    EXPECT_EQ(under(R"("nan":"ignore")", q).forward(), "[2] 2 open");
    EXPECT_EQ(under(R"("nan":"open")", q).forward(), "[2] open open");
}

TEST(Policies, NanIndexNamesOneOfTheNansMNan) {
    const auto index = [](const std::string& nan, const std::string& which) {
        return under(R"("nan":")" + nan + R"(","nan_index":")" + which + "\"",
                     max(R"("kernel":[4],"return_indices":true)", "4", R"(9,"nan",1,"nan")"))
            .forward();
    };
    EXPECT_EQ(index("propagate", "first"), "[1] nan at 1");
    EXPECT_EQ(index("propagate", "last"), "[1] nan at 3");
    EXPECT_EQ(index("propagate", "open"), "[1] nan at ?");
    EXPECT_EQ(index("ignore", "last"), "[1] 9 at 0");
    EXPECT_EQ(index("open", "last"), "[1] open at ?");
}

TEST(Policies, SignedZeroChoosesAmongZerosMZero) {
    const auto answers = [](const std::string& rule, const std::string& data) {
        return permitted(
            under("\"signed_zero\":\"" + rule + "\"", max(R"("kernel":[2],"return_indices":true)", "2", data))
                .in_forward());
    };
    const std::string minus_first = R"("-0x0p+0",0)", plus_first = R"(0,"-0x0p+0")";
    EXPECT_EQ(answers("either", minus_first), "-0x0p+0..0x0p+0 at 0");
    EXPECT_EQ(answers("first", minus_first), "-0x0p+0 at 0");
    EXPECT_EQ(answers("positive", minus_first), "0x0p+0 at 1");
    EXPECT_EQ(answers("either", plus_first), "-0x0p+0..0x0p+0 at 0");
    EXPECT_EQ(answers("first", plus_first), "0x0p+0 at 0");
    EXPECT_EQ(answers("positive", plus_first), "0x0p+0 at 0");
    EXPECT_EQ(answers("either", "0,0"), "0x0p+0 at 0");
    EXPECT_EQ(answers("either", R"("-0x0p+0","-0x0p+0")"), "-0x0p+0 at 0");
}

TEST(Policies, SignedZeroDecidesDerivativesUnderPositiveMZero) {
    const Question zeros = max(R"("kernel":[2])", "2", R"("-0x0p+0",0)");
    EXPECT_EQ(under(R"("signed_zero":"either")", zeros).vjp("5"), "[2] 5 0");
    EXPECT_EQ(under(R"("signed_zero":"first")", zeros).vjp("5"), "[2] 5 0");
    EXPECT_EQ(under(R"("signed_zero":"positive")", zeros).vjp("5"), "[2] 0 5");
}

TEST(Policies, MaxPaddingTakesPartAsZeroAndTakesTheGradientMPad) {
    // The windows are (pad, -1), (-1, -2), (-2, pad).
    const Question q =
        max(R"("kernel":[2],"stride":[1],"pad_begin":[1],"return_indices":true)", "2", "-1,-2");
    Question derivative = q;
    derivative.attrs = R"("kernel":[2],"stride":[1],"pad_begin":[1])";
    EXPECT_EQ(under(R"("max_padding":"ignored")", q).forward(), "[3] -1 -1 -2 at 0 0 1");
    EXPECT_EQ(under(R"("max_padding":"zero")", q).forward(), "[3] 0 -1 0 at ? 0 ?");
    EXPECT_EQ(under(R"("max_padding":"ignored")", derivative).vjp("1,10,100"), "[2] 11 100");
    EXPECT_EQ(under(R"("max_padding":"zero")", derivative).vjp("1,10,100"), "[2] 10 0");
}

TEST(Policies, MaxPaddingTiesInItsPlaceMPad) {
    // The window is (pad, 0, pad): padding ties first and last, and is two of three sharers.
    const Question q = max(R"("kernel":[3],"pad_begin":[1])", "1", "0");
    const auto gradient = [&](const std::string& ties) {
        return under(R"("max_padding":"zero","ties":")" + ties + "\"", q).vjp("3");
    };
    EXPECT_EQ(gradient("first"), "[1] 0");
    EXPECT_EQ(gradient("last"), "[1] 0");
    EXPECT_EQ(gradient("all"), "[1] 3");
    EXPECT_EQ(gradient("split"), "[1] 1");
    EXPECT_EQ(gradient("any"), "[1] open");
    // (0, pad): the real cell is first, padding is last.
    const Question before = max(R"("kernel":[2],"pad_begin":[0],"pad_end":[1])", "1", "0");
    EXPECT_EQ(under(R"("max_padding":"zero","ties":"first")", before).vjp("3"), "[1] 3");
    EXPECT_EQ(under(R"("max_padding":"zero","ties":"last")", before).vjp("3"), "[1] 0");
}

TEST(Policies, SmoothPaddingCountsAsExpOfZeroSPad) {
    // The window is (pad, 0), then (pad, pad) before (0, 0).
    const Question q{"smooth_max_pool", R"("kernel":[2],"pad_begin":[1],"pad_end":[0],"beta":2)", "1", "0"};
    EXPECT_EQ(under(R"("smooth_padding":"zero")", q).forward(), "[1] 0.34657359027997265470..");  // log(2)/2
    EXPECT_EQ(under(R"("smooth_padding":"ignored")", q).forward(), "[1] 0");
    EXPECT_EQ(under(R"("smooth_padding":"zero")", q).vjp("1"), "[1] 1/2");
    EXPECT_EQ(under(R"("smooth_padding":"ignored")", q).vjp("1"), "[1] 1");
    const Question alone{"smooth_max_pool", R"("kernel":[2],"pad_begin":[2],"pad_end":[0],"beta":1)", "2",
                         "0,0"};
    EXPECT_EQ(under(R"("smooth_padding":"zero")", alone).forward(),
              "[2] 0.69314718055994530941.. 0.69314718055994530941..");
}

TEST(Policies, DivisorIsTheKernelOrItsPartInThePaddedInputVPadWClip) {
    const Question q = average(R"("kernel":[2],"ceil_mode":true)", "5", "1,2,3,4,5");
    EXPECT_EQ(under(R"("divisor":"kernel")", q).forward(), "[3] 3/2 7/2 5/2");
    EXPECT_EQ(under(R"("divisor":"clipped")", q).forward(), "[3] 3/2 7/2 5");
    EXPECT_EQ(under(R"("divisor":"kernel")", q).vjp("2,2,2"), "[5] 1 1 1 1 1");
    EXPECT_EQ(under(R"("divisor":"clipped")", q).vjp("2,2,2"), "[5] 1 1 1 1 2");
}

TEST(Policies, DivisorSaysWhetherAnOverhangIsPaddingElsewhereWClip) {
    const Question smooth{"smooth_max_pool", R"("kernel":[2],"ceil_mode":true,"beta":1)", "3", "0,0,0"};
    EXPECT_EQ(under(R"("divisor":"kernel")", smooth).forward(),
              "[2] 0.69314718055994530941.. 0.69314718055994530941..");
    EXPECT_EQ(under(R"("divisor":"clipped")", smooth).forward(), "[2] 0.69314718055994530941.. 0");
    const Question q = max(R"("kernel":[2],"ceil_mode":true)", "3", "-1,-1,-1");
    EXPECT_EQ(under(R"("max_padding":"zero","divisor":"kernel")", q).forward(), "[2] -1 0");
    EXPECT_EQ(under(R"("max_padding":"zero","divisor":"clipped")", q).forward(), "[2] -1 -1");
}

TEST(Policies, CountedPaddingAndAnOverrideComeBeforeItVDivVOverVReal) {
    const std::string attrs = R"("kernel":[2],"stride":[1],"pad_begin":[1])";
    EXPECT_EQ(average(attrs, "2", "2,4").forward(), "[3] 1 3 2");
    EXPECT_EQ(average(attrs + R"(,"count_include_pad":false)", "2", "2,4").forward(), "[3] 2 3 4");
    EXPECT_EQ(average(attrs + R"(,"divisor_override":-3)", "2", "2,4").forward(), "[3] -2/3 -2 -4/3");
    EXPECT_EQ(average(attrs + R"(,"count_include_pad":false,"divisor_override":-2147483647)", "2", "2,4")
                  .vjp("0,1,0"),
              "[2] -1/2147483647 -1/2147483647");
}

TEST(Policies, CeilRuleDropsOrKeepsAWindowInTheEndPaddingWCeil) {
    const Question q = average(R"("kernel":[1],"stride":[2],"ceil_mode":true)", "4", "1,2,3,4");
    EXPECT_EQ(under(R"("ceil_rule":"drop_window_in_end_padding")", q).forward(), "[2] 1 3");
    EXPECT_EQ(under(R"("ceil_rule":"keep")", q).forward(), "[3] 1 3 0");
}

TEST(Policies, EmptyWindowHasTheValueItIsGivenWEmpty) {
    const auto answers = [](const std::string& empty, Question q) {
        return under("\"empty_window\":\"" + empty + "\"", std::move(q)).forward();
    };
    Question q = max(R"("kernel":[1],"pad_begin":[1],"pad_end":[0])", "1", "5");
    q.rest = R"("dtype":"f16")";
    EXPECT_EQ(answers("zero", q), "[2] 0 5");
    EXPECT_EQ(answers("identity", q), "[2] -inf 5");
    EXPECT_EQ(answers("lowest", q), "[2] -65504 5");
    EXPECT_EQ(answers("nan", q), "[2] nan 5");
    EXPECT_EQ(answers("reject", q), "rejected attrs.kernel");
    EXPECT_EQ(answers("open", q), "[2] open 5");
    q.rest = R"("dtype":"i8")";
    EXPECT_EQ(answers("identity", q), "[2] -128 5");
    EXPECT_EQ(answers("lowest", q), "[2] -128 5");
    EXPECT_EQ(answers("nan", q), "[2] open 5");
    q.rest = R"("dtype":"u8")";
    EXPECT_EQ(answers("identity", q), "[2] 0 5");
}

TEST(Policies, EmptyAverageIsOneThatDividesByNothingWEmpty) {
    const auto answers = [](const std::string& empty, const std::string& rest = "") {
        return under("\"empty_window\":\"" + empty + "\"",
                     {"avg_pool", R"("kernel":[1],"pad_begin":[1],"pad_end":[0],"count_include_pad":false)",
                      "1", "5", rest})
            .forward();
    };
    EXPECT_EQ(answers("zero"), "[2] 0 5");
    EXPECT_EQ(answers("identity"), "[2] nan 5");
    EXPECT_EQ(answers("lowest"), "[2] open 5");
    EXPECT_EQ(answers("nan"), "[2] nan 5");
    EXPECT_EQ(answers("reject"), "rejected attrs.kernel");
    EXPECT_EQ(answers("open"), "[2] open 5");
    EXPECT_EQ(answers("zero", R"("dtype":"i8")"), "[2] 0 5");
    EXPECT_EQ(answers("nan", R"("dtype":"i8")"), "[2] open 5");
    EXPECT_EQ(
        under(R"("empty_window":"nan")", average(R"("kernel":[1],"pad_begin":[1],"pad_end":[0])", "1", "5"))
            .forward(),
        "[2] 0 5");  // counted padding is a divisor
}

TEST(Policies, EmptySmoothMaximumOfNegativeSharpnessIsMirroredWEmpty) {
    const auto answers = [](const std::string& empty, const std::string& beta) {
        return under(R"("smooth_padding":"ignored","empty_window":")" + empty + "\"",
                     {"smooth_max_pool", R"("kernel":[1],"pad_begin":[1],"pad_end":[0],"beta":)" + beta, "1",
                      "5", R"("dtype":"f16")"})
            .forward();
    };
    EXPECT_EQ(answers("identity", "1"), "[2] -inf 5");
    EXPECT_EQ(answers("identity", "-1"), "[2] inf 5");
    EXPECT_EQ(answers("lowest", "1"), "[2] -65504 5");
    EXPECT_EQ(answers("lowest", "-1"), "[2] 65504 5");
}

TEST(Policies, EmptyWindowHasNoDerivativeDEmpty) {
    for (const char* empty : {"zero", "identity", "lowest", "nan", "open"}) {
        const Question q = under("\"empty_window\":\"" + std::string(empty) + "\"",
                                 max(R"("kernel":[1],"pad_begin":[1],"pad_end":[0])", "1", "5"));
        EXPECT_EQ(q.jvp("3"), "[2] 0 3");
        EXPECT_EQ(q.vjp("3,4"), "[1] 4");
    }
}

TEST(Policies, OversizedKernelIsRejectedOrReachesPastTheInputWOver) {
    const auto answers = [](const std::string& rule, const std::string& attrs) {
        return under("\"oversized_kernel\":\"" + rule + "\"", average(attrs, "2", "2,4")).forward();
    };
    const std::string wide = R"("kernel":[3],"stride":[2])", ceil = wide + R"(,"ceil_mode":true)";
    EXPECT_EQ(answers("reject", wide), "rejected attrs.kernel[0]");
    EXPECT_EQ(answers("reject_empty", wide), "rejected attrs.kernel[0]");
    EXPECT_EQ(answers("one_window", wide), "[1] 2");
    EXPECT_EQ(answers("reject", ceil), "rejected attrs.kernel[0]");
    EXPECT_EQ(answers("reject_empty", ceil), "[1] 2");
    EXPECT_EQ(answers("one_window", ceil), "[1] 2");
    EXPECT_EQ(answers("one_window", R"("kernel":[1000000000])"), "[1] 3/500000000");
    EXPECT_EQ(answers("one_window", R"("kernel":[2],"dilation":[2147483647])"), "[1] 1");
}

TEST(Policies, PaddingLimitComparesWithTheUndilatedKernelWPad) {
    const auto answers = [](const std::string& limit, const std::string& attrs) {
        return under("\"padding_limit\":\"" + limit + "\"", max(attrs, "3", "1,2,3")).forward();
    };
    const std::string one = R"("kernel":[3],"pad_begin":[1])", two = R"("kernel":[3],"pad_begin":[2])";
    EXPECT_EQ(answers("none", two), "[2] 1 3");
    EXPECT_EQ(answers("half_kernel", two), "rejected attrs.pad_begin[0]");
    EXPECT_EQ(answers("half_kernel", one), "[1] 2");
    EXPECT_EQ(answers("half_kernel", R"("kernel":[2],"pad_begin":[1])"), "[2] 1 3");
    EXPECT_EQ(answers("half_kernel", R"("kernel":[2],"dilation":[4],"pad_begin":[2])"),
              "rejected attrs.pad_begin[0]");
    EXPECT_EQ(answers("zero", one), "rejected attrs.pad_begin[0]");
    EXPECT_EQ(answers("zero", R"("kernel":[3])"), "[1] 3");
    EXPECT_EQ(answers("zero", R"("kernel":[2],"auto_pad":"same_upper")"), "rejected attrs.pad_begin[0]");
}

TEST(Policies, IntegerMeanRoundsByItsRule) {
    const auto means = [](const std::string& rule) {
        Question q = average(R"("kernel":[2])", "8", "5,0,-5,0,7,0,4,2");
        q.rest = R"("dtype":"i8")";
        return permitted(under("\"integer_mean\":\"" + rule + "\"", q).in_forward());
    };
    EXPECT_EQ(means("toward_zero"), "2 -2 3 3");
    EXPECT_EQ(means("floor"), "2 -3 3 3");
    EXPECT_EQ(means("half_even"), "2 -2 4 3");
    EXPECT_EQ(means("half_away"), "3 -3 4 3");
    EXPECT_EQ(means("open"), "open open open 3");
}

TEST(Policies, IntegerSumsDoNotWrapAndAMeanOutsideItsTypeIsOpen) {
    Question q = average(R"("kernel":[2])", "2", "127,127");
    q.rest = R"("dtype":"i8")";
    EXPECT_EQ(q.forward(), "[1] 127");
    q.attrs = R"("kernel":[2],"divisor_override":1)";
    EXPECT_EQ(q.forward(), "[1] open");
}

TEST(Policies, AccumulateExactPermitsTheNearestAlone) {
    const Question q = average(R"("kernel":[3])", "3", "1,2,4");
    EXPECT_EQ(permitted(under(R"("accumulate":"exact")", q).in_forward()), "0x1.2aaaaaaaaaaabp+1");
    EXPECT_NE(permitted(under(R"("accumulate":"any")", q).in_forward()), "0x1.2aaaaaaaaaaabp+1");
    // Past the top of the format the correctly rounded value is the infinity.
    const auto top = read_case(R"({"op":"avg_pool","dtype":"f16","policy":{"accumulate":"exact"},
        "attrs":{"kernel":[2],"divisor_override":-1},"input":{"shape":[2],"data":[60000,60000]}})");
    const Permitted infinite = expect(*plan(*top), *top).outputs.front().values.front();
    EXPECT_EQ(infinite, Permitted::with(&Permitted::minus_infinity));
    const Question gradient = under(R"("accumulate_gradient":"exact")", q);
    EXPECT_EQ(permitted(gradient.in_vjp("7")),
              "0x1.2aaaaaaaaaaabp+1 0x1.2aaaaaaaaaaabp+1 0x1.2aaaaaaaaaaabp+1");
}

TEST(Policies, AccumulateInF32IsSharperThanInAHalf) {
    Question q = average(R"("kernel":[3])", "3", "1,2,4");
    q.rest = R"("dtype":"f16")";
    const Permitted any = expect(*plan(under(R"("accumulate":"any")", q).in_forward()),
                                 under(R"("accumulate":"any")", q).in_forward())
                              .outputs[0]
                              .values[0];
    const Permitted wide = expect(*plan(under(R"("accumulate":"f32")", q).in_forward()),
                                  under(R"("accumulate":"f32")", q).in_forward())
                               .outputs[0]
                               .values[0];
    EXPECT_LT(any.lowest, wide.lowest);
    EXPECT_LT(wide.highest, any.highest);
}

}  // namespace
}  // namespace poolproof

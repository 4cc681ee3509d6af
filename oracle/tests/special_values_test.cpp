// SPDX-License-Identifier: Apache-2.0
// NaN, infinities and zeros, where no policy speaks.
#include "oracle/tests/answers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace poolproof {
namespace {

std::string average(const std::string& data, const std::string& further = "") {
    return Question{"avg_pool", R"("kernel":[3])" + further, "3", data}.forward();
}

std::string smooth(const std::string& data, const std::string& beta, const std::string& further = "") {
    return Question{"smooth_max_pool", R"("kernel":[2],"beta":)" + beta + further, "2", data}.forward();
}

TEST(SpecialValues, AnyNanMakesAnAverageOrASmoothMaximumNanNan) {
    EXPECT_EQ(average(R"(1,"nan","inf")"), "[1] nan");
    EXPECT_EQ(smooth(R"("nan","inf")", "1"), "[1] nan");
    EXPECT_EQ(smooth(R"("-inf","nan")", "1"), "[1] nan");
}

TEST(SpecialValues, AverageFollowsTheExtendedRealsInf) {
    EXPECT_EQ(average(R"(1,"inf",2)"), "[1] inf");
    EXPECT_EQ(average(R"("-inf",1,"-inf")"), "[1] -inf");
    EXPECT_EQ(average(R"("inf","inf",0)"), "[1] inf");
    EXPECT_EQ(average(R"("inf",1,"-inf")"), "[1] nan");
    EXPECT_EQ(average(R"(1,"inf",2)", R"(,"divisor_override":-2)"), "[1] -inf");
}

/// -top - top is -inf in f32, and +inf beside it makes a NaN: an honest sum from left to right.
TEST(SpecialValues, InfinityMayMeetAnOverflowOfTheOtherSignInf) {
    const auto f32 = [](const std::string& data, const std::string& policy = "",
                        const std::string& attrs = "") {
        return permitted(Question{"avg_pool", "\"kernel\":[4]" + attrs, "4", data,
                                  R"("dtype":"f32","policy":{)" + policy + "}"}
                             .in_forward());
    };
    const std::string top = R"("0x1.fffffep+127")", bottom = R"("-0x1.fffffep+127")";
    EXPECT_EQ(f32(bottom + "," + bottom + R"(,1,"inf")"), "nan|inf");
    EXPECT_EQ(f32(top + "," + top + R"(,1,"-inf")"), "nan|-inf");
    EXPECT_EQ(f32(top + "," + top + R"(,1,"-inf")", "", R"(,"divisor_override":-2)"), "nan|inf");
    EXPECT_EQ(f32(top + "," + top + R"(,1,"inf")"), "inf");
    EXPECT_EQ(f32(R"("-0x1p+126",-1,0,"inf")"), "inf");
    EXPECT_EQ(f32(bottom + "," + bottom + R"(,1,"inf")", R"("intermediate_overflow":"forbidden")"), "inf");
    EXPECT_EQ(f32(bottom + "," + bottom + R"(,1,"inf")", R"("accumulate":"exact")"), "inf");
    EXPECT_EQ(permitted(Question{"avg_pool", R"("kernel":[3])", "3", R"(-60000,-60000,"inf")",
                                 R"("dtype":"f16","policy":{"accumulate":"f32"})"}
                            .in_forward()),
              "inf");
}

TEST(SpecialValues, SmoothMaximumFollowsTheExtendedRealsInf) {
    EXPECT_EQ(smooth(R"("inf","-inf")", "1"), "[1] inf");
    EXPECT_EQ(smooth(R"("-inf",3)", "1"), "[1] 3");
    EXPECT_EQ(smooth(R"("-inf","-inf")", "1"), "[1] -inf");
    EXPECT_EQ(smooth(R"("inf","-inf")", "-1"), "[1] -inf");
    EXPECT_EQ(smooth(R"("inf",3)", "-1"), "[1] 3");
    EXPECT_EQ(smooth(R"("inf","inf")", "-1"), "[1] inf");
    EXPECT_EQ(smooth(R"("-inf","-inf")", "1", R"(,"pad_begin":[1],"pad_end":[0])"), "[1] 0");  // log(1)
}

TEST(SpecialValues, MaximumTakesInfinitiesForTheLargestAndTheLeastInf) {
    EXPECT_EQ((Question{"max_pool", R"("kernel":[2])", "4", R"(1,"inf","-inf","-inf")"}).forward(),
              "[2] inf -inf");
}

TEST(SpecialValues, DerivativeIsOpenInAWindowThatIsNotFiniteDOpen) {
    const Question q{"avg_pool", R"("kernel":[2])", "4", R"(1,"inf",1,1)"};
    EXPECT_EQ(q.jvp("1,1,1,3"), "[2] open 2");
    EXPECT_EQ(q.vjp("2,4"), "[4] open open 2 2");
    const Question finite{"max_pool", R"("kernel":[2])", "4", "1,2,2,1"};
    EXPECT_EQ(finite.jvp(R"("nan",5,6,0)"), "[2] open 6");
    EXPECT_EQ(finite.vjp(R"("inf",7)"), "[4] open open 7 0");
}

TEST(SpecialValues, ZeroThatIsNoMaximumHasEitherSignZero) {
    const Question q{"avg_pool", R"("kernel":[2])", "2", "1,-1", R"("policy":{"accumulate":"exact"})"};
    EXPECT_EQ(permitted(q.in_forward()), "-0x0p+0..0x0p+0");
}

/// A rotation by one cell: the taps of a window of two that are three apart.
constexpr const char* rotated =
    R"({"op":"max_pool","attrs":{"kernel":[2],"stride":[1],"dilation":[3],"pad_begin":[2],"pad_end":[1]},"input":-1})";

std::string graph(const std::string& nodes, const std::string& data, const std::string& rest = "") {
    return answer(case_of(R"({"op":"graph","attrs":{"nodes":[)" + nodes +
                          R"(]},"input":{"shape":[3],"data":[)" + data + "]}" + rest + "}"));
}

TEST(SpecialValues, AnInfiniteSummandLeavesItsOwnDerivativeOpenAndNoOtherDOpenGAdd) {
    const std::string data = R"("inf",1,2)", jvp = R"(,"mode":"jvp","tangent":{"shape":[3],"data":[5,7,11]})",
                      vjp = R"(,"mode":"vjp","cotangent":{"shape":[3],"data":[5,7,11]})";
    for (const char* order : {"[0,-1]", "[-1,0]"}) {
        const std::string nodes = std::string(rotated) + R"(,{"op":"add","attrs":{},"inputs":)" + order + "}";
        EXPECT_EQ(graph(nodes, data), "[3] inf 3 inf");
        EXPECT_EQ(graph(nodes, data, jvp), "[3] open 18 open");
        EXPECT_EQ(graph(nodes, data, vjp), "[3] open open open");
        EXPECT_EQ(graph(nodes, "0,1,2", vjp), "[3] 16 12 18");
    }
    const std::string twice = R"({"op":"add","attrs":{},"inputs":[-1,-1]})";
    EXPECT_EQ(graph(twice, "0,1,2", R"(,"mode":"jvp","tangent":{"shape":[3],"data":["inf","nan",3]})"),
              "[3] open open 6");
}

TEST(SpecialValues, ASumOfTangentsThatAreNotFiniteMayBeAnythingDOpenGAdd) {
    // Each tangent beside that of another cell.
    for (const char* order : {"[0,-1]", "[-1,0]"}) {
        const Case c = case_of(R"({"op":"graph","mode":"jvp","attrs":{"nodes":[)" + std::string(rotated) +
                               R"(,{"op":"add","attrs":{},"inputs":)" + order +
                               R"(}]},"input":{"shape":[3],"data":[1,1,1]},)"
                               R"("tangent":{"shape":[3],"data":["inf",2,2]}})");
        const auto values = expect(*plan(c), c).outputs.front().values;
        EXPECT_EQ(std::count_if(values.begin(), values.end(), [](const Permitted& p) { return p.open; }), 2)
            << order;
    }
}

TEST(SpecialValues, AnOpenSummandOrCellLeavesItsResultOpenWEmptyMNan) {
    const auto with_a_gap = [](const std::string& nodes, const std::string& data) {
        return answer(
            case_of(R"({"op":"graph","policy":{"empty_window":"open","nan":"propagate"},"attrs":{"nodes":[
            {"op":"max_pool","attrs":{"kernel":[1],"stride":[2],"pad_begin":[1],"pad_end":[0]},"input":-1},)" +
                    nodes + R"(]},"input":{"shape":[2],"data":[)" + data + "]}}"));
    };
    for (const char* order : {"[0,-1]", "[-1,0]"})
        EXPECT_EQ(with_a_gap(R"({"op":"add","attrs":{},"inputs":)" + std::string(order) + "}", R"("inf",3)"),
                  "[2] open 6");
    EXPECT_EQ(with_a_gap(R"({"op":"max_pool","attrs":{"kernel":[2]},"input":0})", R"(1,"nan")"), "[1] open");
}

TEST(SpecialValues, ASumWithATangentThatNobodyKnowsIsNotKnownMTieGAdd) {
    for (const char* order : {"[0,1]", "[1,0]"})
        EXPECT_EQ(answer(case_of(
                      R"({"op":"graph","mode":"jvp","policy":{"ties":"any"},"attrs":{"nodes":[
            {"op":"max_pool","attrs":{"kernel":[2]},"input":-1},
            {"op":"avg_pool","attrs":{"kernel":[2]},"input":-1},
            {"op":"add","attrs":{},"inputs":)" +
                      std::string(order) +
                      R"(}]},"input":{"shape":[2],"data":[1,1]},"tangent":{"shape":[2],"data":[2,4]}})")),
                  "[1] open");
}

TEST(SpecialValues, ANanIsTheSumOfWhateverIsOpenBesideItNan) {
    const auto nodes = [](const std::string& order) {
        return R"({"op":"max_pool","attrs":{"kernel":[1]},"input":-1},
                  {"op":"avg_pool","attrs":{"kernel":[1],"divisor_override":-1},"input":0},
                  {"op":"add","attrs":{},"inputs":[)" +
               order + "]}";
    };
    const std::string mean = R"(,{"op":"avg_pool","attrs":{"kernel":[3]},"input":2})";
    for (const char* order : {"0,1", "1,0"}) {
        EXPECT_EQ(graph(nodes(order), R"("nan","inf",1)"), "[3] open nan 0");
        EXPECT_EQ(graph(nodes(order) + mean, R"("nan","inf",1)"), "[1] nan");
        EXPECT_EQ(graph(nodes(order) + mean, R"("nan",2,1)"), "[1] open");
    }
}

}  // namespace
}  // namespace poolproof

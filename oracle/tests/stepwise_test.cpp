// SPDX-License-Identifier: Apache-2.0
// Graphs under `accumulate: exact`: every node's result is rounded correctly, and the next one sees it
// rounded.
#include "oracle/expect/rounding.hpp"
#include "oracle/tests/answers.hpp"

#include <gtest/gtest.h>

namespace poolproof {

namespace {

/// A graph over f16 in which every sum is rounded correctly.
Case graph(const std::string& nodes, const std::string& shape, const std::string& data,
           const std::string& rest = "") {
    const std::string exact = R"("policy":{"accumulate":"exact","accumulate_gradient":"exact"})";
    return case_of(R"({"op":"graph","dtype":"f16",)" + exact + R"(,"attrs":{"nodes":[)" + nodes +
                   R"(]},"input":{"shape":[)" + shape + "],\"data\":[" + data + "]}" + rest + "}");
}

std::string tangent(const std::string& shape, const std::string& data) {
    return R"(,"mode":"jvp","tangent":{"shape":[)" + shape + "],\"data\":[" + data + "]}";
}

std::string cotangent(const std::string& shape, const std::string& data) {
    return R"(,"mode":"vjp","cotangent":{"shape":[)" + shape + "],\"data\":[" + data + "]}";
}

/// The first cell, the sum of both cells, a node twice, and two nodes added.
const std::string first = R"({"op":"avg_pool","attrs":{"kernel":[1],"stride":[2]},"input":-1})",
                  total = R"({"op":"avg_pool","attrs":{"kernel":[2],"divisor_override":1},"input":-1})",
                  twice = R"({"op":"add","attrs":{},"inputs":[0,0]})",
                  their_sum = R"({"op":"add","attrs":{},"inputs":[0,1]})";

}  // namespace

TEST(Stepwise, RoundsTheSumOfTwoNodesToNearestBAccGAdd) {
    const std::string nodes = first + "," + total + "," + their_sum;
    EXPECT_EQ(permitted(graph(nodes, "2", R"("0x1p-12","0x1.ffcp-1")")), "0x1p+0");
    // total is rounded to 0x1p+0 before the first is added, or it would come to 0x1.004p+0
    EXPECT_EQ(permitted(graph(nodes, "2", R"("0x1p-11",1)")), "0x1p+0");
    EXPECT_EQ(permitted(graph(nodes, "2", "2,3")), "0x1.cp+2");
}

TEST(Stepwise, AddsInfinitiesAndNansAsTheyCameOutNanInf) {
    const std::string nodes = first + "," + total + "," + their_sum;
    EXPECT_EQ(permitted(graph(nodes, "2", R"("inf",1)")), "inf");
    EXPECT_EQ(permitted(graph(nodes, "2", R"("-inf",1)")), "-inf");
    EXPECT_EQ(permitted(graph(nodes, "2", R"("inf","-inf")")), "nan");
    EXPECT_EQ(permitted(graph(nodes, "2", R"("nan",1)")), "nan");
    EXPECT_EQ(permitted(graph(nodes, "2", "0,65504")), "0x1.ffcp+15");
    EXPECT_EQ(permitted(graph(total + "," + twice, "2", "65504,65504")), "inf");
    const std::string minus = R"({"op":"avg_pool","attrs":{"kernel":[1],"divisor_override":-1},"input":0})";
    EXPECT_EQ(permitted(graph(total + "," + minus + "," + their_sum, "2", "65504,65504")), "nan");
}

TEST(Stepwise, LeavesTheDerivativeOfAnInfiniteSummandOpenDOpen) {
    const std::string nodes = total + "," + twice;
    EXPECT_EQ(permitted(graph(nodes, "2", "1,2", tangent("2", "3,5"))), "0x1p+4");
    EXPECT_EQ(permitted(graph(nodes, "2", "65504,65504", tangent("2", "3,5"))), "open");
    EXPECT_EQ(permitted(graph(nodes, "2", "1,2", cotangent("1", "3"))), "0x1.8p+2 0x1.8p+2");
}

TEST(Stepwise, RoundsTheSumOfTwoGradientsBAccGVjp) {
    const std::string nodes = first + "," + total + "," + their_sum;
    EXPECT_EQ(permitted(graph(nodes, "2", "1,2", cotangent("1", R"("0x1.004p+0")"))),
              "0x1.004p+1 0x1.004p+0");
}

/// The order of three additions matters, so that no single pattern is due; but all three count.
TEST(Stepwise, CountsAllOfThreeUsesBUsesGVjp) {
    const Case c =
        graph(R"({"op":"add","attrs":{},"inputs":[-1,-1]},{"op":"add","attrs":{},"inputs":[0,-1]})", "1", "1",
              cotangent("1", "1"));
    EXPECT_TRUE(
        permits(expect(*plan(c), c).outputs.front().values.front(), Format::f16, nearest(Format::f16, 3)));
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// Which clause a value rests on, by what its window holds.
#include "oracle/tests/answers.hpp"

#include <gtest/gtest.h>

namespace poolproof {
namespace {

/// The clause of every value, in order.
std::string clauses(const Case& c) {
    const Expected e = expect(*plan(c), c);
    const ExpectedOutput& o = e.outputs.front();
    std::string s;
    for (Index k = 0; k < static_cast<Index>(o.values.size()); ++k)
        s += (s.empty() ? "" : " ") + (o.clause_at ? o.clause_at(k) : o.clause);
    return s;
}

Question over_three(const std::string& op, const std::string& attrs, const std::string& policy = "") {
    return {op, R"("kernel":[2],"stride":[1])" + attrs, "3", "1,2,3",
            policy.empty() ? "" : R"("policy":{)" + policy + "}"};
}

const std::string padded = R"(,"pad_begin":[1])";

TEST(Clauses, OfAnAverageAreThoseOfItsDivisorWherePaddingOrAnOverrideSettlesItV1VPadVRealVOver) {
    EXPECT_EQ(clauses(over_three("avg_pool", "").in_forward()), "V1 V1");
    EXPECT_EQ(clauses(over_three("avg_pool", padded).in_forward()), "VPad V1 V1 VPad");
    EXPECT_EQ(clauses(over_three("avg_pool", padded + R"(,"count_include_pad":false)").in_forward()),
              "VReal V1 V1 VReal");
    EXPECT_EQ(clauses(over_three("avg_pool", padded + R"(,"divisor_override":3)").in_forward()),
              "VOver VOver VOver VOver");
    const Question past{"avg_pool", R"("kernel":[2],"ceil_mode":true)", "3", "1,2,3"};
    EXPECT_EQ(clauses(past.in_forward()), "V1 VPad");
    EXPECT_EQ(clauses(Question{"global_avg_pool", R"("spatial_rank":1)", "3", "1,2,3"}.in_forward()), "V1");
}

TEST(Clauses, OfADerivativeAreThoseOfAnyWindowThatSeesTheCellVPadVDiv) {
    EXPECT_EQ(clauses(over_three("avg_pool", padded).in_jvp("1,1,1")), "VPad VDiv VDiv VPad");
    EXPECT_EQ(clauses(over_three("avg_pool", padded).in_vjp("1,1,1,1")), "VPad VDiv VPad");
    EXPECT_EQ(clauses(over_three("avg_pool", "").in_vjp("1,1")), "VDiv VDiv VDiv");
    const Question sparse{"avg_pool", R"("kernel":[1],"stride":[2],"pad_begin":[1],"divisor_override":2)",
                          "3", "1,2,3"};
    EXPECT_EQ(clauses(sparse.in_vjp("1,1,1")), "VDiv VOver VDiv");  // the others are not seen
    const Question square{"avg_pool", R"("kernel":[2,2],"stride":[1,1],"pad_begin":[1,0])", "2,3",
                          "1,2,3,4,5,6"};
    EXPECT_EQ(clauses(square.in_vjp("1,1,1,1,1,1")), "VPad VPad VPad VPad VPad VPad");
}

TEST(Clauses, OfMaximaAreThoseOfPaddingThatTakesPartAndOfEmptyWindowsMPadSPadWEmpty) {
    EXPECT_EQ(clauses(over_three("max_pool", padded).in_forward()), "M1 M1 M1 M1");
    EXPECT_EQ(clauses(over_three("max_pool", padded, R"("max_padding":"zero")").in_forward()),
              "MPad M1 M1 MPad");
    EXPECT_EQ(clauses(over_three("smooth_max_pool", padded + R"(,"beta":1)").in_forward()),
              "SPad S1 S1 SPad");
    const Question empty{"max_pool", R"("kernel":[1],"stride":[1],"pad_begin":[1])", "1", "1"};
    EXPECT_EQ(clauses(empty.in_forward()), "WEmpty M1 WEmpty");
    EXPECT_EQ(clauses(empty.in_jvp("1")), "DEmpty MTie DEmpty");
    EXPECT_EQ(clauses(empty.in_vjp("1,1,1")), "MTie");
}

TEST(Clauses, OfAGraphAreThoseOfItsOutputNodeButForItsVjpGAddGVjp) {
    const std::string average =
        R"({"op":"graph","attrs":{"nodes":[{"op":"avg_pool","attrs":{"kernel":[2]},"input":-1},)";
    const std::string nodes = average + R"({"op":"add","inputs":[0,0]}]},"input":{"shape":[2],"data":[1,2]})";
    EXPECT_EQ(clauses(case_of(nodes + "}")), "GAdd");
    EXPECT_EQ(clauses(case_of(nodes + R"(,"mode":"vjp","cotangent":{"shape":[1],"data":[1]}})")),
              "GVjp GVjp");
    const std::string maximum =
        average +
        R"({"op":"global_max_pool","attrs":{"spatial_rank":1},"input":0}]},"input":{"shape":[2],"data":[1,2]})";
    EXPECT_EQ(clauses(case_of(maximum + "}")), "M1");
    EXPECT_EQ(clauses(case_of(maximum + R"(,"mode":"jvp","tangent":{"shape":[2],"data":[1,1]}})")), "MTie");
    EXPECT_EQ(clauses(case_of(maximum + R"(,"mode":"vjp","cotangent":{"shape":[1],"data":[1]}})")),
              "GVjp GVjp");
    const std::string past_padding =
        average +
        R"({"op":"avg_pool","attrs":{"kernel":[2],"pad_begin":[1]},"input":0}]},"input":{"shape":[2],"data":[1,2]}})";
    EXPECT_EQ(clauses(case_of(past_padding)), "VPad");
}

}  // namespace
}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
#include <poolproof/backend.hpp>
#include <poolproof/gtest.hpp>
#include <poolproof/plan.hpp>
#include <poolproof/rapidcheck.hpp>
#include <poolproof/text.hpp>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace poolproof {
namespace {

testing::AssertionResult of(const std::string& backend, const Request& request = {}) {
    const auto b = std::move(*find_backend(backend));
    return conforms([&](const Case& c) { return b->run(c); }, request, 120);
}

TEST(Conforms, HoldsOfARightKernel) { EXPECT_TRUE(of("reference")); }

TEST(Conforms, NamesTheFaultOfAWrongOneAndShowsItsSmallestCase) {
    const auto r = of("faulty:not_divided");
    EXPECT_FALSE(r);
    const std::string text = r.message();
    for (const char* part : {"Returns the sum.", "{\"op\":", "permitted", "exact", "not_divided"})
        EXPECT_NE(text.find(part), std::string::npos) << part << ": " << text;
}

TEST(Conforms, DoesNotHoldIfNothingIsJudged) {
    EXPECT_FALSE(conforms([](const Case&) { return declined("no"); }, {}, 5));
    EXPECT_FALSE(of("reference", {.profile = "nonesuch"}));
}

TEST(Conforms, ShowsTheKernelEveryAttribute) {
    Index without = 0;
    const auto kernel = [&](const Case& c) {
        without += c.attrs.kernel && !c.attrs.stride ? 1 : 0;
        return declined("that was all");
    };
    EXPECT_FALSE(conforms(kernel, {.ops = {Op::max_pool}}, 100));
    EXPECT_EQ(without, 0);
}

TEST(Conforms, TakesWhatAKernelThrowsForAFailure) {
    const auto kernel = [](const Case&) -> Observation { throw std::runtime_error("out of luck"); };
    const auto r = conforms(kernel, {}, 3);
    EXPECT_FALSE(r);
    EXPECT_NE(std::string(r.message()).find("threw: out of luck"), std::string::npos);
}

TEST(Complaint, IsOfOneCase) {
    const auto c = read_case(R"({"op":"avg_pool","dtype":"f32","attrs":{"kernel":[2]},)"
                             R"("input":{"shape":[2],"data":[1,2]}})");
    const auto saying = [](float y) {
        return [y](const Case&) { return answer("y", tensor<float>({1}, {y})); };
    };
    EXPECT_EQ(complaint(saying(1.5F), *c), std::nullopt);
    ASSERT_TRUE(complaint(saying(3), *c));
    EXPECT_NE(complaint(saying(3), *c)->find("\"stride\":[2]"), std::string::npos);
    EXPECT_FALSE(conforms_on(*c, saying(3)));
    EXPECT_TRUE(conforms_on(*c, saying(1.5F)));
}

TEST(Complaint, IsMadeOfAnAnswerToWhatMustBeRejected) {
    const auto c =
        read_case(R"({"op":"max_pool","attrs":{"kernel":[0]},"input":{"shape":[2],"data":[1,2]}})");
    EXPECT_TRUE(complaint([](const Case&) { return answer("y", tensor<double>({2}, {1, 2})); }, *c));
    EXPECT_FALSE(complaint([](const Case&) { return rejected("no"); }, *c));
}

TEST(Values, AreThoseOfTheTensor) {
    const std::vector<std::int8_t> v{-1, 0, 127};
    EXPECT_EQ(values<std::int8_t>(tensor<std::int8_t>({3}, v)), v);
    EXPECT_EQ(tensor<double>({1}, {2.0})[0], 0x4000000000000000U);
    EXPECT_TRUE(values<float>(Tensor(Format::f32, {0, 2})).empty());
}

RC_GTEST_PROP(CasesOfRapidCheck, AreValidAndOfTheRequest, ()) {
    const Case c = *cases({.ops = {Op::avg_pool}, .profile = "onnx"});
    RC_ASSERT(c.op == Op::avg_pool && c.profile == "onnx");
    RC_ASSERT(static_cast<bool>(plan(c)));
}

TEST(CasesOfRapidCheck, NeedARequestThatHasSome) {
    EXPECT_THROW(cases({.profile = "nonesuch"}), std::invalid_argument);
}

}  // namespace
}  // namespace poolproof

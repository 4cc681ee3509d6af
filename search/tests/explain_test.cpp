// SPDX-License-Identifier: Apache-2.0
#include <poolproof/backend.hpp>
#include <poolproof/plan.hpp>
#include <poolproof/search.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace poolproof {
namespace {

Case read(std::string_view text) {
    const auto c = read_case(text);
    if (!c) throw std::invalid_argument(message(c.rejection()));
    return *c;
}

std::vector<Explanation> explained(std::string_view text, const std::string& reply) {
    const Case c = read(text);
    return explain(c, expect(*plan(c), c), *read_answer(reply, asked_outputs(c)));
}

bool has(const std::vector<Explanation>& list, std::string_view name) {
    return std::any_of(list.begin(), list.end(), [&](const Explanation& e) { return e.name == name; });
}

const std::string overhang =
    R"({"op":"avg_pool","profile":"pytorch","attrs":{"kernel":[2],"stride":[2],"ceil_mode":true},
    "input":{"shape":[5],"data":[1,2,3,4,5]}})";

TEST(Explain, NamesTheFaultThatGivesTheWrongValue) {
    const auto e = explained(overhang, R"({"outputs":{"y":{"shape":[3],"data":[1.5,3.5,2.5]}}})");
    ASSERT_TRUE(has(e, "divides_by_kernel"));
    EXPECT_FALSE(has(e, "ceil_ignored"));
    EXPECT_EQ(e.front().explained, 1);
    EXPECT_EQ(e.front().of, 1);
    EXPECT_EQ(e.front().contradicted, 0);
}

TEST(Explain, NamesTheFaultThatGivesTheWrongShape) {
    const auto e = explained(overhang, R"({"outputs":{"y":{"shape":[2],"data":[1.5,3.5]}}})");
    ASSERT_FALSE(e.empty());
    EXPECT_TRUE(e.front().whole());
    EXPECT_TRUE(has(e, "ceil_ignored"));
}

TEST(Explain, FindsNothingInARightAnswerNorInAnUnheardOfOne) {
    EXPECT_TRUE(explained(overhang, R"({"outputs":{"y":{"shape":[3],"data":[1.5,3.5,5]}}})").empty());
    EXPECT_TRUE(explained(overhang, R"({"outputs":{"y":{"shape":[3],"data":[1.5,3.5,1234.5]}}})").empty());
    EXPECT_TRUE(explained(overhang, R"({"failed":"oh"})").empty());
}

TEST(Explain, CountsWhatAFaultExplainsOfSeveralWrongValues) {
    const auto e = explained(R"({"op":"max_pool","mode":"vjp","attrs":{"kernel":[2],"stride":[1]},
        "input":{"shape":[4],"data":[3,3,1,1]},"cotangent":{"shape":[3],"data":[1,2,4]}})",
                             R"({"outputs":{"dx":{"shape":[4],"data":[0,3,0,7]}}})");
    ASSERT_TRUE(has(e, "last_tie_gets_gradient"));
    const auto last =
        std::find_if(e.begin(), e.end(), [](const auto& x) { return x.name == "last_tie_gets_gradient"; });
    EXPECT_EQ(last->of, 4);
    EXPECT_EQ(last->explained, 3);  // 7 in place of 4 is something else
}

TEST(Explain, AllowsAHypothesisItsRounding) {
    // The sum of three in binary32, divided by one less than there are, in another order.
    const auto e = explained(R"({"op":"avg_pool","dtype":"f32","attrs":{"kernel":[4]},
        "input":{"shape":[4],"data":["0x1.99999ap-4","0x1.99999ap-3","0x1.333334p-2","0x1.2p+3"]}})",
                             R"({"outputs":{"y":{"shape":[1],"data":["0x1.99999cp+1"]}}})");
    ASSERT_FALSE(e.empty());
    EXPECT_EQ(e.front().name, "divides_by_one_less");
}

TEST(Explainer, DropsWhatARightAnswerSpeaksAgainst) {
    // At a tie of two, the last one and the one after the winner are the same cell.
    Explainer e;
    const Case wrong = read(R"({"op":"max_pool","mode":"vjp","attrs":{"kernel":[2]},
        "input":{"shape":[2],"data":[1,1]},"cotangent":{"shape":[1],"data":[1]}})");
    const Expected expected = expect(*plan(wrong), wrong);
    e.add(wrong, &expected,
          *read_answer(R"({"outputs":{"dx":{"shape":[2],"data":[0,1]}}})", asked_outputs(wrong)));
    const auto before = e.ranked();
    ASSERT_TRUE(has(before, "last_tie_gets_gradient") && has(before, "gradient_one_further"));
    e.keep_whole();
    const Case right = read(R"({"op":"max_pool","mode":"vjp","attrs":{"kernel":[2]},
        "input":{"shape":[2],"data":[2,1]},"cotangent":{"shape":[1],"data":[1]}})");
    const Expected also = expect(*plan(right), right);
    e.add(right, &also,
          *read_answer(R"({"outputs":{"dx":{"shape":[2],"data":[1,0]}}})", asked_outputs(right)));
    const auto after = e.ranked();
    const auto place = [&](std::string_view name) {
        return std::find_if(after.begin(), after.end(),
                            [&](const Explanation& x) { return x.name == name; }) -
               after.begin();
    };
    EXPECT_LT(place("last_tie_gets_gradient"), place("gradient_one_further"));
    EXPECT_EQ(after.front().contradicted, 0);
}

TEST(Strength, IsTheFaultsThatACaseTellsFromTheTruth) {
    const auto of = [](std::string_view text) {
        const Case c = read(text);
        return strength(c, expect(*plan(c), c));
    };
    const auto ones = of(R"({"op":"max_pool","attrs":{"kernel":[1]},"input":{"shape":[1],"data":[1]}})");
    const auto more =
        of(R"({"op":"max_pool","attrs":{"kernel":[2,3],"stride":[1,2],"pad_begin":[1,0],"pad_end":[0,1]},
        "input":{"shape":[3,4],"data":[-1,-2,-3,-4,-5,-6,-7,-8,-9,-10,-11,-12]}})");
    EXPECT_GT(more.size(), ones.size() + 20);
    EXPECT_EQ(std::count(more.begin(), more.end(), "padding_is_zero"), 1);
    EXPECT_EQ(std::count(ones.begin(), ones.end(), "padding_is_zero"), 0);
}

}  // namespace
}  // namespace poolproof

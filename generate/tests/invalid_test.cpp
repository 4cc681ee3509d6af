// SPDX-License-Identifier: Apache-2.0
#include <poolproof/generate.hpp>
#include <poolproof/plan.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace poolproof {
namespace {

TEST(InvalidCases, AreRejectedAndReadBackUnderEveryProfile) {
    for (const std::string& profile : profile_names()) {
        const auto g = generator({.seed = 3, .profile = profile});
        for (std::uint64_t k = 0; k < 640; ++k) {
            const Case c = g->invalid(k);
            EXPECT_FALSE(plan(c)) << write_case(c);
            const auto back = read_case(write_case(c));
            ASSERT_TRUE(back) << write_case(c) << "\n" << message(back.rejection());
            EXPECT_EQ(*back, c);
            EXPECT_EQ(g->invalid(k), c);
        }
    }
}

/// The field of a rejection, without numbers and without the node it is in.
std::string kind(const Rejection& r) {
    return std::regex_replace(r.field, std::regex("attrs\\.nodes\\[\\d+\\]\\.(?=attrs)|\\[\\d+\\]"), "");
}

TEST(InvalidCases, ComeToEveryRuleOfThePlan) {
    std::set<std::string> seen;
    for (const char* profile : {"torchlean", "pytorch"}) {
        const auto g = generator({.seed = 3, .profile = profile});
        for (std::uint64_t k = 0; k < 2000; ++k) seen.insert(kind(plan(g->invalid(k)).rejection()));
    }
    for (const char* field :
         {"attrs.kernel", "attrs.stride", "attrs.dilation", "attrs.pad_begin", "attrs.pad_end",
          "attrs.output_size", "attrs.spatial_rank", "attrs.beta", "attrs.divisor_override", "attrs.auto_pad",
          "attrs.return_indices", "attrs.nodes", "attrs.nodes.input", "attrs.nodes.inputs", "input.shape",
          "cotangent.shape", "mode", "dtype"})
        EXPECT_TRUE(seen.count(field)) << field;
}

}  // namespace
}  // namespace poolproof

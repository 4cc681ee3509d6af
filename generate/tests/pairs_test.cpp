// SPDX-License-Identifier: Apache-2.0
#include <poolproof/generate.hpp>
#include <poolproof/plan.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

namespace poolproof {
namespace {

Generator made(Request request) {
    auto g = generator(std::move(request));
    if (!g) throw std::runtime_error(message(g.rejection()));
    return *g;
}

PairTable met(const Generator& g, std::uint64_t count) {
    PairTable t;
    for (std::uint64_t k = 0; k < count; ++k) t.add(features(g(k)));
    return t;
}

template <class Visit> void for_each_pair(const Visit& visit) {
    for (std::size_t a = 0; a < feature_count; ++a)
        for (std::size_t b = a + 1; b < feature_count; ++b)
            visit(static_cast<Feature>(a), static_cast<Feature>(b));
}

std::string shown(Feature a, Feature b) { return std::string(name(a)) + " with " + std::string(name(b)); }

TEST(Pairs, AreAllShownWithinTwentyThousandCasesButThoseWithAReasonNotTo) {
    const Generator g = made({.seed = 1});
    const PairTable t = met(g, 20000);
    int possible = 0;
    for_each_pair([&](Feature a, Feature b) {
        const auto why = g.impossible(a, b);
        if (why) {
            EXPECT_FALSE(why->empty());
            return;
        }
        ++possible;
        EXPECT_TRUE(t.met(a, b)) << shown(a, b);
    });
    EXPECT_GT(possible, 4500);
}

TEST(Pairs, ThatAreImpossibleAreNeverShownUnderAnyProfile) {
    for (const std::string& profile : profile_names()) {
        const Generator g = made({.seed = 9, .profile = profile});
        const PairTable t = met(g, 4000);
        for_each_pair([&](Feature a, Feature b) {
            const auto why = g.impossible(a, b);
            EXPECT_FALSE(why && t.met(a, b)) << profile << ": " << shown(a, b) << ": " << *why;
        });
    }
}

TEST(Pairs, AreImpossibleForAReasonThatNamesIt) {
    const Generator g = made({.seed = 1});
    EXPECT_EQ(*g.impossible(Feature::constant, Feature::one_hot), "all values are one and the same");
    EXPECT_EQ(*g.impossible(Feature::op_max_pool, Feature::divisor_override),
              "no op, mode and dtype of the request has both op_max_pool and divisor_override");
    EXPECT_EQ(*g.impossible(Feature::row_column, Feature::rank_2),
              "row_column needs the index form 'row_column', which the profile does not have");
    EXPECT_FALSE(g.impossible(Feature::op_avg_pool, Feature::divisor_override));
}

TEST(Steering, IsAFunctionOfTheNumberAlone) {
    const Generator in_order = made({.seed = 5});
    std::vector<Case> cases;
    for (std::uint64_t k = 4090; k < 4200; ++k) cases.push_back(in_order(k));
    const Generator backwards = made({.seed = 5});
    for (std::uint64_t k = 4200; k-- > 4090;) EXPECT_EQ(backwards(k), cases[k - 4090]) << k;
}

TEST(Steering, GivesValidCasesThatReadBackUnderEveryProfile) {
    for (const std::string& profile : profile_names()) {
        const Generator g = made({.seed = 6, .profile = profile});
        for (std::uint64_t k = 4096; k < 5120; k += 8) {
            const Case c = g(k);
            ASSERT_TRUE(plan(c)) << write_case(c);
            const auto back = read_case(write_case(c));
            ASSERT_TRUE(back && *back == c) << write_case(c);
        }
    }
}

}  // namespace
}  // namespace poolproof

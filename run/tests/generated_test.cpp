// SPDX-License-Identifier: Apache-2.0
#include <poolproof/plan.hpp>
#include <poolproof/run.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

namespace poolproof {
namespace {

Index invalid_of(const Declaration& d, std::uint64_t count) {
    const auto source = generated_cases({.seed = 4}, d, 0, count);
    Index n = 0;
    while (const auto s = (*source)()) n += covers(d, s->c) && !plan(s->c) ? 1 : 0;
    return n;
}

TEST(GeneratedCases, HoldOneInvalidOf32ForWhoDeclaresToReject) {
    EXPECT_EQ(invalid_of({"any", "1", "torchlean", {}, true}, 640), 20);
    EXPECT_EQ(invalid_of({"any", "1", "torchlean", {}}, 640), 0);
}

TEST(GeneratedCases, HoldInvalidOnesOfThoseCapabilitiesAloneThatSaySo) {
    Capability maxima, averages;
    maxima.ops = {Op::max_pool};
    maxima.rejects = true;
    averages.ops = {Op::avg_pool};
    const Declaration d{"two", "1", "torchlean", {maxima, averages}};
    const auto source = generated_cases({.seed = 4}, d, 0, 1280);
    Index n = 0;
    while (const auto s = (*source)()) {
        if (!covers(d, s->c) || plan(s->c)) continue;
        EXPECT_EQ(s->c.op, Op::max_pool) << write_case(s->c);
        ++n;
    }
    EXPECT_GT(n, 5);
}

TEST(GeneratedCases, AreGivenAndNotCoveredWhereNothingIsDeclared) {
    Capability no_op, no_rank, other_op;
    no_op.ops.emplace();
    no_rank.spatial_ranks = {7};
    other_op.ops = {Op::avg_pool};
    for (const Capability& can : {no_op, no_rank, other_op}) {
        const Declaration d{"none", "1", "torchlean", {can}};
        const auto source = generated_cases({.seed = 4, .ops = {Op::max_pool}}, d, 0, 40);
        ASSERT_TRUE(source) << message(source.rejection());
        Index given = 0;
        for (auto s = (*source)(); s; s = (*source)(), ++given) EXPECT_FALSE(covers(d, s->c));
        EXPECT_EQ(given, 40);
    }
}

TEST(GeneratedCases, AreRefusedWhereTheRequestIsOutsideTheProfile) {
    EXPECT_FALSE(generated_cases({.ops = {Op::smooth_max_pool}, .formats = {Format::i8}},
                                 {"any", "1", "torchlean", {}}, 0, 40));
}

TEST(GeneratedCases, AreFoundAgainByTheirNumbers) {
    const Declaration d{"any", "1", "torchlean", {}, true};
    const auto source = generated_cases({.seed = 4}, d, 0, 96);
    for (std::uint64_t k = 0; k < 96; ++k)
        EXPECT_EQ(write_case(*generated_case({.seed = 4}, d, k)), write_case((*source)()->c)) << k;
}

}  // namespace
}  // namespace poolproof

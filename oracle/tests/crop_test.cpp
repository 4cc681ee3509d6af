// SPDX-License-Identifier: Apache-2.0
// One value, cut out with what decides it, is permitted what it is permitted in the whole.
#include "oracle/expect/crop.hpp"

#include <poolproof/generate.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

namespace poolproof {
namespace {

TEST(Crop, PermitsWhatTheWholeCasePermits) {
    Index compared = 0, undecided = 0;
    for (const std::string& profile : profile_names()) {
        Request request;
        request.seed = 20260202;
        request.profile = profile;
        request.ops = {Op::max_pool, Op::avg_pool, Op::adaptive_avg_pool};
        if (profile != "onnx" && profile != "tiny_pool") request.ops.push_back(Op::smooth_max_pool);
        auto made = generator(request);
        if (!made) {
            request.ops = {Op::max_pool, Op::avg_pool};
            made = generator(request);
        }
        ASSERT_TRUE(made) << message(made.rejection());
        for (std::uint64_t i = 0; i < 150; ++i) {
            const Case c = (*made)(i);
            const Plan settled = *plan(c);
            const Expected whole = expect(settled, c);
            const ExpectedOutput& values = whole.outputs.front();
            if (values.joint) continue;
            const auto count = static_cast<Index>(values.values.size());
            const Index slices = slice_count(settled, c);
            for (Index at = static_cast<Index>(i % 3); at < count; at += 1 + count / 4) {
                const Index each = count / slices;
                const auto part = crop(settled, c, at / each, at % each);
                if (!part) {
                    ++undecided;
                    continue;
                }
                const Expected cut = expect(part->plan, part->c);
                ASSERT_TRUE(cut.outputs.front().values[static_cast<std::size_t>(part->at)] ==
                            values.values[static_cast<std::size_t>(at)])
                    << at << " of " << write_case(c) << "\n"
                    << at % each << " cut out as " << write_case(part->c);
                const ExactValue all = exact(settled, c).values[static_cast<std::size_t>(at)];
                const ExactValue one = exact_at(settled, c, at);
                EXPECT_EQ(one.special, all.special) << write_case(c);
                if (all.lower == all.upper) { EXPECT_EQ(one.lower, all.lower) << write_case(c); }
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, 800);
    EXPECT_GT(undecided, 0);
    EXPECT_LT(undecided, compared / 4);
}

TEST(Crop, IsSmall) {
    const auto c = read_case(
        R"({"op":"avg_pool","mode":"vjp","attrs":{"kernel":[3,3],"stride":[2,2],"pad_begin":[1,1]},)"
        R"("input":{"shape":[3,64,64],"bits":")" +
        std::string(3 * 64 * 64 * 16, '0') + R"("},"cotangent":{"shape":[3,32,32],"bits":")" +
        std::string(3 * 32 * 32 * 16, '0') + R"("}})");
    ASSERT_TRUE(c) << message(c.rejection());
    const auto part = crop(*plan(*c), *c, 1, 17 * 64 + 20);
    ASSERT_TRUE(part);
    EXPECT_EQ(part->c.cotangent->shape, (Shape{1, 2, 1}));
    EXPECT_EQ(part->c.input.shape, (Shape{1, 5, 3}));
    EXPECT_EQ(part->at, 2 * 3 + 1);
}

}  // namespace
}  // namespace poolproof

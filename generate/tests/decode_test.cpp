// SPDX-License-Identifier: Apache-2.0
#include "generate/philox.hpp"

#include <poolproof/backend.hpp>
#include <poolproof/fuzz.hpp>
#include <poolproof/plan.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <set>

namespace poolproof {
namespace {

std::vector<std::uint8_t> noise(std::uint64_t number) {
    generate::Draws draws(9, number, 0);
    std::vector<std::uint8_t> r(draws.below(300));
    for (auto& b : r) b = static_cast<std::uint8_t>(draws.bits(8));
    return r;
}

TEST(Decoded, GivesAValidCaseOrARejectionForEveryStringOfBytes) {
    std::set<Op> ops;
    std::set<Mode> modes;
    std::set<Format> formats;
    Index valid = 0;
    for (std::uint64_t k = 0; k < 4000; ++k) {
        const auto c = decoded(noise(k));
        if (!c) {
            EXPECT_FALSE(c.rejection().reason.empty());
            continue;
        }
        ++valid;
        ASSERT_TRUE(plan(*c)) << write_case(*c);
        ASSERT_EQ(*read_case(write_case(*c, TensorForm::bits)), *c);
        ASSERT_LE(c->input.size(), 2048);
        ops.insert(c->op);
        modes.insert(c->mode);
        formats.insert(c->format);
    }
    EXPECT_GT(valid, 800);
    EXPECT_EQ(ops.size(), 8U);
    EXPECT_EQ(modes.size(), 3U);
    EXPECT_EQ(formats.size(), 8U);
}

TEST(Decoded, IsAPureFunctionOfTheBytes) {
    for (std::uint64_t k = 0; k < 200; ++k) {
        const auto one = decoded(noise(k)), other = decoded(noise(k));
        ASSERT_EQ(static_cast<bool>(one), static_cast<bool>(other));
        if (one) { ASSERT_EQ(*one, *other); }
    }
    EXPECT_TRUE(decoded({}));
}

TEST(Decoded, KeepsToTheRequest) {
    const Request request{.ops = {Op::avg_pool},
                          .modes = {Mode::vjp},
                          .formats = {Format::f32},
                          .spatial_ranks = {2},
                          .profile = "onnx"};
    Index valid = 0;
    for (std::uint64_t k = 0; k < 400; ++k) {
        const auto c = decoded(noise(k), request);
        if (!c) continue;
        ++valid;
        EXPECT_EQ(c->op, Op::avg_pool);
        EXPECT_EQ(c->mode, Mode::vjp);
        EXPECT_EQ(c->format, Format::f32);
        EXPECT_EQ(c->attrs.kernel->size(), 2U);
        EXPECT_EQ(c->profile, "onnx");
    }
    EXPECT_GT(valid, 20);
}

TEST(Decoded, FindsAFaultAndNoneInTheReference) {
    const auto wrong_within = [](const char* name) {
        const auto b = std::move(*find_backend(name));
        Index wrong = 0;
        for (std::uint64_t k = 0; k < 600; ++k)
            if (const auto c = decoded(noise(k)); c && c->input.size() < 200)
                wrong += complaint([&](const Case& x) { return b->run(x); }, *c) ? 1 : 0;
        return wrong;
    };
    EXPECT_EQ(wrong_within("reference"), 0);
    EXPECT_GT(wrong_within("faulty:ceil_ignored"), 0);
    EXPECT_GT(wrong_within("faulty:not_divided"), 0);
}

using Fuzz = testing::Test;
TEST_F(Fuzz, EndsTheProgramWhereTheKernelIsWrong) {
    const auto three = [](const Case& c) { return answer("y", Tensor(c.format, {3})); };
    const auto nothing = [](const Case&) { return declined("all"); };
    const std::vector<std::uint8_t> bytes{0, 0, 1, 0, 0, 9};
    EXPECT_DEATH(fuzz_one(three, {}, bytes), "deviates");
    EXPECT_EQ(fuzz_one(nothing, {}, bytes), 0);
}

}  // namespace
}  // namespace poolproof

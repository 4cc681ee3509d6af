// SPDX-License-Identifier: Apache-2.0
#include "search/attempts.hpp"

#include <poolproof/backend.hpp>
#include <poolproof/generate.hpp>
#include <poolproof/plan.hpp>
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

Case smallest(const Case& c, const Fails& fails) {
    const Shrunk r = shrunk(c, fails);
    EXPECT_TRUE(r.reproduced);
    EXPECT_TRUE(r.finished) << r.evaluations;
    return r.smallest;
}

const std::string image = R"({"op":"avg_pool","dtype":"f16","mode":"vjp",
    "attrs":{"kernel":[2,3],"stride":[1,2],"pad_begin":[1,0],"pad_end":[0,1],"ceil_mode":true,"memory":"strided"},
    "input":{"shape":[2,3,4],"data":[1.5,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24]},
    "cotangent":{"shape":[2,3,2],"data":[1,2,3,4,5,6,7,8,9,10,11,12]}})";

TEST(Shrunk, IsTheBarestCaseIfEverythingFails) {
    const Case c = smallest(read(image), [](const Case&) { return true; });
    EXPECT_EQ(c, read(R"({"op":"avg_pool","attrs":{"kernel":[1]},"input":{"shape":[1],"data":[0]}})"))
        << write_case(c);
}

TEST(Shrunk, KeepsWhatTheFailureNeedsAndNothingElse) {
    const Case c = smallest(read(image), [](const Case& x) {
        const auto& a = x.attrs;
        return x.mode == Mode::vjp && a.pad_end && a.pad_begin != a.pad_end && x.input.size() > 2;
    });
    EXPECT_EQ(c.input.shape, (Shape{3}));
    EXPECT_EQ(c.mode, Mode::vjp);
    EXPECT_EQ(c.format, Format::f64);
    EXPECT_FALSE(c.attrs.stride || c.attrs.ceil_mode || c.attrs.memory || c.attrs.pad_begin);
    EXPECT_EQ(c.attrs.pad_end, (std::vector<Index>{0}));
}

TEST(Shrunk, KeepsTheOrderAndTheTiesThatAFailureNeeds) {
    const Case c =
        smallest(read(R"({"op":"max_pool","dtype":"f32","attrs":{"kernel":[5]},"input":{"shape":[5],
            "data":[1.25,"0x1.8p+40","0x1.8p+40",7,-3]}})"),
                 [](const Case& x) {
                     for (Index i = 0; i + 1 < x.input.size(); ++i)
                         if (x.input[i] == x.input[i + 1] && !is_zero(x.format, x.input[i])) return true;
                     return false;
                 });
    EXPECT_EQ(c, read(R"({"op":"max_pool","attrs":{"kernel":[1]},"input":{"shape":[2],"data":[1,1]}})"))
        << write_case(c);
}

TEST(Shrunk, TurnsAGraphIntoTheNodeThatFails) {
    const Case c = smallest(
        read(
            R"({"op":"graph","attrs":{"nodes":[{"op":"max_pool","attrs":{"kernel":[2],"stride":[1]},"input":-1},
            {"op":"smooth_max_pool","attrs":{"kernel":[2],"stride":[1],"beta":3.5},"input":-1},
            {"op":"add","inputs":[0,1]}]},"input":{"shape":[4],"data":[1,2,3,4]}})"),
        [](const Case& x) {
            return x.op == Op::smooth_max_pool ||
                   std::any_of(x.nodes.begin(), x.nodes.end(),
                               [](const Node& n) { return n.op == Op::smooth_max_pool; });
        });
    EXPECT_EQ(c, read(R"({"op":"smooth_max_pool","attrs":{"kernel":[1],"beta":1},)"
                      R"("input":{"shape":[1],"data":[0]}})"))
        << write_case(c);
}

TEST(Shrunk, SaysThatACaseDoesNotReproduce) {
    const Case c = read(image);
    const Shrunk r = shrunk(c, [](const Case&) { return false; });
    EXPECT_FALSE(r.reproduced);
    EXPECT_EQ(r.smallest, c);
    EXPECT_EQ(r.evaluations, 1);
}

TEST(Shrunk, TakesNoStepThatFailedOnlyOnce) {
    // Fails always on the case given, and every other time on anything else.
    const Case c = read(image);
    int asked = 0;
    const Shrunk r = shrunk(c, [&](const Case& x) { return x == c || ++asked % 2 == 1; });
    EXPECT_TRUE(r.reproduced);
    EXPECT_EQ(r.smallest, c);
}

TEST(Shrunk, AsksNoMoreThanItMayAndOnlyAboutValidCases) {
    Index asked = 0;
    const Shrunk r = shrunk(read(image),
                            [&](const Case& x) {
                                ++asked;
                                EXPECT_TRUE(plan(x)) << write_case(x);
                                return true;
                            },
                            {12});
    EXPECT_EQ(asked, r.evaluations);
    EXPECT_LE(asked, 12);
    EXPECT_FALSE(r.finished);
    EXPECT_LT(search::complexity(r.smallest), search::complexity(read(image)));
}

/// Under the sanitizers this also says that no size overflows on its way.
TEST(Shrunk, IntegersAreTheMoreComplexTheLargerToTheEndsOfTheirType) {
    const auto at = [](Index v) { return search::value_complexity(Format::i64, static_cast<Bits>(v)); };
    EXPECT_LT(at(Index{1} << 40), at(Index{1} << 50));
    EXPECT_LT(at(Index{1} << 50), at(INT64_MAX));
    EXPECT_LT(at(-(Index{1} << 50)), at(INT64_MIN));
}

TEST(Shrunk, IsTheSameEveryTime) {
    const auto liar = std::move(*find_backend("faulty:divides_by_one_less"));
    const Fails fails = [&](const Case& c) {
        return judge(expect(*plan(c), c), liar->run(c)).outcome == Outcome::deviates;
    };
    const auto g = generator({.seed = 4, .ops = {Op::avg_pool}});
    int shrunken = 0;
    for (std::uint64_t k = 0; k < 40 && shrunken < 4; ++k) {
        const Case c = (*g)(k);
        if (!fails(c)) continue;
        ++shrunken;
        const Shrunk once = shrunk(c, fails);
        EXPECT_TRUE(fails(once.smallest));
        EXPECT_LE(once.smallest.input.size(), 3) << write_case(once.smallest);
        EXPECT_EQ(shrunk(c, fails).smallest, once.smallest);
    }
    EXPECT_EQ(shrunken, 4);
}

}  // namespace
}  // namespace poolproof

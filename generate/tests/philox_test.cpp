// SPDX-License-Identifier: Apache-2.0
#include "generate/philox.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace poolproof::generate {
namespace {

TEST(Philox, GivesTheKnownAnswersOfRandom123) {
    EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
              (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Draws, AreTheBlocksOfTheirStreamInOrder) {
    Draws draws(0x1122334455667788, 0x99aabbccddeeff00, 7);
    for (std::uint32_t block = 0; block < 3; ++block)
        for (const std::uint32_t word : philox({0xddeeff00, 0x99aabbcc, block, 7}, {0x55667788, 0x11223344}))
            EXPECT_EQ(draws.next(), word);
}

TEST(Draws, BelowReachesEveryValueAboutEquallyOften) {
    Draws draws(1, 2, 3);
    std::array<int, 7> seen{};
    for (int k = 0; k < 70000; ++k) ++seen[draws.below(7)];
    for (const int n : seen) EXPECT_NEAR(n, 10000, 500);
}

TEST(Draws, BelowRejectsWhatWouldFavourSmallValues) {
    // 2^32 holds one and a half times n: without rejection, even values would come twice as often as odd
    // ones.
    Draws draws(1, 2, 3);
    int odd = 0;
    for (int k = 0; k < 20000; ++k) odd += static_cast<int>(draws.below(0xAAAAAAAB) % 2);
    EXPECT_NEAR(odd, 10000, 400);
}

TEST(Draws, WeightedNeverPicksAWeightOfZero) {
    Draws draws(1, 2, 3);
    std::array<int, 4> seen{};
    for (int k = 0; k < 40000; ++k) ++seen[draws.weighted({0, 1, 0, 3})];
    EXPECT_EQ(seen[0] + seen[2], 0);
    EXPECT_NEAR(seen[1], 10000, 500);
}

TEST(Draws, ShuffleIsAPermutationAndReachesAllOfThem) {
    Draws draws(1, 2, 3);
    std::vector<std::vector<int>> seen;
    for (int k = 0; k < 600; ++k) {
        std::vector<int> list{1, 2, 3};
        draws.shuffle(list);
        seen.push_back(list);
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::unique(seen.begin(), seen.end()) - seen.begin(), 6);
}

}  // namespace
}  // namespace poolproof::generate

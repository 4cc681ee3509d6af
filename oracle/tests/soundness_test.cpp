// SPDX-License-Identifier: Apache-2.0
// Attack: no honest implementation is outside its permitted set. POOLPROOF_ATTACK=1000000 tries so many
// values of every op, mode and format instead of the few that the suite has time for.
#include "oracle/tests/soundness_cases.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

namespace poolproof::honest {
namespace {

Index values_per_target() {
    const char* wanted = std::getenv("POOLPROOF_ATTACK");
    return wanted ? std::max<Index>(std::strtoll(wanted, nullptr, 10), 1) : 1500;
}

class Soundness : public testing::TestWithParam<Target> {};

TEST_P(Soundness, NoHonestAnswerIsOutsideItsPermittedSet) {
    const Target target = GetParam();
    Rng rng(20260101);
    Tally tally;
    constexpr Index ways = 8;
    while (tally.values < values_per_target() && tally.refused == 0)
        attack(tally, some_problem(target, rng), target, ways, rng);
    EXPECT_EQ(tally.refused, 0) << tally.refusal;
    EXPECT_LT(tally.open + tally.vacuous, tally.values);
    const auto per_cent = static_cast<int>(100 * tally.share);
    RecordProperty("values", std::to_string(tally.values));
    RecordProperty("largest_used_share_per_cent", per_cent);
    std::cout << target.name() << ": " << tally.values << " values, " << tally.answers << " answers, "
              << tally.open << " open, " << tally.vacuous << " vacuous, largest used share " << per_cent
              << "%\n";
}

std::string test_name(const testing::TestParamInfo<Target>& info) {
    std::string s;
    bool start = true;
    for (const char ch : info.param.name()) {
        if (ch != ' ') s += start ? static_cast<char>(std::toupper(ch)) : ch;
        start = ch == ' ';
    }
    return s;
}

INSTANTIATE_TEST_SUITE_P(Attack, Soundness, testing::ValuesIn(every_target()), test_name);

}  // namespace
}  // namespace poolproof::honest

// SPDX-License-Identifier: Apache-2.0
// Attack: no honest implementation is outside its permitted set. POOLPROOF_ATTACK=1000000 tries so many
// values of every op, mode and format instead of the few that the suite has time for.
#include "oracle/tests/soundness_cases.hpp"

#include <poolproof/text.hpp>
#include <poolproof/verdict.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

namespace poolproof::honest {
namespace {

Index values_per_target() {
    const char* wanted = std::getenv("POOLPROOF_ATTACK");
    return wanted ? std::max<Index>(std::strtoll(wanted, nullptr, 10), 1) : 1500;
}

class Attack : public testing::TestWithParam<Target> {};

TEST_P(Attack, NoHonestAnswerIsOutsideItsPermittedSetBSumBScaleBCompBSmoothBWeights) {
    const Target target = GetParam();
    Rng rng(20260101);
    Tally tally;
    constexpr Index ways = 8;
    while (tally.values < values_per_target() && tally.refused == 0)
        attack(tally, some_problem(target, rng), target, ways, rng);
    EXPECT_EQ(tally.refused, 0) << tally.refusal;
    EXPECT_LT(tally.open + tally.vacuous, tally.values);
    const auto per_cent = [](double share) { return static_cast<int>(100 * share); };
    RecordProperty("values", std::to_string(tally.values));
    RecordProperty("largest_used_share_per_cent", per_cent(tally.share));
    RecordProperty("of_ranges_of_8_patterns_per_cent", per_cent(tally.wide_share));
    std::cout << target.name() << ": " << tally.values << " values, " << tally.answers << " answers, "
              << tally.open << " open, " << tally.vacuous << " vacuous, largest used share "
              << per_cent(tally.share) << "%, of ranges of 8 patterns or more " << per_cent(tally.wide_share)
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

INSTANTIATE_TEST_SUITE_P(Soundness, Attack, testing::ValuesIn(every_target()), test_name);

/// The derivatives that an automatic differentiation of log-sum-exp(beta x) / beta comes to, far from
/// underflow.
TEST(Soundness, DerivativesByTheChainRuleArePermittedWhereNothingUnderflowsBWeights) {
    Rng rng(7);
    for (const Mode mode : {Mode::jvp, Mode::vjp})
        for (const Format f : {Format::f64, Format::f32})
            for (int k = 0; k < 300; ++k) {
                const Target target{Method::smooth, mode, f, Accumulate::any};
                Problem p = row_problem(target, 1 + below(rng, 9), one_in(rng, 2) ? 3 : -0.3);
                for (Index i = 0; i < p.c.input.size(); ++i)
                    p.c.input.set(i, some_value(f, Spread::plain, rng));
                fill(mode == Mode::jvp ? *p.c.tangent : *p.c.cotangent, Spread::cancelling, rng);
                p.decode();
                Choice how = some_choice(rng);
                how.shift = one_in(rng, 2) ? Shift::difference : Shift::product;
                how.weights = Weights::chain_rule;
                const auto allowed = permitted_values(p);
                const auto got = answered(p, target, 0, how, rng);
                for (std::size_t i = 0; i < got.size(); ++i) {
                    EXPECT_TRUE(permits(allowed[i], f, got[i])) << write_case(p.c);
                    EXPECT_FALSE(allowed[i].open);
                }
            }
}

}  // namespace
}  // namespace poolproof::honest

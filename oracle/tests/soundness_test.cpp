// SPDX-License-Identifier: Apache-2.0
// Attack: no honest implementation is outside its permitted set. POOLPROOF_ATTACK=1000000 tries so many
// honest values of every op, mode and format instead of the few that the suite has time for, many to a case.
#include "oracle/tests/soundness_cases.hpp"

#include <poolproof/text.hpp>
#include <poolproof/verdict.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

namespace poolproof::honest {
namespace {

/// How many honest values to try for each target, and how many ways to come to them for each case: an
/// expected set costs more than a way.
struct Effort {
    Index answers = 12'000, ways = 8;

    Effort() {
        const char* wanted = std::getenv("POOLPROOF_ATTACK");
        if (wanted == nullptr) return;
        answers = std::max<Index>(std::strtoll(wanted, nullptr, 10), 1);
        ways = 256;
    }
};

class Attack : public testing::TestWithParam<Target> {};

TEST_P(Attack, NoHonestAnswerIsOutsideItsPermittedSetBSumBScaleBCompBSmoothBWeights) {
    const Target target = GetParam();
    Rng rng(20260101);
    Tally tally;
    const Effort effort;
    while (tally.answers < effort.answers && tally.refused == 0)
        attack(tally, some_problem(target, rng), target, effort.ways, rng);
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

/// The derivatives that an automatic differentiation of log-sum-exp(beta x) / beta comes to, in both orders,
/// with a beta that makes intermediate products subnormal, or 0.
TEST(Soundness, TheChainRuleMayUnderflowOnItsWayBWeights) {
    Rng rng(7);
    Index lost = 0;
    for (const bool flushes : {false, true})
        for (const Mode mode : {Mode::jvp, Mode::vjp})
            for (const Format f : {Format::f64, Format::f32, Format::f16, Format::bf16})
                for (int k = 0; k < 60; ++k) {
                    const Target target{Method::smooth, mode, f, Accumulate::any, flushes};
                    const auto power = static_cast<int>(below(rng, max_exponent(f)) - max_exponent(f) / 2);
                    Problem p =
                        row_problem(target, 1 + below(rng, 9), std::ldexp(one_in(rng, 2) ? 3 : -1, power));
                    for (Index i = 0; i < p.c.input.size(); ++i) {
                        const double x = decoded(f, some_value(f, Spread::plain, rng)) / p.beta;
                        p.c.input.set(i, encoded(f, rounded(f, x)));
                    }
                    fill(mode == Mode::jvp ? *p.c.tangent : *p.c.cotangent, Spread::wide, rng);
                    p.decode();
                    Choice how = some_choice(rng);
                    how.shift = one_in(rng, 2) ? Shift::difference : Shift::product;
                    how.chain = static_cast<Chain>(1 + below(rng, 3));
                    if (excluded(p, target, 0, how)) continue;
                    const auto allowed = permitted_values(p);
                    const auto exact = truth(p);
                    const auto got = answered(p, target, 0, how, rng);
                    for (std::size_t i = 0; i < got.size(); ++i) {
                        EXPECT_TRUE(permits(allowed[i], f, got[i])) << write_case(p.c);
                        EXPECT_FALSE(allowed[i].open);
                        lost += std::abs(decoded(f, got[i]) - static_cast<double>(exact[i])) >
                                        0.5 * std::abs(static_cast<double>(exact[i]))
                                    ? 1
                                    : 0;
                    }
                }
    EXPECT_GT(lost, 30);  // half of the value, or all of it
}

/// Exponents of 2^60 and far more: their roundings alone are larger than any logarithm of a sum.
TEST(Soundness, ExponentsBeyondAllPrecisionAreCoveredAndNeverOpenBSmoothBWeights) {
    Rng rng(9);
    for (const Mode mode : {Mode::forward, Mode::jvp, Mode::vjp})
        for (const Format f : {Format::f64, Format::f32, Format::bf16})
            for (int k = 0; k < 100; ++k) {
                const Target target{Method::smooth, mode, f, Accumulate::any};
                constexpr std::array<double, 4> betas{1, -0.25, 3, -0.7};
                const double beta = betas[static_cast<std::size_t>(below(rng, betas.size()))];
                Problem p = row_problem(target, 1 + below(rng, 6), beta);
                const Index most = max_exponent(f) - 24;
                const auto power = static_cast<int>(most - below(rng, most - 2 * precision(f) / 3));
                const bool all = one_in(rng, 2);
                for (Index i = 0; i < p.c.input.size(); ++i) {
                    const double x = decoded(f, some_value(f, Spread::plain, rng));
                    const bool far = all || one_in(rng, 2);
                    p.c.input.set(i, encoded(f, rounded(f, far ? std::ldexp(x, power) : x)));
                }
                if (mode != Mode::forward)
                    fill(mode == Mode::jvp ? *p.c.tangent : *p.c.cotangent, Spread::plain, rng);
                p.decode();
                const auto allowed = permitted_values(p);
                for (int way = 0; way < 4; ++way) {
                    const Choice how = some_choice(rng);
                    if (excluded(p, target, 0, how)) continue;
                    const auto got = answered(p, target, 0, how, rng);
                    for (std::size_t i = 0; i < got.size(); ++i) {
                        EXPECT_TRUE(permits(allowed[i], f, got[i])) << write_case(p.c);
                        EXPECT_FALSE(allowed[i].open);
                        EXPECT_FALSE(mode == Mode::forward && allowed[i].vacuous) << write_case(p.c);
                    }
                }
            }
}

}  // namespace
}  // namespace poolproof::honest

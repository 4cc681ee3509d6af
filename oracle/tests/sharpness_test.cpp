// SPDX-License-Identifier: Apache-2.0
// The permitted sets are not larger than they need to be: honest answers come close to their ends, and what
// is wrong by little is refused.
#include "oracle/tests/soundness_cases.hpp"

#include <poolproof/text.hpp>
#include <poolproof/verdict.hpp>

#include <gtest/gtest.h>

#include <iostream>

namespace poolproof::honest {
namespace {

constexpr std::array<Format, 4> formats{Format::f64, Format::f32, Format::f16, Format::bf16};

void set(Tensor& t, Index k, double x) { t.set(k, encoded(t.format, rounded(t.format, x))); }

Problem average_of(const Target& target, const std::vector<double>& xs) {
    Problem p = row_problem(target, static_cast<Index>(xs.size()));
    for (std::size_t k = 0; k < xs.size(); ++k) set(p.c.input, static_cast<Index>(k), xs[k]);
    p.decode();
    return p;
}

TEST(Sharpness, ASumThatLosesEveryTermUsesMostOfItsBoundBSum) {
    for (const Format f : formats) {
        const Target target{Method::average, Mode::forward, f, Accumulate::any};
        std::vector<double> xs(8, std::ldexp(1.0, -precision(f)));
        xs.front() = 1;
        const Problem p = average_of(target, xs);
        Rng rng;
        const auto got = answered(p, target, 0, {}, rng);
        const auto allowed = permitted_values(p);
        EXPECT_TRUE(permits(allowed[0], f, got[0]));
        EXPECT_GE(share_of(allowed[0], f, got[0], truth(p)[0]), 0.6) << name(f);
    }
}

/// For one axis and at most so many terms as an average needs: (n - 1 + 2) u sum |x| / D, to first order.
TEST(Sharpness, AnAveragesRangeIsAtMostItsFirstOrderBoundAndTwiceThatIsRefusedBSumBScale) {
    Rng rng(3);
    for (const Format f : {Format::f64, Format::f32}) {
        for (int k = 0; k < 200; ++k) {
            const Index n = 3 + below(rng, 30);
            std::vector<double> xs;
            double size = 0;
            for (Index i = 0; i < n; ++i) {
                xs.push_back(
                    decoded(f, some_value(f, one_in(rng, 2) ? Spread::plain : Spread::cancelling, rng)));
                size += std::abs(xs.back()) / static_cast<double>(n);
            }
            const Problem p = average_of({Method::average, Mode::forward, f, Accumulate::any}, xs);
            const bool scaled = (n & (n - 1)) != 0;
            const double bound =
                static_cast<double>(n - 1 + (scaled ? 2 : 0)) * std::ldexp(size, -precision(f));
            const auto exact = static_cast<double>(truth(p)[0]);
            const Permitted allowed = permitted_values(p)[0];
            const double step = std::ldexp(std::abs(exact), 1 - precision(f));
            EXPECT_LE(decoded(f, allowed.highest) - exact, 1.01 * bound + step);
            EXPECT_LE(exact - decoded(f, allowed.lowest), 1.01 * bound + step);
            for (const double side : {-1.0, 1.0}) {
                const Bits twice = encoded(f, rounded(f, exact + side * (2 * bound + step)));
                EXPECT_FALSE(permits(allowed, f, twice)) << write_case(p.c) << " " << hex_float(f, twice);
            }
        }
    }
}

/// A copy, or a term scaled by a power of two, has one answer only; a zero has two.
TEST(Sharpness, OneStepOffIsRefusedWhereExactnessIsDueBScale) {
    Rng rng(5);
    for (const Format f : formats) {
        for (int k = 0; k < 400; ++k) {
            const auto method = static_cast<Method>(below(rng, 2));
            const auto mode = static_cast<Mode>(below(rng, 3));
            Problem p = row_problem({method, mode, f, Accumulate::any}, 1);
            const bool scaled = method == Method::average && one_in(rng, 2);
            if (scaled) p.c.attrs.divisor_override = one_in(rng, 2) ? 8 : -4;
            if (scaled) p.divisor = static_cast<double>(*p.c.attrs.divisor_override);
            const Bits x = some_value(f, scaled ? Spread::plain : Spread::wide, rng);
            Tensor& read = mode == Mode::forward ? p.c.input
                           : mode == Mode::jvp   ? *p.c.tangent
                                                 : *p.c.cotangent;
            read.set(0, x);
            p.decode();
            const auto exact = static_cast<double>(truth(p)[0]);
            if (!std::isnormal(exact) || std::abs(exact) < std::ldexp(1.0, min_normal_exponent(f) + 1))
                continue;
            const Permitted allowed = permitted_values(p)[0];
            const Bits due = encoded(f, exact);
            EXPECT_TRUE(permits(allowed, f, due));
            EXPECT_FALSE(permits(allowed, f, due + 1)) << write_case(p.c);
            EXPECT_FALSE(permits(allowed, f, due - 1)) << write_case(p.c);
        }
    }
}

/// A subnormal quotient is rounded to one of the two patterns around it, not to a third.
TEST(Sharpness, ASubnormalQuotientHasAtMostTwoPatternsBScale) {
    for (const Format f : formats) {
        for (Bits x = 1; x < 40; ++x) {
            Problem p = row_problem({Method::average, Mode::forward, f, Accumulate::any}, 1);
            p.c.attrs.divisor_override = 3;
            p.c.input.set(0, x);
            const Permitted allowed = permitted_values(p)[0];
            const Bits lowest = allowed.lowest == sign_bit(f) ? 0 : allowed.lowest;
            EXPECT_LE(steps_between(f, lowest, allowed.highest), 1U) << x;
        }
    }
}

TEST(Sharpness, FiveHundredOnesInSixteenBitsAverageToOneBAcc) {
    for (const Format f : {Format::f16, Format::bf16}) {
        Problem p =
            average_of({Method::average, Mode::forward, f, Accumulate::any}, std::vector<double>(512, 1));
        p.c.policy = {};  // the profile's own: sums in f32
        const Permitted allowed = permitted_values(p)[0];
        EXPECT_EQ(hex_float(f, allowed.lowest), "0x1p+0");
        EXPECT_EQ(hex_float(f, allowed.highest), "0x1p+0");
        EXPECT_FALSE(allowed.infinity || allowed.minus_infinity || allowed.nan || allowed.vacuous);
    }
}

TEST(Sharpness, AnAccumulatorOneFormatTooNarrowIsRefusedOn4096TermsBAcc) {
    Rng rng(11);
    const Choice naive;
    for (const Format f : {Format::f16, Format::bf16}) {
        const Target promised{Method::average, Mode::forward, f, Accumulate::f32};
        const Problem p = average_of(promised, std::vector<double>(4096, 1));
        const Target narrow{Method::average, Mode::forward, f, Accumulate::any};
        const auto allowed = permitted_values(p);
        EXPECT_FALSE(permits(allowed[0], f, answered(p, narrow, 0, naive, rng)[0]));
        EXPECT_TRUE(permits(allowed[0], f, answered(p, promised, 0, naive, rng)[0]));
    }
    std::vector<double> xs;
    for (int k = 0; k < 4096; ++k)
        xs.push_back(1 + std::ldexp(static_cast<double>(below(rng, 1 << 20)), -30));
    const Target promised{Method::average, Mode::forward, Format::f64, Accumulate::any};
    const Problem p = average_of(promised, xs);
    const auto single = values<Rounded<Format::f32>>(p, naive, rng);
    const auto allowed = permitted_values(p);
    EXPECT_FALSE(permits(allowed[0], Format::f64, answer(Format::f64, single[0])));
    EXPECT_TRUE(permits(allowed[0], Format::f64, answered(p, promised, 0, naive, rng)[0]));
}

TEST(Sharpness, OverflowIsPermittedWhereOnePartOfTheSumReachesTheTopBOver) {
    const double top = decoded(Format::f32, largest_bits(Format::f32));
    const Target target{Method::average, Mode::forward, Format::f32, Accumulate::any};
    const auto flags = [&](const std::vector<double>& xs, IntermediateOverflow allowed) {
        Problem p = average_of(target, xs);
        p.c.policy.intermediate_overflow = allowed;
        const Permitted r = permitted_values(p)[0];
        EXPECT_TRUE(r.range);
        return std::array<bool, 3>{r.infinity, r.minus_infinity, r.nan};
    };
    using Flags = std::array<bool, 3>;
    EXPECT_EQ(flags({top, top, -1}, IntermediateOverflow::allowed), (Flags{true, false, false}));
    EXPECT_EQ(flags({-top, -top, 1}, IntermediateOverflow::allowed), (Flags{false, true, false}));
    EXPECT_EQ(flags({top, top, -top, -top}, IntermediateOverflow::allowed), (Flags{true, true, true}));
    EXPECT_EQ(flags({top, top, -top, -top}, IntermediateOverflow::forbidden), (Flags{false, false, false}));
    EXPECT_EQ(flags({top / 4, top / 4, -top}, IntermediateOverflow::allowed), (Flags{false, true, false}));
    EXPECT_EQ(flags({top / 4, top / 4, -top / 2}, IntermediateOverflow::allowed),
              (Flags{false, false, false}));
}

TEST(Sharpness, ABoundAsWideAsItsTermsIsVacuousAndACancelledSumIsNotBVac) {
    const Target narrow{Method::average, Mode::forward, Format::bf16, Accumulate::any};
    EXPECT_TRUE(permitted_values(average_of(narrow, std::vector<double>(200, 1)))[0].vacuous);
    EXPECT_FALSE(permitted_values(average_of(narrow, std::vector<double>(100, 1)))[0].vacuous);
    EXPECT_FALSE(permitted_values(average_of(narrow, {1, -1, 1, -1}))[0].vacuous);
}

/// One window of a smooth maximum, or what its VJP of a cotangent 1 sends to its first cell.
Permitted smooth_of(Mode mode, double beta, const std::vector<double>& xs) {
    Problem p = row_problem({Method::smooth, Mode::forward, Format::f64, Accumulate::any},
                            static_cast<Index>(xs.size()), beta);
    for (std::size_t k = 0; k < xs.size(); ++k) set(p.c.input, static_cast<Index>(k), xs[k]);
    p.c.mode = mode;
    if (mode == Mode::vjp) p.c.cotangent.emplace(Format::f64, Shape{1}).set(0, encoded(Format::f64, 1.0));
    return permitted_values(p)[0];
}

std::uint64_t patterns(const Permitted& p) { return steps_between(Format::f64, p.lowest, p.highest) + 1; }

TEST(Sharpness, HugeExponentsAreOffByTheirOwnRoundingsAloneBSmooth) {
    for (const int power : {60, 61, 200, 500, 900, 1000}) {
        const double far = std::ldexp(1.25, power);
        for (const double beta : {0.7, -3.0}) {
            const Permitted p = smooth_of(Mode::forward, beta, {far, far, -far / 2, 1});
            EXPECT_TRUE(p.range && !p.vacuous && !p.infinity) << power;
            EXPECT_LE(patterns(p), 12U) << power;
        }
        // With a power of two for beta nothing but the last sum is rounded, and it keeps the maximum.
        EXPECT_EQ(smooth_of(Mode::forward, 2, {far, far, 1}), Permitted::exactly(encoded(Format::f64, far)));
        // Cells that far below the largest change nothing, and nor do their roundings.
        for (const double beta : {0.7, 3.0}) {
            const auto near = patterns(smooth_of(Mode::forward, beta, {2, 1.5}));
            EXPECT_LE(patterns(smooth_of(Mode::forward, beta, {2, 1.5, -far})), 2 * near) << power;
        }
    }
}

TEST(Sharpness, DerivativesAtHugeExponentsAreToldWhereTheyCanBeAndVacuousElsewhereBWeights) {
    for (const int power : {60, 200, 1000}) {
        const double far = std::ldexp(1.25, power);
        const Permitted winner = smooth_of(Mode::vjp, 1, {far, 3});
        EXPECT_TRUE(permits(winner, Format::f64, encoded(Format::f64, 1.0)));
        EXPECT_FALSE(winner.vacuous);
        EXPECT_LE(patterns(winner), 200U);
        const Permitted beside = smooth_of(Mode::vjp, 0.7, {2, 1.5, -far});
        EXPECT_FALSE(beside.vacuous);
        EXPECT_LE(patterns(beside), 500U);
        // The loser's weight is nothing; the winners' hang on roundings of 2^power.
        const Permitted loser = smooth_of(Mode::vjp, 0.7, {3, far});
        EXPECT_LT(decoded(Format::f64, loser.highest), 1e-300);
        const Permitted untold = smooth_of(Mode::vjp, 0.7, {far, far});
        EXPECT_TRUE(untold.vacuous);
        EXPECT_FALSE(untold.open);
    }
}

/// Vacuous is not a word for a lazy bound: with exponents of 20 and everything in bf16, honest softmaxes add
/// up to 3/2, or to 1/2.
TEST(Sharpness, WhereADerivativeInBf16IsVacuousHonestOnesAreThatFarOffBVacBWeights) {
    const Target target{Method::smooth, Mode::jvp, Format::bf16, Accumulate::any};
    double least = 1, most = 1;
    Rng rng(1);
    for (int k = 0; k < 6; ++k) {
        Problem p = row_problem(target, 2, 3);
        for (Index i = 0; i < 2; ++i) {
            set(p.c.input, i, (20 + 0.05 * static_cast<double>((k + 1) * i)) / p.beta);
            set(*p.c.tangent, i, 1);
        }
        p.decode();
        const Permitted allowed = permitted_values(p)[0];
        EXPECT_TRUE(allowed.vacuous);
        for (int way = 0; way < 2000; ++way) {
            Choice how = some_choice(rng);
            if (excluded(p, target, 0, how)) continue;
            const Bits got = answered(p, target, 0, how, rng)[0];
            EXPECT_TRUE(permits(allowed, Format::bf16, got));
            least = std::min(least, decoded(Format::bf16, got));
            most = std::max(most, decoded(Format::bf16, got));
        }
    }
    EXPECT_LE(least, 0.65);
    EXPECT_GE(most, 1.5);
    std::cout << "honest softmaxes in bf16 add up to " << least << " to " << most << "\n";
}

}  // namespace
}  // namespace poolproof::honest

// SPDX-License-Identifier: Apache-2.0
// What docs/BOUNDS.md leaves out in words is really outside, each shown by one answer that is refused.
#include "oracle/tests/soundness_cases.hpp"

#include <poolproof/verdict.hpp>

#include <gtest/gtest.h>

namespace poolproof::honest {
namespace {

using Half = Rounded<Format::f16>;
using Single = Rounded<Format::f32>;

Problem row(Method method, Format f, Accumulate accumulate, const std::vector<double>& xs, double beta = 1) {
    Problem p = row_problem({method, Mode::forward, f, accumulate}, static_cast<Index>(xs.size()), beta);
    for (std::size_t k = 0; k < xs.size(); ++k)
        p.c.input.set(static_cast<Index>(k), encoded(f, rounded(f, xs[k])));
    p.decode();
    return p;
}

template <class T> bool permits_value(const Problem& p, T y) {
    return permits(permitted_values(p)[0], p.c.format, answer(p.c.format, y));
}

TEST(Exclusions, ADivisorThatOverflowsItsFormatBScale) {
    Problem p = row(Method::average, Format::f16, Accumulate::any, {60000});
    p.c.attrs.divisor_override = 70000;
    const Half d(70000.0);
    ASSERT_TRUE(std::isinf(d.v));
    EXPECT_FALSE(permits_value(p, Half(60000) / d));
    EXPECT_TRUE(permits_value(p, Single(60000) / Single(70000)));
}

TEST(Exclusions, ACompensatedSumThatOverflowsBComp) {
    const double top = decoded(Format::f32, largest_bits(Format::f32));
    const Problem p = row(Method::average, Format::f32, Accumulate::any, {top, top, -1});
    Rng rng;
    const std::vector<Single> xs{Single(top), Single(top), Single(-1)};
    const Single kahan = sum(xs, Order::kahan, rng), plain = sum(xs, Order::forward, rng);
    ASSERT_TRUE(std::isnan(kahan.v) && std::isinf(plain.v));
    EXPECT_FALSE(permits_value(p, kahan));
    EXPECT_TRUE(permits_value(p, plain));
}

/// beta makes exponents of -3 and 3 of inputs that are further apart than the format reaches.
TEST(Exclusions, ADifferenceToTheMaximumThatOverflowsBSmooth) {
    const double far = std::ldexp(1.5, 127);
    const Problem p = row(Method::smooth, Format::f32, Accumulate::any, {far, -far}, std::ldexp(1.0, -126));
    Rng rng;
    Choice how;
    how.shift = Shift::difference;
    EXPECT_FALSE(permits_value(p, values<Single>(p, how, rng)[0]));
    how.shift = Shift::product;
    EXPECT_TRUE(permits_value(p, values<Single>(p, how, rng)[0]));
}

/// Each step's rounding is one of a number as large as the inputs: the sum comes to a halt.
TEST(Exclusions, LogarithmsThatAreAccumulatedBSmooth) {
    const Problem p =
        row(Method::smooth, Format::f32, Accumulate::any, std::vector<double>(200, std::ldexp(1.0, 20)));
    Single folded(p.x[0]);
    for (std::size_t k = 1; k < p.x.size(); ++k) {
        const Single x(p.x[k]), top = folded < x ? x : folded, low = folded < x ? folded : x;
        folded = top + log(Single(1) + exp(low - top));
    }
    EXPECT_FALSE(permits_value(p, folded));
    Rng rng;
    EXPECT_TRUE(permits_value(p, values<Single>(p, {}, rng)[0]));
}

/// What a compiler makes of beta x - (beta m) where it may contract: the largest exponent is no longer 0, but
/// the rounding error of beta m.
TEST(Exclusions, ContractedDifferencesOfLargeProductsBSmooth) {
    const float beta = 0x1.19999ap+0F, m = 0x1.400002p+31F, product = beta * m;
    const float largest = std::fma(beta, m, -product);
    ASSERT_GT(largest, 89);
    const Problem p = row(Method::smooth, Format::f32, Accumulate::any, {m, 0}, beta);
    EXPECT_FALSE(permits_value(p, (Single(product) + log(exp(Single(largest)))) / Single(beta)));
    EXPECT_TRUE(permits_value(p, Single(product) / Single(beta)));
}

TEST(Exclusions, ALogarithmOverBetaThatOverflowsBesideItsShiftBSmooth) {
    const double m = -0x1p+1023, beta = 0x1.4e53dc756b2a8p-1024;
    const Problem p = row(Method::smooth, Format::f64, Accumulate::any, {m, m, m, m}, beta);
    EXPECT_FALSE(permits_value(p, Rounded<Format::f64>(m + std::log(4.0) / beta)));
    EXPECT_TRUE(permits_value(p, Rounded<Format::f64>((m / 2 + std::log(4.0) / 2 / beta) * 2)));
}

/// Differentiated too, the shift gives the greatest cell what its weights lack to 1, which is the rounding of
/// all.
TEST(Exclusions, GradientsThroughTheShiftBWeights) {
    constexpr Index n = 100;
    Problem p = row_problem({Method::smooth, Mode::vjp, Format::f32, Accumulate::any}, n, 1);
    for (Index k = 0; k < p.c.input.size(); ++k) p.c.input.set(k, 0);
    for (Index k = 0; k < n; ++k) p.c.cotangent->set(k, encoded(Format::f32, k == 0 ? 1 : 0));
    const Single weight = Single(1) / Single(n);
    Single all(0);
    for (Index k = 0; k < n; ++k) all = all + weight;
    EXPECT_TRUE(permits_value(p, weight));
    EXPECT_FALSE(permits_value(p, weight + (Single(1) - all)));
}

TEST(Exclusions, ASumRoundedToSixteenBitsBeforeItIsDividedBAcc) {
    for (const Format f : {Format::f16, Format::bf16}) {
        Rng rng(5);
        Index refused = 0;
        for (int k = 0; k < 200; ++k) {
            std::vector<double> xs;
            xs.reserve(3);
            for (int i = 0; i < 3; ++i) xs.push_back(decoded(f, some_value(f, Spread::plain, rng)));
            const Problem p = row(Method::average, f, Accumulate::f32, xs);
            const Single total = Single(xs[0]) + Single(xs[1]) + Single(xs[2]);
            EXPECT_TRUE(permits_value(p, total / Single(3)));
            refused += permits_value(p, Single(rounded(f, total.v)) / Single(3)) ? 0 : 1;
        }
        EXPECT_GT(refused, 20) << name(f);
    }
}

}  // namespace
}  // namespace poolproof::honest

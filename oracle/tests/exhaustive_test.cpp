// SPDX-License-Identifier: Apache-2.0
// Every 16-bit pattern in windows of one cell, and pairs of them in windows of two. A fraction by default;
// every pattern and more of the pairs with POOLPROOF_EXHAUSTIVE=1; all 2^32 pairs with
// POOLPROOF_EXHAUSTIVE=pairs, which takes hours.
#include "oracle/tests/soundness_cases.hpp"

#include <poolproof/text.hpp>
#include <poolproof/verdict.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

namespace poolproof::honest {
namespace {

constexpr Index patterns = 1 << 16;

std::string extent() {
    const char* wanted = std::getenv("POOLPROOF_EXHAUSTIVE");
    return wanted == nullptr ? "" : wanted;
}

bool all() { return extent() == "1" || extent() == "pairs"; }

/// Windows of n cells side by side.
Problem windows(Method method, Mode mode, Format f, Index n, const std::vector<Bits>& xs) {
    Problem p;
    Rng rng;
    const auto cells = static_cast<Index>(xs.size());
    p.columns = {cells, cells / n, n, n, 0};
    complete(p, {method, mode, f, Accumulate::any}, rng);
    for (std::size_t k = 0; k < xs.size(); ++k) p.c.input.set(static_cast<Index>(k), xs[k]);
    return p;
}

void expect_only(const Permitted& p, Format f, Bits b, const Problem& from) {
    EXPECT_FALSE(p.open || p.vacuous);
    if (is_nan(f, b)) {
        EXPECT_EQ(p, Permitted::any_nan());
    } else if (is_infinite(f, b)) {
        EXPECT_EQ(p, Permitted::with(is_negative(f, b) ? &Permitted::minus_infinity : &Permitted::infinity));
    } else if (is_zero(f, b)) {
        EXPECT_EQ(p, Permitted::between(sign_bit(f), 0));
    } else {
        EXPECT_EQ(p, Permitted::exactly(b)) << hex_float(f, b) << " " << from.c.attrs.kernel->size();
    }
}

class Exhaustive : public testing::TestWithParam<Format> {};

TEST_P(Exhaustive, OneCellIsItsOwnMaximumAndAverageM1V1) {
    const Format f = GetParam();
    std::vector<Bits> xs;
    for (Index b = 0; b < patterns; b += all() ? 1 : 7) xs.push_back(static_cast<Bits>(b));
    for (const Method m : {Method::max, Method::average}) {
        Problem p = windows(m, Mode::forward, f, 1, xs);
        p.c.policy.nan = Nan::propagate;
        p.c.policy.signed_zero = SignedZero::first;
        const auto allowed = permitted_values(p);
        for (std::size_t k = 0; k < xs.size(); ++k) {
            if (m == Method::max && is_zero(f, xs[k]))
                EXPECT_EQ(allowed[k], Permitted::exactly(xs[k]));
            else
                expect_only(allowed[k], f, xs[k], p);
        }
    }
}

/// The primal's pattern runs over all; four tangents, and four cotangents.
TEST_P(Exhaustive, OneCellsDerivativesAreCopiesMTie) {
    const Format f = GetParam();
    const std::array<Bits, 4> directions{encoded(f, 1.0), encoded(f, -1.5), largest_bits(f),
                                         Bits{1} | sign_bit(f)};
    std::vector<Bits> xs;
    for (Index b = 0; b < patterns; b += all() ? 1 : 23) xs.push_back(static_cast<Bits>(b));
    for (const Method m : {Method::max, Method::average})
        for (const Mode mode : {Mode::jvp, Mode::vjp})
            for (const Bits d : directions) {
                Problem p = windows(m, mode, f, 1, xs);
                Tensor& t = mode == Mode::jvp ? *p.c.tangent : *p.c.cotangent;
                for (Index k = 0; k < t.size(); ++k) t.set(k, d);
                const auto allowed = permitted_values(p);
                for (std::size_t k = 0; k < xs.size(); ++k) {
                    if (is_nan(f, xs[k]) || is_infinite(f, xs[k]))
                        EXPECT_TRUE(allowed[k].open);
                    else
                        expect_only(allowed[k], f, d, p);
                }
            }
}

/// The same sets as `permitted_values`, by the certified path.
std::vector<Permitted> certified_values(const Problem& p) {
    const auto checked = plan(p.c);
    if (!checked) throw std::logic_error(message(checked.rejection()));
    return expect(*checked, p.c, {0, slice_count(*checked, p.c)}).outputs.front().values;
}

/// Pairs in windows of two, all in one case.
void try_pairs(Format f, const std::vector<Bits>& xs) {
    const auto sets = extent() == "pairs" ? certified_values : permitted_values;
    const auto largest = sets(windows(Method::max, Mode::forward, f, 2, xs));
    const auto mean_of = sets(windows(Method::average, Mode::forward, f, 2, xs));
    for (std::size_t k = 0; k < largest.size(); ++k) {
        const double a = decoded(f, xs[2 * k]), b = decoded(f, xs[2 * k + 1]);
        const Bits larger = a < b ? xs[2 * k + 1] : xs[2 * k];
        EXPECT_TRUE(permits(largest[k], f, larger));
        EXPECT_LE(steps_between(f, largest[k].lowest, largest[k].highest), is_zero(f, larger) ? 1U : 0U);
        const Bits exactly = encoded(f, rounded(f, (a + b) / 2));
        const Bits sum_first = encoded(f, rounded(f, rounded(f, a + b) / 2));
        const Bits halves = encoded(f, rounded(f, rounded(f, a / 2) + rounded(f, b / 2)));
        for (const Bits honest : {exactly, sum_first, halves})
            EXPECT_TRUE(permits(mean_of[k], f, honest))
                << hex_float(f, xs[2 * k]) << " " << hex_float(f, xs[2 * k + 1]);
        // One rounding, of a sum or of two halves that are subnormal, is off by half a step of the larger.
        if (!mean_of[k].range) continue;
        const double step = std::ldexp(std::max(std::abs(a), std::abs(b)), 1 - precision(f));
        const double least = std::ldexp(1.0, min_exponent(f));
        EXPECT_LE(decoded(f, mean_of[k].highest) - decoded(f, mean_of[k].lowest), 2 * step + 2 * least);
    }
}

/// Calls `use` with batches of pairs of finite patterns.
template <class Use> void for_pairs(Format f, Use use) {
    constexpr std::size_t cells = 8192;
    const auto finite = [&](Index b) { return magnitude(f, static_cast<Bits>(b)) < infinity_bits(f); };
    std::vector<Bits> xs;
    const bool pairs = extent() == "pairs";
    const Index stride = pairs ? 1 : all() ? 3 : 331, other = pairs ? 1 : all() ? 1021 : 5003;
    for (Index a = 0; a < patterns; a += stride) {
        for (Index b = a % other; b < patterns; b += other) {
            if (!finite(a) || !finite(b)) continue;
            xs.push_back(static_cast<Bits>(a));
            xs.push_back(static_cast<Bits>(b));
        }
        if (xs.size() < cells && a + stride < patterns) continue;
        if (!xs.empty()) use(xs);
        xs.clear();
    }
}

TEST_P(Exhaustive, TwoCellsHaveTheirHonestAnswersAndNotManyMoreM1V1) {
    for_pairs(GetParam(), [](const std::vector<Bits>& xs) { try_pairs(GetParam(), xs); });
}

/// Windows of n cells side by side under beta 1, by the certified path.
std::vector<Permitted> smooth_sets(Format f, Index n, const std::vector<Bits>& xs) {
    Problem p = windows(Method::smooth, Mode::forward, f, n, xs);
    p.c.attrs.beta = encoded(f, 1.0);
    return certified_values(p);
}

/// Not more than the bound of one or two cells: 26 roundings, and 11 of the largest exponent.
void expect_narrow(const Permitted& p, Format f, double largest) {
    if (!p.range) return;
    const double u = std::ldexp(1.0, -precision(f)), step = std::ldexp(largest, 1 - precision(f));
    const double width = decoded(f, p.highest) - decoded(f, p.lowest);
    EXPECT_LE(width, 2 * (40 + 14 * largest) * u + 2 * step) << hex_float(f, p.lowest);
}

/// Every pattern, in the suite too.
TEST_P(Exhaustive, OneCellIsItsOwnSmoothMaximumS1) {
    const Format f = GetParam();
    std::vector<Bits> xs;
    for (Index b = 0; b < patterns; ++b) xs.push_back(static_cast<Bits>(b));
    const auto allowed = smooth_sets(f, 1, xs);
    for (std::size_t k = 0; k < xs.size(); ++k) {
        if (is_nan(f, xs[k]) || is_infinite(f, xs[k])) {
            expect_only(allowed[k], f, xs[k], {});
            continue;
        }
        EXPECT_TRUE(permits(allowed[k], f, xs[k])) << hex_float(f, xs[k]);
        expect_narrow(allowed[k], f, std::abs(decoded(f, xs[k])));
    }
}

TEST_P(Exhaustive, TwoCellsHaveTheirHonestSmoothMaximaAndNotManyMoreS1) {
    const Format f = GetParam();
    const auto once = [&](double v) { return rounded(f, v); };
    for_pairs(f, [&](const std::vector<Bits>& xs) {
        const auto allowed = smooth_sets(f, 2, xs);
        for (std::size_t k = 0; k < allowed.size(); ++k) {
            const double a = decoded(f, xs[2 * k]), b = decoded(f, xs[2 * k + 1]);
            const double m = std::max(a, b), d = std::min(a, b) - m;
            const double exactly = m + std::log1p(std::exp(d));
            const double shifted = once(m + once(std::log(once(1 + once(std::exp(once(d)))))));
            for (const double honest : {once(exactly), shifted})
                EXPECT_TRUE(permits(allowed[k], f, encoded(f, honest)))
                    << hex_float(f, xs[2 * k]) << " " << hex_float(f, xs[2 * k + 1]);
            expect_narrow(allowed[k], f, std::max(std::abs(a), std::abs(b)));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(SixteenBits, Exhaustive, testing::Values(Format::f16, Format::bf16),
                         [](const auto& format) { return format.param == Format::f16 ? "F16" : "Bf16"; });

}  // namespace
}  // namespace poolproof::honest

// SPDX-License-Identifier: Apache-2.0
// Every 16-bit pattern in windows of one cell. A fraction by default, every one with POOLPROOF_EXHAUSTIVE=1.
#include "oracle/tests/soundness_cases.hpp"

#include <poolproof/text.hpp>
#include <poolproof/verdict.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

namespace poolproof::honest {
namespace {

constexpr Index patterns = 1 << 16;

bool all() { return std::getenv("POOLPROOF_EXHAUSTIVE") != nullptr; }

/// Windows of one cell each.
Problem windows(Method method, Mode mode, Format f, const std::vector<Bits>& xs) {
    Problem p;
    Rng rng;
    const auto cells = static_cast<Index>(xs.size());
    p.columns = {cells, cells, 1, 1, 0};
    complete(p, {method, mode, f, Accumulate::any}, rng);
    for (std::size_t k = 0; k < xs.size(); ++k) p.c.input.set(static_cast<Index>(k), xs[k]);
    return p;
}

void expect_only(const Permitted& p, Format f, Bits b) {
    EXPECT_FALSE(p.open || p.vacuous);
    if (is_nan(f, b)) {
        EXPECT_EQ(p, Permitted::any_nan());
    } else if (is_infinite(f, b)) {
        EXPECT_EQ(p, Permitted::with(is_negative(f, b) ? &Permitted::minus_infinity : &Permitted::infinity));
    } else if (is_zero(f, b)) {
        EXPECT_EQ(p, Permitted::between(sign_bit(f), 0));
    } else {
        EXPECT_EQ(p, Permitted::exactly(b)) << hex_float(f, b);
    }
}

class Exhaustive : public testing::TestWithParam<Format> {};

TEST_P(Exhaustive, OneCellIsItsOwnMaximumAndAverageM1V1) {
    const Format f = GetParam();
    std::vector<Bits> xs;
    for (Index b = 0; b < patterns; b += all() ? 1 : 7) xs.push_back(static_cast<Bits>(b));
    for (const Method m : {Method::max, Method::average}) {
        Problem p = windows(m, Mode::forward, f, xs);
        p.c.policy.nan = Nan::propagate;
        p.c.policy.signed_zero = SignedZero::first;
        const auto allowed = permitted_values(p);
        for (std::size_t k = 0; k < xs.size(); ++k) {
            if (m == Method::max && is_zero(f, xs[k]))
                EXPECT_EQ(allowed[k], Permitted::exactly(xs[k]));
            else
                expect_only(allowed[k], f, xs[k]);
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
                Problem p = windows(m, mode, f, xs);
                Tensor& t = mode == Mode::jvp ? *p.c.tangent : *p.c.cotangent;
                for (Index k = 0; k < t.size(); ++k) t.set(k, d);
                const auto allowed = permitted_values(p);
                for (std::size_t k = 0; k < xs.size(); ++k) {
                    if (is_nan(f, xs[k]) || is_infinite(f, xs[k]))
                        EXPECT_TRUE(allowed[k].open);
                    else
                        expect_only(allowed[k], f, d);
                }
            }
}

/// Under beta 1, by the certified path.
std::vector<Permitted> smooth_sets(Format f, const std::vector<Bits>& xs) {
    Problem p = windows(Method::smooth, Mode::forward, f, xs);
    p.c.attrs.beta = encoded(f, 1.0);
    const auto checked = plan(p.c);
    if (!checked) throw std::logic_error(message(checked.rejection()));
    return expect(*checked, p.c, {0, slice_count(*checked, p.c)}).outputs.front().values;
}

/// Not more than the bound of one cell: 26 roundings, and 11 of the largest exponent.
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
    const auto allowed = smooth_sets(f, xs);
    for (std::size_t k = 0; k < xs.size(); ++k) {
        if (is_nan(f, xs[k]) || is_infinite(f, xs[k])) {
            expect_only(allowed[k], f, xs[k]);
            continue;
        }
        EXPECT_TRUE(permits(allowed[k], f, xs[k])) << hex_float(f, xs[k]);
        expect_narrow(allowed[k], f, std::abs(decoded(f, xs[k])));
    }
}

INSTANTIATE_TEST_SUITE_P(SixteenBits, Exhaustive, testing::Values(Format::f16, Format::bf16),
                         [](const auto& format) { return format.param == Format::f16 ? "F16" : "Bf16"; });

}  // namespace
}  // namespace poolproof::honest

// SPDX-License-Identifier: Apache-2.0
// Exponentials and logarithms of double-doubles against MPFR: their errors over random arguments and edges
// are within what is proved, and not far below, so that a larger one would be seen.
#include "oracle/certified/elementary.hpp"
#include "oracle/scalar/interval.hpp"

#include <gtest/gtest.h>

#include <random>

namespace poolproof {

namespace {

using certified::Fine;
using certified::Pair;
using certified::Quick;

Rational value_of(const Pair& p) { return Rational(p.high) + Rational(p.low); }

/// The binary logarithm of |approximate - exact| / size, at most; a very small number for 0.
double log_error(const Pair& approximate, const Interval& exact, const Rational& size) {
    const auto ends = upper(abs(exact - Interval(value_of(approximate)))).ends(-2000);
    const Rational off = ends->second / size;
    return off.is_zero() ? -1000 : std::log2(off.convert_to<double>());
}

std::vector<Pair> arguments(std::size_t count) {
    std::vector<Pair> r;
    std::mt19937_64 random(20260101);
    std::uniform_real_distribution<double> in(-600, 600), unit(-1, 1);
    for (const double edge : {0.0, 600.0, -600.0, 0x1p-60, -0x1p-1000, 1.0, -1.0}) r.push_back({edge, 0});
    for (int k = -221590; k <= 221590; k += 1009)  // next to where the reduction changes over
        for (const double off : {-0x1p-43, 0.0, 0x1p-43})
            r.push_back({(k + 0.5) * (0x1.62e42fefa39efp-1 / 256) + off, 0});
    while (r.size() < count) {
        const double high =
            r.size() % 2 == 0 ? in(random) : std::ldexp(unit(random), -static_cast<int>(random() % 60));
        r.push_back(certified::fast_two_sum(high, high * unit(random) * 0x1p-53));
    }
    return r;
}

template <class Stage> double worst_exp(std::size_t count) {
    const WorkingPrecision scope(200);
    double worst = -1000;
    for (const Pair& a : arguments(count)) {
        const Interval exact = exp(Interval(value_of(a)));
        const Pair e = Stage::exp(a);
        EXPECT_EQ(certified::fast_two_sum(e.high, e.low).low, e.low) << a.high;
        worst = std::max(worst, log_error(e, exact, Rational(e.high)));
    }
    return worst;
}

/// In parts of what is allowed: `log_error` and 2^-100 of the logarithm.
template <class Stage> double worst_log(std::size_t count) {
    const WorkingPrecision scope(200);
    double worst = -1000;
    for (const Pair& a : arguments(count)) {
        Pair s = Fine::exp(a);
        if (std::fabs(a.high) < 1) s = Pair{1 + std::fabs(a.high) * 20, a.low};
        const Pair y = certified::log<Stage>(s);
        EXPECT_FALSE(std::isnan(y.high)) << a.high;
        const Rational allowed = Rational(Stage::log_error) + abs(Rational(y.high)) * Rational(0x1p-100);
        worst = std::max(worst, log_error(y, log(Interval(value_of(s))), allowed));
    }
    return worst;
}

}  // namespace

TEST(Elementary, QuickExponentialsAreWithinTheirError) {
    const double worst = worst_exp<Quick>(300'000);
    EXPECT_LE(worst, -69);
    EXPECT_GT(worst, -75);
    std::printf("2^%.2f\n", worst);
}

TEST(Elementary, PlainExponentialsAreWithinThreeRoundings) {
    const WorkingPrecision scope(200);
    double worst = -1000;
    for (const Pair& a : arguments(100'000)) {
        const double e = certified::plain_exp(a);
        worst = std::max(worst, log_error({e, 0}, exp(Interval(value_of(a))), Rational(e)));
    }
    EXPECT_LE(worst, std::log2(3.0) - 53);
    EXPECT_GT(worst, -54);
    std::printf("2^%.2f\n", worst);
}

TEST(Elementary, FineExponentialsAreWithinTheirError) {
    const double worst = worst_exp<Fine>(100'000);
    EXPECT_LE(worst, -94);
    EXPECT_GT(worst, -108);
    std::printf("2^%.2f\n", worst);
}

TEST(Elementary, LogarithmsAreWithinTheirError) {
    const double quick = worst_log<Quick>(100'000), fine = worst_log<Fine>(50'000);
    EXPECT_LE(quick, 0);
    EXPECT_GT(quick, -8);
    EXPECT_LE(fine, 0);
    EXPECT_GT(fine, -14);
    std::printf("2^%.2f and 2^%.2f of what is allowed\n", quick, fine);
}

TEST(Elementary, TheLogarithmOfOneIsZero) {
    EXPECT_EQ(certified::log<Quick>({1, 0}).high, 0);
    EXPECT_EQ(certified::log<Fine>({1, 0}).low, 0);
}

}  // namespace poolproof

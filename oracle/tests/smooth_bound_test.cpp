// SPDX-License-Identifier: Apache-2.0
// The bound of a smooth maximum is the formula of docs/BOUNDS.md, written here a second time, in doubles: its
// smaller parts are proved, but too small for an honest implementation that would show that one is missing.
#include "oracle/expect/smooth_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace poolproof {

namespace {

/// One window, exponents known exactly, in the notation of section 3.
struct Window {
    Format format;
    double beta;
    std::vector<double> xs;
    double padding = 0;
    Subnormals subnormals = Subnormals::kept;
};

struct Proved {
    double error = 0, size = 0, partition = 0, chained = 0;
    std::vector<double> relative, absolute;
};

double l(double d) { return -std::log(1 - d); }

Proved proved(const Window& w) {
    const bool flushes = w.subnormals == Subnormals::may_flush,
               power = std::exp2(std::round(std::log2(w.beta))) == w.beta;
    const double u = std::ldexp(1 + 0x1p-11, -precision(w.format)), q = 4, eps = 2 * q * u;
    const double normal = std::ldexp(1, min_normal_exponent(w.format));
    const double eta = flushes ? normal : std::ldexp(1, min_exponent(w.format));

    std::vector<std::pair<double, double>> ts;  // exponent and count
    for (const double x : w.xs) ts.push_back({w.beta * x, 1});
    if (w.padding > 0) ts.push_back({0, w.padding});
    double top = -HUGE_VAL, reach = 0, n = 0, s = 0;
    for (const auto& [t, count] : ts)
        top = std::max(top, t), reach = std::max(reach, std::abs(t)), n += count;
    for (const auto& [t, count] : ts) s += count * std::exp(t - top);

    // 1. and 2.
    const double b = 2 * u + 4 * u * u, of_product = power ? 0 : u * (1 + 2 * u) * std::abs(top);
    const double lost = 2 * eta + (flushes ? w.beta * eta : 0), c = of_product + lost,
                 x = c + 3 * u * std::log(n);
    const auto spread = [&](double g) { return b * g < 1.0 / 16 ? 1 / (1 - b * g) : std::exp(b * g); };
    // 3. to 5.
    double weighted = 0, equal = 0;
    for (const auto& [t, count] : ts) {
        std::set<double> above;
        for (const auto& term : ts)
            if (term.first > t) above.insert(term.first);
        const double more = std::expm1(static_cast<double>(above.size()) * (l(eps) + l(u)));
        weighted += count * std::exp(t - top) * spread(top - t) * more;
        equal += count * more;
    }
    const double rescaled = std::log(1 + std::min(weighted * std::exp(c + x) / s, equal / n));
    const double plain = l(eps) + (n + 1) * l(u), tiny = (q + 2) * eta;
    const auto of_sum = [&](double gained, double part) {
        return -std::log(std::exp(-gained) - part * std::exp(gained));
    };
    const double least = std::min(1.0, std::max(std::exp(top - c), normal));
    const double of_shifted = of_sum(plain + rescaled, n * tiny), of_plain = of_sum(plain, n * tiny / least);
    // 6.
    const double logarithm = (1 + eps) * (std::min(std::log(n), std::log(s) + x) + of_shifted);
    const double m = (1 + 2 * u) * std::abs(top) + logarithm;
    const double last = power ? std::min(u * m, logarithm) : std::expm1(3 * u) * m;
    const double after = power ? 0 : std::expm1(2 * u) * (1 + eps);
    const double e = x +
                     std::max(of_shifted + eps * logarithm + last,
                              of_plain + (eps + after) * (std::abs(top) + c + std::log(n) + of_plain)) +
                     (q + 4) * eta;

    Proved r;
    r.error = e / w.beta + 4 * eta;
    r.size = (reach + std::log(n)) / w.beta;
    r.partition = s;
    // [BWeights]
    r.chained = (flushes ? 4 : 2) * eta * (w.beta + 1 / w.beta);
    const double larger = std::max(of_shifted, of_plain), by_division = x + larger + c + of_product;
    const double by_difference = e + lost + 2 * of_product + b * (logarithm + e) + 4 * eta * w.beta;
    const double common = std::max(by_division, by_difference) + l(eps) + 6 * l(u);
    for (std::size_t k = 0; k < w.xs.size(); ++k) {
        r.relative.push_back(std::exp(common) * spread(top - ts[k].first) - 1);
        r.absolute.push_back(tiny / least * std::exp(larger) + eta + r.chained);
    }
    return r;
}

double high(const Interval& i) { return i.ends(-2000)->second.convert_to<double>(); }

void expect_the_formula(const Window& w) {
    const WorkingPrecision scope(256);
    Policy policy;
    policy.elementary_ulp = 4;
    policy.subnormals = w.subnormals;
    std::vector<Interval> xs;
    for (const double x : w.xs) xs.emplace_back(Rational(x));
    const Arithmetic a(w.format, Accumulate::any, policy);
    const SmoothBound got = SmoothBounds(Rational(w.beta), a).of(xs, Rational(w.padding));
    const Proved due = proved(w);
    const auto close = [](const Interval& one, double other) {
        EXPECT_NEAR(high(one), other, 1e-9 * std::abs(other));
    };
    close(got.error, due.error);
    close(got.size, due.size);
    close(got.partition, due.partition);
    close(got.chained, due.chained);
    for (std::size_t k = 0; k < xs.size(); ++k) {
        close(got.weights[k].relative, due.relative[k]);
        close(got.weights[k].absolute, due.absolute[k]);
    }
}

}  // namespace

TEST(SmoothBound, IsTheFormulaOfItsProofBSmoothBWeights) {
    expect_the_formula({Format::f32, 1, {0.5, 0.25, -1}});
    expect_the_formula({Format::f32, 3, {0.5, 0.25, -1}});
    expect_the_formula({Format::f16, 2, {1, 1, 0.5, 3}});
    expect_the_formula({Format::f16, 1.5, {0.125}});
    expect_the_formula({Format::f16, 0.75, {2, -3, 1}, 5});
    expect_the_formula({Format::f32, 7, {-5, -4.5}, 3});
    expect_the_formula({Format::bf16, 5, {0.5, 0.25, 0.75, 0.75}, 1});
}

TEST(SmoothBound, TakesTheNormalForTheSubnormalWhereThatIsFlushedBSmoothBWeights) {
    expect_the_formula({Format::f16, 3, {1, 2, 0.5}, 0, Subnormals::may_flush});
    expect_the_formula({Format::bf16, 1, {0.25, 0.5}, 2, Subnormals::may_flush});
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
#include "oracle/expect/smooth_bound.hpp"

#include <algorithm>

namespace poolproof {

namespace {

Interval clamped(const Interval& a, const Interval& low, const Interval& high) {
    const Interval raised = larger(a, low);
    const Interval mirrored = larger(raised * Interval(Index{-1}), high * Interval(Index{-1}));
    return mirrored * Interval(Index{-1});
}

}  // namespace

Index smooth_precision(const std::vector<Interval>& xs, const Rational& beta) {
    Index exponent = 0;
    for (const auto& x : xs) exponent = std::max(exponent, x.exponent().value_or(0));
    return 192 + std::max<Index>(0, exponent + exponent_of(abs(beta)) + 1);
}

SmoothBound smooth_bound(const std::vector<Interval>& xs, const Rational& beta, const Rational& padding,
                         const Arithmetic& a) {
    const Interval zero(Index{0}), one(Index{1}), b(beta), b_size(Rational(abs(beta)));
    const Interval pads(padding), n(Rational(xs.size()) + padding);
    const bool padded = sign(padding) > 0;

    // The exponents, shifted by one fixed number near the largest, so that each input occurs once.
    std::vector<Interval> exponents;
    for (const auto& x : xs) exponents.push_back(x * b);
    Interval top = padded ? zero : exponents.front();
    Interval reach = padded ? zero : upper(abs(exponents.front()));  // M: the largest |beta x|
    for (const auto& t : exponents) {
        if (possibly_less(lower(top), lower(t))) top = t;
        reach = larger(reach, upper(abs(t)));
    }
    const Interval shift = lower(top);
    std::vector<Interval> terms;
    Interval sum = padded ? pads * exp(zero - shift) : zero;
    for (const auto& t : exponents) {
        terms.push_back(exp(t - shift));
        sum = sum + terms.back();
    }

    SmoothBound r;
    r.value = (shift + log(sum)) / b;
    for (const auto& t : terms) r.weights.push_back(t / sum);
    r.partition = sum;

    const bool flushes = a.policy.subnormals == Subnormals::may_flush;
    const Interval dust = flushes ? a.smallest_normal() : a.smallest_subnormal();
    const Interval u = a.unit_roundoff();
    const Interval ulps(Rational(static_cast<Index>(a.policy.elementary_ulp * 1024), 1024));
    const Interval quality = Interval(Index{2}) * ulps * u;  // epsilon: an ulp is at most 2u of the value
    const Interval log_n = upper(log(n));

    // An exponent's absolute error: 4uM(1 + u) for beta x - beta m as for beta (x - m), and products that
    // underflow.
    const Interval argument = Interval(Index{5}) * u * reach + Interval(Index{2}) * dust;
    // What a term of the sum may gain: its exponent, its exponential, n rescalings of a one-pass sum, n
    // additions.
    const Interval gained = argument + quality * (n + one) + u * Interval(Index{2}) * n;
    // Without a shift the sum may be as small as e^max; below the normal range that is a fault, not rounding.
    const Interval smallest = clamped(exp(top), a.smallest_normal(), one);
    const Interval underflow = upper(dust * (ulps + Interval(Index{2})) / smallest);
    const Interval of_sum = upper(exp(gained) - one + n * underflow);
    if (!surely_less(of_sum, one)) {
        r.hopeless = true;
        return r;
    }
    const Interval of_log = upper(zero - log(one - of_sum));
    const Interval magnitude = reach + log_n + of_log;
    const Interval scaled = of_log + (quality + Interval(Index{6}) * u) * magnitude;
    r.error = upper(scaled / b_size + Interval(Index{4}) * dust);
    r.size = upper((reach + log_n) / b_size);

    // A weight by division, or as exp(beta (x - y)) with the y above; 1.05 covers 1 / (1 - eps) <= e^(1.05
    // eps).
    const Interval ratio(Rational(21, 20));
    const Interval by_division =
        ratio * (argument + gained + quality + Interval(Index{3}) * u) + n * underflow;
    const Interval by_difference =
        ratio * (scaled + argument + Interval(Index{4}) * u * magnitude + quality) +
        Interval(Index{4}) * dust * b_size;
    r.weight_relative = upper(exp(larger(by_division, by_difference)) - one);
    r.weight_absolute = underflow + dust;
    return r;
}

}  // namespace poolproof

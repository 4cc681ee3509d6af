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
    if (!surely_less(quality, one)) {
        r.hopeless = true;
        return r;
    }
    // What a relative error changes of a logarithm: 1 - d >= e^-(-log(1 - d)), and 1 + d is no further off.
    const auto in_log = [&](const Interval& d) { return upper(zero - log(one - d)); };
    const Interval elementary = in_log(quality), operation = in_log(u);

    // Products that underflow; differences, and inputs that are subnormal in the format itself, that are
    // flushed.
    Interval lost = Interval(Index{2}) * dust;
    if (flushes) {
        const Interval normal(power_of_two(min_normal_exponent(a.result)));
        const bool subnormal_input = std::any_of(
            xs.begin(), xs.end(), [&](const Interval& x) { return possibly_less(abs(x), normal); });
        lost = lost + b_size * dust;
        if (subnormal_input) lost = lost + Interval(Index{2}) * b_size * normal;
    }
    // An exponent's absolute error: 4uM(1 + u) for beta x - beta m as for beta (x - m). What it changes of
    // the sum: 2uM(1 + u) for the products, and 2u(1 + u) of the mean distance to the largest, at most log n.
    const Interval argument = Interval(Index{5}) * u * reach + lost;
    const Interval in_sum =
        Interval(Index{2}) * u * (one + u) * reach + Interval(Index{3}) * u * log_n + lost;
    // What a term of the sum may gain: its exponent, its exponential, n rescalings of a one-pass sum, n
    // additions.
    const Interval gained = in_sum + elementary * (n + one) + operation * Interval(Index{2}) * n;
    // Without a shift the sum may be as small as e^max; below the normal range that is a fault, not rounding.
    const Interval smallest = clamped(exp(top), a.smallest_normal(), one);
    const Interval underflow = upper(dust * (ulps + Interval(Index{2})) / smallest);
    const Interval left = exp(zero - gained) - n * underflow;  // the least part of the sum that is left
    if (!surely_less(zero, left)) {
        r.hopeless = true;
        return r;
    }
    const Interval of_log = upper(zero - log(left));
    const Interval magnitude = reach + log_n + of_log;
    // With a shift the logarithm is small, and up to five operations follow; without, it is not, and two do.
    const Interval shifted = quality * (log_n + of_log) + Interval(Index{6}) * u * magnitude;
    const Interval unshifted = (quality + Interval(Index{3}) * u) * magnitude;
    Interval scaled = of_log + larger(shifted, unshifted);
    // A subnormal 1 / beta.
    if (possibly_less(one, b_size * a.smallest_normal())) scaled = scaled + magnitude * b_size * dust;
    r.error = upper(scaled / b_size + Interval(Index{4}) * dust);
    r.size = upper((reach + log_n) / b_size);

    // A weight by division, or as exp(beta (x - y)) with the y above: of a difference of at most this size.
    const Interval difference = Interval(Index{2}) * magnitude + scaled;
    const Interval by_division = of_log + argument + elementary + Interval(Index{3}) * operation;
    const Interval by_difference = scaled + lost + (Interval(Index{2}) + u) * u * difference + elementary +
                                   Interval(Index{4}) * dust * b_size;
    r.weight_relative = upper(exp(larger(by_division, by_difference)) - one);
    r.weight_absolute = upper(underflow * exp(of_log)) + dust;
    return r;
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// The bounds of a smooth maximum and of its weights as one formula [BSmooth], [BWeights], whatever it is
// evaluated in: intervals that decide, or doubles that are known to be near enough. The steps are those of
// docs/BOUNDS.md.
#pragma once

#include "oracle/expect/sum_error.hpp"

#include <poolproof/policy.hpp>

namespace poolproof {

/// (1 + a)(1 + b) - 1.
template <class N> N compounded(const N& a, const N& b) { return a + b + a * b; }

/// What the proof says of an arithmetic and of beta, before any window is seen. Numbers come with `exp`,
/// `log`, `log_of_more(x)` for log(1 + x), `log_of_less(x)` for -log(1 - x) (infinite from 1 on), `growth`,
/// `smaller`, `larger`, `upper` and `less(a, b, doubt)`, which says by `doubt` that it does not know.
template <class N> struct SmoothErrors {
    N one{Index{1}};
    N beta;    ///< its size
    N unit;    ///< one rounding, a double one at worst
    N normal;  ///< the accumulator's smallest
    bool flushes;
    bool exact_scaling;     ///< by a power of two
    bool small_reciprocal;  ///< 1 / beta is subnormal
    N dust;                 ///< what underflow takes
    N flushed_input;        ///< the least input that is not flushed
    N ulps, quality;        ///< q, and epsilon: an ulp is at most 2u of the value
    N elementary, operation;
    N slope;                ///< b: what an exponent is off per distance to the largest
    N log_least, log_most;  ///< from where to where a sum without a shift stays in the range

    /// `of_power` gives 2^e; what is said of beta is exact.
    template <class OfPower>
    SmoothErrors(Format result, Format accumulator, const Policy& policy, const N& beta_size,
                 bool beta_is_power_of_two, bool beta_reciprocal_is_small, OfPower of_power)
        : beta(beta_size),
          unit(of_power(-precision(accumulator)) * (one + of_power(-finer_by))),
          normal(of_power(min_normal_exponent(accumulator))),
          flushes(policy.subnormals == Subnormals::may_flush),
          exact_scaling(beta_is_power_of_two),
          small_reciprocal(beta_reciprocal_is_small),
          dust(flushes ? normal : of_power(min_exponent(accumulator))),
          flushed_input(of_power(min_normal_exponent(result))),
          ulps(number(static_cast<Index>(policy.elementary_ulp * 1024)) * of_power(-10)),
          quality(number(2) * ulps * unit),
          elementary(log_of_less(quality)),
          operation(log_of_less(unit)),
          slope(number(2) * unit + number(4) * unit * unit),
          log_least(log(number(2)) * number(min_normal_exponent(accumulator) - 2)),
          log_most(log(number(2)) * number(max_exponent(accumulator) + 3)) {}

    static N number(Index n) { return N(n); }

    /// e^(b g) - 1, from above.
    N spread(const N& distance, bool& doubt) const {
        const N d = slope * distance;
        return upper(less(d, one / number(16), doubt) ? d / (one - d) : growth(d, one));
    }

    /// What so many rescalings make of a term, less 1.
    N rescaled(Index rank) const { return growth(elementary + operation, number(rank)); }

    /// What the underflow of products and differences, and flushed inputs, take from an exponent.
    N lost(bool subnormal_input) const {
        N products = number(2) * dust;
        if (!flushes) return products;
        const N inputs = subnormal_input ? number(2) * beta * flushed_input : number(0);
        return products + beta * dust + inputs;
    }

    /// What changes of the logarithm of a sum that is off by a factor up to e^gained and loses a part beside:
    /// -log(e^-gained - part e^gained).
    N of_sum(const N& gained, const N& part) const {
        return upper(gained + log_of_less(part * (one + growth(number(2) * gained, one))));
    }
};

/// What is known of a window: its exponents lie below T, which is itself one of them.
template <class N> struct SmoothWindow {
    N count, log_count;  ///< n
    N sum, log_sum;      ///< s, from above
    N least_top, top;    ///< T, or two that enclose it
    N top_size;          ///< |T|
    N lost;              ///< see `SmoothErrors::lost`
    N equal;             ///< the sum of what rescalings add
};

/// The error of beta y and what the weights' errors have in common.
template <class N> struct SmoothError {
    N scaled;      ///< of beta y
    N value;       ///< of y
    N common;      ///< of a weight's logarithm, but for its distance to the largest exponent
    N chained;     ///< what the chain rule's partial products may lose of a term
    N absolute;    ///< of a weight, beyond what is relative to it
    N reciprocal;  ///< what a subnormal 1 / beta is off by, relative to itself
};

/// `weighted(a)` is the mean of what rescalings add under weights that are off by up to e^a and by their own
/// distances.
template <class N, class Weighted>
SmoothError<N> smooth_error(const SmoothErrors<N>& by, const SmoothWindow<N>& w, Weighted weighted,
                            bool& doubt) {
    const auto number = [](Index n) { return N(n); };
    const N &u = by.unit, &one = by.one, &top = w.top_size;
    // 1. and 2. An exponent at distance g is off by c + b g, and the logarithm of the sum by c + 3u log n.
    const N of_product = by.exact_scaling ? number(0) : u * (one + number(2) * u) * top;
    const N c = of_product + w.lost;
    const N of_exponents = c + number(3) * u * w.log_count;
    // 3. to 5. The sum of rounded exponentials, with a shift, and without where that stays in the range.
    const N tiny = by.dust * (by.ulps + number(2));
    const N plain = by.elementary + by.operation * (w.count + one);
    const N rescalings = upper(log_of_more(smaller(weighted(c + of_exponents), w.equal / w.count)));
    const N shifted_sum = by.of_sum(plain + rescalings, w.count * tiny);
    const bool needs_no_shift = less(by.log_least, w.top, doubt) && less(w.least_top, by.log_most, doubt);
    N smallest = one;
    if (needs_no_shift) smallest = smaller(one, larger(exp(w.least_top - c), by.normal));
    const N plain_sum = needs_no_shift ? by.of_sum(plain, w.count * tiny / smallest) : number(0);
    // 6. The logarithm, and what follows it: with exact scaling one sum, whose rounding does not pass `top`.
    const N known = w.log_sum + of_exponents;
    const N logarithm = (one + by.quality) * (smaller(w.log_count, known) + shifted_sum);
    const N magnitude = (one + number(2) * u) * top + logarithm;
    const N last = by.exact_scaling ? smaller(u * magnitude, logarithm) : growth(u, number(3)) * magnitude;
    N rest = shifted_sum + by.quality * logarithm + last;
    if (needs_no_shift) {
        const N after = by.exact_scaling ? number(0) : growth(u, number(2)) * (one + by.quality);
        rest = larger(rest, plain_sum + (by.quality + after) * (top + c + w.log_count + plain_sum));
    }
    N scaled = of_exponents + rest + (by.ulps + number(4)) * by.dust;
    if (by.small_reciprocal) scaled = scaled + magnitude * by.beta * by.dust;

    // Weights by division, or as exp(beta (x - y)) or exp(beta x - beta y) with the y above.
    const N of_log = larger(shifted_sum, plain_sum);
    const N by_division = of_exponents + of_log + c + of_product;
    const N by_difference = scaled + w.lost + number(2) * of_product + by.slope * (logarithm + scaled) +
                            number(4) * by.dust * by.beta;
    const N common = larger(by_division, by_difference) + by.elementary + number(6) * by.operation;
    // Partial products with beta and 1 / beta, in any order, underflow before the other factor comes.
    const N chained = number(by.flushes ? 4 : 2) * by.dust * (by.beta + one / by.beta);
    const N absolute = upper(tiny / smallest * (one + growth(of_log, one))) + by.dust + chained;
    return {scaled,   upper(scaled / by.beta + number(4) * by.dust),      common, chained,
            absolute, by.small_reciprocal ? by.dust * by.beta : number(0)};
}

/// How far a weight may be off, relative to itself and beyond that.
template <class N> struct WeightError { N relative, absolute; };

/// At a distance below the largest exponent from above, and `gap` above it from above.
template <class N>
WeightError<N> weight_error(const SmoothErrors<N>& by, const SmoothError<N>& window, const N& distance,
                            const N& gap, const N& sum, bool& doubt) {
    const N grown = growth(window.common, by.one);
    const N relative = upper(compounded(compounded(grown, window.reciprocal), by.spread(distance, doubt)));
    if (less(relative, by.one, doubt)) return {relative, window.absolute};
    // A weight that is next to nothing stays so, however far its exponent is off.
    const N whole = exp(window.common + by.slope * distance + gap) * (by.one + window.reciprocal) / sum;
    return {N(Index{0}), window.absolute + upper(whole)};
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
#include "oracle/expect/smooth_bound.hpp"

#include <algorithm>

namespace poolproof {

namespace {

Interval number(Index n) { return Interval(n); }

/// As a bound: that nothing is proved.
Interval unbounded() { return upper(number(1) / number(0)); }

/// What a relative error changes of a logarithm: 1 - d >= e^-(-log(1 - d)), and 1 + d is no further off.
Interval in_log(const Interval& d) {
    return surely_less(d, number(1)) ? upper(number(0) - log(number(1) - d)) : unbounded();
}

Interval smaller(const Interval& a, const Interval& b) { return possibly_less(upper(a), upper(b)) ? a : b; }

/// An exponent t = beta x, or all of padding's.
struct Term {
    Interval t, count{Index{1}};
    Interval share{Index{0}};     ///< count e^(t - shift)
    Interval distance{Index{0}};  ///< g: how far below the largest exponent it is at most
    std::size_t rank = 0;         ///< how many different exponents may be above it
};

/// A window's exponents, and what is exact about them.
struct Exponents {
    std::vector<Term> terms;                      ///< the inputs' in order, then padding's
    Interval shift{Index{0}}, highest{Index{0}};  ///< about the largest one: a fixed number, an upper bound
    Interval reach{Index{0}};                     ///< R: the largest |t|
    Interval sum{Index{0}}, count{Index{0}};      ///< of shares; n

    Exponents(const std::vector<Interval>& xs, const Interval& beta, const Rational& padding) {
        for (const auto& x : xs) terms.push_back({x * beta});
        if (poolproof::sign(padding) > 0) terms.push_back({number(0), Interval(padding)});
        shift = highest = terms.front().t;
        for (const Term& one : terms) {
            shift = larger(shift, one.t);
            highest = larger(highest, one.t);
            reach = larger(reach, upper(abs(one.t)));
            count = count + one.count;
        }
        shift = lower(shift);
        highest = upper(highest);
        for (Term& one : terms) {
            one.share = one.count * exp(one.t - shift);
            one.distance = upper(highest - one.t);
            sum = sum + one.share;
        }
        rank();
    }

    /// |T|: the size of the largest exponent.
    Interval top_size() const { return larger(upper(abs(shift)), upper(abs(highest))); }

private:
    void rank() {
        std::vector<Interval> tops;
        for (const Term& one : terms) tops.push_back(upper(one.t));
        const auto less = [](const Interval& a, const Interval& b) { return surely_less(a, b); };
        std::sort(tops.begin(), tops.end(), less);
        const auto same = [](const Interval& a, const Interval& b) { return !surely_less(a, b); };
        const bool known = std::all_of(terms.begin(), terms.end(),
                                       [&](const Term& one) { return same(lower(one.t), upper(one.t)); });
        if (known) tops.erase(std::unique(tops.begin(), tops.end(), same), tops.end());
        for (Term& one : terms) {
            const auto above = std::upper_bound(tops.begin(), tops.end(), lower(one.t), less);
            one.rank = static_cast<std::size_t>(tops.end() - above);
        }
    }
};

/// What the proof says of the arithmetic alone.
struct Errors {
    const Arithmetic& a;
    bool flushes;
    Interval u;              ///< one rounding, a double one at worst
    Interval dust;           ///< what underflow takes
    Interval ulps, quality;  ///< q, and epsilon: an ulp is at most 2u of the value
    Interval elementary, operation;
    Interval slope;  ///< b: what an exponent is off per distance to the largest

    explicit Errors(const Arithmetic& arithmetic)
        : a(arithmetic),
          flushes(a.policy.subnormals == Subnormals::may_flush),
          u(a.unit_roundoff() * Interval(Rational(2049, 2048))),
          dust(flushes ? a.smallest_normal() : a.smallest_subnormal()),
          ulps(Rational(static_cast<Index>(a.policy.elementary_ulp * 1024), 1024)),
          quality(number(2) * ulps * u),
          elementary(in_log(quality)),
          operation(in_log(u)),
          slope(number(2) * u + number(4) * u * u) {}

    /// e^(b g), from above.
    Interval spread(const Interval& distance) const {
        const Interval d = slope * distance;
        const bool small = surely_less(d, Interval(Rational(1, 16)));
        return upper(small ? number(1) / (number(1) - d) : exp(d));
    }

    /// What the underflow of products and differences, and flushed inputs, take from an exponent.
    Interval lost(const std::vector<Interval>& xs, const Interval& beta_size) const {
        const Interval products = number(2) * dust;
        if (!flushes) return products;
        const Interval normal(power_of_two(min_normal_exponent(a.result)));
        const bool subnormal_input = std::any_of(
            xs.begin(), xs.end(), [&](const Interval& x) { return possibly_less(abs(x), normal); });
        const Interval inputs = subnormal_input ? number(2) * beta_size * normal : number(0);
        return products + beta_size * dust + inputs;
    }

    /// What changes of the logarithm of a sum that is off by a factor up to e^gained and loses a part beside.
    Interval of_sum(const Interval& gained, const Interval& part) const {
        const Interval left = exp(number(0) - gained) - part * exp(gained);
        return surely_less(number(0), left) ? upper(number(0) - log(left)) : unbounded();
    }
};

/// What rescaling adds to the logarithm of the sum where cells are taken one by one: a mean of (1 + d)^rank
/// under the weights that the rounded exponents have. It is at most the one under equal weights.
Interval rescalings(const Exponents& e, const Errors& by, const Interval& of_exponents) {
    const Interval once = exp(by.elementary + by.operation), moved = exp(of_exponents);
    std::vector<Interval> powers{number(1)};
    Interval weighted = number(0), equal = number(0);
    for (const Term& one : e.terms) {
        while (powers.size() <= one.rank) powers.push_back(powers.back() * once);
        if (one.rank == 0) continue;
        const Interval more = powers[one.rank] - number(1);
        equal = equal + one.count * more;
        weighted = weighted + one.share * by.spread(one.distance) * more;
    }
    return upper(log(number(1) + smaller(weighted * moved / e.sum, equal / e.count)));
}

}  // namespace

Index smooth_precision(const std::vector<Interval>& xs, const Rational& beta) {
    Index exponent = 0;
    for (const auto& x : xs) exponent = std::max(exponent, x.exponent().value_or(0));
    return 192 + std::max<Index>(0, exponent + exponent_of(abs(beta)) + 1);
}

SmoothBound smooth_bound(const std::vector<Interval>& xs, const Rational& beta, const Rational& padding,
                         const Arithmetic& a) {
    const Interval one(Index{1}), b_size(Rational(abs(beta)));
    const Exponents e(xs, Interval(beta), padding);
    const Errors by(a);
    const Interval& u = by.u;
    const Interval log_n = upper(log(e.count)), top = e.top_size();

    SmoothBound r;
    r.value = (e.shift + log(e.sum)) / Interval(beta);
    r.partition = e.sum;
    r.size = upper((e.reach + log_n) / b_size);

    // A power of two scales without rounding.
    const bool exact_scaling = power_of_two(exponent_of(abs(beta))) == abs(beta);
    // 1. and 2. An exponent at distance g is off by c + b g, and the logarithm of the sum by c + 3u log n.
    const Interval lost = by.lost(xs, b_size);
    const Interval of_product = exact_scaling ? number(0) : u * (one + number(2) * u) * top;
    const Interval c = of_product + lost;
    const Interval of_exponents = c + number(3) * u * log_n;
    // 3. to 5. The sum of rounded exponentials, with a shift, and without where that stays in the range.
    const Interval tiny = by.dust * (by.ulps + number(2));
    const Interval plain = by.elementary + by.operation * (e.count + one);
    const Interval shifted_sum = by.of_sum(plain + rescalings(e, by, c + of_exponents), e.count * tiny);
    const Interval beyond(power_of_two(max_exponent(a.accumulator) + 3));
    const bool needs_no_shift =
        possibly_less(a.smallest_normal(), number(4) * exp(e.highest)) && possibly_less(exp(e.shift), beyond);
    Interval smallest = one;
    if (needs_no_shift) smallest = smaller(one, larger(exp(e.shift - c), a.smallest_normal()));
    const Interval plain_sum = needs_no_shift ? by.of_sum(plain, e.count * tiny / smallest) : number(0);
    // 6. The logarithm, and what follows it: with exact scaling one sum, whose rounding does not pass `top`.
    const Interval known = upper(log(e.sum)) + of_exponents;
    const Interval logarithm = (one + by.quality) * (smaller(log_n, known) + shifted_sum);
    const Interval magnitude = (one + number(2) * u) * top + logarithm;
    const Interval last =
        exact_scaling ? smaller(u * magnitude, logarithm) : growth(u, number(3)) * magnitude;
    Interval rest = shifted_sum + by.quality * logarithm + last;
    if (needs_no_shift) {
        const Interval after = exact_scaling ? number(0) : growth(u, number(2)) * (one + by.quality);
        rest = larger(rest, plain_sum + (by.quality + after) * (top + c + log_n + plain_sum));
    }
    Interval scaled = of_exponents + rest + (by.ulps + number(4)) * by.dust;
    const bool small_reciprocal = possibly_less(one, b_size * a.smallest_normal());
    if (small_reciprocal) scaled = scaled + magnitude * b_size * by.dust;
    r.error = upper(scaled / b_size + number(4) * by.dust);

    // Weights by division, or as exp(beta (x - y)) or exp(beta x - beta y) with the y above.
    const Interval of_log = larger(shifted_sum, plain_sum);
    const Interval by_division = of_exponents + of_log + c + of_product;
    const Interval by_difference = scaled + lost + number(2) * of_product + by.slope * (logarithm + scaled) +
                                   number(4) * by.dust * b_size;
    const Interval common = larger(by_division, by_difference) + by.elementary + number(6) * by.operation;
    const Interval reciprocal = small_reciprocal ? one + by.dust * b_size : one;
    // Partial products with beta and 1 / beta, in any order, underflow before the other factor comes.
    r.chained = number(by.flushes ? 4 : 2) * by.dust * (b_size + one / b_size);
    const Interval absolute = upper(tiny / smallest * exp(of_log)) + by.dust + r.chained;
    for (std::size_t k = 0; k < xs.size(); ++k) {
        const Term& term = e.terms[k];
        SmoothBound::Weight w{term.share / e.sum, number(0), absolute};
        const Interval relative = upper(exp(common) * reciprocal * by.spread(term.distance) - one);
        if (surely_less(relative, one))
            w.relative = relative;
        else  // a weight that is next to nothing stays so, however far its exponent is off
            w.absolute = absolute + upper(exp(common + by.slope * term.distance + upper(term.t) - e.shift) *
                                          reciprocal / e.sum);
        r.weights.push_back(std::move(w));
    }
    return r;
}

}  // namespace poolproof

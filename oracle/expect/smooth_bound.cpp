// SPDX-License-Identifier: Apache-2.0
#include "oracle/expect/smooth_bound.hpp"

#include <algorithm>

namespace poolproof {

namespace {

Interval number(Index n) { return Interval(n); }

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

using Errors = SmoothErrors<Interval>;

Errors errors_of(const Arithmetic& a, const Rational& beta) {
    const Interval b(Rational(abs(beta)));
    const bool power = power_of_two(exponent_of(abs(beta))) == abs(beta);
    const bool small_reciprocal = possibly_less(number(1), b * a.smallest_normal());
    return {a.result, a.accumulator, a.policy, b, power, small_reciprocal, [](Index e) {
                return Interval::power_of_two(e);
            }};
}

/// Sums over the terms of what rescalings add, under equal weights and under the exact ones.
struct Rescaled {
    Interval equal = number(0), weighted = number(0);
};

Rescaled rescaled(const Exponents& e, const Errors& by) {
    Rescaled r;
    bool doubt = false;
    for (const Term& one : e.terms) {
        if (one.rank == 0) continue;
        const Interval more = by.rescaled(static_cast<Index>(one.rank));
        r.equal = r.equal + one.count * more;
        r.weighted = r.weighted + one.share * (by.one + by.spread(one.distance, doubt)) * more;
    }
    return r;
}

SmoothError<Interval> error_of(const Exponents& e, const Errors& by, const std::vector<Interval>& xs) {
    const Rescaled sums = rescaled(e, by);
    const bool subnormal_input = std::any_of(
        xs.begin(), xs.end(), [&](const Interval& x) { return possibly_less(abs(x), by.flushed_input); });
    const SmoothWindow<Interval> window{
        e.count,      upper(log(e.count)),      e.sum,     upper(log(e.sum)), e.shift, e.highest,
        e.top_size(), by.lost(subnormal_input), sums.equal};
    bool doubt = false;
    const auto weighted = [&](const Interval& moved) {
        return sums.weighted * (by.one + growth(moved, by.one)) / e.sum;
    };
    return smooth_error(by, window, weighted, doubt);
}

}  // namespace

Index smooth_precision(const std::vector<Interval>& xs, const Rational& beta) {
    Index exponent = 0;
    for (const auto& x : xs) exponent = std::max(exponent, x.exponent().value_or(0));
    return 192 + std::max<Index>(0, exponent + exponent_of(abs(beta)) + 1);
}

SmoothBounds::SmoothBounds(const Rational& beta, const Arithmetic& a)
    : beta_(beta), errors_([&] {
          const WorkingPrecision scope(error_precision);
          return errors_of(a, beta);
      }()) {}

SmoothBound SmoothBounds::of(const std::vector<Interval>& xs, const Rational& padding) const {
    const Exponents e(xs, Interval(beta_), padding);
    SmoothBound r;
    r.value = (e.shift + log(e.sum)) / Interval(beta_);
    r.partition = e.sum;
    for (std::size_t k = 0; k < xs.size(); ++k)
        r.weights.push_back({e.terms[k].share / e.sum, number(0), number(0)});

    const WorkingPrecision scope(error_precision);
    const SmoothError<Interval> error = error_of(e, errors_, xs);
    bool doubt = false;
    r.error = error.value;
    r.size = upper((e.reach + upper(log(e.count))) / errors_.beta);
    r.chained = error.chained;
    for (std::size_t k = 0; k < xs.size(); ++k) {
        const Term& term = e.terms[k];
        auto w = weight_error(errors_, error, term.distance, upper(term.t) - e.shift, e.sum, doubt);
        r.weights[k].relative = std::move(w.relative);
        r.weights[k].absolute = std::move(w.absolute);
    }
    return r;
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// Sums of rational multiples of e to rational powers, and fractions of such sums: the numbers that one smooth
// maximum and its derivatives are made of. By Lindemann and Weierstrass such a sum is 0 only if every
// coefficient is, so equality is decided by grouping equal exponents, without a single digit of e.
#pragma once

#include "oracle/scalar/interval.hpp"

#include <compare>
#include <memory>
#include <vector>

namespace poolproof {

class ExpSum {
public:
    struct Term {
        Rational exponent, coefficient;
        friend bool operator==(const Term&, const Term&) = default;
    };

    ExpSum() : ExpSum(std::vector<Term>{}) {}
    /// coefficient * e^exponent.
    ExpSum(const Rational& coefficient, const Rational& exponent);

    /// Exponents strictly descending, coefficients not 0.
    const std::vector<Term>& terms() const { return *terms_; }
    bool is_zero() const { return terms_->empty(); }
    /// Whether it is the plain number 1.
    bool is_one() const;

    friend ExpSum operator+(const ExpSum& a, const ExpSum& b);
    friend ExpSum operator*(const ExpSum& a, const ExpSum& b);
    /// coefficient * e^exponent times the sum. Requires coefficient != 0.
    ExpSum scaled(const Rational& coefficient, const Rational& exponent) const;

    Interval enclosure() const;
    friend bool operator==(const ExpSum& a, const ExpSum& b) {
        return a.terms_ == b.terms_ || *a.terms_ == *b.terms_;
    }

private:
    explicit ExpSum(std::vector<Term> terms)
        : terms_(std::make_shared<const std::vector<Term>>(std::move(terms))) {}

    std::shared_ptr<const std::vector<Term>>
        terms_;  // shared: every weight of a window has the same denominator
};

/// A quotient of two sums; the denominator begins with 1 e^0, and is 1 for a plain sum.
struct Fraction {
    ExpSum numerator, denominator;

    /// The rational it is, if it is one: both sums hold the same exponents in one proportion.
    std::optional<Rational> rational() const;
    Interval enclosure() const { return numerator.enclosure() / denominator.enclosure(); }
    friend bool operator==(const Fraction&, const Fraction&) = default;
};

/// Requires a denominator that is not zero; brings it to its form.
Fraction fraction(ExpSum numerator, const ExpSum& denominator);

/// The sum of several fractions as one, or nothing if a product on the way has more than `max_terms` terms.
std::optional<Fraction> combined(const std::vector<Fraction>& fractions, std::size_t max_terms);

/// A total order on denominators that has no meaning but to group equal ones.
std::strong_ordering order(const ExpSum& a, const ExpSum& b);

}  // namespace poolproof

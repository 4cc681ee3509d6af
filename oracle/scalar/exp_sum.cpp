// SPDX-License-Identifier: Apache-2.0
#include "oracle/scalar/exp_sum.hpp"

#include <algorithm>

namespace poolproof {

ExpSum::ExpSum(const Rational& coefficient, const Rational& exponent) {
    if (!coefficient.is_zero()) terms_.push_back({exponent, coefficient});
}

ExpSum operator+(const ExpSum& a, const ExpSum& b) {
    ExpSum r;
    r.terms_.reserve(a.terms_.size() + b.terms_.size());
    auto i = a.terms_.begin();
    auto j = b.terms_.begin();
    while (i != a.terms_.end() || j != b.terms_.end()) {
        const int which = i == a.terms_.end()   ? -1
                          : j == b.terms_.end() ? 1
                                                : i->exponent.compare(j->exponent);
        if (which == 0) {
            Rational sum = i->coefficient + j->coefficient;
            if (!sum.is_zero()) r.terms_.push_back({i->exponent, std::move(sum)});
            ++i, ++j;
        } else {
            r.terms_.push_back(which > 0 ? *i++ : *j++);
        }
    }
    return r;
}

ExpSum operator*(const ExpSum& a, const ExpSum& b) {
    std::vector<ExpSum::Term> products;
    products.reserve(a.terms_.size() * b.terms_.size());
    for (const auto& x : a.terms_)
        for (const auto& y : b.terms_)
            products.push_back({x.exponent + y.exponent, x.coefficient * y.coefficient});
    std::sort(products.begin(), products.end(),
              [](const auto& x, const auto& y) { return x.exponent > y.exponent; });
    ExpSum r;
    for (auto& t : products) {
        if (!r.terms_.empty() && r.terms_.back().exponent == t.exponent)
            r.terms_.back().coefficient += t.coefficient;
        else
            r.terms_.push_back(std::move(t));
    }
    std::erase_if(r.terms_, [](const auto& t) { return t.coefficient.is_zero(); });
    return r;
}

ExpSum ExpSum::scaled(const Rational& coefficient, const Rational& exponent) const {
    ExpSum r = *this;
    for (auto& t : r.terms_) {
        t.coefficient *= coefficient;
        t.exponent += exponent;
    }
    return r;
}

Interval ExpSum::enclosure() const {
    Interval sum(Index{0});
    for (const auto& t : terms_)
        sum = sum + (t.exponent.is_zero() ? Interval(t.coefficient)
                                          : Interval(t.coefficient) * exp(Interval(t.exponent)));
    return sum;
}

std::optional<Rational> Fraction::rational() const {
    const auto& n = numerator.terms();
    const auto& d = denominator.terms();
    if (n.empty()) return Rational(0);
    if (n.size() != d.size()) return std::nullopt;
    const Rational ratio = n.front().coefficient / d.front().coefficient;
    for (std::size_t k = 0; k < n.size(); ++k)
        if (n[k].exponent != d[k].exponent || n[k].coefficient != ratio * d[k].coefficient)
            return std::nullopt;
    return ratio;
}

Fraction fraction(ExpSum numerator, const ExpSum& denominator) {
    const auto& lead = denominator.terms().front();
    const Rational scale = Rational(1) / lead.coefficient;
    const Rational shift = -lead.exponent;
    return {numerator.is_zero() ? std::move(numerator) : numerator.scaled(scale, shift),
            denominator.scaled(scale, shift)};
}

std::optional<Fraction> combined(const std::vector<Fraction>& fractions, std::size_t max_terms) {
    Fraction sum{{}, ExpSum(1, 0)};
    for (const Fraction& f : fractions) {
        const auto fits = [&](const ExpSum& a, const ExpSum& b) {
            return a.terms().size() * b.terms().size() <= max_terms;
        };
        if (!fits(sum.numerator, f.denominator) || !fits(f.numerator, sum.denominator) ||
            !fits(sum.denominator, f.denominator))
            return std::nullopt;
        sum.numerator = sum.numerator * f.denominator + f.numerator * sum.denominator;
        sum.denominator = sum.denominator * f.denominator;
    }
    return sum;
}

std::strong_ordering order(const ExpSum& a, const ExpSum& b) {
    const auto& x = a.terms();
    const auto& y = b.terms();
    if (const auto c = x.size() <=> y.size(); c != 0) return c;
    for (std::size_t k = 0; k < x.size(); ++k) {
        if (const int c = x[k].exponent.compare(y[k].exponent)) return c <=> 0;
        if (const int c = x[k].coefficient.compare(y[k].coefficient)) return c <=> 0;
    }
    return std::strong_ordering::equal;
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
#include "oracle/scalar/exp_sum.hpp"

#include <algorithm>

namespace poolproof {

ExpSum::ExpSum(const Rational& coefficient, const Rational& exponent)
    : ExpSum(coefficient.is_zero() ? std::vector<Term>{} : std::vector<Term>{{exponent, coefficient}}) {}

bool ExpSum::is_one() const {
    return terms_->size() == 1 && terms_->front().exponent.is_zero() && terms_->front().coefficient == 1;
}

ExpSum operator+(const ExpSum& a, const ExpSum& b) {
    if (a.is_zero()) return b;
    if (b.is_zero()) return a;
    std::vector<ExpSum::Term> sum;
    sum.reserve(a.terms().size() + b.terms().size());
    auto i = a.terms().begin();
    auto j = b.terms().begin();
    while (i != a.terms().end() || j != b.terms().end()) {
        const int which = i == a.terms().end()   ? -1
                          : j == b.terms().end() ? 1
                                                 : i->exponent.compare(j->exponent);
        if (which == 0) {
            Rational both = i->coefficient + j->coefficient;
            if (!both.is_zero()) sum.push_back({i->exponent, std::move(both)});
            ++i, ++j;
        } else {
            sum.push_back(which > 0 ? *i++ : *j++);
        }
    }
    return ExpSum(std::move(sum));
}

ExpSum operator*(const ExpSum& a, const ExpSum& b) {
    if (a.is_one() || b.is_zero()) return b;
    if (b.is_one() || a.is_zero()) return a;
    std::vector<ExpSum::Term> products;
    products.reserve(a.terms().size() * b.terms().size());
    for (const auto& x : a.terms())
        for (const auto& y : b.terms())
            products.push_back({x.exponent + y.exponent, x.coefficient * y.coefficient});
    if (a.terms().size() > 1 && b.terms().size() > 1)
        std::sort(products.begin(), products.end(),
                  [](const auto& x, const auto& y) { return x.exponent > y.exponent; });
    std::vector<ExpSum::Term> grouped;
    for (auto& t : products) {
        if (!grouped.empty() && grouped.back().exponent == t.exponent)
            grouped.back().coefficient += t.coefficient;
        else
            grouped.push_back(std::move(t));
    }
    std::erase_if(grouped, [](const auto& t) { return t.coefficient.is_zero(); });
    return ExpSum(std::move(grouped));
}

ExpSum ExpSum::scaled(const Rational& coefficient, const Rational& exponent) const {
    if (coefficient == 1 && exponent.is_zero()) return *this;
    std::vector<Term> r = *terms_;
    for (auto& t : r) {
        t.coefficient *= coefficient;
        t.exponent += exponent;
    }
    return ExpSum(std::move(r));
}

Interval ExpSum::enclosure() const {
    Interval sum(Index{0});
    for (const auto& t : terms())
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

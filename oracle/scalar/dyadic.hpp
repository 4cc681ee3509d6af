// SPDX-License-Identifier: Apache-2.0
// An integer times a power of two: the form of every finite input, closed under sums and products, never
// rounded.
#pragma once

#include "oracle/scalar/concepts.hpp"

#include <algorithm>

namespace poolproof {

class Dyadic {
public:
    explicit Dyadic(Index n = 0) : significand_(n) {}
    Dyadic(Integer significand, Index exponent) : significand_(std::move(significand)), exponent_(exponent) {}

    friend Dyadic operator+(const Dyadic& a, const Dyadic& b) {
        const Index e = std::min(a.exponent_, b.exponent_);
        return {a.at(e) + b.at(e), e};
    }
    friend Dyadic operator-(const Dyadic& a, const Dyadic& b) {
        return a + Dyadic(-b.significand_, b.exponent_);
    }
    friend Dyadic operator*(const Dyadic& a, const Dyadic& b) {
        return {a.significand_ * b.significand_, a.exponent_ + b.exponent_};
    }
    friend bool is_exactly_zero(const Dyadic& a) { return a.significand_.is_zero(); }
    friend std::optional<int> compare(const Dyadic& a, const Dyadic& b) {
        const Index e = std::min(a.exponent_, b.exponent_);
        return a.at(e).compare(b.at(e));
    }

    Rational rational() const { return Rational(significand_) * power_of_two(exponent_); }

private:
    /// The significand on the grid 2^e. Requires e <= exponent_.
    Integer at(Index e) const { return significand_ << static_cast<std::size_t>(exponent_ - e); }

    Integer significand_;
    Index exponent_ = 0;
};

/// The value of a finite pattern of a floating format.
inline Dyadic dyadic_value(Format f, Bits b) {
    if (is_integer(f)) return {numerator_of(rational_value(f, b)), 0};
    const Decoded d = decoded(f, b);
    return {Integer(d.steps), d.steps == 0 ? 0 : d.exponent};
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// What a scalar can do decides what may be asked of it. A number type offers what it honestly can; an
// operator names the least it needs, and the compiler refuses the rest: a smooth maximum of rationals has no
// rational value.
#pragma once

#include "oracle/scalar/rational.hpp"

#include <cmath>
#include <concepts>
#include <optional>

namespace poolproof {

/// The sign of a - b, or nothing where the scalar cannot tell.
inline std::optional<int> compare(const Rational& a, const Rational& b) { return a.compare(b); }
inline std::optional<int> compare(double a, double b) { return a < b ? -1 : a > b ? 1 : 0; }

inline bool is_exactly_zero(const Rational& a) { return a.is_zero(); }
inline bool is_exactly_zero(double a) { return a == 0; }

template <class S>
concept Ring = std::copyable<S> && requires(const S& a, const S& b, Index n) {
    { a + b } -> std::convertible_to<S>;
    { a* b } -> std::convertible_to<S>;
    S(n);
};

template <class S>
concept Field = Ring<S> && requires(const S& a, const S& b) {
    { a / b } -> std::convertible_to<S>;
};

template <class S>
concept Ordered = std::copyable<S> && requires(const S& a, const S& b) {
    { compare(a, b) } -> std::convertible_to<std::optional<int>>;
};

template <class S>
concept Analytic = Field<S> && requires(const S& a) {
    { exp(a) } -> std::convertible_to<S>;
    { log(a) } -> std::convertible_to<S>;
};

}  // namespace poolproof

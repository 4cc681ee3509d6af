// SPDX-License-Identifier: Apache-2.0
// Arithmetic on normalised pairs, without fused operations. With u = 2^-53 a sum is off by 3.1 u^2 of itself,
// a product by 7 u^2, a quotient by 2^-100; as long as nothing is above 2^900, and no product that is not 0
// below 2^-900 (docs/BOUNDS.md, section 7).
#pragma once

#include "oracle/certified/pair.hpp"

namespace poolproof::certified {

/// The upper 26 bits of a significand; what is left has 26 as well.
inline double upper_half(double a) {
    const double c = 0x1.0000002p+27 * a;  // 2^27 + 1
    return c - (c - a);
}

/// a b exactly (Dekker).
inline Pair two_product(double a, double b) {
    const double p = a * b, a1 = upper_half(a), b1 = upper_half(b), a2 = a - a1, b2 = b - b1;
    return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

inline Pair operator-(const Pair& a) { return {-a.high, -a.low}; }

inline Pair operator+(const Pair& a, const Pair& b) {
    const Pair s = two_sum(a.high, b.high), t = two_sum(a.low, b.low);
    const Pair v = fast_two_sum(s.high, s.low + t.high);
    return fast_two_sum(v.high, t.low + v.low);
}
inline Pair operator-(const Pair& a, const Pair& b) { return a + -b; }

inline Pair operator*(const Pair& a, const Pair& b) {
    const Pair p = two_product(a.high, b.high);
    return fast_two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
inline Pair operator*(const Pair& a, double b) {
    const Pair p = two_product(a.high, b);
    return fast_two_sum(p.high, p.low + a.low * b);
}

inline Pair operator/(const Pair& a, const Pair& b) {
    const double q = a.high / b.high;
    const Pair p = two_product(q, b.high);
    const double rest = ((a.high - p.high) - p.low) + (a.low - q * b.low);
    return fast_two_sum(q, rest / b.high);
}

}  // namespace poolproof::certified

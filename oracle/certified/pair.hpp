// SPDX-License-Identifier: Apache-2.0
// Unevaluated sums of two doubles: what an addition or a division leaves over is kept, not rounded away.
// Exact as long as nothing overflows and no quotient underflows; additions never underflow.
#pragma once

#include <cmath>

namespace poolproof::certified {

/// The number high + low; normalised where |low| is at most half a step of high.
struct Pair {
    double high = 0, low = 0;
};

/// a + b exactly.
inline Pair two_sum(double a, double b) {
    const double s = a + b, of_b = s - a;
    return {s, (a - (s - of_b)) + (b - of_b)};
}

/// a + b exactly where |a| >= |b| or a is 0.
inline Pair fast_two_sum(double a, double b) {
    const double s = a + b;
    return {s, b - (s - a)};
}

/// n - q d, exactly, where q is n / d rounded, d a whole number of at most 26 bits, |q| < 2^990 and n no
/// smaller than 2^-900. The halves of q have 26 bits each, so that both products are exact; the difference is
/// a multiple of a step of q and less than 2^53 of them.
inline double remainder(double n, double q, double d) {
    const double c = 0x1.0000002p+27 * q;  // 2^27 + 1
    const double upper_half = c - (c - q);
    return (n - upper_half * d) - (q - upper_half) * d;
}

/// A sum that is known exactly but for `lost`: it lies within high + low +- lost (1 + 2^-30).
struct ExactSum {
    double high = 0, low = 0, lost = 0;

    void add(double t) {
        const Pair first = two_sum(high, t), second = two_sum(low, first.low);
        high = first.high;
        low = second.high;
        lost += std::fabs(second.low);
    }
    Pair pair() const { return two_sum(high, low); }
};

}  // namespace poolproof::certified

// SPDX-License-Identifier: Apache-2.0
// Definitions for smooth_kernels.hpp; instantiated in one source file for each type.
#pragma once

#include "reference/level.hpp"
#include "reference/memory.hpp"
#include "reference/smooth_kernels.hpp"

#include <bit>
#include <cmath>

namespace poolproof::reference {

// ln 2 in two parts; products of the first with whole numbers up to 2^20 are exact.
inline constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;

/// For |t| <= 700: 2^k e^r with |r| <= ln 2 / 2, and e^r by its series, whose rest is below 2^-57, or for
/// float below 2^-36.
template <class T> [[gnu::always_inline]] inline double exp_of(double t) {
    constexpr double shift = 0x1.8p52;  // what is added to it is rounded to a whole number, in its last bits
    const double shifted = t * 0x1.71547652b82fep0 + shift;
    const double k = shifted - shift;
    const double r = (t - k * ln2_high) - k * ln2_low, r2 = r * r, r4 = r2 * r2;
    const double low = (1.0 / 2 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120));
    double high = (1.0 / 720 + r * (1.0 / 5040)) + r2 * (1.0 / 40320 + r * (1.0 / 362880));
    if constexpr (sizeof(T) > sizeof(float))
        high = high + r4 * ((1.0 / 3628800 + r * (1.0 / 39916800)) +
                            r2 * (1.0 / 479001600 + r * (1.0 / 6227020800)));
    const double e = 1 + (r + r2 * (low + r4 * high));
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(e) +
                                 (std::bit_cast<std::uint64_t>(shifted) << 52));
}

/// For normal positive s: 2^k (1 + f) with 1 + f between the roots of 1/2 and of 2, and log(1 + f) by q = f /
/// (2 + f), of which it is 2 atanh. The coefficients are those of FreeBSD's e_log.c.
[[gnu::always_inline]] inline double log_of(double s) {
    constexpr std::uint64_t root = 0x3fe6a09e667f3bcd, bias = 1024;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(s);
    const std::uint64_t power = (bits - root + (bias << 52)) >> 52;
    const double k = std::bit_cast<double>(power | 0x4330000000000000) - (0x1p52 + bias);
    const double f = std::bit_cast<double>(bits - ((power - bias) << 52)) - 1;
    const double q = f / (2 + f), z = q * q, w = z * z;
    const double even =
        w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    const double odd =
        z * (6.666666666666735130e-01 +
             w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    const double half = 0.5 * f * f;
    return k * ln2_high - ((half - (q * (half + (even + odd)) + k * ln2_low)) - f);
}

template <class T>
[[gnu::always_inline]] inline bool exps_within(const T* __restrict x, double beta, double limit,
                                               double* __restrict y, Index n) {
    std::uint64_t outside = 0;
    for (Index i = 0; i < n; ++i) {
        const double t = static_cast<double>(x[i]) * beta;
        outside |= std::abs(t) <= limit ? std::uint64_t{0} : std::uint64_t{1};
        y[i] = exp_of<T>(t);
    }
    return outside == 0;
}

template <class T>
[[gnu::always_inline]] inline bool logs_near_one(const double* __restrict s, double beta, T* __restrict y,
                                                 Index n) {
    std::uint64_t near = 0;
    for (Index i = 0; i < n; ++i) {
        const double log = log_of(s[i]);
        near |= std::abs(log) < 0.5 ? std::uint64_t{1} : std::uint64_t{0};
        y[i] = static_cast<T>(log / beta);
    }
    return near != 0;
}

template <class T> void exps(const T* x, double beta, double limit, double* y, Index n, bool& within) {
    constexpr Index piece = 128;
    within = true;
    for (; n >= piece; x += piece, y += piece, n -= piece) {
        prefetch(x, piece * static_cast<Index>(sizeof(T)));
        within &= exps_within(x, beta, limit, y, piece);
    }
    within &= exps_within(x, beta, limit, y, n);
}

template <class T> void logs(const double* s, double beta, T* y, Index n, bool& near_one) {
    near_one = logs_near_one(s, beta, y, n);
}

template <class T> SmoothKernels<T> smooth_kernels() {
    const Level l = level();
    return {compiled<&exps<T>>(l), compiled<&logs<T>>(l)};
}

}  // namespace poolproof::reference

// SPDX-License-Identifier: Apache-2.0
// Definitions for smooth_kernels.hpp; instantiated in one source file for each type.
#pragma once

#include "reference/divide.hpp"
#include "reference/lanes.hpp"
#include "reference/level.hpp"
#include "reference/memory.hpp"
#include "reference/smooth_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace poolproof::reference {

// ln 2, and in two parts; products of the first with whole numbers up to 2^20 are exact.
inline constexpr double ln2 = 0x1.62e42fefa39efp-1, ln2_high = 0x1.62e42feep-1,
                        ln2_low = 0x1.a39ef35793c76p-33;

inline constexpr std::uint64_t root_count = 16;

/// The word of 2^(j/16), less j times what a sixteenth of an exponent is: what a k that ends in j adds to it
/// is then the exponent of 2^(k/16).
constexpr std::uint64_t root(std::uint64_t j, double value) {
    return std::bit_cast<std::uint64_t>(value) - (j << 48);
}

alignas(64) inline constexpr std::uint64_t roots[root_count] = {root(0, 1),
                                                                root(1, 0x1.0b5586cf9890fp+0),
                                                                root(2, 0x1.172b83c7d517bp+0),
                                                                root(3, 0x1.2387a6e756238p+0),
                                                                root(4, 0x1.306fe0a31b715p+0),
                                                                root(5, 0x1.3dea64c123422p+0),
                                                                root(6, 0x1.4bfdad5362a27p+0),
                                                                root(7, 0x1.5ab07dd485429p+0),
                                                                root(8, 0x1.6a09e667f3bcdp+0),
                                                                root(9, 0x1.7a11473eb0187p+0),
                                                                root(10, 0x1.8ace5422aa0dbp+0),
                                                                root(11, 0x1.9c49182a3f090p+0),
                                                                root(12, 0x1.ae89f995ad3adp+0),
                                                                root(13, 0x1.c199bdd85529cp+0),
                                                                root(14, 0x1.d5818dcfba487p+0),
                                                                root(15, 0x1.ea4afa2a490dap+0)};

#define POOLPROOF_CELLS_SOURCE "reference/exps_at.hpp"
#include "reference/cells_levels.hpp"

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

/// `by` is beta, or its inverse.
template <bool times, class T>
[[gnu::always_inline]] inline bool logs_near_one(const double* __restrict s, double by, T* __restrict y,
                                                 Index n) {
    std::uint64_t near = 0;
    for (Index i = 0; i < n; ++i) {
        const double log = log_of(s[i]);
        near |= std::abs(log) < 0.5 ? std::uint64_t{1} : std::uint64_t{0};
        y[i] = static_cast<T>(settled<times>(log, by));
    }
    return near != 0;
}

template <class T> void logs(const double* s, double beta, T* y, Index n, bool& near_one) {
    near_one =
        inverts<T>(beta) ? logs_near_one<true>(s, 1 / beta, y, n) : logs_near_one<false>(s, beta, y, n);
}

template <class T> SmoothKernels<T> smooth_kernels() {
    const Level l = level();
    return {chosen(l, &baseline::exps<T>, &avx2::exps<T>, &avx512::exps<T>), compiled<&logs<T>>(l)};
}

}  // namespace poolproof::reference

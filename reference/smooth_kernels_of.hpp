// SPDX-License-Identifier: Apache-2.0
// Definitions for smooth_kernels.hpp; instantiated in one source file for each type.
#pragma once

#include "reference/lanes.hpp"
#include "reference/level.hpp"
#include "reference/memory.hpp"
#include "reference/smooth_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

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

#define POOLPROOF_CELLS_SOURCE "reference/smooth_at.hpp"
#include "reference/cells_levels.hpp"

template <class T> SmoothKernels<T> smooth_kernels() {
    const Level l = level();
    return {chosen(l, &baseline::exps<T>, &avx2::exps<T>, &avx512::exps<T>),
            chosen(l, &baseline::logs<T>, &avx2::logs<T>, &avx512::logs<T>)};
}

}  // namespace poolproof::reference

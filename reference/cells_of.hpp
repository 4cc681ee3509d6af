// SPDX-License-Identifier: Apache-2.0
// Sums of cells for every level: part of the definitions of sum_kernels_of.hpp.
#pragma once

#include "reference/level.hpp"
#include "reference/memory.hpp"
#include "reference/sum_rows.hpp"

#include <cmath>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace poolproof::reference::cells {

using Strands = std::integral_constant<Index, strands>;

inline constexpr Index most_direct = 4;  ///< windows over an input that are summed without rows of sums

/// Whether summing every window by itself is no more work than rows of sums, which windows share.
inline bool directly(const Line& h, const Line& w, Index cell) {
    const Index taps = h.kernel * w.kernel;
    return cell >= 8 && taps <= most_taps && (taps <= 9 || taps <= h.kernel * w.stride + w.kernel + 2);
}

/// Whether multiplying a double by 1 / d serves: where it is rounded again, or where 1 / d is exact.
template <class Y> bool inverts(double d) {
    if (sizeof(Y) < sizeof(double)) return true;
    int exponent = 0;
    return std::abs(std::frexp(d, &exponent)) == 0.5;
}

inline std::uintptr_t address_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
template <class X> std::uintptr_t bytes_of(Index n) { return static_cast<std::uintptr_t>(n) * sizeof(X); }

namespace baseline {
#define POOLPROOF_CELLS [[gnu::always_inline]] inline
#define POOLPROOF_CELLS_KERNEL
#define POOLPROOF_CELLS_BYTES 16
#include "reference/cells_at.hpp"
#undef POOLPROOF_CELLS
#undef POOLPROOF_CELLS_KERNEL
#undef POOLPROOF_CELLS_BYTES
}  // namespace baseline

#if defined(__x86_64__) && defined(__GNUC__)

namespace avx2 {
#define POOLPROOF_CELLS [[gnu::target("avx2"), gnu::always_inline]] inline
#define POOLPROOF_CELLS_KERNEL [[gnu::target("avx2")]]
#define POOLPROOF_CELLS_BYTES 32
#include "reference/cells_at.hpp"
#undef POOLPROOF_CELLS
#undef POOLPROOF_CELLS_KERNEL
#undef POOLPROOF_CELLS_BYTES
}  // namespace avx2

namespace avx512 {
#define POOLPROOF_CELLS [[gnu::target("avx512f,avx512vl,avx512dq,avx512bw"), gnu::always_inline]] inline
#define POOLPROOF_CELLS_KERNEL [[gnu::target("avx512f,avx512vl,avx512dq,avx512bw")]]
#define POOLPROOF_CELLS_BYTES 64
#include "reference/cells_at.hpp"
#undef POOLPROOF_CELLS
#undef POOLPROOF_CELLS_KERNEL
#undef POOLPROOF_CELLS_BYTES
}  // namespace avx512

#else

namespace avx2 = baseline;
namespace avx512 = baseline;

#endif

}  // namespace poolproof::reference::cells

// SPDX-License-Identifier: Apache-2.0
// What the kernels for cells share, of sums and of maxima: cells are the elements that stand beside each
// other at one position, such as channels.
#pragma once

#include "reference/geometry.hpp"
#include "reference/memory.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace poolproof::reference {

/// What their windows may have along one axis, or in all if each is reduced by itself.
inline constexpr Index most_taps = 64;

/// Whether reducing every window by itself is no more work than reducing rows, whose results windows share
/// but which are written and read again.
inline bool directly(const Line& h, const Line& w, Index cell) {
    const Index taps = h.kernel * w.kernel;
    return cell >= 8 && taps <= most_taps && taps <= h.kernel * w.stride + w.kernel + 2;
}

namespace cells {

using Strands = std::integral_constant<Index, strands>;

inline std::uintptr_t address_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
template <class X> std::uintptr_t bytes_of(Index n) { return static_cast<std::uintptr_t>(n) * sizeof(X); }

}  // namespace cells

}  // namespace poolproof::reference

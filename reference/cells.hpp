// SPDX-License-Identifier: Apache-2.0
// What the kernels for cells share, of sums and of maxima: cells are the elements that stand beside each
// other at one position, such as channels.
#pragma once

#include "reference/geometry.hpp"
#include "reference/lanes.hpp"
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

/// Elements of rows not read yet that the reading of a row of windows leads to, for each window: to be asked
/// for. None where windows leave cells out.
inline Index read_on(const Line& h, const Line& w, Index cell) {
    const auto gaps = [](const Line& l) { return l.stride > (l.kernel - 1) * l.step + 1; };
    if (gaps(h) || gaps(w)) return 0;
    return std::min(h.stride, h.extent) * w.extent * cell / w.out();
}

namespace cells {

using Strands = std::integral_constant<Index, strands>;

inline std::uintptr_t address_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
template <class X> std::uintptr_t bytes_of(Index n) { return static_cast<std::uintptr_t>(n) * sizeof(X); }

}  // namespace cells

}  // namespace poolproof::reference

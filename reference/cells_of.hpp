// SPDX-License-Identifier: Apache-2.0
// Sums of cells for every level: part of the definitions of sum_kernels_of.hpp.
#pragma once

#include "reference/cells.hpp"
#include "reference/sum_rows.hpp"

#include <bit>

namespace poolproof::reference::cells {

inline constexpr Index near_bytes = 1 << 20;  ///< of a block, which the cache of a core holds
inline constexpr Index most_direct = 4;       ///< windows over an input that are summed without rows of sums

/// Whether multiplying a sum by 1 / d serves: where it is rounded again, or where 1 / d is exact.
template <class Y, class S> bool inverts(S d) {
    constexpr std::uint64_t mantissa = (std::uint64_t{1} << 52) - 1;
    return sizeof(Y) < sizeof(S) || (std::bit_cast<std::uint64_t>(double{d}) & mantissa) == 0;
}

#define POOLPROOF_CELLS_SOURCE "reference/cells_at.hpp"
#include "reference/cells_levels.hpp"

}  // namespace poolproof::reference::cells

// SPDX-License-Identifier: Apache-2.0
// Sums of cells for every level: part of the definitions of sum_kernels_of.hpp.
#pragma once

#include "reference/cells.hpp"
#include "reference/divide.hpp"
#include "reference/sum_rows.hpp"

namespace poolproof::reference::cells {

inline constexpr Index near_bytes = 1 << 20;  ///< of a block, which the cache of a core holds
inline constexpr Index most_direct = 4;       ///< windows over an input that are summed without rows of sums

#define POOLPROOF_CELLS_SOURCE "reference/cells_at.hpp"
#include "reference/cells_levels.hpp"

}  // namespace poolproof::reference::cells

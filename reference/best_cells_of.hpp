// SPDX-License-Identifier: Apache-2.0
// Maxima of cells for every level: part of the definitions of max_rows_of.hpp.
#pragma once

#include "reference/cells.hpp"
#include "reference/max_rows.hpp"
#include "reference/sum_rows.hpp"

namespace poolproof::reference::cells {

#define POOLPROOF_CELLS_SOURCE "reference/best_at.hpp"
#include "reference/cells_levels.hpp"

}  // namespace poolproof::reference::cells

// SPDX-License-Identifier: Apache-2.0
// The kernels of phased.hpp. See cells_levels.hpp. No include guard.

#include "reference/doubles_at.hpp"
#include "reference/sink_at.hpp"

#include "reference/any_at.hpp"
#include "reference/masks_at.hpp"
#include "reference/phases_at.hpp"
#include "reference/take_at.hpp"

#include "reference/columns_at.hpp"
#include "reference/rows_phased_at.hpp"

#include "reference/find_phased_at.hpp"
#include "reference/max_phased_at.hpp"
#include "reference/mean_phased_at.hpp"
#include "reference/pull_phased_at.hpp"
#include "reference/spread_phased_at.hpp"

// SPDX-License-Identifier: Apache-2.0
// The kernels of short_rows.hpp. See cells_levels.hpp. No include guard.

#include "reference/doubles_at.hpp"
#include "reference/sink_at.hpp"

#include "reference/any_at.hpp"
#include "reference/phases_at.hpp"
#include "reference/row_made_at.hpp"
#include "reference/take_at.hpp"

#include "reference/short_windows_at.hpp"

#include "reference/short_rule_at.hpp"

#include "reference/find_short_at.hpp"
#include "reference/max_short_at.hpp"
#include "reference/mean_short_at.hpp"
#include "reference/spread_short_at.hpp"

// SPDX-License-Identifier: Apache-2.0
// The kernels of smooth_kernels.hpp. See cells_levels.hpp. No include guard.

#include "reference/doubles_at.hpp"

#include "reference/any_at.hpp"
#include "reference/each_at.hpp"

#include "reference/exps_at.hpp"
#include "reference/logs_at.hpp"

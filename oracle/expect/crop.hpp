// SPDX-License-Identifier: Apache-2.0
// One value of a large pooling as a small case of its own: the windows that decide it, and the cells they
// see.
#pragma once

#include "oracle/expect/slices.hpp"

namespace poolproof {

/// The windows around one value of a slice (the answer's `position`, counted within the slice) of a plan that
/// is a single pool. The value at `at` of its answer is permitted what it is permitted in the whole; others
/// need not be. Nothing where no window decides the value.
struct Crop {
    Plan plan;
    Case c;
    Index at = 0;
};

/// How many cells the windows of one slice see, each counted as often as it is seen: what the exact oracle's
/// time goes by.
double cells_seen(const PoolPlan& pool);

std::optional<Crop> crop(const Plan& plan, const Case& c, Index slice, Index position);

}  // namespace poolproof

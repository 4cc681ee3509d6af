// SPDX-License-Identifier: Apache-2.0
// A settled plan in the terms of the reference.
#pragma once

#include <poolproof/plan.hpp>
#include <poolproof/reference.hpp>

namespace poolproof::backends {

reference::Pooling pooling(const PoolPlan& p, Index slices);

/// Why the reference cannot compute this plan; nothing if it can.
std::optional<std::string> declined(const Plan& plan);

}  // namespace poolproof::backends

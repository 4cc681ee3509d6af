// SPDX-License-Identifier: Apache-2.0
// The plan once more, evaluated as sets: at every position all values that an honest implementation may come
// to. Inputs are points; each node widens what it is given by its own rounding and passes it on.
#pragma once

#include "oracle/expect/arithmetic.hpp"

#include <poolproof/plan.hpp>

namespace poolproof {

/// The permitted patterns of `y`, `dy` or `dx` in order, for a floating plan that does not ask for correct
/// rounding.
std::vector<Permitted> honest_patterns(const Plan& plan, const Case& c);

}  // namespace poolproof

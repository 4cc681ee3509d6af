// SPDX-License-Identifier: Apache-2.0
// Whether linear constraints have a solution, decided exactly.
#pragma once

#include "oracle/scalar/rational.hpp"

#include <vector>

namespace poolproof {

/// One constraint: the sum of coefficients times variables lies in [least, greatest].
struct Constraint {
    std::vector<Rational> coefficients;
    Rational least, greatest;
};

/// Whether some x >= 0 satisfies all constraints: phase one of the simplex method, by Bland's rule, which
/// never cycles.
bool feasible(std::size_t variables, const std::vector<Constraint>& constraints);

}  // namespace poolproof

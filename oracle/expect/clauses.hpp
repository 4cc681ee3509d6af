// SPDX-License-Identifier: Apache-2.0
// Which clause of docs/SPEC.md a value rests on.
#pragma once

#include <poolproof/plan.hpp>

#include <functional>
#include <string>

namespace poolproof {

/// The clause that decides the values of `y`, `dy` or `dx` in general. Of a graph it is the output node's, or
/// GVjp for `dx`, which all nodes decide together.
std::string clause_of(const Plan& plan);

/// The clause that decides the value at a position, by what its window holds: padding, nothing, a divisor of
/// its own. Empty where the plan's clause goes for all. Nothing is visited before it is asked.
std::function<std::string(Index)> clause_of_values(const Plan& plan);

}  // namespace poolproof

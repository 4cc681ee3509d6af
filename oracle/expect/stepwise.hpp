// SPDX-License-Identifier: Apache-2.0
// Graphs under `accumulate: exact`: every node's result correctly rounded to the format before the next node
// sees it.
#pragma once

#include <poolproof/expected.hpp>

namespace poolproof {

/// The permitted patterns of a graph's answer, or nothing where some node on the way has more than one: then
/// what follows is no single step any more.
std::optional<std::vector<Permitted>> stepwise_patterns(const Plan& plan, const Case& c);

}  // namespace poolproof

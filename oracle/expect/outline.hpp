// SPDX-License-Identifier: Apache-2.0
// What can be said of an answer before anything is computed.
#pragma once

#include <poolproof/expected.hpp>

namespace poolproof {

/// The outputs with names, formats, shapes and clauses, and no values.
Expected outline(const Plan& plan, const Case& c);

bool asks_for_indices(const Plan& plan);

/// The positions in the form asked for: flat, or (row, column) one after the other.
std::vector<PermittedIndices> formed(const PoolPlan& p, std::vector<PermittedIndices> flat);

/// Whether the mode's sums are to be correctly rounded.
bool sums_exactly(const Plan& plan);

/// Whether an answer is one correctly rounded value throughout: integers have no other, and one op under
/// `accumulate: exact` has none, unless several winners are permitted.
bool correctly_rounded(const Plan& plan);

}  // namespace poolproof

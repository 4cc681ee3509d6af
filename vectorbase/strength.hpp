// SPDX-License-Identifier: Apache-2.0
// What tells cases apart: the liars they kill; and small sets that kill as much as large ones.
#pragma once

#include <poolproof/vectors.hpp>

#include <memory>

namespace poolproof::vectorbase {

/// Every liar as a backend, in the order of `liars()`.
const std::vector<std::unique_ptr<Backend>>& all_liars();

/// Whether what a backend answers is not permitted; `expected` is null for a case that must be rejected.
bool lies(Backend& backend, const Case& c, const Expected* expected);

/// Positions of sets whose union is that of all, the first one adding most, and so on; of equals the one
/// that costs least. Ends when `most` are chosen or nothing is added.
std::vector<std::size_t> greedy_cover(const std::vector<std::vector<std::size_t>>& sets,
                                      const std::vector<std::size_t>& costs, std::size_t most);

/// Sets that cover what the chosen ones do, fewer where one set can stand for two of them, or for one and the
/// others.
std::vector<std::size_t> fewer(const std::vector<std::vector<std::size_t>>& sets,
                               std::vector<std::size_t> chosen);

}  // namespace poolproof::vectorbase

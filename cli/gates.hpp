// SPDX-License-Identifier: Apache-2.0
// The gates beside generated cases, as a liar meets them: which question of theirs catches it first.
#pragma once

#include <poolproof/vectors.hpp>

#include <optional>
#include <string>
#include <vector>

namespace poolproof::cli {

/// The first stored vector that a backend fails.
std::optional<std::string> failed_vector(const std::vector<VectorInstance>& vectors, Backend& backend);

/// The first question of the laws, counted from 1, that a backend fails.
Checked<std::optional<Index>> failed_question(Backend& backend, std::uint64_t seed, Index questions);

}  // namespace poolproof::cli

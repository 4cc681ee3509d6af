// SPDX-License-Identifier: Apache-2.0
// The options about a backend in a process of its own, which every command that runs one takes.
#pragma once

#include "cli/options.hpp"

#include <poolproof/backend.hpp>

namespace poolproof::cli {

/// How often a backend that never answered may end until a run is no use: each costs a start.
inline constexpr Index enough_first_ends = 100;

/// The options of a command that runs backends, followed by the shared ones.
std::vector<Option> with_limits(std::vector<Option> options);

/// Reads the shared ones; a rejection if one is wrong.
std::optional<Rejection> read_limits(const Arguments& a, Limits& limits);

}  // namespace poolproof::cli

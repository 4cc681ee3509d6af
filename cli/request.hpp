// SPDX-License-Identifier: Apache-2.0
// The options that say which cases to generate, which every command that generates them takes.
#pragma once

#include "cli/options.hpp"

#include <poolproof/generate.hpp>

namespace poolproof::cli {

inline constexpr Index default_cases = 10000;

/// A command's own options, followed by --profile, --seed, --cases, --op, --mode and --dtype.
std::vector<Option> with_request(std::vector<Option> options,
                                 std::string_view cases = "how many (default 10000)");

/// Reads all of them but --cases; a rejection if one is wrong.
std::optional<Rejection> read_request(const Arguments& a, Request& request);

/// All of them but --cases, as a command line says them again.
std::string options_of(const Request& request);

/// Its lists as fields of a log's header: `"ops":[..],"modes":[..],"dtypes":[..]`.
std::string filter_fields(const Request& request);

/// Reads --cases where it is given.
std::optional<Rejection> read_count(const Arguments& a, Index& cases);

}  // namespace poolproof::cli

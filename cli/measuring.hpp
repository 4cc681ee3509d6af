// SPDX-License-Identifier: Apache-2.0
// What `poolproof bench` does once it is known which program does it.
#pragma once

#include "cli/command.hpp"

namespace poolproof::cli {

const std::vector<Option>& bench_options();

/// Measures with the rivals there are, prints and writes what is asked for, and gives the exit code.
int measure(const Arguments&);

}  // namespace poolproof::cli

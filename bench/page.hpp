// SPDX-License-Identifier: Apache-2.0
// The rows as a page for readers.
#pragma once

#include "bench/bench.hpp"

namespace poolproof::bench {

/// Plots of the rows that grow, by file name: against the kernel's size and against the tensor's.
std::vector<std::pair<std::string, std::string>> pictures_of(const std::vector<Row>& rows);

/// Markdown: how it was measured and on what, then a table for each kind of row.
std::string page_of(const std::vector<Row>& rows, const std::vector<std::string>& rivals,
                    const std::vector<std::string>& pictures);

}  // namespace poolproof::bench

// SPDX-License-Identifier: Apache-2.0
// What `poolproof bench` measures. Every row is timed in this process and in turn with all others, so that
// what slows the machine down for a while slows none of them alone. A time is the least of its repetitions,
// in CPU time of the one thread that works, so that other programs' turns do not count; where several threads
// or programs work for a row, it is the time that passed.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace poolproof::bench {

/// By name, in the order they are shown in: times in the unit they are named by, `ratio` to what the row
/// compares with, `spread` as the part by which the median repetition is above the least, `repetitions`.
using Figures = std::vector<std::pair<std::string, double>>;

struct Row {
    std::string name;
    Figures figures;
};

/// The names of all rows, in order.
std::vector<std::string> row_names();

/// Measures the rows that are wanted. Each takes about `seconds`, or as long as its least number of
/// repetitions.
std::vector<Row> measured(const std::function<bool(std::string_view)>& wanted, double seconds);

/// The same of the rows of 200 random layers, forward and backward, and one row `sweep` about all that are
/// measured: median and least of how many times faster than the best rival, if there is one.
std::vector<std::string> swept_names();
std::vector<Row> swept(const std::function<bool(std::string_view)>& wanted, double seconds);

}  // namespace poolproof::bench

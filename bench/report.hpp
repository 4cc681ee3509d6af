// SPDX-License-Identifier: Apache-2.0
// Rows as text: a table for people, JSON for programs and for the next comparison.
#pragma once

#include "bench/bench.hpp"

#include <poolproof/rejection.hpp>

#include <optional>

namespace poolproof::bench {

std::optional<double> figure(const Row& row, std::string_view name);
const Row* find_row(const std::vector<Row>& rows, std::string_view name);

/// A number with four digits that count.
std::string text_of(double figure);

/// A line of headings wherever the figures are others than in the row above.
std::string table_of(const std::vector<Row>& rows);

/// {"rows":[{"name":..,"reference_ms":..},..]}
std::string json_of(const std::vector<Row>& rows);
Checked<std::vector<Row>> read_rows(std::string_view json);

/// A ratio that got worse: fewer times as fast as a rival, or a greater share of its time.
struct Worse {
    std::string row, figure;
    double before = 0, after = 0;
};

/// The ratios that two measurements have in common.
std::size_t compared_ratios(const std::vector<Row>& before, const std::vector<Row>& after);

/// Those that are worse by more than this part of what they were.
std::vector<Worse> worse_ratios(const std::vector<Row>& before, const std::vector<Row>& after,
                                double part = 0.15);

}  // namespace poolproof::bench

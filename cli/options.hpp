// SPDX-License-Identifier: Apache-2.0
// Options as a table: what parsing, --help and the documents are made from.
#pragma once

#include <poolproof/rejection.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace poolproof::cli {

struct Option {
    std::string_view name;   ///< with its dashes: "--bits"
    std::string_view value;  ///< how help names the value; empty for a flag
    std::string_view help;
    bool repeatable = false;
};

/// A command line after parsing. Only names of the command's table occur.
struct Arguments {
    std::map<std::string, std::vector<std::string>, std::less<>> options;
    std::vector<std::string> positional;

    bool has(std::string_view name) const { return options.find(name) != options.end(); }
    /// The last value given.
    std::optional<std::string> value(std::string_view name) const;
    std::vector<std::string> values(std::string_view name) const;
};

/// Understands `--name value` and `--name=value`; `--` ends the options.
Checked<Arguments> parse_options(const std::vector<Option>& table, const std::vector<std::string>& words);

/// The value as a whole number in [low, high].
Checked<std::int64_t> whole_number(std::string_view option, const std::string& value, std::int64_t low,
                                   std::int64_t high);

}  // namespace poolproof::cli

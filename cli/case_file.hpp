// SPDX-License-Identifier: Apache-2.0
// Case files: JSON lines, each of them a case, or an object with a `type` that says something about the case
// before it and that a reader of cases passes over. What fuzz finds is kept so, and replay and reduce read
// it.
#pragma once

#include <poolproof/run.hpp>
#include <poolproof/search.hpp>

#include <string>
#include <vector>

namespace poolproof::cli {

/// With the number of a case, what makes it again.
struct Origin {
    Index seed = 0, generator = generator_version;
};

struct FiledCase {
    Case c;
    std::size_t line = 0;
    std::string about;  ///< the lines about it

    std::optional<Origin> origin() const;
};

/// The cases of a file, or of standard input for `-`. A line that is neither a case nor JSON about one is a
/// rejection that names it.
Checked<std::vector<FiledCase>> read_case_file(const std::string& path);

/// What is said about a bucket's smallest case: where it comes from, how it was judged, what explains it.
/// `origin` is where the case that led here was generated, unless it was not.
std::string about(const Bucket& b, const Declaration& backend, const std::optional<Origin>& origin);

/// Writes the case and the line about it in place of what was there, or leaves that and says why.
std::optional<Rejection> write_case_file(const std::string& path, const Case& c, const std::string& about);

/// The whole number behind a key of one of our own lines, or nothing.
std::optional<Index> number_of(const std::string& line, const std::string& key);

/// A bucket for people: its name, how often and where first, the fault in words, the judgment, the case.
void print_bucket(const Bucket& b, const Case& c, const std::string& first);

}  // namespace poolproof::cli

// SPDX-License-Identifier: Apache-2.0
// The folder that a command reports into: a log, whose name says which command's it is, and a case file for
// each bucket. Nothing in it is from another run than the log.
#pragma once

#include <poolproof/rejection.hpp>

#include <optional>
#include <string>
#include <vector>

namespace poolproof::cli {

inline constexpr const char* check_log = "log.jsonl";
inline constexpr const char* fuzz_log = "fuzz.jsonl";

/// The case file of the k-th bucket, from 0.
std::string bucket_file(const std::string& folder, std::size_t k);

/// A rejection if the folder holds the report of another command than the one that writes `own_log`, or case
/// files that no log of ours goes with.
std::optional<Rejection> foreign_report(const std::string& folder, const std::string& own_log);

/// The field of a check's header that says whose report it is: what `--backend` was given.
std::string backends_field(const std::vector<std::string>& backends);

/// A rejection if the folder holds anything but a check of these backends.
std::optional<Rejection> others_report(const std::string& folder, const std::vector<std::string>& backends);

/// The first line of a log, or nothing if there is none.
std::optional<std::string> header_of(const std::string& folder, const std::string& log);

/// Why a log with that header cannot be taken for this run's.
Rejection other_run(const std::string& folder, const std::string& header);

/// Removes the case files of the run whose log is there.
void remove_buckets(const std::string& folder);

}  // namespace poolproof::cli

// SPDX-License-Identifier: Apache-2.0
// The log of a run as JSON lines: a header, an event per failure and per backend, a footer. A log without its
// footer is an incomplete run.
#pragma once

#include "cli/output_file.hpp"

#include <poolproof/run.hpp>

#include <string>
#include <vector>

namespace poolproof::cli {

class Log {
public:
    /// Opens the files that are named, and writes the header: `file` itself, and `log.jsonl` and
    /// `failures.jsonl` in `folder`, which is made.
    static Checked<Log> open(const std::optional<std::string>& file, const std::optional<std::string>& folder,
                             const Request& request, Index cases);

    void failure(const std::string& backend, const std::string& label, const Case& c,
                 const std::string& verdict);
    void totals(const Declaration& backend, const std::string& profile, const Totals& t);

    /// Writes the footer; the first thing that could not be written, of all there was.
    std::optional<Rejection> close(bool complete);

private:
    std::optional<Rejection> add(const std::string& path, std::vector<OutputFile>& to, const char* option);
    void write(const std::string& line);

    std::vector<OutputFile> logs_, cases_;
};

}  // namespace poolproof::cli

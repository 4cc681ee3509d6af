// SPDX-License-Identifier: Apache-2.0
// The log of a run as JSON lines: a header, an event per failure and per backend, a footer. A log without its
// footer is an incomplete run.
#pragma once

#include "cli/output_file.hpp"

#include <poolproof/run.hpp>

#include <string>
#include <vector>

namespace poolproof::cli {

/// What a run is asked for.
struct Planned {
    std::vector<std::string> backends;  ///< as `--backend` takes them
    const Request& request;
    Index cases = 0;      ///< generated
    std::string vectors;  ///< which
    Index layers = 0;     ///< in place of generated cases
};

class Log {
public:
    /// Opens the files that are named, and writes the header: `file` itself, and `log.jsonl` and
    /// `failures.jsonl` in `folder`, which is made, or is an earlier run's of the same backends and loses
    /// that one's case files.
    static Checked<Log> open(const std::optional<std::string>& file, const std::optional<std::string>& folder,
                             const Planned& planned);

    void failure(const std::string& backend, const std::string& label, const Case& c,
                 const std::string& verdict);
    void totals(const Declaration& backend, const std::string& profile, const Totals& t);

    /// Writes the footer, with the sums over all backends; the first thing that could not be written, of all
    /// there was.
    std::optional<Rejection> close(bool complete);

private:
    std::optional<Rejection> add(const std::string& path, std::vector<OutputFile>& to, const char* option);
    void write(const std::string& line);

    std::vector<OutputFile> logs_, cases_;
    Totals sums_;
};

}  // namespace poolproof::cli

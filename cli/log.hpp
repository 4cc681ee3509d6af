// SPDX-License-Identifier: Apache-2.0
// The log of a run as JSON lines: a header, an event per failure and per backend, a footer. A log without its
// footer is an incomplete run.
#pragma once

#include <poolproof/run.hpp>

#include <cstdio>
#include <memory>
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
    void close(bool complete);

private:
    using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

    std::optional<Rejection> add(const std::string& path, std::vector<File>& to, const char* option);
    void write(const std::string& line);

    std::vector<File> logs_, cases_;
};

}  // namespace poolproof::cli

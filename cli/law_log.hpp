// SPDX-License-Identifier: Apache-2.0
// The log of questions that laws asked, as JSON lines: a header, a line per failure and per law, a footer.
#pragma once

#include "cli/output_file.hpp"

#include <poolproof/laws.hpp>

namespace poolproof::cli {

class LawLog {
public:
    /// Opens the file and writes the header; without a path nothing is ever written.
    static Checked<LawLog> open(const std::optional<std::string>& path, const Request& request,
                                const Declaration& backend, std::uint64_t first, Index questions);

    void failure(const LawJudged& j);

    /// The totals and the footer; what could not be written of all there was.
    std::optional<Rejection> close(const std::vector<Law>& laws, const LawTotals& totals, bool complete);

private:
    void write(const std::string& line) {
        if (file_) file_->write(line + "\n");
    }

    std::optional<OutputFile> file_;
};

}  // namespace poolproof::cli

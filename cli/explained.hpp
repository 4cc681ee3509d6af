// SPDX-License-Identifier: Apache-2.0
// The first failures of a check, once it is over: shrunk, sorted, and named after the known fault that they
// are like.
#pragma once

#include <poolproof/backend.hpp>
#include <poolproof/run.hpp>

#include <optional>
#include <string>
#include <vector>

namespace poolproof::cli {

class FirstFailures {
public:
    /// Keeps a deviation, unless there are enough, or it is too large to be worked on. What broke is for
    /// `fuzz` to shrink: each question may take it a deadline.
    void keep(const Judged& j);

    /// Prints what they come to, in a few seconds and no more, and writes a case file for each fault into
    /// `folder`, if one is named; what of that could not be written. `backend_name` is what `--backend`
    /// takes.
    std::optional<Rejection> explain(Backend& backend, const std::string& backend_name,
                                     const std::optional<std::string>& folder) const;

private:
    struct Kept {
        std::string label;
        Case c;
        Observation answer;
        Verdict verdict;
    };
    std::vector<Kept> kept_;
};

}  // namespace poolproof::cli

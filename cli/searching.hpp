// SPDX-License-Identifier: Apache-2.0
// A backend behind the search: what shrinking and sorting failures ask it, and in which form.
#pragma once

#include "cli/case_file.hpp"

#include <poolproof/backend.hpp>

namespace poolproof::cli {

/// Failures of one backend, sorted into buckets while it is asked on.
class Searching {
public:
    /// Once `limits` say stop, a failure is filed as it is.
    Searching(Backend& backend, ShrinkLimits limits);
    Searching(const Searching&) = delete;
    Searching& operator=(const Searching&) = delete;

    /// Counts a failure; true if it opened a bucket. Adapters are promised complete attributes: unless it is
    /// their omission that fails, the case is shrunk with every default written out.
    bool add(std::uint64_t index, const Case& c, const Expected* expected, const Observation& o,
             const Verdict& v);

    /// A case of an earlier run, with the number of failures that it stands for; false if it fails no more.
    bool restore(std::uint64_t index, Index cases, const Case& c);

    void add_right(const Case& c, const std::function<const Expected*()>& expected, const Observation& o) {
        buckets_.add_right(c, expected, o);
    }

    const std::vector<Bucket>& buckets() const { return buckets_.all(); }

    /// A bucket's smallest case as the backend is asked it.
    Case sent(std::size_t bucket) const;

    Observation answer(const Case& c);

private:
    /// Whether the case fails with its defaults written out just as it does without.
    bool fails_completed(const Case& c, const Verdict& v);

    Backend& backend_;
    std::function<bool()> stop_;
    bool complete_ = true;         ///< how `answers_` asks
    std::vector<bool> completed_;  ///< of each bucket
    Answers answers_;
    Buckets buckets_;
};

}  // namespace poolproof::cli

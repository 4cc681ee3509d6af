// SPDX-License-Identifier: Apache-2.0
// The log of a search for failures: a header, a line per block of cases, a footer.
#pragma once

#include <poolproof/backend.hpp>
#include <poolproof/generate.hpp>
#include <poolproof/verdict.hpp>

#include <array>
#include <string>

namespace poolproof::cli {

/// What the blocks of a log add up to.
struct Done {
    std::uint64_t next = 0;  ///< number of the first case that no block holds
    std::array<Index, outcome_names.size()> by_outcome{};
    Index questions = 0;  ///< of laws

    Index cases() const {
        Index n = 0;
        for (const Index k : by_outcome) n += k;
        return n;
    }
    Index count(Outcome o) const { return by_outcome[static_cast<std::size_t>(o)]; }
    Index bad() const { return count(Outcome::deviates) + count(Outcome::broke); }
    Index judged() const { return count(Outcome::conforms) + bad(); }
};

std::string block_line(std::uint64_t first, const Done& block);

/// All that decides which cases a run has: two logs with equal headers are parts of one run.
std::string header_line(const Request& r, bool laws, const Declaration& d);

}  // namespace poolproof::cli

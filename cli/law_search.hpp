// SPDX-License-Identifier: Apache-2.0
// The laws' share of a search for failures: related cases asked in between, and what fails of them sorted.
#pragma once

#include <poolproof/laws.hpp>

#include <functional>
#include <string>
#include <vector>

namespace poolproof::cli {

class LawSearch {
public:
    /// Whether a case of a question fails by itself as well. Then it is counted with the cases, not here.
    using FailsAlone = std::function<bool(std::uint64_t number, const Case& c)>;

    LawSearch(Backend& backend, FailsAlone fails_alone)
        : backend_(backend), fails_alone_(std::move(fails_alone)) {}

    /// Asks so many questions made of the request's cases from number `first` on, until `over`; how many it
    /// asked, or a rejection if the request cannot be met.
    Checked<Index> ask(const Request& request, std::uint64_t first, Index count,
                       const std::function<bool()>& over);

    const std::vector<LawBucket>& buckets() const { return buckets_; }
    /// The question that opened a bucket, and the answers.
    const std::string& text(std::size_t bucket) const { return texts_[bucket]; }

    /// Questions whose permitted sets do not meet: the oracle contradicts itself.
    Index unmet() const { return unmet_; }

private:
    void sort(const LawJudged& failed);

    Backend& backend_;
    FailsAlone fails_alone_;
    std::vector<LawBucket> buckets_;
    std::vector<std::string> texts_;
    Index unmet_ = 0;
};

}  // namespace poolproof::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/law_search.hpp"

#include "cli/law_failure.hpp"

#include <algorithm>

namespace poolproof::cli {

Checked<Index> LawSearch::ask(const Request& request, std::uint64_t first, Index count,
                              const std::function<bool()>& over) {
    Index asked = 0;
    const auto totals = judge_laws(backend_, all_laws(), request, first, static_cast<std::uint64_t>(count),
                                   [&](const LawJudged& j) {
                                       ++asked;
                                       if (j.verdict.verdict.outcome >= Outcome::deviates) sort(j);
                                       return !over();
                                   });
    if (!totals) return totals.rejection();
    unmet_ += totals->unmet;
    return asked;
}

void LawSearch::sort(const LawJudged& failed) {
    const auto alone = [&](const Case& c) { return fails_alone_(failed.number, c); };
    if (std::any_of(failed.relation.cases.begin(), failed.relation.cases.end(), alone)) return;
    if (count_in(buckets_, failed)) texts_.push_back(law_failure_text(failed));
}

}  // namespace poolproof::cli

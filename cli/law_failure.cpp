// SPDX-License-Identifier: Apache-2.0
#include "cli/law_failure.hpp"

#include "cli/judging.hpp"

#include <poolproof/text.hpp>

namespace poolproof::cli {

std::string law_failure_text(const LawJudged& j) {
    const LawVerdict& v = j.verdict;
    const Case& guilty = j.relation.cases[v.side];
    std::string s = "case " + std::to_string(j.number) + ", " + j.law.name + ": " +
                    (v.broken ? verdict_text(v.verdict) : verdict_text(v.verdict, *plan(guilty), guilty));
    if (v.broken) s += "  law        " + j.law.claim + "\n";
    for (std::size_t k = 0; k < j.relation.cases.size(); ++k)
        if (v.broken || k == v.side)
            s += "  case       " + shown_case(j.relation.cases[k]) + "\n  answer     " +
                 reply_text(j.answers[k]) + "\n";
    return s + "\n";
}

}  // namespace poolproof::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/gates.hpp"

#include <poolproof/laws.hpp>

namespace poolproof::cli {

std::optional<std::string> failed_vector(const std::vector<VectorInstance>& vectors, Backend& backend) {
    for (const VectorInstance& i : vectors) {
        const Observation o = backend.run(i.c);
        const Verdict v = i.expected != nullptr ? judge(*i.expected, o) : judge_rejection(o);
        if (v.outcome >= Outcome::deviates) return i.vector->id;
    }
    return std::nullopt;
}

Checked<std::optional<Index>> failed_question(Backend& backend, std::uint64_t seed, Index questions) {
    Request request;
    request.seed = seed;
    request.profile = backend.declaration().profile;
    Index asked = 0;
    std::optional<Index> failed;
    const auto totals = judge_laws(backend, all_laws(), request, 0, static_cast<std::uint64_t>(questions),
                                   [&](const LawJudged& j) {
                                       ++asked;
                                       if (j.verdict.verdict.outcome >= Outcome::deviates) failed = asked;
                                       return !failed;
                                   });
    if (!totals) return totals.rejection();
    return failed;
}

}  // namespace poolproof::cli

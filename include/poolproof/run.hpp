// SPDX-License-Identifier: Apache-2.0
// A stream of cases through a backend, judged: what `check`, `fuzz` and every other gate are made of.
#pragma once

#include <poolproof/backend.hpp>
#include <poolproof/generate.hpp>
#include <poolproof/plan.hpp>
#include <poolproof/verdict.hpp>

#include <functional>
#include <map>
#include <optional>

namespace poolproof {

/// A case to be judged, and what reports call it.
struct Subject {
    std::string label;
    Case c;
    bool repeated = false;  ///< asked twice: the two answers must agree where the profile says so
};

/// The next case; nothing at the end.
using Source = std::function<std::optional<Subject>()>;

/// One judged case. `plan` is null for a case that must be rejected. `expected` makes the case's permitted
/// sets, all of them in memory, when it is called, and gives null for such a case.
struct Judged {
    const Subject& subject;
    const Plan* plan;
    const std::function<const Expected*()>& expected;
    const Observation& observation;
    const Verdict& verdict;
};

/// What became of the cases; the outcomes and `not_covered` add up to `cases`.
struct Totals {
    std::array<Index, outcome_names.size()> by_outcome{};
    std::map<std::string, std::array<Index, outcome_names.size()>> by_op;
    Index cases = 0, not_covered = 0, values = 0;
    Index disagreements = 0;  ///< samples in which the certified and the exact sets were not the same
    Stages stages{};          ///< which part of the oracle settled how many values

    Index count(Outcome o) const { return by_outcome[static_cast<std::size_t>(o)]; }
    Index bad() const { return count(Outcome::deviates) + count(Outcome::broke); }
    Index judged() const { return count(Outcome::conforms) + bad(); }
    /// Whether all that was asked broke. Where the backend is gone too, it is that which is in trouble, and
    /// no case.
    bool never_answered() const { return bad() > 0 && cases - not_covered == count(Outcome::broke); }
};

/// Judges the cases in the source's order, a batch while the backend works on the next one, until the source
/// ends, `visit` returns false or the backend is gone; the source is then some cases ahead, and those that it
/// was not asked are not counted. A case that the backend does not cover is counted, not sent. `visit` must
/// not ask the backend; `spare_backend` is for that.
Totals judge_all(Backend& backend, const Source& source, const std::function<bool(const Judged&)>& visit);

/// The case with every default written out, as adapters are promised it.
Case completed(Case c);

/// Generated cases from this number on, as they suit a backend: of the kinds and under the policies that it
/// declares, with every attribute written out but in one case of sixteen, which is as it was drawn. Where it
/// declares that it rejects, one case of 32 must be rejected. It ends after `count` cases that are covered;
/// those in between that are not are given too, so that they are counted; `count` of them where nothing that
/// the request asks for is declared. A rejection if no case of the request is within the profile.
Checked<Source> generated_cases(const Request& request, const Declaration& declaration, std::uint64_t first,
                                std::uint64_t count);

/// How many pairs of features such cases can show, as far as the request and the declared ops, modes, dtypes
/// and ranks decide it.
Checked<std::size_t> valid_pairs(const Request& request, const Declaration& declaration);

/// Each layer forward and in both derivatives, where its profile has them, with ordinary and with hard values
/// at its real size, of the ops, modes and formats that the request leaves. Layers without a profile get the
/// request's. A rejection if one cannot be computed forward, or if nothing is left.
Checked<Source> layer_cases(std::vector<Case> layers, const Request& request);

/// The case that `generated_cases` gives at this number.
Checked<Case> generated_case(const Request& request, const Declaration& declaration, std::uint64_t index);

}  // namespace poolproof

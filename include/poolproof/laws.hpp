// SPDX-License-Identifier: Apache-2.0
// Laws as tests of a backend: cases that have to do with each other, and what their answers must have to do
// with each other. Every answer is judged by itself as well; a law says more where state, layout or the
// neighbours of a value leak into it, and where two modes of one operation do not belong together.
#pragma once

#include <poolproof/backend.hpp>
#include <poolproof/run.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace poolproof {

/// One case of a law, its sets, and what was answered.
struct LawSide {
    Case c;
    Plan plan;
    Expected expected;
    Observation answer;
};

/// An output of one side beside an output of another. Where either set is one pattern, and they are the same
/// as the law maps them, the two values must be the same bit by bit, any NaN being like another; elsewhere
/// the sets must meet, and each answer is held to its own.
struct Pairing {
    std::size_t one = 0, other = 1;  ///< sides
    std::string output;
    std::function<std::optional<Index>(Index)> at{};  ///< the other's position for one's; absent: the same
    std::function<std::optional<Bits>(Bits)> map{};   ///< the other's finite pattern as one's; absent: itself
    bool choice = false;  ///< of tied cells it may choose others there: sets need not meet
};

/// What a law makes of a case. `also` looks at all answers, each of them complete, and says what is wrong.
struct Relation {
    std::vector<Case> cases{};  ///< none: the law says nothing of the case
    std::vector<Pairing> pairings{};
    bool repeats = false;  ///< the first and the last case are the same, and so must be their answers [Det]
    std::function<std::optional<std::string>(const std::vector<LawSide>&)> also{};
};

struct Law {
    std::string name;
    std::string claim;   ///< one sentence
    std::string clause;  ///< that it rests on; empty: the one that decides the value
    std::function<Relation(const Case&, std::uint64_t number)> relation;  ///< of a valid, completed case
};

/// In a fixed order. Names are unique.
const std::vector<Law>& all_laws();

struct LawVerdict {
    Verdict verdict;       ///< `clause` is the law's where it is broken, else that of a side that deviates
    bool broken = false;   ///< the law itself, beyond what deviates on one side
    bool sets_met = true;  ///< false: the oracle contradicts itself, and nothing is to be trusted
    std::size_t side = 0;  ///< the first that deviates, if one does
    Index compared = 0;    ///< values that were compared bit by bit
};

/// Judges the answers to a relation's cases, in their order.
LawVerdict judge_law(const Law& law, const Relation& relation, const std::vector<Observation>& answers);

/// One question of a law, judged.
struct LawJudged {
    const Law& law;
    std::uint64_t number;  ///< of the case that it was made from
    const Relation& relation;
    const std::vector<Observation>& answers;
    const LawVerdict& verdict;
};

struct LawTotals {
    struct Row {
        std::array<Index, outcome_names.size()> by_outcome{};
        Index broken = 0, compared = 0;

        Index count(Outcome o) const { return by_outcome[static_cast<std::size_t>(o)]; }
        Index bad() const { return count(Outcome::deviates) + count(Outcome::broke); }
        Index judged() const { return count(Outcome::conforms) + bad(); }
        Index asked() const {
            Index n = 0;
            for (const Index k : by_outcome) n += k;
            return n;
        }
    };
    std::vector<Row> rows;  ///< in the order of the laws given
    Index unmet = 0;        ///< sets that should have met and did not

    Row sum() const;
};

/// The laws take turns at the generated cases of a request, from number `first` on: each case goes to the
/// first law from its turn on that says something of it and whose cases the backend covers all. Ends after
/// `count` of them, or when `visit` returns false or the backend is gone.
Checked<LawTotals> judge_laws(Backend& backend, const std::vector<Law>& laws, const Request& request,
                              std::uint64_t first, std::uint64_t count,
                              const std::function<bool(const LawJudged&)>& visit);

/// Failing questions of one kind: those of one law that is broken, or that meet answers wrong by one clause.
struct LawBucket {
    std::string law, clause;
    bool broken = false;
    std::uint64_t first = 0;  ///< number of the case that opened it
    Index questions = 0;

    std::string name() const { return law + (broken ? " is broken" : " meets a deviation of " + clause); }
};

/// Counts a failing question in the bucket of its kind; true if it opened one.
bool count_in(std::vector<LawBucket>& buckets, const LawJudged& failed);

}  // namespace poolproof

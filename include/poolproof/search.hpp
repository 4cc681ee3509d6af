// SPDX-License-Identifier: Apache-2.0
// What is done with a failure: the smallest case that still shows it, and the known fault that explains it.
// Implementations are plain functions here, wherever they run.
#pragma once

#include <poolproof/case.hpp>
#include <poolproof/generate.hpp>
#include <poolproof/verdict.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace poolproof {

/// Whether a case shows the failure in question. It is asked about valid cases only.
using Fails = std::function<bool(const Case&)>;

struct ShrinkLimits {
    Index evaluations = 3000;  ///< how often `Fails` may be asked, the two times for the given case included
    std::function<bool()> stop{};  ///< asked before each; true ends the search early
    /// Of a failure in which the implementation broke, each of which may cost a start or a deadline.
    Index broke_evaluations = 100;
    std::chrono::milliseconds broke_time{5000};
    /// Of a case so large that its sets take seconds.
    std::chrono::milliseconds large_time{20'000};
};

struct Shrunk {
    Case smallest;
    bool reproduced = false;  ///< the given case failed twice; if not, it is `smallest`
    bool cut_off = false;     ///< stopped before that could be told
    bool finished = false;    ///< nothing simpler was left to try within the limits
    Index evaluations = 0;
};

/// The simplest case that can be reached by dropping nodes, axes, cells and attributes and by simpler sizes,
/// values and formats, each step of which failed twice: a predicate that is right only now and then stops the
/// search early and does not mislead it. Profile and policy stay; every case asked about is accepted by
/// `plan`. The same arguments give the same answer, if `fails` does.
Shrunk shrunk(const Case& c, const Fails& fails, const ShrinkLimits& limits = {});

/// A known fault taken for the reason of what was observed: how much of it that fault would give. Values are
/// compared as closely as rounding lets them be. A shape or a refusal counts as one value.
struct Explanation {
    std::string name, vice;
    Index explained = 0, of = 0;  ///< values that deviate
    Index contradicted = 0;       ///< permitted values that would deviate under this fault
    Index refuting = 0;           ///< of those, the ones that stand in cases of the failure's own kind

    bool whole() const { return explained == of && of > 0; }
};

/// Compares an implementation's answers with those of every known fault. Each fault of the table of liars is
/// one hypothesis; what it shares with the truth explains nothing.
class Explainer {
public:
    Explainer();

    /// An answer to a case, which may be right: that speaks against some faults, and refutes them unless the
    /// case is `of_another_kind`, where an implementation may well be right. `expected` is null for a case
    /// that must be rejected.
    void add(const Case& c, const Expected* expected, const Observation& o, bool of_another_kind = false);

    /// Those that explain something, the best first: they explain most, are contradicted least, and stand
    /// first in the table.
    std::vector<Explanation> ranked() const;

    /// Goes on with those alone that explain everything, if there are any.
    void keep_whole();

private:
    struct Score {
        std::size_t fault;
        Index explained = 0, contradicted = 0, refuting = 0;
    };
    std::vector<Score> scores_;
    Index deviating_ = 0;
};

std::vector<Explanation> explain(const Case& c, const Expected& expected, const Observation& o);

/// How an implementation answers.
using Answers = std::function<Observation(const Case&)>;

/// Failures of one kind: one fault of an implementation, as far as can be told.
struct Bucket {
    Case smallest;
    Verdict verdict;                        ///< of `smallest`
    Observation answer;                     ///< to `smallest`
    std::string reason;                     ///< why there was no answer to judge; empty if there was
    std::string refused;                    ///< why a case that must be rejected must be; else empty
    std::vector<Explanation> explanations;  ///< of all failures looked at; the best first
    std::vector<Feature> features;          ///< that `smallest` still shows and a plain case does not
    std::uint64_t first = 0;                ///< the number of the case that opened it
    Index cases = 0;
    bool reproduced = true;  ///< `smallest` was not seen to pass

    /// The fault that explains all of it and that no right answer to a case of its op, mode, format and rank
    /// refutes, or nothing.
    const Explanation* fault() const;
    std::string hypothesis() const { return fault() != nullptr ? fault()->name : ""; }
    /// Whether some fault explains all of it.
    bool explained() const { return !explanations.empty() && explanations.front().whole(); }
    /// One line that names the bucket: clause and hypothesis, or the reason, or else clause and features.
    std::string name() const;
};

/// A reason in words without what differs from case to case: numbers, addresses and lists of them are each a
/// `#`.
std::string without_numbers(const std::string& why);

/// Sorts failures, so that one fault of an implementation is one entry. A failure that a bucket's hypotheses
/// explain whole is counted there; others go by the reason why there is no answer. What is left is shrunk,
/// and then goes by hypothesis, or else by clause and features, where a bucket takes in what shows the same
/// and more.
class Buckets {
public:
    /// `answers` must outlive this.
    explicit Buckets(const Answers& answers, ShrinkLimits limits = {});
    ~Buckets();

    /// Counts a case that failed, its answer and the judgment of it; true if it opened a bucket. `expected`
    /// is null for a case that must be rejected.
    bool add(std::uint64_t index, const Case& c, const Expected* expected, const Observation& o,
             const Verdict& v);

    /// A bucket of an earlier run: its smallest case, answered and judged anew.
    void restore(std::uint64_t index, Index cases, const Case& c, const Expected* expected,
                 const Observation& o, const Verdict& v);

    /// A right answer, which tells hypotheses apart. Costs next to nothing where there is nothing to tell:
    /// `expected` is asked for the sets only if they are used, and may have none.
    void add_right(const Case& c, const std::function<const Expected*()>& expected, const Observation& o);

    const std::vector<Bucket>& all() const { return buckets_; }

private:
    struct Known;
    struct Failure;

    std::size_t sort(const Failure& f);
    std::optional<std::size_t> explaining(const Failure& f);
    std::optional<std::size_t> of_reason(const Failure& f);
    std::optional<std::size_t> seen_enough(const Failure& f) const;
    std::optional<std::size_t> of_fault(const Bucket& b) const;
    std::optional<std::size_t> showing(const Bucket& b) const;
    void shrink(const Failure& f, Bucket& b, Known& known);
    void update(std::size_t k);

    const Answers& answers_;
    ShrinkLimits limits_;
    std::vector<Bucket> buckets_;
    std::vector<Known> known_;
};

/// The names of the known faults that the case tells from the truth.
std::vector<std::string> strength(const Case& c, const Expected& expected);

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// What is done with a failure: the smallest case that still shows it, and the known fault that explains it.
// Implementations are plain functions here, wherever they run.
#pragma once

#include <poolproof/case.hpp>
#include <poolproof/generate.hpp>
#include <poolproof/verdict.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace poolproof {

/// Whether a case shows the failure in question. It is asked about valid cases only.
using Fails = std::function<bool(const Case&)>;

struct ShrinkLimits {
    Index evaluations = 3000;  ///< how often `Fails` may be asked, the two times for the given case included
    std::function<bool()> stop{};  ///< asked before each; true ends the search early
};

struct Shrunk {
    Case smallest;
    bool reproduced = false;  ///< the given case failed twice; if not, it is `smallest`
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

    bool whole() const { return explained == of && of > 0; }
};

/// Compares an implementation's answers with those of every known fault. Each fault of the table of liars is
/// one hypothesis; what it shares with the truth explains nothing.
class Explainer {
public:
    Explainer();

    /// An answer to a case, which may be right: that speaks against some faults. `expected` is null for a
    /// case that must be rejected.
    void add(const Case& c, const Expected* expected, const Observation& o);

    /// Those that explain something, the best first: they explain most, are contradicted least, and stand
    /// first in the table.
    std::vector<Explanation> ranked() const;

    /// Goes on with those alone that explain everything, if there are any.
    void keep_whole();

private:
    struct Score {
        std::size_t fault;
        Index explained = 0, contradicted = 0;
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
    std::string refused;                    ///< why a case that must be rejected must be; else empty
    std::vector<Explanation> explanations;  ///< of all failures looked at; the best first
    std::vector<Feature> features;          ///< that `smallest` still shows and a plain case does not
    std::uint64_t first = 0;                ///< the number of the case that opened it
    Index cases = 0;
    bool reproduced = true;  ///< `smallest` fails every time

    /// The fault that explains all of it, or nothing.
    std::string hypothesis() const;
    /// One line that names the bucket: clause, hypothesis, features.
    std::string name() const;
};

/// Sorts failures, so that one fault of an implementation is one entry. A failure that a bucket's hypotheses
/// explain whole is counted there; others are shrunk, and then go by hypothesis, or else by clause and
/// features.
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

    /// A right answer, which tells hypotheses apart. Costs next to nothing where there is nothing to tell.
    void add_right(const Case& c, const Expected& expected, const Observation& o);

    const std::vector<Bucket>& all() const { return buckets_; }

private:
    struct Known;

    bool counted(const Case& c, const Expected* expected, const Observation& o, const std::string& signature);
    void update(std::size_t k);

    const Answers& answers_;
    ShrinkLimits limits_;
    std::vector<Bucket> buckets_;
    std::vector<Known> known_;
};

/// The names of the known faults that the case tells from the truth.
std::vector<std::string> strength(const Case& c, const Expected& expected);

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// The judgment of one case. The judge only compares: every number it compares with comes from the oracle.
#pragma once

#include <poolproof/expected.hpp>
#include <poolproof/observation.hpp>

#include <array>

namespace poolproof {

/// The six outcomes, from what says least to what is worst.
enum class Outcome : std::uint8_t { conforms, open, declined, vacuous, deviates, broke };
inline constexpr std::array<std::string_view, 6> outcome_names{"conforms", "open",     "declined",
                                                               "vacuous",  "deviates", "broke"};
constexpr std::string_view name(Outcome o) { return outcome_names[static_cast<std::size_t>(o)]; }

/// How the values of a case came out; they add up to its number of values.
struct Tally {
    Index conforming = 0, open = 0, vacuous = 0, deviating = 0;
};

/// One value that is not permitted.
struct Deviation {
    std::string output;
    Index position = 0;  ///< row-major
    Bits got = 0;
};

struct Verdict {
    Outcome outcome = Outcome::conforms;
    std::string clause;  ///< that the outcome rests on
    std::string why;     ///< in words, where no single value is to blame
    Tally tally;
    std::vector<Deviation> first_deviations;  ///< at most `shown_deviations`
};

inline constexpr std::size_t shown_deviations = 8;

/// Whether a pattern may stand at a position of an output, taken by itself.
bool permitted(const ExpectedOutput& output, Index position, Bits got);

/// Judges what came back for a valid case. Outputs that it does not ask for are ignored.
Verdict judge(const Expected& expected, const Observation& observation);

/// The verdict of `judge(expect(plan, c), observation)`, in memory for a block of slices at a time and, where
/// doubles with proved errors are enough, far sooner. `stages`, if given, is added to.
Verdict judge_case(const Plan& plan, const Case& c, const Observation& observation, Stages* stages = nullptr);

/// Judges what came back for a case that must be rejected.
Verdict judge_rejection(const Observation& observation);

/// The verdict of a case that was declined though the backend declares it.
Verdict judge_declined(Verdict declined);

/// The verdict of a case that was asked twice: where equal requests must get equal bits, they did.
Verdict judge_repeat(Verdict first, const Plan& plan, const Case& c, const Observation& one,
                     const Observation& other);

}  // namespace poolproof

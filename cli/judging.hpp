// SPDX-License-Identifier: Apache-2.0
// What every command that runs a backend and judges it shares: the self-check, a failure in words.
#pragma once

#include <poolproof/run.hpp>
#include <poolproof/search.hpp>

#include <string>

namespace poolproof::cli {

/// Feeds the judge wrong answers that it must refuse: a run whose judge lets them pass proves nothing. Says
/// so on standard error if it does.
bool judge_can_be_trusted();

/// The case as it is written, or of a long one the beginning and how long it is.
std::string shown_case(const Case& c);

/// The fault that a failure is like, as a line.
std::string likeness(const Explanation& e);

/// A failing case whole: the verdict, a line on what it is like, what the backend said, the case.
void print_failure(const Judged& j, const std::string& like = {});

/// What a backend answered or said instead, in one line.
std::string reply_text(const Observation& o);

}  // namespace poolproof::cli

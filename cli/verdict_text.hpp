// SPDX-License-Identifier: Apache-2.0
// A verdict in words: which value, its bits, hex float and decimal, what is permitted the same way, the exact
// value, and how much of the permitted error was used.
#pragma once

#include <poolproof/verdict.hpp>

#include <string>

namespace poolproof::cli {

/// One JSON object on one line.
std::string verdict_line(const Verdict& v, const Plan& plan, const Case& c);

/// The same for a case that must be rejected, or one that could not be judged at all.
std::string verdict_line(const Verdict& v);

/// One line for people.
std::string verdict_text(const Verdict& v);

/// Several lines for people, the first value that deviates among them; without a case that can be pasted
/// back.
std::string verdict_text(const Verdict& v, const Plan& plan, const Case& c);

}  // namespace poolproof::cli

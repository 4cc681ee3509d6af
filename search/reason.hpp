// SPDX-License-Identifier: Apache-2.0
// Failures without an answer to judge: a crash, a timeout, a refusal. One fault gives them one reason, which
// is all that is known of it.
#pragma once

#include <poolproof/observation.hpp>
#include <poolproof/verdict.hpp>

#include <string>

namespace poolproof::search {

/// What came in place of an answer, and why, `without_numbers`. Empty where there is an answer.
std::string reason(const Observation& o, const Verdict& v);

}  // namespace poolproof::search

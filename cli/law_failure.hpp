// SPDX-License-Identifier: Apache-2.0
// A question of a law that failed, in words.
#pragma once

#include <poolproof/laws.hpp>

#include <string>

namespace poolproof::cli {

/// A broken law with all its cases; a side that deviates by itself alone.
std::string law_failure_text(const LawJudged& j);

}  // namespace poolproof::cli

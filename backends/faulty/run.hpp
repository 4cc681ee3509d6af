// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/faulty/rules.hpp"

#include <poolproof/observation.hpp>

namespace poolproof::faulty {

/// What an implementation with these rules answers. Declines correct rounding of anything but a maximum,
/// 64-bit sums past 2^63 (unless its rules add those up, too), windows of over a million taps, and outputs of
/// over four million values.
Observation run(const Rules& rules, const Case& c);

}  // namespace poolproof::faulty

// SPDX-License-Identifier: Apache-2.0
// The reference as a backend: the project's own fast implementation, put under test like any other.
#pragma once

#include <poolproof/case.hpp>
#include <poolproof/observation.hpp>

namespace poolproof::backends {

/// Computes in float for the formats up to 32 bits and in double for f64; each node's result is rounded to
/// the format of the case. Declines integers, correct rounding of anything but a single maximum, and sums
/// that must not overflow on the way.
Observation run_reference(const Case& c);

}  // namespace poolproof::backends

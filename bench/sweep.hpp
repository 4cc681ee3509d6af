// SPDX-License-Identifier: Apache-2.0
// Layers that nobody chose: random ones of realistic sizes, forward and backward.
#pragma once

#include "bench/layer.hpp"

namespace poolproof::bench {

/// A pure function of its arguments: the layers, each forward and then backward, of a size that a rival's
/// slowest call takes some ten milliseconds for.
std::vector<Layer> sweep_layers(std::size_t count, std::uint64_t seed);

}  // namespace poolproof::bench

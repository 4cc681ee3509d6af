// SPDX-License-Identifier: Apache-2.0
// What stands in a tensor: one policy for the whole of it.
#pragma once

#include "generate/philox.hpp"

#include <poolproof/tensor.hpp>

namespace poolproof::generate {

enum class Values : std::uint8_t {
    constant,
    ones,
    few_integers,
    ramp,
    all_negative,
    impulse,
    ordinary,
    near_ties,
    halfway,
    spread,
    cancellation,
    edges,
    subnormals,
    brink,
    signed_zeros,
    special,
    infinities,
};
inline constexpr std::size_t values_count = static_cast<std::size_t>(Values::infinities) + 1;

/// A policy that the format can show, drawn; `moderate` leans towards magnitudes that an exponential does not
/// send to 0 or infinity.
Values drawn_values(Draws& draws, Format format, bool moderate);

/// Fills the tensor, by a policy that its format can show.
void fill(Tensor& t, Values values, Draws& draws);

/// A finite number that is not 0, for smooth max: mostly moderate, now and then huge or tiny.
Bits drawn_beta(Format f, Draws& draws);

}  // namespace poolproof::generate

// SPDX-License-Identifier: Apache-2.0
// Adaptive bins whose ends a rounded ratio misses: too rare among all sizes to be met by chance.
#pragma once

#include "generate/philox.hpp"

#include <optional>

namespace poolproof::generate {

inline constexpr Index longest_missed = 100;

/// An extent at which some number of bins is missed, by a way of computing ends that is drawn first.
Index drawn_missed_extent(Draws& draws);

/// A number of bins that is missed at this extent, or nothing if none is.
std::optional<Index> drawn_missed_bins(Index extent, Draws& draws);

}  // namespace poolproof::generate

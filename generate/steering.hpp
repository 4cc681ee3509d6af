// SPDX-License-Identifier: Apache-2.0
// Steering: which pairs of features a request can show at all, and cases drawn towards those that ordinary
// draws were late to show. Which case is drawn towards what follows from the request alone.
#pragma once

#include "generate/structure.hpp"

namespace poolproof::generate {

using FeaturePair = std::pair<Feature, Feature>;

/// Why no case of the request shows both; nothing if one may.
std::optional<std::string> impossible(const Scope& scope, Feature a, Feature b);

/// What to draw for, so that a case shows the pair more often than not.
Wish wish_for(const FeaturePair& pair);

/// The pair that the case of this number is drawn towards; nothing for most numbers.
std::optional<FeaturePair> target(const Scope& scope, std::uint64_t index);

/// The first of several attempts that shows the pair, or the last.
Case directed_case(const Scope& scope, std::uint64_t index, const FeaturePair& pair);

/// One attempt at the case of a number; the ordinary case is the first, without a wish.
Case drawn_case(const Scope& scope, std::uint64_t index, std::uint32_t attempt = 0, const Wish& wish = {});

}  // namespace poolproof::generate

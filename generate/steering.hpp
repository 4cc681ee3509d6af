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

/// A case that has no values yet: its input is of the right shape, and its direction is missing.
struct Draft {
    Case c;
    Shape output;
    std::optional<Plan> plan;  ///< of a single op, as far as it was made
};

/// One attempt at the case of a number; the ordinary case is the first, without a wish.
Draft drawn_draft(const Scope& scope, std::uint64_t index, std::uint32_t attempt = 0, const Wish& wish = {});
Case with_values(Draft draft, const Scope& scope, std::uint64_t index, std::uint32_t attempt = 0,
                 const Wish& wish = {});

inline Case drawn_case(const Scope& scope, std::uint64_t index, std::uint32_t attempt = 0) {
    return with_values(drawn_draft(scope, index, attempt), scope, index, attempt);
}

}  // namespace poolproof::generate

// SPDX-License-Identifier: Apache-2.0
// Now and then a case is the one before it but for one attribute: what an implementation that keeps plans by
// size, and forgets an attribute of theirs, mistakes for it.
#pragma once

#include "generate/scope.hpp"

#include <optional>

namespace poolproof::generate {

inline bool is_varied(std::uint64_t index) { return index % 32 == 31; }

/// Nothing where no other attribute that came up is valid.
std::optional<Case> varied_case(const Scope& scope, const Case& base, std::uint64_t index);

}  // namespace poolproof::generate

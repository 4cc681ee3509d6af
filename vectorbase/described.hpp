// SPDX-License-Identifier: Apache-2.0
// What a case says by itself about the vector that it would be.
#pragma once

#include <poolproof/vectors.hpp>

namespace poolproof::vectorbase {

/// Requires a case with a profile.
Level level_of(const Case& c);

/// What the case has of the flags that have a note, in order.
std::vector<std::string> flags_of(const Case& c, const VectorBase& base);

bool has_note(const VectorBase& base, std::string_view flag);

/// Whether docs/SPEC.md has a clause of this label.
bool is_clause(std::string_view label);

/// Every profile, this one first, so that it is the one that answers.
std::vector<std::string> profiles_from(const std::string& first);

/// The name itself, or the first of `name-2`, `name-3`.. that no vector has.
std::string free_id(const VectorBase& base, const std::string& name);

}  // namespace poolproof::vectorbase

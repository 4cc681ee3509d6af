// SPDX-License-Identifier: Apache-2.0
// Ties that are a set: answers in which every tied window picked one winner (`any`), or shared its weight
// among them
// (`convex`). What a window picked binds several values together, so membership is a search, or a linear
// program.
#pragma once

#include <poolproof/expected.hpp>

namespace poolproof {

/// How many partial choices a search tries, and how large a linear program may be, before the answer is left
/// open.
inline constexpr std::size_t max_choices = 20'000;
inline constexpr std::size_t max_program = 80;

/// The decision for a single maximum under `any` or `convex` that ties somewhere; nothing otherwise. Every
/// value is already known to be within its own permitted range.
std::optional<Joint> joint_ties(const Plan& plan, const Case& c);

}  // namespace poolproof

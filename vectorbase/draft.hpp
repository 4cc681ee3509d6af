// SPDX-License-Identifier: Apache-2.0
// The answers of a vector, computed: for new ones, and again by lint.
#pragma once

#include <poolproof/vectors.hpp>

namespace poolproof::vectorbase {

/// What is asked of a vector; an empty list means whatever holds.
struct Wanted {
    std::vector<std::string> profiles{};
    std::vector<Format> formats{};
    bool rejected = false;
};

/// Fills in everything from `profiles` on, out of the question: the formats in which the first profile that
/// can answer does so alike, and the profiles that give the same answers in all of these.
std::optional<Rejection> answer(Vector& v, const Wanted& wanted);

}  // namespace poolproof::vectorbase

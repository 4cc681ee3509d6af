// SPDX-License-Identifier: Apache-2.0
// The published list of features, and which pairs of them a request's cases can show.
#pragma once

#include <poolproof/generate.hpp>

namespace poolproof::cli {

/// Prints every feature with the number of features that it can meet, and every pair with why it cannot.
std::optional<Rejection> print_features(const Request& request);

}  // namespace poolproof::cli

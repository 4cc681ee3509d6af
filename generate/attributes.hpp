// SPDX-License-Identifier: Apache-2.0
// The attributes of one pooling node, drawn.
#pragma once

#include "generate/philox.hpp"
#include "generate/scope.hpp"

#include <span>

namespace poolproof::generate {

/// The features a case may use: each case draws a subset first, so that rare ones meet undiluted.
struct Swarm {
    bool unequal, padding, asymmetric, wide_padding, dilation, ceil, auto_pad, uncounted, divisor_override,
        gap, overlap, oversized, whole, sparse, huge, more_bins, keepdims, indices, memory, usual;
    int writing;  ///< of defaults: 0 left out, 1 written, 2 either
};

Swarm drawn_swarm(Draws& draws);

/// May be outside the profile, or ask for more output than is wise: the caller plans it.
Attributes drawn_attributes(Op op, Format format, std::span<const Index> extents, const Swarm& swarm,
                            const Scope& scope, Draws& draws);

/// What only a single op has: indices and the memory it is laid out in.
void draw_outer_attributes(Case& c, Index rank, const Swarm& swarm, const Scope& scope, Draws& draws);

}  // namespace poolproof::generate

// SPDX-License-Identifier: Apache-2.0
// Planes that are too narrow for vectors, or whose windows lie too far apart for them, are woven: `strands`
// of them beside each other become cells, as channels last are, are reduced as those, and unravelled.
#pragma once

#include "reference/geometry.hpp"

namespace poolproof::reference {

enum class Pass { mean, spread, best, pull };  ///< of averages and of maxima, forward and back

/// Whether planes with elements of `size` bytes are better woven. Measured: what the kernels for rows are
/// made for they do faster, unless rows are too short for vectors; the rest they do element by element.
bool better_woven(const Geometry& g, Pass pass, std::size_t size);

/// cells[i * strands + s] = planes[s * n + i] for `count` planes, 1 to strands; 0 for strands beyond them.
void weave(const float* planes, Index n, Index count, float* cells);
void weave(const double* planes, Index n, Index count, double* cells);

/// The reverse.
void unravel(const float* cells, Index n, Index count, float* planes);
void unravel(const double* cells, Index n, Index count, double* planes);
void unravel(const std::int32_t* cells, Index n, Index count, Index* planes);
void unravel(const Index* cells, Index n, Index count, Index* planes);

/// Calls f(first, count) for all groups of planes from `begin` to `end`.
template <class F> void for_each_weave(Index begin, Index end, const F& f) {
    for (Index s = begin; s < end; s += strands) f(s, std::min(strands, end - s));
}

}  // namespace poolproof::reference

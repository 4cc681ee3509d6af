// SPDX-License-Identifier: Apache-2.0
// Planes that are too narrow for vectors, or whose windows lie too far apart for them, are woven: `strands`
// of them beside each other become cells, as channels last are, are reduced as those, and unravelled.
#pragma once

#include "reference/geometry.hpp"
#include "reference/workers.hpp"

namespace poolproof::reference {

enum class Pass { mean, spread, best, pull };  ///< of averages and of maxima, forward and back

/// Whether planes with elements of `size` bytes, summed in as many or `sums`, are better woven. Measured:
/// what the kernels for rows are made for they do faster, unless rows are too short for vectors; the rest
/// they do element by element.
bool better_woven(const Geometry& g, Pass pass, std::size_t size, std::size_t sums);

inline bool better_woven(const Geometry& g, Pass pass, std::size_t size) {
    return better_woven(g, pass, size, size);
}

/// What to take for a pass that does not give positions.
inline const Geometry& stacked(const Geometry& g, Pass pass, std::size_t size) {
    return g.tall && !better_woven(g, pass, size) ? *g.tall : g;
}

/// cells[i * strands + s] = planes[s * n + i] for `count` planes, 1 to strands; 0 for strands beyond them.
void weave(const float* planes, Index n, Index count, float* cells);
void weave(const double* planes, Index n, Index count, double* cells);

/// The reverse.
void unravel(const float* cells, Index n, Index count, float* planes);
void unravel(const double* cells, Index n, Index count, double* planes);
void unravel(const std::int32_t* cells, Index n, Index count, Index* planes);
void unravel(const Index* cells, Index n, Index count, Index* planes);

/// Cells of n elements each, and the planes that they are woven of.
template <class T> struct Cloth {
    Index n;
    T* cells;

    Cloth(Index size, Scratch& scratch) : n(size), cells(scratch.take<T>(size * strands)) {}

    void of(std::span<const T> planes, Index first, Index count) {
        weave(planes.data() + first * n, n, count, cells);
    }

    template <class To> void into(std::span<To> planes, Index first, Index count) const {
        unravel(cells, n, count, planes.data() + first * n);
    }

    std::span<T> all() const { return {cells, extent_of(n * strands)}; }
};

/// Divides the planes among threads and calls f(scratch, each) for each part, where each(weave) calls
/// weave(first, count) for all groups of planes in it.
template <class F> void over_weaves(const Pooling& p, const Geometry& g, const F& f) {
    in_parallel(p.threads, g.blocks, [&](Index begin, Index end) {
        Scratch scratch;
        f(scratch, [begin, end](const auto& weave) {
            for (Index s = begin; s < end; s += strands) weave(s, std::min(strands, end - s));
        });
    });
}

}  // namespace poolproof::reference

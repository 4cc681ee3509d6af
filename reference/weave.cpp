// SPDX-License-Identifier: Apache-2.0
#include "reference/weave.hpp"

#include "reference/lanes.hpp"
#include "reference/level.hpp"
#include "reference/memory.hpp"
#include "reference/phased.hpp"
#include "reference/strided.hpp"

#include <limits>
#include <utility>

namespace poolproof::reference {

bool better_woven(const Geometry& g, Pass pass, std::size_t size, std::size_t sums) {
    if (!g.woven) return false;
    const Line& l = g.lines.back();
    const bool single = size == sizeof(float), near = l.stride == 1, far = l.stride > 2, wide = l.kernel > 3;
    constexpr Index any = std::numeric_limits<Index>::max();
    Index widest = 0;  // rows that are too short
    switch (pass) {
        case Pass::mean:
            if (sums == size && better_mean_phased(g, size)) return false;
            widest = single ? 16 : g.tall ? 7 : 14;
            break;
        case Pass::spread:
            if (sums == size && summed_by_phases(g))
                widest = single ? 24 : 15;
            else if (strided(l) < 0)
                widest = any;
            else if (single)
                widest = l.kernel < 3 ? 28 : 56;
            else
                widest = l.kernel < 3 ? 16 : l.kernel < 5 ? 28 : 36;
            break;
        case Pass::best:
            if (single)
                widest = far || near != wide ? 35 : 16;
            else
                widest = wide ? 22 : l.kernel == 2 && l.begin == 0 ? 7 : 14;
            break;
        case Pass::pull:
            if (wide)
                widest = single ? any : 64;
            else if (near)
                widest = single ? 160 : 40;
            else
                widest = !single ? 14 : far ? 128 : 30;
            break;
    }
    return l.extent <= widest;
}

namespace {

constexpr Index strip = 192;

#define POOLPROOF_CELLS_SOURCE "reference/weave_at.hpp"
#include "reference/cells_levels.hpp"

template <class T> void woven(const T* planes, Index n, Index count, T* cells) {
    (level() == Level::baseline ? baseline::woven<T> : avx2::woven<T>)(planes, n, count, cells);
}

template <class T> void unravelled(const T* cells, Index n, Index count, T* planes) {
    (level() == Level::baseline ? baseline::unravelled<T> : avx2::unravelled<T>)(cells, n, count, planes);
}

/// Positions, of which there are but few.
template <class From> void unravelled_positions(const From* cells, Index n, Index count, Index* planes) {
    for (Index i = 0; i < n; ++i)
        for (Index s = 0; s < count; ++s) planes[s * n + i] = cells[i * strands + s];
}

}  // namespace

void weave(const float* planes, Index n, Index count, float* cells) { woven(planes, n, count, cells); }
void weave(const double* planes, Index n, Index count, double* cells) { woven(planes, n, count, cells); }

void unravel(const float* cells, Index n, Index count, float* planes) { unravelled(cells, n, count, planes); }
void unravel(const double* cells, Index n, Index count, double* planes) {
    unravelled(cells, n, count, planes);
}
void unravel(const std::int32_t* cells, Index n, Index count, Index* planes) {
    unravelled_positions(cells, n, count, planes);
}
void unravel(const Index* cells, Index n, Index count, Index* planes) {
    unravelled_positions(cells, n, count, planes);
}

}  // namespace poolproof::reference

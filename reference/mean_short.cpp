// SPDX-License-Identifier: Apache-2.0
#include "reference/cells.hpp"
#include "reference/divide.hpp"
#include "reference/short_rows.hpp"
#include "reference/weave.hpp"

namespace poolproof::reference {

namespace {

const Line& height(const Geometry& g) { return g.lines[g.lines.size() - 2]; }

const Line& outer(const Geometry& g) { return g.lines.size() < 3 ? no_axis() : g.lines[0]; }

bool sums_each(const Geometry& g, std::size_t size) {
    return better_woven(g, Pass::mean, size) && summed_each(height(g), g.lines.back());
}

/// Measured: shorter rows had better be woven.
template <class T> bool better_short(const Geometry& g, const Line& h, const Line& w) {
    constexpr bool single = sizeof(T) == sizeof(float);
    if (w.extent >= (single ? 20 : 16) || !g.woven || g.lines.size() == 3) return true;
    if (w.stride < 2) return !single && w.extent >= 12 && h.kernel <= h.stride;
    if (h.kernel * w.kernel <= 4) return w.extent >= (single ? 12 : 7);
    const bool each = sums_each(g, sizeof(T));
    return single ? !each && w.extent >= 14 : w.extent >= 12 && !(each && h.kernel * w.kernel > 9);
}

}  // namespace

template <class T> bool short_means(const Geometry& g) {
    // Which other kernels sum one after the other.
    constexpr Index most_rows = 6, most_columns = 7, most_registers = 4;
    if (level() == Level::baseline || g.cell > 1 || g.lines.size() < 2 || g.lines.size() > 3) return false;
    const auto sums = [](const Line& l, Index most) {
        return l.kernel <= most && l.step == 1 &&
               std::all_of(l.windows.begin(), l.windows.end(), [](const Window& w) { return w.count > 0; });
    };
    const Line &h = height(g), &w = g.lines.back();
    if (!sums(outer(g), most_rows) || !sums(h, most_rows) || !sums(w, most_columns)) return false;
    return registers_of<T>(w.extent) <= most_registers && better_short<T>(g, h, w);
}

template <class T>
MeanShort<T, Position<T>> mean_short_of(const Geometry& g, T* const* divisors, Scratch& scratch) {
    using P = Position<T>;
    static constexpr T one = 1;
    const bool slabs = g.lines.size() == 3;
    const Line &h = height(g), &w = g.lines.back();
    const Index lanes = lanes_of<T>(), out = w.out(), registers = registers_of<T>(out);
    MeanShort<T, P> s{outer(g), h};
    s.extent = w.extent;
    s.out = out;
    s.registers = registers_of_row<T>(w.extent);
    s.terms = w.kernel;
    s.each = sums_each(g, sizeof(T));
    P* places = scratch.take<P>(registers * s.terms * lanes);
    s.places = places;
    for (Index v = 0; v < registers; ++v)
        for (Index t = 0; t < s.terms; ++t)
            for (Index o = v * lanes; o < (v + 1) * lanes; ++o) {
                const Window& over = w.windows[extent_of(std::min(o, out - 1))];
                *places++ = static_cast<P>(t < over.count ? over.first + t : -1);
            }

    const T *heights = divisors[slabs ? 1 : 0], *widths = divisors[slabs ? 2 : 1];
    const Index row = registers * lanes;
    const bool same = std::equal(heights + 1, heights + h.out(), heights);
    const Index rows = same ? 1 : h.out(), outers = s.outer.out();
    T* all = scratch.take<T>(rows * row + outers);
    T* scales = all + rows * row;
    for (Index r = 0; r < rows; ++r)
        for (Index o = 0; o < row; ++o) all[r * row + o] = heights[r] * widths[std::min(o, out - 1)];
    std::copy_n(slabs ? divisors[0] : &one, outers, scales);
    s.times = invert_all<T>(all, rows * row + outers);
    s.by = all;
    s.scales = scales;
    s.pitch = same ? 0 : row;
    s.past_rows = (s.outer.kernel - 1) * h.extent + h.kernel - 1;
    s.spare = scratch.take<T>(s.extent + 2 * (s.past_rows * s.extent + s.registers * lanes));
    return s;
}

template bool short_means<float>(const Geometry&);
template bool short_means<double>(const Geometry&);
template MeanShort<float, Position<float>> mean_short_of(const Geometry&, float* const*, Scratch&);
template MeanShort<double, Position<double>> mean_short_of(const Geometry&, double* const*, Scratch&);

}  // namespace poolproof::reference

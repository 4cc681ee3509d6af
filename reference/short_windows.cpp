// SPDX-License-Identifier: Apache-2.0
#include "reference/cells.hpp"
#include "reference/divide.hpp"
#include "reference/short_rows.hpp"
#include "reference/weave.hpp"

namespace poolproof::reference {

namespace {

constexpr Index most_taps_short = 8;  ///< of maxima, along each line

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

/// Measured: the fewer lanes are empty and the fewer windows share an input the better.
template <class T> bool better_short_maxima(const Geometry& g) {
    constexpr bool single = sizeof(T) == sizeof(float);
    const Line& w = g.lines.back();
    const Index registers = registers_of<T>(w.extent);
    const bool full = w.extent % lanes_of<T>() == 0;
    if (g.lines.size() == 3) {
        if (w.kernel <= w.stride) return true;
        if (w.stride == 1) return w.kernel == 2 && w.extent >= lanes_of<T>();
        return w.extent >= (w.kernel > 3 ? lanes_of<T>() : single ? 14 : 7);
    }
    if (w.extent < (single ? 14 : 8)) return false;
    if (w.stride > 1) return w.kernel > 2 || registers <= 2;
    if (w.kernel == 2) return !single || registers == 1 || w.extent >= 24;
    if (single && w.kernel > 3) return full || registers == 2;
    return full && registers <= 2;
}

/// Whether rows are in few enough registers, and windows have so many rows, columns and slabs at most.
template <class T> bool short_windows(const Geometry& g, Index most_rows, Index most_columns) {
    constexpr Index most_registers = 4;
    if (level() == Level::baseline || g.cell > 1 || g.lines.size() < 2 || g.lines.size() > 3) return false;
    const auto few = [](const Line& l, Index most) { return l.kernel <= most && l.step == 1 && l.least > 0; };
    const Line& w = g.lines.back();
    return few(outer(g), most_rows) && few(height(g), most_rows) && few(w, most_columns) &&
           registers_of<T>(w.extent) <= most_registers;
}

/// `repeats` is whether the last tap of a window is in place of those that are not there.
template <class T>
ShortRows<T, Position<T>> short_rows_of(const Geometry& g, bool repeats, Scratch& scratch) {
    using P = Position<T>;
    const Line &h = height(g), &w = g.lines.back();
    const Index lanes = lanes_of<T>(), out = w.out(), registers = registers_of<T>(out);
    ShortRows<T, P> s{outer(g), h};
    s.extent = w.extent;
    s.out = out;
    s.registers = registers_of_row<T>(w.extent);
    s.terms = w.kernel;
    P* places = scratch.take<P>(registers * s.terms * lanes);
    s.places = places;
    for (Index v = 0; v < registers; ++v)
        for (Index t = 0; t < s.terms; ++t)
            for (Index o = v * lanes; o < (v + 1) * lanes; ++o) {
                const Window& over = w.windows[extent_of(std::min(o, out - 1))];
                const Index tap = repeats ? std::min(t, over.count - 1) : t;
                *places++ = static_cast<P>(tap < over.count ? over.first + tap : -1);
            }
    s.past_rows = (s.outer.kernel - 1) * h.extent + h.kernel - 1;
    s.spare = scratch.take<T>(s.extent + 2 * (s.past_rows * s.extent + s.registers * lanes));
    return s;
}

}  // namespace

template <class T> bool short_means(const Geometry& g) {
    constexpr Index most_rows = 6, most_columns = 7;  // which other kernels sum one after the other
    return short_windows<T>(g, most_rows, most_columns) && better_short<T>(g, height(g), g.lines.back());
}

template <class T> bool short_maxima(const Geometry& g) {
    return short_windows<T>(g, most_taps_short, most_taps_short) && better_short_maxima<T>(g);
}

template <class T> bool found_short(const Geometry& g) {
    if (!short_windows<T>(g, most_taps_short, most_taps_short)) return false;
    constexpr bool single = sizeof(T) == sizeof(float);
    const Line& w = g.lines.back();
    const Index registers = registers_of<T>(w.extent);
    const bool full = w.extent % lanes_of<T>() == 0;
    if (g.lines.size() == 3) return w.extent >= (single ? 14 : 8) && (w.stride > 1 || w.kernel == 2);
    if (single) return w.extent >= 16 && (w.kernel > 3 || (registers <= 2 && (w.stride > 1 || full)));
    if (w.kernel <= 3) {
        const bool wide = w.kernel == 2 || w.stride > 1;
        return wide && w.extent >= (w.kernel == 2 ? 8 : 14) && registers <= 2;
    }
    return w.extent >= 14 && (w.stride > 1 || full || registers == 4);
}

template <class T> bool pulled_short(const Geometry& g) {
    if (!short_windows<T>(g, most_taps_short, most_taps_short)) return false;
    constexpr bool single = sizeof(T) == sizeof(float);
    const Line& w = g.lines.back();
    if (w.extent < (single ? 14 : 8)) return false;
    if (g.lines.size() == 3) return true;
    if (w.stride == 1) return single && w.kernel > 4 && w.extent >= 28;
    return w.kernel > 3 || (w.kernel == 3 && (!single || registers_of<T>(w.extent) <= 2));
}

template <class T>
MeanShort<T, Position<T>> mean_short_of(const Geometry& g, T* const* divisors, Scratch& scratch) {
    static constexpr T one = 1;
    const bool slabs = g.lines.size() == 3;
    const Line& h = height(g);
    MeanShort<T, Position<T>> m{short_rows_of<T>(g, false, scratch)};
    m.each = sums_each(g, sizeof(T));
    const T *heights = divisors[slabs ? 1 : 0], *widths = divisors[slabs ? 2 : 1];
    const Index out = m.rows.out, row = registers_of<T>(out) * lanes_of<T>();
    const bool same = std::equal(heights + 1, heights + h.out(), heights);
    const Index rows = same ? 1 : h.out(), outers = m.rows.outer.out();
    T* all = scratch.take<T>(rows * row + outers);
    T* scales = all + rows * row;
    for (Index r = 0; r < rows; ++r)
        for (Index o = 0; o < row; ++o) all[r * row + o] = heights[r] * widths[std::min(o, out - 1)];
    std::copy_n(slabs ? divisors[0] : &one, outers, scales);
    m.times = invert_all<T>(all, rows * row + outers);
    m.by = all;
    m.scales = scales;
    m.pitch = same ? 0 : row;
    return m;
}

template <class T> MaxShort<T, Position<T>> max_short_of(const Geometry& g, Nan nan, Scratch& scratch) {
    return {short_rows_of<T>(g, true, scratch), nan};
}

template bool short_means<float>(const Geometry&);
template bool short_means<double>(const Geometry&);
template bool short_maxima<float>(const Geometry&);
template bool short_maxima<double>(const Geometry&);
template MeanShort<float, Position<float>> mean_short_of(const Geometry&, float* const*, Scratch&);
template MeanShort<double, Position<double>> mean_short_of(const Geometry&, double* const*, Scratch&);
template bool found_short<float>(const Geometry&);
template bool found_short<double>(const Geometry&);
template bool pulled_short<float>(const Geometry&);
template bool pulled_short<double>(const Geometry&);
template MaxShort<float, Position<float>> max_short_of(const Geometry&, Nan, Scratch&);
template MaxShort<double, Position<double>> max_short_of(const Geometry&, Nan, Scratch&);

}  // namespace poolproof::reference

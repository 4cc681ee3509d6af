// SPDX-License-Identifier: Apache-2.0
#include "reference/cells.hpp"
#include "reference/divide.hpp"
#include "reference/phased.hpp"
#include "reference/weave.hpp"

namespace poolproof::reference {

namespace {

template <class T> Index lanes() { return register_bytes(level()) / Index{sizeof(T)}; }

template <class T> Index registers_of(Index n) {
    const Index registers = (n + lanes<T>() - 1) / lanes<T>();
    return registers == 3 ? 4 : registers;
}

const Line& height(const Geometry& g) { return g.lines[g.lines.size() - 2]; }

bool sums_each(const Geometry& g, std::size_t size) {
    return better_woven(g, Pass::mean, size) && summed_each(height(g), g.lines.back());
}

/// Measured: shorter rows had better be woven.
template <class T> bool better_short(const Geometry& g, const Line& h, const Line& w) {
    constexpr bool single = sizeof(T) == sizeof(float);
    if (w.extent >= (single ? 20 : 16) || !g.woven) return true;
    if (w.stride < 2) return false;
    if (h.kernel * w.kernel <= 4) return w.extent >= (single ? 12 : 7);
    const bool each = sums_each(g, sizeof(T));
    return single ? !each && w.extent >= 14 : w.extent >= 12 && !(each && h.kernel * w.kernel > 9);
}

}  // namespace

template <class T> bool short_means(const Geometry& g) {
    // Which other kernels sum one after the other.
    constexpr Index most_rows = 6, most_columns = 7, most_registers = 4;
    if (level() == Level::baseline || g.cell > 1 || g.lines.size() < 2) return false;
    const Line &h = height(g), &w = g.lines.back();
    if (h.kernel > most_rows || w.kernel > most_columns || h.step > 1 || w.step > 1) return false;
    const auto full = [](const Window& o) { return o.count > 0; };
    if (!std::all_of(h.windows.begin(), h.windows.end(), full)) return false;
    if (!std::all_of(w.windows.begin(), w.windows.end(), full)) return false;
    return registers_of<T>(w.extent) <= most_registers && better_short<T>(g, h, w);
}

template <class T>
MeanShort<T, Position<T>> mean_short_of(const Geometry& g, const T* heights, const T* widths,
                                        Scratch& scratch) {
    using P = Position<T>;
    const Line &h = height(g), &w = g.lines.back();
    const Index lanes = reference::lanes<T>(), out = w.out(), registers = (out + lanes - 1) / lanes;
    MeanShort<T, P> s{h};
    s.extent = w.extent;
    s.out = out;
    s.registers = registers_of<T>(w.extent);
    s.terms = w.kernel;
    s.each = sums_each(g, sizeof(T));
    P* places = scratch.take<P>(registers * s.terms * lanes);
    s.places = places;
    for (Index o = 0; o < registers * lanes; ++o) {
        const Window& over = w.windows[extent_of(std::min(o, out - 1))];
        for (Index t = 0; t < s.terms; ++t)
            places[(o / lanes * s.terms + t) * lanes + o % lanes] =
                static_cast<P>(t < over.count ? over.first + t : -1);
    }
    const Index row = registers * lanes;
    s.pitch = std::equal(heights + 1, heights + h.out(), heights) ? 0 : row;
    s.by = scratch.take<T>((s.pitch == 0 ? 1 : h.out()) * row);
    divide_by(s, heights, widths, T{1});
    s.spare = scratch.take<T>(s.extent + 2 * s.registers * lanes);
    return s;
}

template <class T> void divide_by(MeanShort<T, Position<T>>& s, const T* heights, const T* widths, T scale) {
    const Index lanes = reference::lanes<T>(), row = (s.out + lanes - 1) / lanes * lanes;
    const Index rows = s.pitch == 0 ? 1 : s.height.out();
    for (Index r = 0; r < rows; ++r)
        for (Index o = 0; o < row; ++o)
            s.by[r * row + o] = heights[r] * widths[std::min(o, s.out - 1)] * scale;
    s.times = invert_all<T>(s.by, rows * row);
    s.scale = scale;
}

template bool short_means<float>(const Geometry&);
template bool short_means<double>(const Geometry&);
template MeanShort<float, Position<float>> mean_short_of(const Geometry&, const float*, const float*,
                                                         Scratch&);
template MeanShort<double, Position<double>> mean_short_of(const Geometry&, const double*, const double*,
                                                           Scratch&);
template void divide_by(MeanShort<float, Position<float>>&, const float*, const float*, float);
template void divide_by(MeanShort<double, Position<double>>&, const double*, const double*, double);

}  // namespace poolproof::reference

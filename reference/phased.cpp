// SPDX-License-Identifier: Apache-2.0
#include "reference/phased.hpp"

#include "reference/divide.hpp"
#include "reference/sum_kernels.hpp"

namespace poolproof::reference {

namespace {

bool phased_planes(const Geometry& g, Nan nan) {
    if (level() == Level::baseline || nan != Nan::first) return false;
    if (g.cell != 1 || g.lines.size() != 2 || g.covers.empty()) return false;
    return phased(g.lines.back()) && g.lines[0].kernel <= Phases<Index>::most_kernel;
}

bool planes_with_columns(const Geometry& g, Index most_rows) {
    if (level() == Level::baseline || g.cell > 1 || g.lines.size() < 2) return false;
    return has_columns(g.lines.back()) && g.lines[g.lines.size() - 2].kernel <= most_rows;
}

/// The part of a row's registers of windows that are windows.
double filled(const Line& l, std::size_t size) {
    const Index lanes = register_bytes(level()) / static_cast<Index>(size);
    const Index registers = (l.out() + lanes - 1) / lanes;
    return static_cast<double>(l.out()) / static_cast<double>(registers * lanes);
}

constexpr Index far = Index{1} << 20;  ///< from so many bytes on they are waited for

Index all_bytes(const Geometry& g, std::size_t size) {
    return g.blocks * g.inputs * static_cast<Index>(size);
}

Index row_bytes(const Geometry& g, std::size_t size) {
    return g.lines.back().extent * static_cast<Index>(size);
}

bool long_and_far(const Geometry& g, std::size_t size) {
    constexpr Index long_row = 60;
    return g.lines.back().extent >= long_row && all_bytes(g, size) >= far;
}

}  // namespace

bool better_find_phased(const Geometry& g, Nan nan, std::size_t size) {
    if (!phased_planes(g, nan)) return false;
    const Line& l = g.lines.back();
    const bool single = size == sizeof(float);
    Index widest = 12;
    if (g.woven && single)
        widest = l.kernel <= 3 && l.stride <= 2 ? 20 : 40;
    else if (g.woven && l.kernel > 2)
        widest = 20;
    return l.extent > widest;
}

bool better_pull_phased(const Geometry& g, Nan nan, std::size_t size) {
    if (!phased_planes(g, nan)) return false;
    const Line& l = g.lines.back();
    const bool single = size == sizeof(float);
    const Index more = l.kernel - l.stride;
    Index widest = g.woven && single ? 20 : 12;  // rows that are too short
    if (g.woven && more > 1)
        widest = single ? 190 : 60;
    else if (g.woven && more == 1 && l.stride != 2)
        widest = single ? 40 : 35;
    else if (g.woven && l.stride == 4)
        widest = single ? 35 : 24;
    return l.extent > widest;
}

bool better_mean_phased(const Geometry& g, std::size_t size) {
    // Which other kernels sum one after the other too.
    constexpr Index most_rows = 6, most_columns = 7;
    const Line& l = g.lines.back();
    if (g.covers.empty() || l.kernel > most_columns || !planes_with_columns(g, most_rows)) return false;
    const bool single = size == sizeof(float);
    if (l.extent <= (!g.woven ? 12 : single ? 16 : 14)) return false;
    if (goes_on(l)) return long_and_far(g, size);
    switch (l.stride) {
        case 1: return l.extent <= 30;
        case 2: return true;
        case 3: return l.kernel < 7 && filled(l, size) >= (l.kernel <= 3 ? 0.45 : 0.8);
        default: return l.kernel <= 4 || l.extent > (single ? 35 : 70);
    }
}

bool better_max_phased(const Geometry& g, std::size_t size) {
    if (!planes_with_columns(g, Columns<Index>::most_kernel)) return false;
    const Line& l = g.lines.back();
    if (l.stride == 1) return l.kernel == 2;
    const bool no_rest = l.extent == l.out() * l.stride;
    return l.stride > 2 || l.kernel > 3 || !no_rest || long_and_far(g, size);
}

bool better_spread_phased(const Geometry& g, std::size_t size) {
    constexpr Index line = 64, long_row = 4 * line;
    if (level() == Level::baseline || !summed_by_phases(g)) return false;
    const Line& l = g.lines.back();
    if (l.stride < 3 || (l.stride == 3 && l.kernel <= 3)) return true;
    // Else long rows of whole lines that come from far are better written as others do.
    const Index row = row_bytes(g, size), all = all_bytes(g, size);
    return row % line != 0 || row < long_row || all < far || all >= streamed_bytes;
}

bool rows_apart(const Geometry& g, std::size_t size) {
    constexpr Index long_row = 512;
    const Index all = all_bytes(g, size);
    return row_bytes(g, size) >= long_row && all >= 2 * far && all < streamed_bytes;
}

namespace {

constexpr Index beyond_shares = 2;  // -0, which adds nothing to anything, and +0, the sum of none

template <class T> Index lanes() { return register_bytes(level()) / Index{sizeof(T)}; }

/// That hold the shares of a plane, and what is beyond them.
template <class T> Index registers_of(const Geometry& g) {
    return (g.outputs + beyond_shares + lanes<T>() - 1) / lanes<T>();
}

}  // namespace

template <class T> bool few_shares(const Geometry& g) {
    constexpr Index most_registers = 4, most_terms = 4, most_inputs = 256, least_inputs = 8192;
    if (level() == Level::baseline || g.cell > 1 || g.lines.size() != 2 || g.covers.empty()) return false;
    const Index terms = g.covers[0].kernel * g.covers[1].kernel, registers = registers_of<T>(g);
    // Woven is faster; and so is what needs no tables for few planes.
    if (sizeof(T) == sizeof(double) && terms > 2 && registers > 2) return false;
    if (g.blocks * g.inputs < least_inputs) return false;
    return terms > 0 && terms <= most_terms && g.inputs <= most_inputs && registers <= most_registers;
}

template <class T>
SpreadFew<T, Position<T>> spread_few_of(const Geometry& g, T* const* divisors, Scratch& scratch) {
    using P = Position<T>;
    SpreadFew<T, P> s;
    const Line &height = g.covers[0], &width = g.covers[1];
    const Index lanes = reference::lanes<T>(), registers = registers_of<T>(g);
    const Index terms = height.kernel * width.kernel, minus = g.outputs, plus = g.outputs + 1;
    s.inputs = g.inputs;
    s.outputs = g.outputs;
    s.registers = registers;
    s.terms = terms;

    T* by = scratch.take<T>(registers * lanes);
    T* beyond = scratch.take<T>(registers * lanes);
    P* shares = scratch.take<P>(registers * lanes);
    const Index across = g.lines[1].out();
    for (Index o = 0; o < registers * lanes; ++o) {
        by[o] = o < g.outputs ? divisors[0][o / across] * divisors[1][o % across] : T{1};
        beyond[o] = o == minus ? -T{0} : T{0};
        shares[o] = static_cast<P>(o);
    }
    s.times = invert_all<T>(by, g.outputs);
    s.divisors = by;
    s.beyond = beyond;
    s.shares = shares;

    const Index inputs = (g.inputs + lanes - 1) / lanes * lanes;
    P* places = scratch.take<P>(inputs * terms);
    const auto place = [&](Index i, Index term) -> P& {
        return places[i / lanes * lanes * terms + term * lanes + i % lanes];
    };
    for (Index i = 0; i < inputs; ++i) {
        Index term = 0;
        if (i < g.inputs) {
            const Window& h = height.windows[extent_of(i / g.lines[1].extent)];
            const Window& w = width.windows[extent_of(i % g.lines[1].extent)];
            for (Index r = 0; r < h.count; ++r)
                for (Index c = 0; c < w.count; ++c)
                    place(i, term++) = static_cast<P>((h.first + r) * across + w.first + c);
        }
        if (term == 0) place(i, term++) = static_cast<P>(plus);
        while (term < terms) place(i, term++) = static_cast<P>(minus);
    }
    s.places = places;
    s.spare = scratch.take<T>(g.outputs + 2 * registers * lanes);
    return s;
}

template bool few_shares<float>(const Geometry&);
template bool few_shares<double>(const Geometry&);
template SpreadFew<float, Position<float>> spread_few_of(const Geometry&, float* const*, Scratch&);
template SpreadFew<double, Position<double>> spread_few_of(const Geometry&, double* const*, Scratch&);

}  // namespace poolproof::reference

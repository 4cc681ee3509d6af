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
    const Line& l = g.lines.back();
    const bool far = l.stride == 4 || (l.stride == 3 && l.kernel == 3);
    if (size != sizeof(float) || l.extent <= 24 || l.extent > (far ? 64 : 48)) return false;
    return l.stride > 1 && !goes_on(l) && summed_by_phases(g);
}

bool better_spread_phased(const Geometry& g, std::size_t size) {
    // Long rows of whole lines that come from far are better written from line to line.
    constexpr Index line = 64, long_row = 4 * line, far = Index{1} << 20;
    const Index row = g.lines.back().extent * static_cast<Index>(size);
    const Index all = g.blocks * g.inputs * static_cast<Index>(size);
    const bool whole = row % line == 0 && row >= long_row && all >= far && all < streamed_bytes;
    return !whole && summed_by_phases(g);
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

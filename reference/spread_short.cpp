// SPDX-License-Identifier: Apache-2.0
#include "reference/cells_of.hpp"
#include "reference/divide.hpp"
#include "reference/phased.hpp"
#include "reference/weave.hpp"

#include <numeric>

namespace poolproof::reference {

namespace {

constexpr Index beyond_shares = 2;  // -0, which adds nothing to anything, and +0, the sum of none

template <class T> Index lanes() { return register_bytes(level()) / Index{sizeof(T)}; }

/// Of n shares in a row and what is beyond them.
template <class T> Index registers_of(Index n) {
    const Index registers = (n + beyond_shares + lanes<T>() - 1) / lanes<T>();
    return registers == 3 ? 4 : registers;
}

bool sums_each(const Geometry& g, std::size_t size) {
    return g.lines.size() == 2 && g.covers[0].kernel == 2 && g.covers[1].kernel == 2 &&
           better_woven(g, Pass::spread, size);
}

/// Windows over an input of a plane at most.
Index terms_of(const Geometry& g) {
    return std::accumulate(g.covers.begin(), g.covers.end(), Index{1},
                           [](Index n, const Line& l) { return n * l.kernel; });
}

/// Whether a plane is better taken as one row. Measured.
template <class T> bool one_row(const Geometry& g) {
    constexpr Index short_row = 20;
    if (g.lines.size() != 2 || g.lines[0].out() < 2 || g.lines[1].extent > short_row) return false;
    const bool in_order = g.covers[0].kernel == 1 || g.covers[1].kernel == 1 || sums_each(g, sizeof(T));
    return in_order && registers_of<T>(g.outputs) <= (terms_of(g) == 1 ? 4 : 2);
}

}  // namespace

template <class T> bool short_shares(const Geometry& g) {
    constexpr Index one_by_one = 6;       // rows, that other kernels sum one after the other
    constexpr Index most_bytes = 128;     // of a row of shares
    constexpr double least_filled = 0.7;  // of registers of inputs, for as many terms as are better woven
    if (level() == Level::baseline || g.cell > 1 || g.lines.size() > 2 || g.covers.empty()) return false;
    const auto few = [](const Line& l) { return l.kernel >= 1 && l.kernel <= one_by_one; };
    if (!std::all_of(g.covers.begin(), g.covers.end(), few)) return false;
    if (one_row<T>(g)) return true;
    const Line& l = g.lines.back();
    const Index shares = registers_of<T>(l.out()) * lanes<T>(),
                inputs = (l.extent + lanes<T>() - 1) / lanes<T>() * lanes<T>();
    if (terms_of(g) > cells::most_direct && better_woven(g, Pass::spread, sizeof(T)) &&
        (shares > inputs || static_cast<double>(l.extent) < least_filled * static_cast<double>(inputs)))
        return false;
    return shares * Index{sizeof(T)} <= most_bytes;
}

template <class T>
SpreadShort<T, Position<T>> spread_short_of(const Geometry& g, T* const* divisors, Scratch& scratch) {
    using P = Position<T>;
    static const std::vector<Window> one_window = {{0, 1}};
    SpreadShort<T, P> s;
    const bool flat = one_row<T>(g), line = g.lines.size() < 2;
    const std::vector<Window>& heights = line ? one_window : g.covers[0].windows;
    const std::vector<Window>& widths = g.covers.back().windows;
    const Index across = g.lines.back().out(), down = line ? 1 : g.lines[0].out();
    s.rows = flat ? 1 : down;
    s.alone = flat || line;
    s.out = flat ? g.outputs : across;
    s.extent = flat ? g.inputs : g.lines.back().extent;
    s.registers = registers_of<T>(s.out);
    s.terms = g.covers.back().kernel * (flat ? g.covers[0].kernel : 1);
    s.each = !flat && sums_each(g, sizeof(T));

    auto* alike = scratch.take<AlikeRows>(static_cast<Index>(heights.size()));
    s.alike = alike;
    for (const Window& w : flat ? one_window : heights) {
        if (alike != s.alike && alike[-1].first == w.first && alike[-1].windows == w.count)
            ++alike[-1].count;
        else
            *alike++ = {w.first, w.count, 1};
        s.most_alike = std::max(s.most_alike, alike[-1].count);
    }
    s.past_alike = alike;

    const Index lanes = reference::lanes<T>(), row = s.registers * lanes;
    T* by = scratch.take<T>(s.rows * row);
    bool same = true;
    for (Index r = 0; r < s.rows; ++r)
        for (Index o = 0; o < row; ++o) {
            const Index height = flat ? o / across : r, width = flat ? o % across : o;
            T& d = by[r * row + o];
            d = o < s.out ? (line ? T{1} : divisors[0][height]) * divisors[line ? 0 : 1][width] : T{1};
            same = same && d == by[o];
        }
    s.pitch = same ? 0 : row;
    s.times = invert_all<T>(by, (same ? 1 : s.rows) * row);
    s.divisors = by;

    T* beyond = scratch.take<T>(row);
    P* numbers = scratch.take<P>(row);
    const Index minus = s.out, plus = s.out + 1;
    for (Index o = 0; o < row; ++o) {
        beyond[o] = o == minus ? -T{0} : T{0};
        numbers[o] = static_cast<P>(o);
    }
    s.beyond = beyond;
    s.numbers = numbers;

    const Index inputs = (s.extent + lanes - 1) / lanes * lanes;
    P* places = scratch.take<P>(inputs * s.terms);
    for (Index i = 0; i < inputs; ++i) {
        Index term = 0;
        const auto put = [&](Index share) {
            places[i / lanes * lanes * s.terms + term++ * lanes + i % lanes] = static_cast<P>(share);
        };
        if (i < s.extent) {
            const Window& w = widths[extent_of(i % g.lines.back().extent)];
            const Window& h = flat ? heights[extent_of(i / g.lines.back().extent)] : one_window[0];
            for (Index r = 0; r < h.count; ++r)
                for (Index c = 0; c < w.count; ++c) put((h.first + r) * across + w.first + c);
        }
        if (term == 0) put(plus);
        while (term < s.terms) put(minus);
    }
    s.places = places;
    s.spare = scratch.take<T>(s.out + 2 * row);
    s.held = scratch.take<T>(s.rows * row);
    return s;
}

template bool short_shares<float>(const Geometry&);
template bool short_shares<double>(const Geometry&);
template SpreadShort<float, Position<float>> spread_short_of(const Geometry&, float* const*, Scratch&);
template SpreadShort<double, Position<double>> spread_short_of(const Geometry&, double* const*, Scratch&);

}  // namespace poolproof::reference

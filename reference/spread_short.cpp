// SPDX-License-Identifier: Apache-2.0
#include "reference/cells_of.hpp"
#include "reference/divide.hpp"
#include "reference/short_rows.hpp"
#include "reference/weave.hpp"

#include <numeric>

namespace poolproof::reference {

namespace {

constexpr Index beyond_shares = 2;  // -0, which adds nothing to anything, and +0, the sum of none

/// Of n shares in a row and what is beyond them.
template <class T> Index registers_of_shares(Index n) { return registers_of_row<T>(n + beyond_shares); }

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
    constexpr Index short_row = 20, few_planes = 4;  // which pay for tables of rows, but not of planes
    if (g.lines.size() != 2 || g.lines[0].out() < 2 || g.lines[1].extent > short_row) return false;
    if (g.blocks < few_planes) return false;
    const bool in_order = g.covers[0].kernel == 1 || g.covers[1].kernel == 1 || sums_each(g, sizeof(T));
    return in_order && registers_of_shares<T>(g.outputs) <= (terms_of(g) == 1 ? 4 : 2);
}

/// How the rows of a plane are taken.
struct Taken {
    bool as_one;
    const Line* height;  ///< of covers, or null if there is but one row
    const Line* width;
    Index down, across;  ///< shares
};

/// Of each share, or of all, if `all` is not null.
template <class T>
void put_divisors(const Taken& plane, T* const* divisors, const T* all, SpreadShort<T, Position<T>>& s,
                  Index row, Scratch& scratch) {
    const Index rows = all == nullptr ? s.rows : 1;
    T* by = scratch.take<T>(rows * row);
    s.divisors = by;
    s.pitch = all == nullptr ? row : 0;
    std::fill_n(by, rows * row, all == nullptr ? T{1} : *all);
    const T* widths = divisors[plane.height == nullptr ? 0 : 1];
    for (Index r = 0; all == nullptr && r < plane.down; ++r) {
        const T height = plane.height == nullptr ? T{1} : divisors[0][r];
        T* to = by + r * (plane.as_one ? plane.across : row);
        for (Index o = 0; o < plane.across; ++o) to[o] = height * widths[o];
    }
    s.times = invert_all<T>(by, rows * row);
}

/// Where the inputs of a row find their shares.
template <class T, class P>
void put_places(const Taken& plane, SpreadShort<T, P>& s, Index lanes, Scratch& scratch) {
    const auto minus = static_cast<P>(s.out), plus = static_cast<P>(s.out + 1);
    P* places = scratch.take<P>(registers_of<T>(s.extent) * s.terms * lanes);
    s.places = places;
    Index lane = 0;
    const auto put = [&](const Window& h, const Window& w) {
        P* to = places + lane;
        Index left = s.terms;
        for (Index r = 0; r < h.count; ++r)
            for (Index c = 0; c < w.count; ++c, to += lanes, --left)
                *to = static_cast<P>((h.first + r) * plane.across + w.first + c);
        for (; left > 0; --left, to += lanes) *to = left == s.terms ? plus : minus;
        if (++lane < lanes) return;
        lane = 0;
        places += s.terms * lanes;
    };
    const Window first{0, 1}, none{};
    const auto put_row = [&](const Window& h) {
        for (const Window& w : plane.width->windows) put(h, w);
    };
    if (plane.as_one)
        for (const Window& h : plane.height->windows) put_row(h);
    else
        put_row(first);
    for (Index i = s.extent; i % lanes != 0; ++i) put(none, none);
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
    const Index extent = g.lines.back().extent, inputs = registers_of<T>(extent);
    const Index shares = registers_of_shares<T>(g.lines.back().out());
    if (terms_of(g) > cells::most_direct && better_woven(g, Pass::spread, sizeof(T)) &&
        (shares > inputs ||
         static_cast<double>(extent) < least_filled * static_cast<double>(inputs * lanes_of<T>())))
        return false;
    return shares * register_bytes(level()) <= most_bytes;
}

template <class T>
SpreadShort<T, Position<T>> spread_short_of(const Geometry& g, T* const* divisors, const T* all,
                                            Scratch& scratch) {
    using P = Position<T>;
    SpreadShort<T, P> s;
    const bool line = g.lines.size() < 2;
    const Taken plane{one_row<T>(g), line ? nullptr : g.covers.data(), &g.covers.back(),
                      line ? 1 : g.lines[0].out(), g.lines.back().out()};
    s.alone = plane.as_one || line;
    s.rows = s.alone ? 1 : plane.down;
    s.out = plane.as_one ? g.outputs : plane.across;
    s.extent = plane.as_one ? g.inputs : g.lines.back().extent;
    s.registers = registers_of_shares<T>(s.out);
    s.terms = plane.width->kernel * (plane.as_one ? plane.height->kernel : 1);
    s.each = !plane.as_one && sums_each(g, sizeof(T));
    const Index lanes = lanes_of<T>(), row = s.registers * lanes;
    put_divisors<T>(plane, divisors, all, s, row, scratch);
    put_places(plane, s, lanes, scratch);

    T* beyond = scratch.take<T>(row);
    P* numbers = scratch.take<P>(row);
    for (Index o = 0; o < row; ++o) {
        beyond[o] = o == s.out ? -T{0} : T{0};
        numbers[o] = static_cast<P>(o);
    }
    s.beyond = beyond;
    s.numbers = numbers;
    s.spare = scratch.take<T>(s.out + 2 * row);
    if (s.alone) return s;

    s.held = scratch.take<T>(s.rows * row);
    auto* alike = scratch.take<AlikeRows>(plane.height->out());
    s.alike = alike;
    for (const Window& w : plane.height->windows) {
        if (alike != s.alike && alike[-1].first == w.first && alike[-1].windows == w.count)
            ++alike[-1].count;
        else
            *alike++ = {w.first, w.count, 1};
        s.most_alike = std::max(s.most_alike, alike[-1].count);
    }
    s.past_alike = alike;
    return s;
}

template bool short_shares<float>(const Geometry&);
template bool short_shares<double>(const Geometry&);
template SpreadShort<float, Position<float>> spread_short_of(const Geometry&, float* const*, const float*,
                                                             Scratch&);
template SpreadShort<double, Position<double>> spread_short_of(const Geometry&, double* const*, const double*,
                                                               Scratch&);

}  // namespace poolproof::reference

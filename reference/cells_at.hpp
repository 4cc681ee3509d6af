// SPDX-License-Identifier: Apache-2.0
// Means of cells and their transpose, in registers; see cells_levels.hpp. No include guard.

#include "reference/doubles_at.hpp"
#include "reference/sink_at.hpp"

#include "reference/mean_whole_at.hpp"
#include "reference/placed_at.hpp"
#include "reference/spread_at.hpp"

/// What becomes of a sum.
struct AsItIs {
    template <class D> POOLPROOF_CELLS void operator()(D&) const {}
};
template <class S> struct Times {
    S by;
    template <class D> POOLPROOF_CELLS void operator()(D& sum) const { sum *= by; }
};
template <class S> struct Over {
    S by;
    template <class D> POOLPROOF_CELLS void operator()(D& sum) const { sum /= by; }
};

/// How many elements `sum_taps` takes between calls of ask(): of each tap a line, which is as many as it adds
/// at once where they become wider.
template <class S, class X>
inline constexpr Index sum_step = (sizeof(X) < sizeof(S) ? 2 : 1) * Register<S>::width;

/// y[i] = finish(sum of x[taps[t] + i] over t, of type S), for so many registers of sums.
template <class S, int registers, class X, class Y, class Finish>
POOLPROOF_CELLS void sum_block(const X* x, const Index* taps, Index count, Y* y, Finish finish) {
    using V = typename Register<S>::Vector;
    constexpr Index width = Register<S>::width;
    V sums[registers];
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r) load(x + taps[0] + r * width, sums[r]);
    for (Index t = 1; t < count; ++t) {
        const X* from = x + taps[t];
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r) {
            V one;
            load(from + r * width, one);
            sums[r] += one;
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r) {
        finish(sums[r]);
        store(sums[r], y + r * width);
    }
}

/// The same for n elements; calls ask() at every step. Where the compiler is
/// to know how many taps there are, which is better for long rows, `known` is not 0.
template <class S, int known = 0, class X, class Y, class N, class Finish, class Ask = NoAsks>
POOLPROOF_CELLS void sum_taps(const X* x, const Index* given, Index given_count, Y* y, N n, Finish finish,
                              Ask ask = {}) {
    constexpr Index width = Register<S>::width;
    Index few[known > 0 ? known : 1];  // which stores to y cannot change
    for (int t = 0; t < known; ++t) few[t] = given[t];
    const Index* const taps = known > 0 ? few : given;
    const Index count = known > 0 ? known : given_count;
    Index i = 0;
    if (count == 0) {
        S none = 0;
        finish(none);
        return std::fill_n(y, Index{n}, static_cast<Y>(none)), void();
    }
    constexpr bool quiet = std::is_same_v<Ask, NoAsks>;
    constexpr Index eight = 8 * width, two = 2 * width;
    for (; quiet && i + eight <= n; i += eight) sum_block<S, 8>(x + i, taps, count, y + i, finish);
    for (; (quiet || known > 0 || sum_step<S, X> == two) && i + two <= n; i += two) {
        ask();
        sum_block<S, 2>(x + i, taps, count, y + i, finish);
    }
    for (; i < n; i += width) {
        if (i + width > n) {
            if (n < width) break;
            i = n - width;  // some again
        }
        ask();
        sum_block<S, 1>(x + i, taps, count, y + i, finish);
    }
    for (; i < n; ++i) {
        auto sum = static_cast<S>(x[taps[0] + i]);
        for (Index t = 1; t < count; ++t) sum += static_cast<S>(x[taps[t] + i]);
        finish(sum);
        y[i] = static_cast<Y>(sum);
    }
}

template <class S, class X, class Y, class Finish, class Ask = NoAsks>
POOLPROOF_CELLS void sum_long_taps(const X* x, const Index* taps, Index count, Y* y, Index n, Finish finish,
                                   Ask ask = {}) {
    if (count == 2) return sum_taps<S, 2>(x, taps, count, y, n, finish, ask);
    if (count == 3) return sum_taps<S, 3>(x, taps, count, y, n, finish, ask);
    if (count == 4) return sum_taps<S, 4>(x, taps, count, y, n, finish, ask);
    if (count == 9) return sum_taps<S, 9>(x, taps, count, y, n, finish, ask);
    sum_taps<S>(x, taps, count, y, n, finish, ask);
}

/// What sums are divided by: kept, as inverting takes longer than summing a few.
template <class Y, class S> struct Divisor {
    S d = 0, inverse = 0;
    bool inverted = false;

    POOLPROOF_CELLS void become(S by) {
        if (d == by) return;
        d = by;
        inverse = 1 / by;
        inverted = inverts<Y>(by);
    }
};

/// The sum of taps, divided; of many windows at once, or of one.
template <bool at_once, class S, class X, class Y, class N>
POOLPROOF_CELLS void mean_taps(const X* x, const Index* taps, Index count, const Divisor<Y, S>& by, Y* y, N n,
                               Asks ask) {
    if constexpr (at_once)
        by.inverted ? sum_long_taps<S>(x, taps, count, y, n, Times<S>{by.inverse}, ask)
                    : sum_long_taps<S>(x, taps, count, y, n, Over<S>{by.d}, ask);
    else if (ask.rows == 0)
        by.inverted ? sum_taps<S>(x, taps, count, y, n, Times<S>{by.inverse})
                    : sum_taps<S>(x, taps, count, y, n, Over<S>{by.d});
    else
        by.inverted ? sum_taps<S>(x, taps, count, y, n, Times<S>{by.inverse}, ask)
                    : sum_taps<S>(x, taps, count, y, n, Over<S>{by.d}, ask);
}

template <class X, class Y, class S, class Cell>
POOLPROOF_CELLS void mean_cells(const Mean<X, Y, S>& m, Cell n) {
    const Line &h = m.height, &w = m.width;
    const Index row = w.extent * n;
    const bool direct = summed_each(h, w, n);
    // Whole windows that are next to each other are so in memory too. Some are done at once, fewer where they
    // do not come from a cache.
    const bool near = h.extent * row * static_cast<Index>(sizeof(X)) <= near_bytes;
    const Index many =
        w.stride == 1 && m.writing != Writing::past ? std::max<Index>(1, (near ? 1024 : 128) / n) : 1;
    const Ahead<X> ahead(h, w, n, sum_step<S, X>, many > 1);
    Index taps[most_taps];
    Divisor<Y, S> by;
    Sink<Y> sink(m.y, n, m.writing);
    for (Index o = 0; o < h.out(); ++o) {
        const Window& rows = h.windows[extent_of(o)];
        const X* x = m.x + rows.first * row;
        const S scale = m.heights[o] * m.scale;
        if (!direct) {
            for (Index r = 0; r < rows.count; ++r) taps[r] = r * h.step * row;
            sum_taps<S>(x, taps, rows.count, m.row, row, AsItIs{});
            for (Index j = 0; j < w.kernel; ++j) taps[j] = j * w.step * n;
        }
        Index columns = -1;
        const auto along = [&](auto at_once, Index i, Y* y, auto elements, Asks ask) POOLPROOF_CELLS_LAMBDA {
            const Window& column = w.windows[extent_of(i)];
            by.become(m.widths[i] * scale);
            if (direct) {
                if (columns != column.count) {
                    columns = column.count;
                    for (Index r = 0; r < rows.count; ++r)
                        for (Index j = 0; j < columns; ++j)
                            taps[r * columns + j] = r * h.step * row + j * w.step * n;
                }
                mean_taps<at_once, S>(x + column.first * n, taps, rows.count * columns, by, y, elements, ask);
            } else {
                mean_taps<at_once, S>(m.row + column.first * n, taps, column.count, by, y, elements, ask);
            }
        };
        for (Index i = 0, windows = 1; i < w.out(); i += windows) {
            windows = i >= w.begin && i < w.end ? std::min(many, w.end - i) : 1;
            const Asks ask = ahead.during(x, rows.count, i);
            if (w.stride == 1)
                along(std::true_type(), i, sink.next(windows), windows * n, ask);
            else
                along(std::false_type(), i, sink.next(), n, ask);
        }
    }
    sink.finish();
}

/// A row of cells over their divisors, those of one divisor at once.
template <class T, class S>
POOLPROOF_CELLS void share_row(const T* x, const S* divisors, S scale, S* y, Index cells, Index n) {
    constexpr Index first = 0;
    for (Index i = 0, end = 0; i < cells; i = end) {
        while (end < cells && divisors[end] == divisors[i]) ++end;
        const T* from = x + i * n;
        prefetch(from, (end - i) * n * static_cast<Index>(sizeof(T)));
        const S d = divisors[i] * scale;
        if (inverts<T>(d))
            sum_taps<S>(from, &first, 1, y + i * n, (end - i) * n, Times<S>{1 / d});
        else
            sum_taps<S>(from, &first, 1, y + i * n, (end - i) * n, Over<S>{d});
    }
}

template <class T, class S, class Cell>
POOLPROOF_CELLS void spread_cells(const SpreadCells<T, S>& s, Cell n) {
    const Index across = s.width.extent, row = across * n, tall = tallest(s.height), wide = s.width.kernel;
    const bool direct = tall * wide <= most_direct;
    Index direct_taps[most_direct + 1][most_direct], taps[most_taps];
    for (Index j = 0; !direct && j < wide; ++j) taps[tall + j] = j * n;
    // Those that are done at once, as in mean_cells.
    const Window *const all = s.width.windows.data(), *const last = all + s.width.windows.size();
    const bool at_once = s.width.stride == 1 && s.writing != Writing::past && s.width.end - s.width.begin > 1;
    const Window *const begin = at_once ? all + s.width.begin : last, *const end =
                                                                          at_once ? all + s.width.end : last;
    Sink<T> sink(s.y, n, s.writing);
    Index ready = 0;
    for (const Window& h : s.height.windows) {
        for (ready = std::max(ready, h.first); s.x != nullptr && ready < h.first + h.count; ++ready)
            share_row(s.x + ready * row, s.widths, s.heights[ready] * s.scale, s.shares + ready % tall * row,
                      across, n);
        const auto at = [&](Index k) __attribute__((always_inline)) {
            return (s.x != nullptr ? (h.first + k) % tall : h.first + k) * row;
        };
        const S* sums = s.row;
        if (direct) {
            sums = s.shares;
            for (Index columns = 0; columns <= wide; ++columns)
                for (Index k = 0; k < h.count; ++k)
                    for (Index j = 0; j < columns; ++j) direct_taps[columns][k * columns + j] = at(k) + j * n;
        } else if (h.count == 1) {
            sums = s.shares + at(0);
        } else {
            for (Index k = 0; k < h.count; ++k) taps[k] = at(k);
            sum_taps<S>(s.shares, taps, h.count, s.row, row, AsItIs{});
        }
        const auto cell = [&](const Window& w) POOLPROOF_CELLS_LAMBDA {
            if (direct)
                sum_taps<S>(sums + w.first * n, direct_taps[w.count], h.count * w.count, sink.next(), n,
                            AsItIs{});
            else
                sum_taps<S>(sums + w.first * n, taps + tall, w.count, sink.next(), n, AsItIs{});
        };
        const Window* w = all;
        for (; w != begin; ++w) cell(*w);
        if (w != end)
            sum_long_taps<S>(sums + w->first * n, direct ? direct_taps[wide] : taps + tall,
                             direct ? h.count * wide : wide, sink.next(end - begin), (end - begin) * n,
                             AsItIs{});
        for (w = end; w != last; ++w) cell(*w);
    }
    sink.finish();
}

// With a constant for the cells of woven planes.

template <class X, class Y, class S> POOLPROOF_CELLS_KERNEL void mean_cells(const Mean<X, Y, S>& m) {
    m.cell == strands ? mean_cells(m, Strands()) : mean_cells(m, m.cell);
}

template <class T, class S> POOLPROOF_CELLS_KERNEL void spread_cells(const SpreadCells<T, S>& s) {
    s.cell == strands ? spread_cells(s, Strands()) : spread_cells(s, s.cell);
}

// SPDX-License-Identifier: Apache-2.0
// Maxima of cells, in registers. See cells_levels.hpp. No include guard.

#include "reference/doubles_at.hpp"
#include "reference/sink_at.hpp"

#include "reference/any_at.hpp"
#include "reference/take_at.hpp"

#include "reference/best_whole_at.hpp"

/// Values at taps.
template <class T, class Taps = const Index*> struct Values {
    const T* x;
    Taps taps;

    template <Nan nan, class N> POOLPROOF_CELLS void best(N count, Row<T, void> y, Index i) const {
        typename Register<T>::Vector a, b, sum;
        load_full(x + taps[0] + i, a);
        sum = a;
        for (Index t = 1; t < count; ++t) {
            load_full(x + taps[t] + i, b);
            sum += b;
            a = b > a ? b : a;
        }
        // No sum is a NaN but of NaNs, or of infinities of both signs.
        if (any_nan(sum)) [[unlikely]] {
            load_full(x + taps[0] + i, a);
            for (Index t = 1; t < count; ++t) {
                load_full(x + taps[t] + i, b);
                take<nan>(a, b);
            }
        }
        store_full(a, y.value + i);
    }

    template <Nan nan, class N> POOLPROOF_CELLS void best_one(N count, Row<T, void> y, Index i) const {
        T a = x[taps[0] + i];
        for (Index t = 1; t < count; ++t) reference::take<nan>(a, x[taps[t] + i]);
        y.value[i] = a;
    }
};

/// Values at taps, all elements of which have one position.
template <class T, class P> struct Placed {
    const T* x;
    const Index* taps;
    const P* where;
    P base;

    template <Nan nan> POOLPROOF_CELLS void best(Index count, Row<T, P> y, Index i) const {
        typename Register<T>::Vector a, b;
        typename Register<P>::Vector at{}, b_at;
        load_full(x + taps[0] + i, a);
        at += where[0];
        for (Index t = 1; t < count; ++t) {
            load_full(x + taps[t] + i, b);
            b_at = typename Register<P>::Vector{} + where[t];
            take<nan>(a, at, b, b_at);
        }
        at += base;
        store_full(a, y.value + i);
        store_full(at, y.at + i);
    }

    template <Nan nan> POOLPROOF_CELLS void best_one(Index count, Row<T, P> y, Index i) const {
        T a = x[taps[0] + i];
        P at = where[0];
        for (Index t = 1; t < count; ++t) reference::take<nan>(a, at, x[taps[t] + i], where[t]);
        y.value[i] = a;
        y.at[i] = base + at;
    }
};

/// Values and their positions at taps.
template <class T, class P> struct Pairs {
    Row<T, P> x;
    const Index* taps;

    template <Nan nan> POOLPROOF_CELLS void best(Index count, Row<T, P> y, Index i) const {
        typename Register<T>::Vector a, b;
        typename Register<P>::Vector at, b_at;
        load_full(x.value + taps[0] + i, a);
        load_full(x.at + taps[0] + i, at);
        for (Index t = 1; t < count; ++t) {
            load_full(x.value + taps[t] + i, b);
            load_full(x.at + taps[t] + i, b_at);
            take<nan>(a, at, b, b_at);
        }
        store_full(a, y.value + i);
        store_full(at, y.at + i);
    }

    template <Nan nan> POOLPROOF_CELLS void best_one(Index count, Row<T, P> y, Index i) const {
        T a = x.value[taps[0] + i];
        P at = x.at[taps[0] + i];
        for (Index t = 1; t < count; ++t)
            reference::take<nan>(a, at, x.value[taps[t] + i], x.at[taps[t] + i]);
        y.value[i] = a;
        y.at[i] = at;
    }
};

/// Calls whole(i) for registers that cover 0 to n, the last of which may overlap the one before; or one(i)
/// for each if there are too few.
template <Index width, class N, class Whole, class One>
POOLPROOF_CELLS void for_registers(N n, const Whole& whole, const One& one) {
    Index i = 0;
    for (; i + width <= n; i += width) whole(i);
    if (i < n && n >= width) return whole(n - width);
    for (; i < n; ++i) one(i);
}

/// y[i] becomes the best of what `from` has at its taps; calls ask() for every register.
template <Nan nan, class From, class Count, class T, class P, class N, class Ask = NoAsks>
POOLPROOF_CELLS void best_taps(const From& from, Count count, Row<T, P> y, N n, Ask ask = {}) {
    for_registers<Register<T>::width>(
        n,
        [&](Index i) POOLPROOF_CELLS_LAMBDA {
            ask();
            from.template best<nan>(count, y, i);
        },
        [&](Index i) POOLPROOF_CELLS_LAMBDA { from.template best_one<nan>(count, y, i); });
}

template <Index known> struct KnownTaps {
    Index at[known];

    POOLPROOF_CELLS Index operator[](Index t) const { return at[t]; }
};

/// The same of `known` values.
template <Nan nan, Index known, class T, class N, class Ask>
POOLPROOF_CELLS void best_known(const T* x, const Index* taps, Row<T, void> y, N n, Ask ask) {
    Values<T, KnownTaps<known>> values{x, {}};
    std::copy_n(taps, known, values.taps.at);
    best_taps<nan>(values, std::integral_constant<Index, known>(), y, n, ask);
}

/// The same of values of many windows, where the compiler had better know of few taps how many there are.
template <Nan nan, class T, class N, class Ask = NoAsks>
POOLPROOF_CELLS void best_few(const T* x, const Index* taps, Index count, Row<T, void> y, N n, Ask ask = {}) {
    if (count == 2) return best_known<nan, 2>(x, taps, y, n, ask);
    if (count == 3) return best_known<nan, 3>(x, taps, y, n, ask);
    if (count == 4) return best_known<nan, 4>(x, taps, y, n, ask);
    if (count == 9) return best_known<nan, 9>(x, taps, y, n, ask);
    best_taps<nan>(Values<T>{x, taps}, count, y, n, ask);
}

/// Rows of windows of a plane, asked for from the first to the last.
template <Nan nan, class T, class P, class Cell> struct BestRows {
    using At = std::conditional_t<std::is_void_v<P>, Index, P>;

    const BestCells<T, P>& m;
    const Cell n;
    const bool direct;
    const bool at_once;
    const Ahead<T> ahead;
    Index ready = 0;  ///< rows of inputs that were reduced along themselves
    Index taps[most_taps];
    At where[most_taps];

    POOLPROOF_CELLS BestRows(const BestCells<T, P>& of, Cell cell)
        : m(of),
          n(cell),
          direct(directly(m.height, m.width, cell)),
          at_once(!Row<T, P>::indexed && m.width.stride == 1),
          ahead(m.height, m.width, cell, Register<T>::width, at_once) {}

    POOLPROOF_CELLS void settle(Index rows, Index columns) {
        for (Index r = 0; r < rows; ++r)
            for (Index j = 0; j < columns; ++j) {
                const Index at = r * m.height.step * m.width.extent + j * m.width.step;
                taps[r * columns + j] = at * n;
                where[r * columns + j] = static_cast<At>(at);
            }
    }

    POOLPROOF_CELLS void row(Index o, Row<T, P> y) {
        const Window& rows = m.height.windows[extent_of(o)];
        direct ? each(rows, y) : shared(rows, y);
    }

    /// The windows over `count` rows of inputs, the first of which begins at `from`; ask(i) is what is called
    /// for window i.
    template <class Ask> POOLPROOF_CELLS void along(Index from, Index count, Row<T, P> y, const Ask& ask) {
        const Line& w = m.width;
        Index columns = -1;
        for (Index i = 0, windows = 1; i < w.out(); i += windows) {
            const Window& column = w.windows[extent_of(i)];
            if (columns != column.count) settle(count, columns = column.count);
            // Whole windows that are next to each other are so in memory too.
            windows = at_once && i == w.begin ? w.end - i : 1;
            const T* x = m.x + (from + column.first) * n;
            const Index all = count * columns;
            if constexpr (Row<T, P>::indexed)
                best_taps<nan>(Placed<T, P>{x, taps, where, static_cast<P>(m.base + from + column.first)},
                               all, y + i * n, n, ask(i));
            else if (windows > 1)
                best_few<nan>(x, taps, all, y + i * n, windows * n, ask(i));
            else if constexpr (std::is_same_v<Cell, Strands>)
                best_few<nan>(x, taps, all, y + i * n, n, ask(i));
            else
                best_taps<nan>(Values<T>{x, taps}, all, y + i * n, n, ask(i));
        }
    }

    POOLPROOF_CELLS void each(const Window& rows, Row<T, P> y) {
        const Index from = rows.first * m.width.extent;
        along(from, rows.count, y,
              [&](Index i) POOLPROOF_CELLS_LAMBDA { return ahead.during(m.x + from * n, rows.count, i); });
    }

    POOLPROOF_CELLS void shared(const Window& rows, Row<T, P> y) {
        constexpr Index width = Register<T>::width;
        const Index kernel = m.height.kernel, reduced = m.width.out() * n;
        const std::uintptr_t near = bytes_of<T>(std::min(m.width.stride, m.width.extent) *
                                                (at_once ? width : std::min<Index>(n, width)));
        for (ready = std::max(ready, rows.first); ready < rows.first + rows.count; ++ready) {
            const Index from = ready * m.width.extent;
            along(from, 1, m.held + ready % kernel * reduced, [&](Index i) POOLPROOF_CELLS_LAMBDA {
                const Index column = m.width.windows[extent_of(i)].first;
                return Asks{address_of(m.x + (from + column) * n) + asked_ahead, near, 1, 0};
            });
        }
        for (Index r = 0; r < rows.count; ++r) taps[r] = (rows.first + r) % kernel * reduced;
        if constexpr (Row<T, P>::indexed)
            best_taps<nan>(Pairs<T, P>{m.held, taps}, rows.count, y, reduced);
        else
            best_few<nan>(m.held.value, taps, rows.count, y, reduced);
    }
};

/// Rows across, where `few_across` says so. What follows them is asked for in the order of memory.
template <Nan nan, class T> POOLPROOF_CELLS_KERNEL void best_across(const Across<T, void>& a) {
    constexpr Index width = Register<T>::width;
    Index taps[most_taps];
    for (Index j = 0; j < a.line.kernel; ++j) taps[j] = j * a.line.step * a.n;
    Row<T, void> y = a.y;
    for (Index o = a.begin; o < a.end; ++o, y = y + a.n) {
        const Window& w = a.line.windows[extent_of(o)];
        const T* x = a.x.value + (w.first - a.first) * a.n;
        if (!a.asks) {
            best_few<nan>(x, taps, w.count, y, a.n);
            continue;
        }
        for (Index i = 0; i < a.n; i += width) {
            prefetch(x + i * w.count, w.count * width * static_cast<Index>(sizeof(T)));
            Values<T>{x, taps}.template best<nan>(w.count, y, std::min(i, a.n - width));  // some again
        }
    }
}

template <Nan nan, class T, class P, class Cell>
POOLPROOF_CELLS void best_cells(const BestCells<T, P>& m, Cell n) {
    BestRows<nan, T, P, Cell> rows(m, n);
    const Index out = m.height.out(), reduced = m.width.out() * n;
    for (Index o = 0; o < out; ++o) rows.row(o, m.y + o * reduced);
}

/// Cotangents at taps, each of which counts where the position beside it is `position`.
template <class T, class P> struct Won {
    const P* at;
    const Index* at_taps;
    const T* dy;
    const Index* dy_taps;
    P position;

    POOLPROOF_CELLS void only(T* y, Index i) const {
        typename Register<T>::Vector g;
        typename Register<P>::Vector won;
        load_full(dy + dy_taps[0] + i, g);
        load_full(at + at_taps[0] + i, won);
        g = won == position ? g : typename Register<T>::Vector{};
        g += T{0};  // as in a sum
        store_full(g, y + i);
    }

    POOLPROOF_CELLS void sum(Index count, T* y, Index i) const {
        Doubles all{}, wide;
        for (Index t = 0; t < count; ++t) {
            typename Few<T>::Vector g;
            typename Few<P>::Vector won;
            load_few(dy + dy_taps[t] + i, g);
            load_few(at + at_taps[t] + i, won);
            g = won == position ? g : typename Few<T>::Vector{};
            widen(g, wide);
            all += wide;
        }
        store(all, y + i);
    }

    POOLPROOF_CELLS void sum_one(Index count, T* y, Index i) const {
        double all = 0;
        for (Index t = 0; t < count; ++t)
            if (at[at_taps[t] + i] == position) all += static_cast<double>(dy[dy_taps[t] + i]);
        y[i] = static_cast<T>(all);
    }
};

/// y[i] = the sum of the first `count` of them.
template <class T, class P, class N>
POOLPROOF_CELLS void sum_won(const Won<T, P>& won, Index count, T* y, N n) {
    const auto one = [&](Index i) POOLPROOF_CELLS_LAMBDA { won.sum_one(count, y, i); };
    if (count == 1)
        for_registers<Register<T>::width>(
            n, [&](Index i) POOLPROOF_CELLS_LAMBDA { won.only(y, i); }, one);
    else
        for_registers<doubles>(
            n, [&](Index i) POOLPROOF_CELLS_LAMBDA { won.sum(count, y, i); }, one);
}

template <Nan nan, class T, class P, class Cell>
POOLPROOF_CELLS void pull_cells(const PullCells<T, P>& p, Cell n) {
    BestRows<nan, T, P, Cell> rows(p.best, n);
    const Index row = p.width.extent * n, read_on = row / p.width.out();
    Index at_taps[most_taps], dy_taps[most_taps];
    Sink<T> sink(p.dx, n, p.writing);
    Index ready = 0;
    P position = 0;
    for (const Window& h : p.height.windows) {
        for (ready = std::max(ready, h.first); ready < h.first + h.count; ++ready)
            rows.row(ready, {p.best.y.value, p.best.y.at + ready % p.tall * row});
        std::uintptr_t next = address_of(p.dy) + bytes_of<T>(ready * row);
        Index columns = -1;
        for (const Window& w : p.width.windows) {
            prefetch_at(next, read_on * static_cast<Index>(sizeof(T)));
            next += bytes_of<T>(read_on);
            if (columns != w.count) {
                columns = w.count;
                for (Index k = 0; k < h.count; ++k)
                    for (Index j = 0; j < columns; ++j) {
                        at_taps[k * columns + j] = (h.first + k) % p.tall * row + j * n;
                        dy_taps[k * columns + j] = (h.first + k) * row + j * n;
                    }
            }
            sum_won(Won<T, P>{p.best.y.at + w.first * n, at_taps, p.dy + w.first * n, dy_taps, position++},
                    h.count * columns, sink.next(), n);
        }
    }
    sink.finish();
}

// With a constant for the cells of woven planes.

template <Nan nan, class T, class P> POOLPROOF_CELLS_KERNEL void best_cells(const BestCells<T, P>& m) {
    m.cell == strands ? best_cells<nan>(m, Strands()) : best_cells<nan>(m, m.cell);
}

template <Nan nan, class T, class P> POOLPROOF_CELLS_KERNEL void pull_cells(const PullCells<T, P>& p) {
    p.best.cell == strands ? pull_cells<nan>(p, Strands()) : pull_cells<nan>(p, p.best.cell);
}

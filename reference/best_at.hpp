// SPDX-License-Identifier: Apache-2.0
// Maxima of cells, in registers. See cells_levels.hpp. No include guard.

#include "reference/doubles_at.hpp"

#include "reference/take_at.hpp"

/// Values at taps.
template <class T> struct Values {
    const T* x;
    const Index* taps;

    template <Nan nan> POOLPROOF_CELLS void best(Index count, Row<T, void> y, Index i) const {
        typename Register<T>::Vector a, b;
        load_full(x + taps[0] + i, a);
        for (Index t = 1; t < count; ++t) {
            load_full(x + taps[t] + i, b);
            take<nan>(a, b);
        }
        store_full(a, y.value + i);
    }

    template <Nan nan> POOLPROOF_CELLS void best_one(Index count, Row<T, void> y, Index i) const {
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

/// y[i] becomes the best of what `from` has at its taps.
template <Nan nan, class From, class T, class P, class N>
POOLPROOF_CELLS void best_taps(const From& from, Index count, Row<T, P> y, N n) {
    for_registers<Register<T>::width>(
        n, [&](Index i) POOLPROOF_CELLS_LAMBDA { from.template best<nan>(count, y, i); },
        [&](Index i) POOLPROOF_CELLS_LAMBDA { from.template best_one<nan>(count, y, i); });
}

/// Rows of windows of a plane, asked for from the first to the last.
template <Nan nan, class T, class P, class Cell> struct BestRows {
    using At = std::conditional_t<std::is_void_v<P>, Index, P>;

    const BestCells<T, P>& m;
    const Cell n;
    const bool direct;
    const Index read_on;  ///< elements of further rows that a window's reading leads to
    Index ready = 0;      ///< rows of inputs that were reduced along themselves
    Index taps[most_taps];
    At where[most_taps];

    POOLPROOF_CELLS BestRows(const BestCells<T, P>& of, Cell cell)
        : m(of),
          n(cell),
          direct(directly(m.height, m.width, cell)),
          read_on(reference::read_on(m.height, m.width, cell)) {}

    POOLPROOF_CELLS void settle(Index rows, Index columns) {
        for (Index r = 0; r < rows; ++r)
            for (Index j = 0; j < columns; ++j) {
                const Index at = r * m.height.step * m.width.extent + j * m.width.step;
                taps[r * columns + j] = at * n;
                where[r * columns + j] = static_cast<At>(at);
            }
    }

    /// The best of `count` taps for the window of columns in the row of inputs that begins at `from`.
    POOLPROOF_CELLS void placed(Index from, const Window& columns, Index count, Row<T, P> to) const {
        const T* x = m.x + (from + columns.first) * n;
        if constexpr (Row<T, P>::indexed)
            best_taps<nan>(Placed<T, P>{x, taps, where, static_cast<P>(m.base + from + columns.first)}, count,
                           to, n);
        else
            best_taps<nan>(Values<T>{x, taps}, count, to, n);
    }

    POOLPROOF_CELLS void row(Index o, Row<T, P> y) {
        const Window& rows = m.height.windows[extent_of(o)];
        direct ? each(rows, y) : shared(rows, y);
    }

    POOLPROOF_CELLS void each(const Window& rows, Row<T, P> y) {
        const Index from = rows.first * m.width.extent;
        std::uintptr_t next = address_of(m.x + (from + rows.count * m.width.extent) * n);
        Index columns = -1;
        for (const Window& column : m.width.windows) {
            prefetch_at(next, read_on * static_cast<Index>(sizeof(T)));
            next += bytes_of<T>(read_on);
            if (columns != column.count) settle(rows.count, columns = column.count);
            placed(from, column, rows.count * columns, y);
            y = y + n;
        }
    }

    POOLPROOF_CELLS void shared(const Window& rows, Row<T, P> y) {
        const Index kernel = m.height.kernel, reduced = m.width.out() * n;
        for (ready = std::max(ready, rows.first); ready < rows.first + rows.count; ++ready) {
            Row<T, P> to = m.held + ready % kernel * reduced;
            const Index from = ready * m.width.extent;
            Index columns = -1;
            for (const Window& column : m.width.windows) {
                prefetch(m.x + (from + column.first) * n,
                         std::min(m.width.stride, m.width.extent) * n * static_cast<Index>(sizeof(T)));
                if (columns != column.count) settle(1, columns = column.count);
                placed(from, column, columns, to);
                to = to + n;
            }
        }
        for (Index r = 0; r < rows.count; ++r) taps[r] = (rows.first + r) % kernel * reduced;
        if constexpr (Row<T, P>::indexed)
            best_taps<nan>(Pairs<T, P>{m.held, taps}, rows.count, y, reduced);
        else
            best_taps<nan>(Values<T>{m.held.value, taps}, rows.count, y, reduced);
    }
};

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
    Sink<T> sink(p.dx, n, p.stream);
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

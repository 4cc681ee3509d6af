// SPDX-License-Identifier: Apache-2.0
// Maxima of cells, in registers. Included once for each level by best_cells_of.hpp, as cells_at.hpp is by
// cells_of.hpp. No include guard.

template <class T> struct Of {
    static constexpr Index width = POOLPROOF_CELLS_BYTES / sizeof(T);
    typedef T Vector __attribute__((vector_size(POOLPROOF_CELLS_BYTES)));
    typedef T Unaligned __attribute__((vector_size(POOLPROOF_CELLS_BYTES), aligned(alignof(T)), may_alias));
};

template <class T, class V> POOLPROOF_CELLS void load(const T* from, V& to) {
    to = *reinterpret_cast<const typename Of<T>::Unaligned*>(from);
}

template <class T, class V> POOLPROOF_CELLS void store(const V& from, T* to) {
    *reinterpret_cast<typename Of<T>::Unaligned*>(to) = from;
}

/// As the functions of this name in best.hpp.
template <Nan nan, class V> POOLPROOF_CELLS void take(V& y, const V& x) {
    if constexpr (nan == Nan::first) {
        const V most = x <= y ? y : x;
        y = y == y ? most : y;
    } else {
        const V most = x > y ? x : y;
        const V certain = nan == Nan::last ? x : y;
        y = certain == certain ? most : x;
    }
}

template <Nan nan, class V, class P> POOLPROOF_CELLS void take(V& y, P& at, const V& x, const P& x_at) {
    if constexpr (nan == Nan::first) {
        const P most_at = x <= y ? at : x_at;
        at = y == y ? most_at : at;
    } else {
        const P most_at = x > y ? x_at : at;
        const V certain = nan == Nan::last ? x : y;
        at = certain == certain ? most_at : x_at;
    }
    take<nan>(y, x);
}

/// Values at taps.
template <class T> struct Values {
    const T* x;
    const Index* taps;

    template <Nan nan> POOLPROOF_CELLS void best(Index count, Row<T, void> y, Index i) const {
        typename Of<T>::Vector a, b;
        load(x + taps[0] + i, a);
        for (Index t = 1; t < count; ++t) {
            load(x + taps[t] + i, b);
            take<nan>(a, b);
        }
        store(a, y.value + i);
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
        typename Of<T>::Vector a, b;
        typename Of<P>::Vector at{}, b_at;
        load(x + taps[0] + i, a);
        at += where[0];
        for (Index t = 1; t < count; ++t) {
            load(x + taps[t] + i, b);
            b_at = typename Of<P>::Vector{} + where[t];
            take<nan>(a, at, b, b_at);
        }
        at += base;
        store(a, y.value + i);
        store(at, y.at + i);
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
        typename Of<T>::Vector a, b;
        typename Of<P>::Vector at, b_at;
        load(x.value + taps[0] + i, a);
        load(x.at + taps[0] + i, at);
        for (Index t = 1; t < count; ++t) {
            load(x.value + taps[t] + i, b);
            load(x.at + taps[t] + i, b_at);
            take<nan>(a, at, b, b_at);
        }
        store(a, y.value + i);
        store(at, y.at + i);
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

/// y[i] becomes the best of what `from` has at its taps.
template <Nan nan, class From, class T, class P, class N>
POOLPROOF_CELLS void best_taps(const From& from, Index count, Row<T, P> y, N n) {
    constexpr Index width = Of<T>::width;
    Index i = 0;
    for (; i + width <= n; i += width) from.template best<nan>(count, y, i);
    if (i < n && n >= width)
        from.template best<nan>(count, y, n - width);  // some again
    else
        for (; i < n; ++i) from.template best_one<nan>(count, y, i);
}

template <Nan nan, class T, class P, class N>
POOLPROOF_CELLS void best_placed(const T* x, const Index* taps, const P* where, P base, Index count,
                                 Row<T, P> y, N n) {
    best_taps<nan>(Placed<T, P>{x, taps, where, base}, count, y, n);
}

template <Nan nan, class T, class P, class Cell>
POOLPROOF_CELLS void best_cells(const BestCells<T, P>& m, Cell n) {
    using At = std::conditional_t<std::is_void_v<P>, Index, P>;
    const Line &h = m.height, &w = m.width;
    const Index row = w.extent * n, reduced = w.out() * n;
    const bool direct = directly(h, w, n);
    const Index rows_on = std::min(h.stride, h.extent), read_on = rows_on * row / w.out();
    Index taps[most_taps];
    [[maybe_unused]] At where[most_taps];
    Row<T, P> y = m.y;
    Index ready = 0;
    // The best of `count` taps, of a row of inputs that begins at `from`, for window `column`.
    const auto placed = [&](Index from, const Window& column, Index count,
                            Row<T, P> to) POOLPROOF_CELLS_LAMBDA {
        const T* x = m.x + (from + column.first) * n;
        if constexpr (Row<T, P>::indexed)
            best_placed<nan>(x, taps, where, static_cast<P>(m.base + from + column.first), count, to, n);
        else
            best_taps<nan>(Values<T>{x, taps}, count, to, n);
    };
    const auto settle = [&](Index rows, Index columns) {
        for (Index r = 0; r < rows; ++r)
            for (Index j = 0; j < columns; ++j) {
                const Index at = r * h.step * w.extent + j * w.step;
                taps[r * columns + j] = at * n;
                where[r * columns + j] = static_cast<At>(at);
            }
    };
    for (Index o = 0; o < h.out(); ++o) {
        const Window& rows = h.windows[extent_of(o)];
        if (direct) {
            const Index from = rows.first * w.extent;
            const std::uintptr_t next = address_of(m.x + rows.first * row) + bytes_of<T>(rows.count * row);
            Index columns = -1;
            for (Index i = 0; i < w.out(); ++i, y = y + n) {
                prefetch_at(next + bytes_of<T>(i * read_on), read_on * static_cast<Index>(sizeof(T)));
                const Window& column = w.windows[extent_of(i)];
                if (columns != column.count) settle(rows.count, columns = column.count);
                placed(from, column, rows.count * columns, y);
            }
            continue;
        }
        for (ready = std::max(ready, rows.first); ready < rows.first + rows.count; ++ready) {
            Row<T, P> to = m.held + ready % h.kernel * reduced;
            Index columns = -1;
            for (const Window& column : w.windows) {
                prefetch(m.x + (ready * w.extent + column.first) * n,
                         std::min(w.stride, w.extent) * n * static_cast<Index>(sizeof(T)));
                if (columns != column.count) settle(1, columns = column.count);
                placed(ready * w.extent, column, columns, to);
                to = to + n;
            }
        }
        for (Index r = 0; r < rows.count; ++r) taps[r] = (rows.first + r) % h.kernel * reduced;
        if constexpr (Row<T, P>::indexed)
            best_taps<nan>(Pairs<T, P>{m.held, taps}, rows.count, y, reduced);
        else
            best_taps<nan>(Values<T>{m.held.value, taps}, rows.count, y, reduced);
        y = y + reduced;
    }
}

/// With a constant for the cells of woven planes.
template <Nan nan, class T, class P> POOLPROOF_CELLS_KERNEL void best_cells(const BestCells<T, P>& m) {
    m.cell == strands ? best_cells<nan>(m, Strands()) : best_cells<nan>(m, m.cell);
}

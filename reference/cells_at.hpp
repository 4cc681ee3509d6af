// SPDX-License-Identifier: Apache-2.0
// Means of cells and their transpose, in registers. Included once for each level ; see
// cells_levels.hpp. No include guard.

#include "reference/doubles_at.hpp"

/// What becomes of a sum.
struct AsItIs {
    template <class D> POOLPROOF_CELLS void operator()(D&) const {}
};
struct Times {
    double by;
    template <class D> POOLPROOF_CELLS void operator()(D& sum) const { sum *= by; }
};
struct Over {
    double by;
    template <class D> POOLPROOF_CELLS void operator()(D& sum) const { sum /= by; }
};

/// y[i] = finish(sum of x[taps[t] + i] over t).
template <class X, class Y, class N, class Finish>
POOLPROOF_CELLS void sum_taps(const X* x, const Index* taps, Index count, Y* y, N n, Finish finish) {
    Index i = 0;
    if (count == 0) {
        double none = 0;
        finish(none);
        return std::fill_n(y, Index{n}, static_cast<Y>(none)), void();
    }
    for (; i + 2 * doubles <= n; i += 2 * doubles) {
        Doubles a, b;
        load(x + taps[0] + i, a);
        load(x + taps[0] + i + doubles, b);
        for (Index t = 1; t < count; ++t) {
            Doubles c, d;
            load(x + taps[t] + i, c);
            load(x + taps[t] + i + doubles, d);
            a += c;
            b += d;
        }
        finish(a);
        finish(b);
        store(a, y + i);
        store(b, y + i + doubles);
    }
    for (; i < n; i += doubles) {
        if (i + doubles > n) {
            if (n < doubles) break;
            i = n - doubles;  // some again
        }
        Doubles a;
        load(x + taps[0] + i, a);
        for (Index t = 1; t < count; ++t) {
            Doubles c;
            load(x + taps[t] + i, c);
            a += c;
        }
        finish(a);
        store(a, y + i);
    }
    for (; i < n; ++i) {
        auto sum = static_cast<double>(x[taps[0] + i]);
        for (Index t = 1; t < count; ++t) sum += static_cast<double>(x[taps[t] + i]);
        finish(sum);
        y[i] = static_cast<Y>(sum);
    }
}

/// The same, divided by d.
template <class X, class Y, class N>
POOLPROOF_CELLS void mean_taps(const X* x, const Index* taps, Index count, double d, Y* y, N n) {
    if (inverts<Y>(d))
        sum_taps(x, taps, count, y, n, Times{1 / d});
    else
        sum_taps(x, taps, count, y, n, Over{d});
}

template <class X, class Y, class Cell> POOLPROOF_CELLS void mean_cells(const Mean<X, Y>& m, Cell n) {
    const Line &h = m.height, &w = m.width;
    const Index row = w.extent * n;
    const bool direct = directly(h, w, n) || (n >= 8 && h.kernel * w.kernel <= 9);
    const Index rows_on = std::min(h.stride, h.extent), read_on = rows_on * row / w.out();
    Index taps[most_taps];
    Sink<Y> sink(m.y, n, m.stream);
    for (Index o = 0; o < h.out(); ++o) {
        const Window& rows = h.windows[extent_of(o)];
        const X* x = m.x + rows.first * row;
        const std::uintptr_t next = address_of(x) + bytes_of<X>(rows.count * row);
        const double scale = m.heights[o] * m.scale;
        if (!direct) {
            for (Index r = 0; r < rows.count; ++r) taps[r] = r * h.step * row;
            sum_taps(x, taps, rows.count, m.row, row, AsItIs{});
            for (Index j = 0; j < w.kernel; ++j) taps[j] = j * w.step * n;
        }
        Index columns = -1;
        for (Index i = 0; i < w.out(); ++i) {
            Y* y = sink.next();
            prefetch_at(next + bytes_of<X>(i * read_on), read_on * static_cast<Index>(sizeof(X)));
            const Window& column = w.windows[extent_of(i)];
            const double d = m.widths[i] * scale;
            if (direct) {
                if (columns != column.count) {
                    columns = column.count;
                    for (Index r = 0; r < rows.count; ++r)
                        for (Index j = 0; j < columns; ++j)
                            taps[r * columns + j] = r * h.step * row + j * w.step * n;
                }
                mean_taps(x + column.first * n, taps, rows.count * columns, d, y, n);
            } else {
                mean_taps(m.row + column.first * n, taps, column.count, d, y, n);
            }
        }
    }
    sink.finish();
}

/// A row of cells over their divisors, those of one divisor at once.
template <class T>
POOLPROOF_CELLS void share_row(const T* x, const double* divisors, double scale, double* y, Index cells,
                               Index n) {
    constexpr Index first = 0;
    for (Index i = 0, end = 0; i < cells; i = end) {
        while (end < cells && divisors[end] == divisors[i]) ++end;
        const T* from = x + i * n;
        prefetch(from, (end - i) * n * static_cast<Index>(sizeof(T)));
        const double d = divisors[i] * scale;
        if (inverts<T>(d))
            sum_taps(from, &first, 1, y + i * n, (end - i) * n, Times{1 / d});
        else
            sum_taps(from, &first, 1, y + i * n, (end - i) * n, Over{d});
    }
}

template <class T, class Cell> POOLPROOF_CELLS void spread_cells(const SpreadCells<T>& s, Cell n) {
    const Index across = s.width.extent, row = across * n;
    const bool direct = s.tall * s.wide <= most_direct;
    Index direct_taps[most_direct + 1][most_direct], taps[most_taps];
    for (Index j = 0; !direct && j < s.wide; ++j) taps[s.tall + j] = j * n;
    Sink<T> sink(s.y, n, s.stream);
    Index ready = 0;
    for (const Window& h : s.height.windows) {
        for (ready = std::max(ready, h.first); s.x != nullptr && ready < h.first + h.count; ++ready)
            share_row(s.x + ready * row, s.widths, s.heights[ready] * s.scale,
                      s.shares + ready % s.tall * row, across, n);
        const auto at = [&](Index k) __attribute__((always_inline)) {
            return (s.x != nullptr ? (h.first + k) % s.tall : h.first + k) * row;
        };
        const double* sums = s.row;
        if (direct) {
            sums = s.shares;
            for (Index columns = 0; columns <= s.wide; ++columns)
                for (Index k = 0; k < h.count; ++k)
                    for (Index j = 0; j < columns; ++j) direct_taps[columns][k * columns + j] = at(k) + j * n;
        } else if (h.count == 1) {
            sums = s.shares + at(0);
        } else {
            for (Index k = 0; k < h.count; ++k) taps[k] = at(k);
            sum_taps(s.shares, taps, h.count, s.row, row, AsItIs{});
        }
        for (const Window& w : s.width.windows) {
            const Index* of = direct ? direct_taps[w.count] : taps + s.tall;
            sum_taps(sums + w.first * n, of, direct ? h.count * w.count : w.count, sink.next(), n, AsItIs{});
        }
    }
    sink.finish();
}

// With a constant for the cells of woven planes.

template <class X, class Y> POOLPROOF_CELLS_KERNEL void mean_cells(const Mean<X, Y>& m) {
    m.cell == strands ? mean_cells(m, Strands()) : mean_cells(m, m.cell);
}

template <class T> POOLPROOF_CELLS_KERNEL void spread_cells(const SpreadCells<T>& s) {
    s.cell == strands ? spread_cells(s, Strands()) : spread_cells(s, s.cell);
}

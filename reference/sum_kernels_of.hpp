// SPDX-License-Identifier: Apache-2.0
// Definitions for sum_kernels.hpp; instantiated in one source file for each type.
#pragma once

#include "reference/level.hpp"
#include "reference/memory.hpp"
#include "reference/sum_kernels.hpp"

#include <utility>

namespace poolproof::reference {

template <int count, class X>
[[gnu::always_inline]] inline void sum_rows(const X* __restrict a, const X* __restrict b,
                                            const X* __restrict c, double* __restrict y, Index n) {
    for (Index i = 0; i < n; ++i) {
        auto sum = static_cast<double>(a[i]);
        if constexpr (count > 1) sum += static_cast<double>(b[i]);
        if constexpr (count > 2) sum += static_cast<double>(c[i]);
        y[i] = sum;
    }
}

template <class X>
[[gnu::always_inline]] inline void add_four(const X* __restrict a, const X* __restrict b,
                                            const X* __restrict c, const X* __restrict d,
                                            double* __restrict y, Index n) {
    for (Index i = 0; i < n; ++i)
        y[i] += (static_cast<double>(a[i]) + static_cast<double>(b[i])) +
                (static_cast<double>(c[i]) + static_cast<double>(d[i]));
}

template <class X>
[[gnu::always_inline]] inline void add_row(const X* __restrict a, double* __restrict y, Index n) {
    for (Index i = 0; i < n; ++i) y[i] += static_cast<double>(a[i]);
}

template <class X>
[[gnu::always_inline]] inline void add_eight(const X* __restrict a, Index step, double* __restrict y,
                                             Index n) {
    const X* __restrict b = a + step;
    const X* __restrict c = b + step;
    const X* __restrict d = c + step;
    const X* __restrict e = d + step;
    const X* __restrict f = e + step;
    const X* __restrict g = f + step;
    const X* __restrict h = g + step;
    for (Index i = 0; i < n; ++i)
        y[i] += ((static_cast<double>(a[i]) + static_cast<double>(b[i])) +
                 (static_cast<double>(c[i]) + static_cast<double>(d[i]))) +
                ((static_cast<double>(e[i]) + static_cast<double>(f[i])) +
                 (static_cast<double>(g[i]) + static_cast<double>(h[i])));
}

/// Asks meanwhile for what follows the rows that `ask` is called with, from which and how many.
template <class X, class Ask>
[[gnu::always_inline]] inline void sum_rows(const X* x, Index count, Index step, double* y, Index n,
                                            const Ask& ask) {
    if (count == 0) return std::fill_n(y, n, 0.0), void();
    Index j = std::min<Index>(count, 3);
    ask(0, j);
    if (count == 1) return sum_rows<1>(x, x, x, y, n);
    if (count == 2) return sum_rows<2>(x, x + step, x, y, n);
    sum_rows<3>(x, x + step, x + 2 * step, y, n);
    for (; j + 8 <= count; j += 8) {
        ask(j, 8);
        add_eight(x + j * step, step, y, n);
    }
    ask(j, count - j);
    for (; j + 4 <= count; j += 4)
        add_four(x + j * step, x + (j + 1) * step, x + (j + 2) * step, x + (j + 3) * step, y, n);
    for (; j < count; ++j) add_row(x + j * step, y, n);
}

template <class X>
[[gnu::always_inline]] inline void sum_rows(const X* x, Index count, Index step, double* y, Index n) {
    sum_rows(x, count, step, y, n, [](Index, Index) __attribute__((always_inline)){});
}

/// The sum of n numbers, `step` apart, in a tree that is flat for few and shallow for many.
[[gnu::always_inline]] inline double sum_of(const double* x, Index n, Index step) {
    constexpr Index lanes = 8;
    double sum = 0;
    Index j = 0;
    if (step == 1 && n >= lanes) {
        double part[lanes];
        for (Index l = 0; l < lanes; ++l) part[l] = x[l];
        for (j = lanes; j + lanes <= n; j += lanes)
            for (Index l = 0; l < lanes; ++l) part[l] += x[j + l];
        sum = ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
    }
    for (; j < n; ++j) sum += x[j * step];
    return sum;
}

template <int kernel, int stride, class Y>
[[gnu::always_inline]] inline void mean_along(const double* __restrict x, const double* __restrict d,
                                              double scale, Y* __restrict y, Index n) {
    for (Index i = 0; i < n; ++i) {
        double sum = x[stride * i];
        for (int j = 1; j < kernel; ++j) sum += x[stride * i + j];
        y[i] = static_cast<Y>(sum / (d[i] * scale));
    }
}

template <class Y>
[[gnu::always_inline]] inline void mean_along(const Line& l, const double* x, const double* d, double scale,
                                              Y* y) {
    const auto one = [&](Index o) __attribute__((always_inline)) {
        const Window& w = l.windows[extent_of(o)];
        y[o] = static_cast<Y>(sum_of(x + w.first, w.count, l.step) / (d[o] * scale));
    };
    Index o = 0;
    if (l.step == 1 && l.stride <= 2 && (l.kernel == 2 || l.kernel == 3)) {
        for (; o < l.begin; ++o) one(o);
        const double* from = x + l.windows[extent_of(o)].first;
        const Index n = l.end - o;
        if (l.kernel == 2 && l.stride == 1) mean_along<2, 1>(from, d + o, scale, y + o, n);
        if (l.kernel == 2 && l.stride == 2) mean_along<2, 2>(from, d + o, scale, y + o, n);
        if (l.kernel == 3 && l.stride == 1) mean_along<3, 1>(from, d + o, scale, y + o, n);
        if (l.kernel == 3 && l.stride == 2) mean_along<3, 2>(from, d + o, scale, y + o, n);
        o = l.end;
    }
    for (; o < l.out(); ++o) one(o);
}

template <class Y>
[[gnu::always_inline]] inline void divide_row(const double* __restrict x, double d, Y* __restrict y,
                                              Index n) {
    for (Index i = 0; i < n; ++i) y[i] = static_cast<Y>(x[i] / d);
}

/// The last axis where it has cells of n elements. Each is summed in `sum`.
template <class Y>
[[gnu::always_inline]] inline void mean_cells(const Line& l, const double* x, const double* d, double scale,
                                              double* sum, Y* y, Index n) {
    for (Index o = 0; o < l.out(); ++o) {
        const Window& w = l.windows[extent_of(o)];
        sum_rows(x + w.first * n, w.count, l.step * n, sum, n);
        divide_row(sum, d[o] * scale, y + o * n, n);
    }
}

/// Collects rows in a strip that stays in the cache, and streams it out; or lets them be written in their
/// place.
template <class T> class Sink {
public:
    Sink(T* to, Index row, bool streams) : to_(to), row_(row), streams_(streams && row <= capacity) {}

    /// Where the next row is to be written. Requires that `finish` follows the last.
    [[gnu::always_inline]] T* next() {
        if (!streams_) return std::exchange(to_, to_ + row_);
        if (filled_ + row_ > capacity) flush();
        return strip_ + std::exchange(filled_, filled_ + row_);
    }

    [[gnu::always_inline]] void finish() {
        if (streams_) flush();
    }

private:
    static constexpr Index capacity = (8 << 10) / static_cast<Index>(sizeof(T));

    [[gnu::always_inline]] void flush() {
        stream(strip_, to_, filled_ * static_cast<Index>(sizeof(T)));
        to_ += filled_;
        filled_ = 0;
    }

    T* to_;
    Index row_, filled_ = 0;
    bool streams_;
    alignas(64) T strip_[capacity];
};

template <class X, class Y> void mean(const Mean<X, Y>& m) {
    const Index n = m.width.extent * m.cell;
    Sink<Y> sink(m.y, m.width.out() * m.cell, m.stream);
    Index asked = 0;
    for (Index o = 0; o < m.height.out(); ++o) {
        const Window& w = m.height.windows[extent_of(o)];
        const auto ask = [&](Index j, Index rows) __attribute__((always_inline)) {
            for (const Index end = w.first + j + rows; asked < end; ++asked)
                prefetch(m.x + asked * n, n * static_cast<Index>(sizeof(X)));
        };
        sum_rows(m.x + w.first * n, w.count, m.height.step * n, m.row, n, ask);
        const double scale = m.heights[o] * m.scale;
        if (m.cell == 1)
            mean_along(m.width, m.row, m.widths, scale, sink.next());
        else
            mean_cells(m.width, m.row, m.widths, scale, m.row + n, sink.next(), m.cell);
    }
    sink.finish();
}

/// The sum of x[i - j] over all j for which tap f + stride j exists; there are at most three.
template <int kernel, int stride, int f> [[gnu::always_inline]] inline double spread_to(const double* x) {
    double sum = x[0];
    if constexpr (f + stride < kernel) sum += x[-1];
    if constexpr (f + 2 * stride < kernel) sum += x[-2];
    return sum;
}

/// y[stride i + f] = that, for all f.
template <int kernel, int stride, class Y>
[[gnu::always_inline]] inline void spread_inside(const double* __restrict x, Y* __restrict y, Index begin,
                                                 Index end) {
    for (Index i = begin; i < end; ++i) {
        y[stride * i] = static_cast<Y>(spread_to<kernel, stride, 0>(x + i));
        if constexpr (stride > 1) y[stride * i + 1] = static_cast<Y>(spread_to<kernel, stride, 1>(x + i));
        if constexpr (stride > 2) y[stride * i + 2] = static_cast<Y>(spread_to<kernel, stride, 2>(x + i));
    }
}

/// Calls spread_inside for the geometries it is made for; gives the least and the greatest i, or equal ones.
template <class Y>
[[gnu::always_inline]] inline std::pair<Index, Index> spread_inside(const Line& l, const double* x, Y* y) {
    const Index begin = (l.kernel - 1) / l.stride, end = l.end - l.begin;
    if (begin >= end || l.step != 1 || l.stride > l.kernel) return {0, 0};
    x += l.begin;
    y += l.windows[extent_of(l.begin)].first;
    if (l.kernel == 2 && l.stride == 2)
        spread_inside<2, 2>(x, y, begin, end);
    else if (l.kernel == 3 && l.stride == 2)
        spread_inside<3, 2>(x, y, begin, end);
    else if (l.kernel == 3 && l.stride == 1)
        spread_inside<3, 1>(x, y, begin, end);
    else if (l.kernel == 2 && l.stride == 1)
        spread_inside<2, 1>(x, y, begin, end);
    else if (l.kernel == 3 && l.stride == 3)
        spread_inside<3, 3>(x, y, begin, end);
    else
        return {0, 0};
    const Index first = l.windows[extent_of(l.begin)].first;
    return {first + begin * l.stride, first + end * l.stride};
}

template <class Y>
[[gnu::always_inline]] inline void spread_along(const Line& l, const Line& covers, const double* x, Y* y) {
    const auto inside = spread_inside(l, x, y);
    for (Index i = 0; i < l.extent; ++i) {
        if (i == inside.first) i = inside.second;
        if (i >= l.extent) break;
        const Window& w = covers.windows[extent_of(i)];
        y[i] = static_cast<Y>(w.count == 1 ? x[w.first] : sum_of(x + w.first, w.count, 1));
    }
}

/// For windows three wide and two apart, the first of which begins `before` the row, 0 or 1: from their
/// shares with one -0, which adds nothing to anything, before and behind them.
template <Index before, class Y>
[[gnu::always_inline]] inline void spread_pairs(const double* __restrict x, Y* __restrict y, Index extent) {
    for (Index i = 0; i < extent / 2; ++i) {
        y[2 * i] = static_cast<Y>(before == 0 ? x[i] + x[i - 1] : x[i]);
        y[2 * i + 1] = static_cast<Y>(before == 0 ? x[i] : x[i + 1] + x[i]);
    }
    if (extent % 2 != 0) {
        const Index i = extent / 2;
        y[2 * i] = static_cast<Y>(before == 0 ? x[i] + x[i - 1] : x[i]);
    }
}

/// Whether spread_pairs can be used: `before`, or -1.
inline Index pairs(const Line& l) {
    if (l.kernel != 3 || l.stride != 2) return -1;
    const Index before = cut_off(l);
    const bool covered = 2 * l.out() + 1 - before >= l.extent;
    return covered && before <= 1 ? before : -1;
}

template <class Y>
[[gnu::always_inline]] inline void spread_plane_in_pairs(const Spread<Y>& s, Index before) {
    const Index n = s.width.out(), extent = s.width.extent;
    Sink<Y> sink(s.y, extent, s.stream);
    for (Index done = 0; done < s.height.out(); done += waiting_rows) {
        const Index rows = std::min(waiting_rows, s.height.out() - done);
        double* first = s.waiting + waiting_room;
        for (Index r = 0; r < rows; ++r) {
            const Window& h = s.height.windows[extent_of(done + r)];
            double* row = first + r * waiting_pitch(n);
            row[-1] = row[n] = -0.0;
            sum_rows(s.x + h.first * n, h.count, n, row, n);
        }
        for (Index r = 0; r < rows; ++r) {
            const double* row = first + r * waiting_pitch(n);
            if (before == 0)
                spread_pairs<0>(row, sink.next(), extent);
            else
                spread_pairs<1>(row, sink.next(), extent);
        }
    }
    sink.finish();
}

template <class Y> void spread(const Spread<Y>& s) {
    if (s.cell == 1)
        if (const Index before = pairs(s.width); before >= 0) return spread_plane_in_pairs(s, before);
    const Index n = s.width.out() * s.cell;
    const Index row = s.width.extent * s.cell;
    const double* of = nullptr;
    Y* y = s.y;
    for (Index r = 0; r < s.height.out(); ++r) {
        const Window& h = s.height.windows[extent_of(r)];
        if (h.count == 1)
            of = s.x + h.first * n;
        else {
            sum_rows(s.x + h.first * n, h.count, n, s.row, n);
            of = s.row;
        }
        if (r > 0) y += row;
        if (r > 0 && h.count == 1 && h.first == s.height.windows[extent_of(r - 1)].first &&
            s.height.windows[extent_of(r - 1)].count == 1) {
            std::copy_n(y - row, row, y);
            continue;
        }
        if (s.cell == 1) {
            spread_along(s.width, s.covers, of, y);
            continue;
        }
        for (Index i = 0; i < s.width.extent; ++i) {
            const Window& w = s.covers.windows[extent_of(i)];
            sum_rows(of + w.first * s.cell, w.count, s.cell, s.row + n, s.cell);
            divide_row(s.row + n, 1.0, y + i * s.cell, s.cell);
        }
    }
}

template <class T>
[[gnu::always_inline]] inline void share_row(const T* __restrict x, const double* __restrict d, double scale,
                                             double* __restrict y, Index n) {
    for (Index i = 0; i < n; ++i) y[i] = static_cast<double>(x[i]) / (d[i] * scale);
}

template <class T> void share(const Share<T>& s) {
    if (s.cell == 1) {
        prefetch(s.x, s.cells * static_cast<Index>(sizeof(T)));
        return share_row(s.x, s.d, s.scale, s.y, s.cells);
    }
    for (Index o = 0; o < s.cells; ++o)
        for (Index c = 0; c < s.cell; ++c)
            s.y[o * s.cell + c] = static_cast<double>(s.x[o * s.cell + c]) / (s.d[o] * s.scale);
}

template <class X> void sum(const Sum<X>& s) { sum_rows(s.x, s.count, s.step, s.y, s.n); }

template <class T> SumKernels<T> sum_kernels() {
    const Level l = level();
    return {compiled<&mean<T, T>>(l), compiled<&mean<double, T>>(l), compiled<&spread<T>>(l),
            compiled<&share<T>>(l),   compiled<&sum<T>>(l),          compiled<&sum<double>>(l)};
}

}  // namespace poolproof::reference

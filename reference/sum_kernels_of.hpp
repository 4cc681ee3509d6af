// SPDX-License-Identifier: Apache-2.0
// Definitions for sum_kernels.hpp; instantiated in one source file for each type.
#pragma once

#include "reference/cells_of.hpp"
#include "reference/level.hpp"
#include "reference/spread_of.hpp"
#include "reference/sum_rows.hpp"
#include "reference/wide.hpp"

namespace poolproof::reference {

template <int kernel, int stride, class Y>
[[gnu::always_inline]] inline void mean_along(const double* __restrict x, const double* __restrict d,
                                              Y* __restrict y, Index n) {
    for (Index i = 0; i < n; ++i) {
        double sum = x[stride * i];
        for (int j = 1; j < kernel; ++j) sum += x[stride * i + j];
        y[i] = static_cast<Y>(sum / d[i]);
    }
}

/// Divides by d, one for each output.
template <class Y>
[[gnu::always_inline]] inline void mean_along(const Line& l, const double* x, const double* d, Y* y) {
    const auto one = [&](Index o) __attribute__((always_inline)) {
        const Window& w = l.windows[extent_of(o)];
        y[o] = static_cast<Y>(sum_of(x + w.first, w.count, l.step) / d[o]);
    };
    Index o = 0;
    if (l.step == 1 && l.stride <= 2 && (l.kernel == 2 || l.kernel == 3)) {
        for (; o < l.begin; ++o) one(o);
        const double* from = x + l.windows[extent_of(o)].first;
        if (l.kernel == 3 && l.stride == 2) {
            const Index done = wide_means(from, d + o, y + o, l.end - o);
            from += 2 * done;
            o += done;
        }
        const Index n = l.end - o;
        if (l.kernel == 2 && l.stride == 1) mean_along<2, 1>(from, d + o, y + o, n);
        if (l.kernel == 2 && l.stride == 2) mean_along<2, 2>(from, d + o, y + o, n);
        if (l.kernel == 3 && l.stride == 1) mean_along<3, 1>(from, d + o, y + o, n);
        if (l.kernel == 3 && l.stride == 2) mean_along<3, 2>(from, d + o, y + o, n);
        o = l.end;
    }
    for (; o < l.out(); ++o) one(o);
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

template <class X, class Y> void mean(const Mean<X, Y>& m) {
    const Index n = m.width.extent * m.cell;
    Sink<Y> sink(m.y, m.width.out() * m.cell, m.stream);
    Index asked = 0;
    double known = 0;  // the scale that the divisors are of
    for (Index o = 0; o < m.height.out(); ++o) {
        const Window& w = m.height.windows[extent_of(o)];
        const auto ask = [&](Index j, Index rows) __attribute__((always_inline)) {
            for (const Index end = w.first + j + rows; asked < end; ++asked)
                prefetch(m.x + asked * n, n * static_cast<Index>(sizeof(X)));
        };
        sum_rows(m.x + w.first * n, w.count, m.height.step * n, m.row, n, ask);
        const double scale = m.heights[o] * m.scale;
        if (m.cell == 1) {
            if (scale != known)
                for (Index i = 0; i < m.width.out(); ++i) m.divisors[i] = m.widths[i] * scale;
            known = scale;
            mean_along(m.width, m.row, m.divisors, sink.next());
        } else
            mean_cells(m.width, m.row, m.widths, scale, m.row + n, sink.next(), m.cell);
    }
    sink.finish();
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
    SumKernels<T> k{compiled<&mean<T, T>>(l),
                    compiled<&mean<double, T>>(l),
                    &cells::baseline::mean_cells<T, T>,
                    &cells::baseline::mean_cells<double, T>,
                    compiled<&spread<T>>(l),
                    &cells::baseline::spread_cells<T>,
                    compiled<&share<T>>(l),
                    compiled<&sum<T>>(l),
                    compiled<&sum<double>>(l)};
    if (l == Level::avx2) {
        k.mean_cells = &cells::avx2::mean_cells<T, T>;
        k.mean_cells_of_sums = &cells::avx2::mean_cells<double, T>;
        k.spread_cells = &cells::avx2::spread_cells<T>;
    }
    if (l == Level::avx512) {
        k.mean_cells = &cells::avx512::mean_cells<T, T>;
        k.mean_cells_of_sums = &cells::avx512::mean_cells<double, T>;
        k.spread_cells = &cells::avx512::spread_cells<T>;
    }
    return k;
}

}  // namespace poolproof::reference

// SPDX-License-Identifier: Apache-2.0
// Definitions for sum_kernels.hpp; instantiated in one source file for each type.
#pragma once

#include "reference/cells_of.hpp"
#include "reference/divide.hpp"
#include "reference/level.hpp"
#include "reference/spread_of.hpp"
#include "reference/sum_rows.hpp"
#include "reference/wide.hpp"

#include <utility>

namespace poolproof::reference {

template <int stride, bool times, class S, class Y, int... j>
[[gnu::always_inline]] inline void mean_along(const S* __restrict x, const S* __restrict d, Y* __restrict y,
                                              Index n,
                                              std::integer_sequence<int, j...> /*taps after the first*/) {
    for (Index i = 0; i < n; ++i)
        y[i] = static_cast<Y>(settled<times>((x[stride * i] + ... + x[stride * i + 1 + j]), d[i]));
}

/// In pieces of a constant length, the last of which may overlap the one before: compilers make no loops of
/// rests for them.
template <int kernel, int stride, bool times, class S, class Y>
[[gnu::always_inline]] inline void mean_run(const S* x, const S* d, Y* y, Index n) {
    // One more where the last would read past its own elements if it were part of a vector.
    constexpr Index more = kernel % stride == 0 ? 0 : 1, large = 16 + more, small = 8 + more;
    constexpr std::make_integer_sequence<int, kernel - 1> taps;
    const auto pieces = [&](auto size) __attribute__((always_inline)) {
        for (Index i = 0; i < n; i += size) {
            i = std::min(i, n - size);
            mean_along<stride, times>(x + stride * i, d + i, y + i, size, taps);
        }
    };
    if (n >= large) return pieces(std::integral_constant<Index, large>());
    if (n >= small) return pieces(std::integral_constant<Index, small>());
    mean_along<stride, times>(x, d, y, n, taps);
}

/// Calls f with a kernel from 2 to 7 as a constant.
template <class F> [[gnu::always_inline]] inline void with_kernel(Index kernel, const F& f) {
    if (kernel == 2) f(std::integral_constant<int, 2>());
    if (kernel == 3) f(std::integral_constant<int, 3>());
    if (kernel == 4) f(std::integral_constant<int, 4>());
    if (kernel == 5) f(std::integral_constant<int, 5>());
    if (kernel == 6) f(std::integral_constant<int, 6>());
    if (kernel == 7) f(std::integral_constant<int, 7>());
}

/// One by one, of so many taps.
template <int kernel, bool times, class S, class Y>
[[gnu::always_inline]] inline void means_apart(const S* x, Index stride, const S* d, Y* y, Index n) {
    for (Index i = 0; i < n; ++i, x += stride) {
        S sum = x[0];
        for (int j = 1; j < kernel; ++j) sum += x[j];
        y[i] = static_cast<Y>(settled<times>(sum, d[i]));
    }
}

/// The same of any stride, and any kernel from 2 to 7.
template <bool times, class S, class Y>
[[gnu::always_inline]] inline void mean_run(const Line& l, const S* x, const S* d, Y* y, Index n) {
    with_kernel(
        l.kernel, [&](auto kernel) __attribute__((always_inline)) {
            if (l.stride == 1) mean_run<kernel, 1, times>(x, d, y, n);
            if (l.stride == 2) mean_run<kernel, 2, times>(x, d, y, n);
            if (l.stride == 3) mean_run<kernel, 3, times>(x, d, y, n);
            if (l.stride > 3) means_apart<kernel, times>(x, l.stride, d, y, n);
        });
}

/// `d` is one divisor for each output, or its inverse.
template <bool times, class S, class Y>
[[gnu::always_inline]] inline void mean_along(const Line& l, const S* x, const S* d, Y* y) {
    const auto one = [&](Index o) __attribute__((always_inline)) {
        const Window& w = l.windows[extent_of(o)];
        y[o] = static_cast<Y>(settled<times>(sum_of(x + w.first, w.count, l.step), d[o]));
    };
    Index o = 0;
    if (l.step == 1 && l.kernel >= 2 && l.kernel <= 7) {
        for (; o < l.begin; ++o) one(o);
        const S* from = x + l.windows[extent_of(o)].first;
        if (l.kernel == 3 && l.stride == 2) {
            const Index done = wide_means(from, d + o, times, y + o, l.end - o);
            from += 2 * done;
            o += done;
        }
        mean_run<times>(l, from, d + o, y + o, l.end - o);
        o = l.end;
    }
    for (; o < l.out(); ++o) one(o);
}

/// The last axis where it has cells of n elements. Each is summed in `sum`.
template <class S, class Y>
[[gnu::always_inline]] inline void mean_cells(const Line& l, const S* x, const S* d, S scale, S* sum, Y* y,
                                              Index n) {
    for (Index o = 0; o < l.out(); ++o) {
        const Window& w = l.windows[extent_of(o)];
        sum_rows(x + w.first * n, w.count, l.step * n, sum, n);
        divide_row(sum, d[o] * scale, y + o * n, n);
    }
}

/// Of some short rows at once, whose windows have one divisor, not streamed.
template <class X, class Y, class S> [[gnu::always_inline]] inline void mean_rows(const Mean<X, Y, S>& m) {
    const Index n = m.width.extent, outs = m.width.out();
    Y* y = m.y;
    RowsAhead<X> ahead{m.x, n};
    S known = 0;
    bool invert = false;
    for (Index o = 0, rows = 0; o < m.height.out(); o += rows) {
        const S scale = m.heights[o] * m.scale;
        for (rows = 0; o + rows < m.height.out() && (rows + 1) * outs <= means_at_once &&
                       m.heights[o + rows] * m.scale == scale;
             ++rows) {
            const Window& w = m.height.windows[extent_of(o + rows)];
            ahead.first = w.first;
            sum_rows(m.x + w.first * n, w.count, m.height.step * n, m.row + rows * n, n, ahead);
        }
        if (scale != known) {
            const S d = m.widths[0] * scale;
            invert = inverts<Y>(d);
            std::fill_n(m.divisors, means_at_once, invert ? 1 / d : d);
        }
        known = scale;
        const Index all = rows * outs;
        if (invert)
            mean_run<true>(m.width, m.row, m.divisors, y, all);
        else
            mean_run<false>(m.width, m.row, m.divisors, y, all);
        y += all;
    }
}

template <class X, class Y, class S> void mean(const Mean<X, Y, S>& m) {
    const bool short_rows = m.cell == 1 && 2 * m.width.out() <= means_at_once && goes_on(m.width);
    if (short_rows && m.writing != Writing::past &&
        std::equal(m.widths + 1, m.widths + m.width.out(), m.widths))
        return mean_rows(m);
    const Index n = m.width.extent * m.cell;
    cells::baseline::Sink<Y> sink(m.y, m.width.out() * m.cell, m.writing);
    RowsAhead<X> ahead{m.x, n};
    S known = 0;  // the scale that the divisors are of
    bool invert = false;
    for (Index o = 0; o < m.height.out(); ++o) {
        const Window& w = m.height.windows[extent_of(o)];
        ahead.first = w.first;
        sum_rows(m.x + w.first * n, w.count, m.height.step * n, m.row, n, ahead);
        const S scale = m.heights[o] * m.scale;
        if (m.cell == 1) {
            if (scale != known) {
                for (Index i = 0; i < m.width.out(); ++i) m.divisors[i] = m.widths[i] * scale;
                invert = invert_all<Y>(m.divisors, m.width.out());
            }
            known = scale;
            if (invert)
                mean_along<true>(m.width, m.row, m.divisors, sink.next());
            else
                mean_along<false>(m.width, m.row, m.divisors, sink.next());
        } else
            mean_cells(m.width, m.row, m.widths, scale, m.row + n, sink.next(), m.cell);
    }
    sink.finish();
}

template <class T, class S>
[[gnu::always_inline]] inline void share_row(const T* __restrict x, const S* __restrict d, S scale,
                                             S* __restrict y, Index n) {
    for (Index i = 0; i < n; ++i) y[i] = static_cast<S>(x[i]) / (d[i] * scale);
}

template <class T, class S> void share(const Share<T, S>& s) {
    if (s.cell == 1) {
        prefetch(s.x, s.cells * static_cast<Index>(sizeof(T)));
        return share_row(s.x, s.d, s.scale, s.y, s.cells);
    }
    for (Index o = 0; o < s.cells; ++o)
        for (Index c = 0; c < s.cell; ++c)
            s.y[o * s.cell + c] = static_cast<S>(s.x[o * s.cell + c]) / (s.d[o] * s.scale);
}

template <class T, class S> void divide(const Divide<T, S>& s) {
    inverts<S>(s.d) ? divide_row<true>(s.x, 1 / s.d, s.y, s.n) : divide_row(s.x, s.d, s.y, s.n);
}

template <class X, class S> void sum(const Sum<X, S>& s) { sum_rows(s.x, s.count, s.step, s.y, s.n); }

template <class T, class S> SumKernels<T, S> sum_kernels() {
    using namespace cells;
    const Level l = level();
    return {
        compiled<&mean<T, T, S>>(l),
        compiled<&mean<S, T, S>>(l),
        chosen(l, &baseline::mean_cells<T, T, S>, &avx2::mean_cells<T, T, S>, &avx512::mean_cells<T, T, S>),
        chosen(l, &baseline::mean_cells<S, T, S>, &avx2::mean_cells<S, T, S>, &avx512::mean_cells<S, T, S>),
        chosen(l, &baseline::mean_of_slices<S>, &avx2::mean_of_slices<S>, &avx512::mean_of_slices<S>),
        compiled<&spread<T, S>>(l),
        chosen(l, &baseline::spread_strided<T, S>, &avx2::spread_strided<T, S>,
               &avx512::spread_strided<T, S>),
        chosen(l, &baseline::spread_cells<T, S>, &avx2::spread_cells<T, S>, &avx512::spread_cells<T, S>),
        compiled<&share<T, S>>(l),
        compiled<&divide<T, S>>(l),
        compiled<&sum<T, S>>(l),
        compiled<&sum<S, S>>(l)};
}

}  // namespace poolproof::reference

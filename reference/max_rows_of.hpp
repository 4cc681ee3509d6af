// SPDX-License-Identifier: Apache-2.0
// Definitions for max_rows.hpp. Each source file instantiates them for one type, since compilers take their
// time over them.
#pragma once

#include "reference/best_cells_of.hpp"
#include "reference/level.hpp"
#include "reference/max_rows.hpp"
#include "reference/memory.hpp"
#include "reference/wide.hpp"

#include <limits>
#include <utility>

namespace poolproof::reference {

/// Windows that are alike, piece by piece of a constant length, for which compilers make no loops of rests,
/// asking for what the pieces after it will read.
template <Nan nan, int kernel, int stride, class T, class P>
[[gnu::always_inline]] inline void best_run(const T* x, Index base, Row<T, P> y, Index n) {
    // One window more where the last would read past its own elements if it were part of a vector.
    constexpr Index piece = kernel % stride == 0 ? 64 : 65;
    for (; n >= piece; n -= piece, x += stride * piece, base += stride * piece, y = y + piece) {
        prefetch(x, stride * piece * static_cast<Index>(sizeof(T)));
        best_along<nan, kernel, stride>(x, base, y, piece);
    }
    prefetch(x, stride * n * static_cast<Index>(sizeof(T)));
    best_along<nan, kernel, stride>(x, base, y, n);
}

/// As many elements are reduced side by side, where there are as many.
template <class T> inline constexpr Index side_by_side = 64 / static_cast<Index>(sizeof(T));

/// The best of n elements that stand side by side, which are at least `side_by_side`.
template <Nan nan, class T> [[gnu::always_inline]] inline T best_of_many(const T* x, Index n) {
    constexpr Index lanes = side_by_side<T>;
    T best[lanes], sum[lanes];
    for (Index l = 0; l < lanes; ++l) best[l] = sum[l] = x[l];
    for (Index i = lanes; i < n; i += lanes) {
        const T* from = x + std::min(i, n - lanes);  // some again
        for (Index l = 0; l < lanes; ++l) {
            best[l] = from[l] > best[l] ? from[l] : best[l];
            sum[l] += from[l];
        }
    }
    for (Index half = lanes / 2; half > 0; half /= 2)
        for (Index l = 0; l < half; ++l) {
            best[l] = best[l + half] > best[l] ? best[l + half] : best[l];
            sum[l] += sum[l + half];
        }
    // No sum is a NaN but of NaNs, or of infinities of both signs; which of several zeros it is shows.
    if (sum[0] == sum[0] && best[0] != 0) return best[0];
    T first = x[0];
    for (Index i = 1; i < n; ++i) take<nan>(first, x[i]);
    return first;
}

template <Nan nan, class T, class P>
[[gnu::always_inline]] inline void best_inside(const Line& l, const T* x, Index base, Row<T, P> y, Index n) {
    const Index k = l.kernel, s = l.stride;
    if (l.step == 1 && s == 2 && k == 3) {
        Index done = 0;
        if constexpr (!Row<T, P>::indexed) done = wide_maxima(nan, x, y.value, n);
        return best_run<nan, 3, 2>(x + s * done, base + s * done, y + done, n - done);
    }
    if (l.step == 1 && s == 2 && k == 2) return best_run<nan, 2, 2>(x, base, y, n);
    if (l.step == 1 && s == 1 && k == 3) return best_run<nan, 3, 1>(x, base, y, n);
    prefetch(x, s * n * static_cast<Index>(sizeof(T)));
    if (s == 1) return best_along<nan, 1>(x, base, k, l.step, y, n);
    if (s == 2) return best_along<nan, 2>(x, base, k, l.step, y, n);
    if (s == 3) return best_along<nan, 3>(x, base, k, l.step, y, n);
    if constexpr (!Row<T, P>::indexed)
        if (l.step == 1 && k >= side_by_side<T>) {
            for (Index i = 0; i < n; ++i) y.value[i] = best_of_many<nan>(x + s * i, k);
            return;
        }
    for (Index i = 0; i < n; ++i) best_along<nan, 1>(x + s * i, base + s * i, k, l.step, y + i, 1);
}

/// Whether the windows inside of one row go on at their stride in the next, with those between them that are
/// not complete.
inline bool runs_on(const Line& l) {
    return l.step == 1 && l.extent == l.out() * l.stride && l.begin < l.end &&
           (l.kernel == 2 || l.kernel == 3);
}

/// One window, in registers.
template <Nan nan, class T, class P>
[[gnu::always_inline]] inline void best_window(const Window& w, Index step, const T* x, Index base,
                                               Row<T, P> y) {
    if constexpr (!Row<T, P>::indexed)
        if (step == 1 && w.count >= side_by_side<T>) {
            *y.value = best_of_many<nan>(x + w.first, w.count);
            return;
        }
    T best = x[w.first];
    if constexpr (Row<T, P>::indexed) {
        P at = static_cast<P>(base + w.first);
        for (Index i = w.first + step, j = 1; j < w.count; ++j, i += step)
            take<nan>(best, at, x[i], static_cast<P>(base + i));
        *y.at = at;
    } else {
        for (Index i = w.first + step, j = 1; j < w.count; ++j, i += step) take<nan>(best, x[i]);
    }
    *y.value = best;
}

/// All rows as if they were one; what lies across two of them is done again.
template <Nan nan, class T, class P> [[gnu::always_inline]] inline void best_rows(const Along<T, P>& a) {
    const Line& l = a.line;
    const Index first = l.windows[extent_of(l.begin)].first;
    best_inside<nan>(l, a.x + first, a.base + first, a.y + l.begin,
                     a.rows * l.out() - l.begin - (l.out() - l.end));
    for (Index o = 0; o < l.out(); ++o) {
        if (o == l.begin) o = l.end;
        if (o >= l.out()) break;
        const Window& w = l.windows[extent_of(o)];
        for (Index r = 0; r < a.rows; ++r)
            best_window<nan>(w, l.step, a.x + r * l.extent, a.base + r * l.extent, a.y + (r * l.out() + o));
    }
}

/// A cell of n elements becomes the best of `count` cells, `step` apart.
template <Nan nan, class T>
[[gnu::always_inline]] inline void best_cell(const T* x, Index count, Index step, T* y, Index n) {
    if (count == 1) return best_of<nan, 1, T>(x, x, x, y, n);
    if (count == 2) return best_of<nan, 2, T>(x, x + step, x, y, n);
    best_of<nan, 3, T>(x, x + step, x + 2 * step, y, n);
    for (Index j = 3; j < count; ++j) take_row<nan, T>(x + j * step, y, n);
}

/// All elements of a cell are at the same position.
template <Nan nan, class T, class P>
[[gnu::always_inline]] inline void take_cell(const T* __restrict x, P x_at, T* __restrict y, P* __restrict at,
                                             Index n) {
    for (Index i = 0; i < n; ++i) take<nan>(y[i], at[i], x[i], x_at);
}

template <Nan nan, class T, class P>
[[gnu::always_inline]] inline void best_cell(const Line& l, Index o, const T* x, Index base, Row<T, P> y,
                                             Index n) {
    const Window& w = l.windows[extent_of(o)];
    x += w.first * n;
    if constexpr (Row<T, P>::indexed) {
        std::copy_n(x, n, y.value);
        std::fill_n(y.at, n, static_cast<P>(base + w.first));
        for (Index j = 1; j < w.count; ++j)
            take_cell<nan, T, P>(x + j * l.step * n, static_cast<P>(base + w.first + j * l.step), y.value,
                                 y.at, n);
    } else {
        best_cell<nan, T>(x, w.count, l.step * n, y.value, n);
    }
}

/// y[i] becomes the best of x[i] and x[step + i]; y may be x.
template <Nan nan, class T, class P>
[[gnu::always_inline]] inline void pair_up(Row<T, P> x, Index step, Row<T, P> y, Index n) {
    for (Index i = 0; i < n; ++i) {
        T best = x.value[i];
        if constexpr (Row<T, P>::indexed) {
            P at = x.at[i];
            take<nan>(best, at, x.value[step + i], x.at[step + i]);
            y.at[i] = at;
        } else {
            take<nan>(best, x.value[step + i]);
        }
        y.value[i] = best;
    }
}

/// The windows of one row whose cells have n elements: those of `half` to 2 half - 1 taps once every cell is
/// the best of itself and the half - 1 after it, as the best of the first `half` taps and the last.
template <Nan nan, class T, class P>
[[gnu::always_inline]] inline void best_doubling(const Line& l, const T* x, Index base, Row<T, P> y, Index n,
                                                 const Row<T, P>* spare) {
    Row<T, P> now = spare[0], next = spare[1];
    std::copy_n(x, l.extent * n, now.value);
    if constexpr (Row<T, P>::indexed)
        for (Index i = 0; i < l.extent; ++i) std::fill_n(now.at + i * n, n, static_cast<P>(base + i));
    for (Index half = 1; half <= l.kernel; half *= 2) {
        for (Index o = 0; o < l.out(); ++o) {
            const Window& w = l.windows[extent_of(o)];
            if (w.count < half || w.count >= 2 * half) continue;
            // Those that are alike and next to each other at once, where that is a row again.
            const Index alike = o == l.begin && l.stride == 1 ? l.end - l.begin : 1;
            const Row<T, P> first = now + w.first * n, last = first + (w.count - half) * n;
            best_of<nan, 2>(first, last, first, y + o * n, alike * n);
            o += alike - 1;
        }
        const Index rest = l.extent - 2 * half + 1;
        if (2 * half > l.kernel || rest <= 0) break;
        best_of<nan, 2>(now, now + half * n, now, next, rest * n);
        std::swap(now, next);
    }
}

/// y[i] becomes the best of x[stride i] and x[stride i + step], for strides 2 and 3.
template <Nan nan, class T>
[[gnu::always_inline]] inline void best_run(const T* x, Index step, Index stride, T* y, Index n) {
    if (stride == 2)
        best_along<nan, 2>(x, 0, 2, step, Row<T, void>{y}, n);
    else
        best_along<nan, 3>(x, 0, 2, step, Row<T, void>{y}, n);
}

/// The windows of several rows, which lie `before` and more values that never win apart.
template <Nan nan, class T>
[[gnu::always_inline]] inline void best_padded(const Along<T, void>& a, Index before) {
    using Limits = std::numeric_limits<T>;
    constexpr T never = nan == Nan::ignore ? Limits::quiet_NaN() : -Limits::infinity();
    const Line& l = a.line;
    const Index pitch = padded_row(l), rows = padded_rows(l);
    const Index cells = std::min(l.extent, pitch - before);  // no window sees those after them
    for (Index done = 0; done < a.rows; done += rows) {
        T *now = a.spare[0].value, *next = a.spare[1].value;
        const Index count = std::min(rows, a.rows - done);
        for (Index r = 0; r < count; ++r) {
            const T* x = a.x + (done + r) * l.extent;
            T* row = now + r * pitch;
            prefetch(x, l.extent * static_cast<Index>(sizeof(T)));
            std::fill_n(row, before, never);
            std::copy_n(x, cells, row + before);
            std::fill(row + before + cells, row + pitch, never);
        }
        Index half = 1;
        for (Index n = count * pitch; 2 * half <= l.kernel; half *= 2) {
            n -= half;
            best_of<nan, 2, T>(now, now + half, now, next, n);
            std::swap(now, next);
        }
        for (Index r = 0; r < count; ++r) {
            const T* first = now + r * pitch;
            T* y = a.y.value + (done + r) * l.out();
            if (l.stride == 1)
                best_of<nan, 2, T>(first, first + (l.kernel - half), first, y, l.out());
            else
                best_run<nan>(first, l.kernel - half, l.stride, y, l.out());
        }
    }
}

/// Whether a row's windows are to double. Those with positions, where they are not next to each other, double
/// one by one, which pays only for wide ones.
template <class T, class P> bool doubles(const Along<T, P>& a) {
    constexpr Index wide = 28;
    const bool one_by_one = Row<T, P>::indexed && a.cell == 1 && a.line.stride > 1 && a.line.stride <= 3;
    return doubles(a.line) && !(one_by_one && a.line.kernel < wide);
}

template <Nan nan, class T, class P> void along(const Along<T, P>& a) {
    const Line& l = a.line;
    const bool doubling = doubles(a);
    const T* x = a.x;
    Row<T, P> y = a.y;
    const auto one = [&](Index o, Index base) __attribute__((always_inline)) {
        best_window<nan>(l.windows[extent_of(o)], l.step, x, base, y + o);
    };
    if (a.cell == 1 && runs_on(l)) return best_rows<nan>(a);
    if constexpr (!Row<T, P>::indexed)
        if (a.cell == 1 && doubles(l) && l.stride <= 3)
            if (const Index before = cut_off(l); before >= 0) return best_padded<nan, T>(a, before);
    for (Index r = 0; r < a.rows; ++r) {
        const Index base = a.base + r * l.extent;
        if (a.cell == 1 && doubling) prefetch(x, l.extent * static_cast<Index>(sizeof(T)));
        if (doubling) {
            best_doubling<nan>(l, x, base, y, a.cell, a.spare);
        } else if (a.cell > 1) {
            for (Index o = 0; o < l.out(); ++o) {
                prefetch(x + l.windows[extent_of(o)].first * a.cell,
                         std::min(l.stride, l.extent) * a.cell * static_cast<Index>(sizeof(T)));
                best_cell<nan>(l, o, x, base, y + o * a.cell, a.cell);
            }
        } else {
            for (Index o = 0; o < l.begin; ++o) one(o, base);
            const Index first = l.windows[extent_of(l.begin)].first;
            best_inside<nan>(l, x + first, base + first, y + l.begin, l.end - l.begin);
            for (Index o = l.end; o < l.out(); ++o) one(o, base);
        }
        x += l.extent * a.cell;
        y = y + l.out() * a.cell;
    }
}

/// As best_doubling, in place.
template <Nan nan, class T, class P>
[[gnu::always_inline]] inline void across_doubling(const Across<T, P>& a) {
    for (Index half = 1; half <= a.line.kernel; half *= 2) {
        for (Index o = a.begin; o < a.end; ++o) {
            const Window& w = a.line.windows[extent_of(o)];
            if (w.count < half || w.count >= 2 * half) continue;
            const Row<T, P> first = a.x + (w.first - a.first) * a.n, last = first + (w.count - half) * a.n;
            best_of<nan, 2>(first, last, first, a.y + (o - a.begin) * a.n, a.n);
        }
        const Index rest = a.past - a.first - 2 * half + 1;
        if (2 * half > a.line.kernel || rest <= 0) return;
        pair_up<nan>(a.x, half * a.n, a.x, rest * a.n);
    }
}

template <Nan nan, class T, class P> void across(const Across<T, P>& a) {
    if (doubles(a.line)) return across_doubling<nan>(a);
    Row<T, P> y = a.y;
    const Index step = a.line.step * a.n;
    const auto ask = [&](Row<T, P> x, Index rows) __attribute__((always_inline)) {
        for (Index j = 0; a.asks && j < rows; ++j)
            prefetch(x.value + j * step, a.n * static_cast<Index>(sizeof(T)));
    };
    for (Index o = a.begin; o < a.end; ++o) {
        const Window& w = a.line.windows[extent_of(o)];
        const Row<T, P> x = a.x + (w.first - a.first) * a.n;
        ask(x, std::min<Index>(w.count, 3));
        if (w.count == 1)
            best_of<nan, 1>(x, x, x, y, a.n);
        else if (w.count == 2)
            best_of<nan, 2>(x, x + step, x, y, a.n);
        else {
            best_of<nan, 3>(x, x + step, x + 2 * step, y, a.n);
            for (Index j = 3; j < w.count; ++j) {
                ask(x + j * step, 1);
                take_row<nan>(x + j * step, y, a.n);
            }
        }
        y = y + a.n;
    }
}

template <Nan nan, class T, class P> MaxRows<T, P> rows_under() {
    using namespace cells;
    const Level l = level();
    MaxRows<T, P> rows{chosen(l, &baseline::best_cells<nan, T, P>, &avx2::best_cells<nan, T, P>,
                              &avx512::best_cells<nan, T, P>),
                       compiled<&along<nan, T, P>>(l),
                       compiled<&across<nan, T, P>>(l),
                       nullptr,
                       nullptr,
                       nullptr};
    if constexpr (Row<T, P>::indexed)
        rows.pull_cells = chosen(l, &baseline::pull_cells<nan, T, P>, &avx2::pull_cells<nan, T, P>,
                                 &avx512::pull_cells<nan, T, P>);
    else {
        rows.across_few = chosen(l, &baseline::best_across<nan, T>, &avx2::best_across<nan, T>,
                                 &avx512::best_across<nan, T>);
        rows.slices = chosen(l, &baseline::best_of_slices<nan, T>, &avx2::best_of_slices<nan, T>,
                             &avx512::best_of_slices<nan, T>);
    }
    return rows;
}

template <class T, class P> MaxRows<T, P> max_rows(Nan nan) {
    switch (nan) {
        case Nan::first: return rows_under<Nan::first, T, P>();
        case Nan::last: return rows_under<Nan::last, T, P>();
        case Nan::ignore: break;
    }
    return rows_under<Nan::ignore, T, P>();
}

}  // namespace poolproof::reference

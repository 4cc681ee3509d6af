// SPDX-License-Identifier: Apache-2.0
// The step from a maximum so far to the next for single elements, and loops of it over rows.
#pragma once

#include <poolproof/reference.hpp>

#include <algorithm>
#include <type_traits>

namespace poolproof::reference {

/// Positions within a slice that are as wide as the values they go with.
template <class T> using Position = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// Values, and beside them their positions; or values alone, where P is void.
template <class T, class P> struct Row {
    static constexpr bool indexed = true;
    T* value;
    P* at;

    Row operator+(Index n) const { return {value + n, at + n}; }
};

template <class T> struct Row<T, void> {
    static constexpr bool indexed = false;
    T* value;

    Row operator+(Index n) const { return {value + n}; }
};

#define POOLPROOF_CELLS [[gnu::always_inline]] inline
#include "reference/take_at.hpp"
#undef POOLPROOF_CELLS

/// y[i] becomes the best of a[i] and, with `count` 2 and 3, after it b[i] and c[i].
template <Nan nan, int count, class T>
[[gnu::always_inline]] inline void best_of(const T* __restrict a, const T* __restrict b,
                                           const T* __restrict c, T* __restrict y, Index n) {
    for (Index i = 0; i < n; ++i) {
        T best = a[i];
        if constexpr (count > 1) take<nan>(best, b[i]);
        if constexpr (count > 2) take<nan>(best, c[i]);
        y[i] = best;
    }
}

template <Nan nan, int count, class T, class P>
[[gnu::always_inline]] inline void best_of(const T* __restrict a, const T* __restrict b,
                                           const T* __restrict c, const P* __restrict a_at,
                                           const P* __restrict b_at, const P* __restrict c_at,
                                           T* __restrict y, P* __restrict at, Index n) {
    for (Index i = 0; i < n; ++i) {
        T best = a[i];
        P best_at = a_at[i];
        if constexpr (count > 1) take<nan>(best, best_at, b[i], b_at[i]);
        if constexpr (count > 2) take<nan>(best, best_at, c[i], c_at[i]);
        y[i] = best;
        at[i] = best_at;
    }
}

template <Nan nan, int count, class T, class P>
[[gnu::always_inline]] inline void best_of(Row<T, P> a, Row<T, P> b, Row<T, P> c, Row<T, P> y, Index n) {
    if constexpr (Row<T, P>::indexed)
        best_of<nan, count, T, P>(a.value, b.value, c.value, a.at, b.at, c.at, y.value, y.at, n);
    else
        best_of<nan, count, T>(a.value, b.value, c.value, y.value, n);
}

/// y[i] becomes the best of itself and, after it, x[i].
template <Nan nan, class T>
[[gnu::always_inline]] inline void take_row(const T* __restrict x, T* __restrict y, Index n) {
    for (Index i = 0; i < n; ++i) take<nan>(y[i], x[i]);
}

template <Nan nan, class T, class P>
[[gnu::always_inline]] inline void take_row(const T* __restrict x, const P* __restrict x_at, T* __restrict y,
                                            P* __restrict at, Index n) {
    for (Index i = 0; i < n; ++i) take<nan>(y[i], at[i], x[i], x_at[i]);
}

template <Nan nan, class T, class P>
[[gnu::always_inline]] inline void take_row(Row<T, P> x, Row<T, P> y, Index n) {
    if constexpr (Row<T, P>::indexed)
        take_row<nan, T, P>(x.value, x.at, y.value, y.at, n);
    else
        take_row<nan, T>(x.value, y.value, n);
}

/// y[i] becomes the best of x[stride i + j] for j = 0 to kernel - 1, up to 3; `base` is the position of x.
/// Written out, as g++ decides on vectors before it unrolls.
template <Nan nan, int kernel, int stride, class T>
[[gnu::always_inline]] inline void best_along(const T* __restrict x, T* __restrict y, Index n) {
    static_assert(kernel <= 3);
    for (Index i = 0; i < n; ++i) {
        T best = x[stride * i];
        if constexpr (kernel > 1) take<nan>(best, x[stride * i + 1]);
        if constexpr (kernel > 2) take<nan>(best, x[stride * i + 2]);
        y[i] = best;
    }
}

template <Nan nan, int kernel, int stride, class T, class P>
[[gnu::always_inline]] inline void best_along(const T* __restrict x, P base, T* __restrict y,
                                              P* __restrict at, Index n) {
    static_assert(kernel <= 3);
    const P count = static_cast<P>(n);
    for (P i = 0; i < count; ++i) {
        T best = x[stride * i];
        P best_at = 0;
        if constexpr (kernel > 1) take<nan>(best, best_at, x[stride * i + 1], P{1});
        if constexpr (kernel > 2) take<nan>(best, best_at, x[stride * i + 2], P{2});
        y[i] = best;
        at[i] = base + P{stride} * i + best_at;
    }
}

template <Nan nan, int kernel, int stride, class T, class P>
[[gnu::always_inline]] inline void best_along(const T* x, Index base, Row<T, P> y, Index n) {
    if constexpr (Row<T, P>::indexed)
        best_along<nan, kernel, stride, T, P>(x, static_cast<P>(base), y.value, y.at, n);
    else
        best_along<nan, kernel, stride, T>(x, y.value, n);
}

/// y[i] becomes the best of itself and, after it, x[stride i].
template <Nan nan, int stride, class T>
[[gnu::always_inline]] inline void take_along(const T* __restrict x, T* __restrict y, Index n) {
    for (Index i = 0; i < n; ++i) take<nan>(y[i], x[stride * i]);
}

template <Nan nan, int stride, class T, class P>
[[gnu::always_inline]] inline void take_along(const T* __restrict x, P base, T* __restrict y,
                                              P* __restrict at, Index n) {
    for (Index i = 0; i < n; ++i) take<nan>(y[i], at[i], x[stride * i], base + static_cast<P>(stride * i));
}

/// For any kernel, its taps `step` apart.
template <Nan nan, int stride, class T, class P>
[[gnu::always_inline]] inline void best_along(const T* x, Index base, Index kernel, Index step, Row<T, P> y,
                                              Index n) {
    best_along<nan, 1, stride>(x, base, y, n);
    for (Index j = 1; j < kernel; ++j)
        if constexpr (Row<T, P>::indexed)
            take_along<nan, stride, T, P>(x + j * step, static_cast<P>(base + j * step), y.value, y.at, n);
        else
            take_along<nan, stride, T>(x + j * step, y.value, n);
}

}  // namespace poolproof::reference

// SPDX-License-Identifier: Apache-2.0
// Loops over rows that averages and their gradients share; part of the definitions of sum_kernels_of.hpp.
#pragma once

#include "reference/divide.hpp"
#include "reference/memory.hpp"
#include "reference/sum_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace poolproof::reference {

// Loops are not unrolled: one over a piece would be taken apart by g++ before it makes vectors of it.

template <int count, class X, class S>
[[gnu::always_inline]] inline void sum_rows(const X* __restrict a, const X* __restrict b,
                                            const X* __restrict c, S* __restrict y, Index n) {
#pragma GCC unroll 1
    for (Index i = 0; i < n; ++i) {
        auto sum = static_cast<S>(a[i]);
        if constexpr (count > 1) sum += static_cast<S>(b[i]);
        if constexpr (count > 2) sum += static_cast<S>(c[i]);
        y[i] = sum;
    }
}

template <class X, class S>
[[gnu::always_inline]] inline void add_four(const X* __restrict a, const X* __restrict b,
                                            const X* __restrict c, const X* __restrict d, S* __restrict y,
                                            Index n) {
#pragma GCC unroll 1
    for (Index i = 0; i < n; ++i)
        y[i] += (static_cast<S>(a[i]) + static_cast<S>(b[i])) + (static_cast<S>(c[i]) + static_cast<S>(d[i]));
}

template <class X, class S>
[[gnu::always_inline]] inline void add_row(const X* __restrict a, S* __restrict y, Index n) {
#pragma GCC unroll 1
    for (Index i = 0; i < n; ++i) y[i] += static_cast<S>(a[i]);
}

template <class X, class S>
[[gnu::always_inline]] inline void add_eight(const X* __restrict a, Index step, S* __restrict y, Index n) {
    const X* __restrict b = a + step;
    const X* __restrict c = b + step;
    const X* __restrict d = c + step;
    const X* __restrict e = d + step;
    const X* __restrict f = e + step;
    const X* __restrict g = f + step;
    const X* __restrict h = g + step;
#pragma GCC unroll 1
    for (Index i = 0; i < n; ++i)
        y[i] +=
            ((static_cast<S>(a[i]) + static_cast<S>(b[i])) + (static_cast<S>(c[i]) + static_cast<S>(d[i]))) +
            ((static_cast<S>(e[i]) + static_cast<S>(f[i])) + (static_cast<S>(g[i]) + static_cast<S>(h[i])));
}

/// Calls add(i, m) for pieces of 0 to n, of m elements, and asks meanwhile for what follows `rows` rows from
/// x on: nothing else is done while many lines are waited for. Or, unless `asking`, for all at once.
template <bool asking, Index rows, class X, class Add>
[[gnu::always_inline]] inline void in_pieces(const X* x, Index step, Index n, const Add& add) {
    if constexpr (!asking) {
        add(0, n);
    } else {
        constexpr Index piece = 64 / static_cast<Index>(sizeof(X));
        for (Index i = 0; i < n; i += piece) {
            for (Index r = 0; r < rows; ++r) prefetch(x + r * step + i, 64);
            if (i + piece <= n)
                add(i, piece);
            else
                add(i, n - i);
        }
    }
}

/// Three rows or more.
template <bool asking, class X, class S>
[[gnu::always_inline]] inline void sum_some_rows(const X* x, Index count, Index step, S* y, Index n) {
    in_pieces<asking, 3>(
        x, step, n, [&](Index i, Index m) __attribute__((always_inline)) {
            sum_rows<3>(x + i, x + step + i, x + 2 * step + i, y + i, m);
        });
    x += 3 * step;
    for (count -= 3; count >= 8; count -= 8, x += 8 * step)
        in_pieces<asking, 8>(
            x, step,
            n, [&](Index i, Index m) __attribute__((always_inline)) { add_eight(x + i, step, y + i, m); });
    for (; count >= 4; count -= 4, x += 4 * step)
        in_pieces<asking, 4>(
            x, step, n, [&](Index i, Index m) __attribute__((always_inline)) {
                add_four(x + i, x + step + i, x + 2 * step + i, x + 3 * step + i, y + i, m);
            });
    for (; count > 0; --count, x += step)
        in_pieces<asking, 1>(
            x, step, n, [&](Index i, Index m) __attribute__((always_inline)) { add_row(x + i, y + i, m); });
}

/// Asks for what follows rows of n elements that are summed, once for each.
template <class X> struct RowsAhead {
    const X* x;
    Index n;
    Index first = 0, asked = 0;  ///< of all rows, the first that is summed, and that was not asked for

    [[gnu::always_inline]] void operator()(Index rows) {
        for (const Index end = first + rows; asked < end; ++asked)
            prefetch(x + asked * n, n * static_cast<Index>(sizeof(X)));
    }

    /// Whether those that are summed are the next, which are then to be asked for elsewhere.
    [[gnu::always_inline]] bool leaves(Index rows) {
        const bool next = asked == first;
        asked += next ? rows : 0;
        return next;
    }
};

template <class X> struct NoRowsAhead {
    [[gnu::always_inline]] void operator()(Index) const {}
    [[gnu::always_inline]] bool leaves(Index) const { return false; }
};

template <class X, class S, class Ask>
[[gnu::always_inline]] inline void sum_rows(const X* x, Index count, Index step, S* y, Index n, Ask& ask) {
    constexpr Index many = 5;
    if (count == 0) return std::fill_n(y, n, S{0}), void();
    if (count >= many && step == n && ask.leaves(count)) return sum_some_rows<true>(x, count, step, y, n);
    ask(count);
    if (count == 1) return sum_rows<1>(x, x, x, y, n);
    if (count == 2) return sum_rows<2>(x, x + step, x, y, n);
    sum_some_rows<false>(x, count, step, y, n);
}

template <class X, class S>
[[gnu::always_inline]] inline void sum_rows(const X* x, Index count, Index step, S* y, Index n) {
    NoRowsAhead<X> none;
    sum_rows(x, count, step, y, n, none);
}

/// The sum of n numbers, `step` apart, in a tree that is flat for few and shallow for many.
template <class S> [[gnu::always_inline]] inline S sum_of(const S* x, Index n, Index step) {
    constexpr Index lanes = 8;
    S sum = n > 0 ? -S{0} : S{0};
    Index j = 0;
    if (step == 1 && n >= lanes) {
        S part[lanes];
        for (Index l = 0; l < lanes; ++l) part[l] = x[l];
        for (j = lanes; j + lanes <= n; j += lanes)
            for (Index l = 0; l < lanes; ++l) part[l] += x[j + l];
        sum = ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
    }
    for (; j < n; ++j) sum += x[j * step];
    return sum;
}

/// `d` is what is divided by, or its inverse.
template <bool times = false, class X, class S, class Y>
[[gnu::always_inline]] inline void divide_row(const X* __restrict x, S d, Y* __restrict y, Index n) {
    for (Index i = 0; i < n; ++i) y[i] = static_cast<Y>(settled<times>(static_cast<S>(x[i]), d));
}

}  // namespace poolproof::reference

// SPDX-License-Identifier: Apache-2.0
// Loops over rows that averages and their gradients share; part of the definitions of sum_kernels_of.hpp.
#pragma once

#include "reference/memory.hpp"
#include "reference/sum_kernels.hpp"

#include <algorithm>
#include <utility>

namespace poolproof::reference {

template <int count, class X, class S>
[[gnu::always_inline]] inline void sum_rows(const X* __restrict a, const X* __restrict b,
                                            const X* __restrict c, S* __restrict y, Index n) {
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
    for (Index i = 0; i < n; ++i)
        y[i] += (static_cast<S>(a[i]) + static_cast<S>(b[i])) + (static_cast<S>(c[i]) + static_cast<S>(d[i]));
}

template <class X, class S>
[[gnu::always_inline]] inline void add_row(const X* __restrict a, S* __restrict y, Index n) {
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
    for (Index i = 0; i < n; ++i)
        y[i] +=
            ((static_cast<S>(a[i]) + static_cast<S>(b[i])) + (static_cast<S>(c[i]) + static_cast<S>(d[i]))) +
            ((static_cast<S>(e[i]) + static_cast<S>(f[i])) + (static_cast<S>(g[i]) + static_cast<S>(h[i])));
}

/// Asks meanwhile for what follows the rows that `ask` is called with, from which and how many.
template <class X, class S, class Ask>
[[gnu::always_inline]] inline void sum_rows(const X* x, Index count, Index step, S* y, Index n,
                                            const Ask& ask) {
    if (count == 0) return std::fill_n(y, n, S{0}), void();
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

template <class X, class S>
[[gnu::always_inline]] inline void sum_rows(const X* x, Index count, Index step, S* y, Index n) {
    sum_rows(x, count, step, y, n, [](Index, Index) __attribute__((always_inline)){});
}

/// The sum of n numbers, `step` apart, in a tree that is flat for few and shallow for many.
template <class S> [[gnu::always_inline]] inline S sum_of(const S* x, Index n, Index step) {
    constexpr Index lanes = 8;
    S sum = 0;
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

template <class S, class Y>
[[gnu::always_inline]] inline void divide_row(const S* __restrict x, S d, Y* __restrict y, Index n) {
    for (Index i = 0; i < n; ++i) y[i] = static_cast<Y>(x[i] / d);
}

/// Collects rows in a strip that stays in the cache, and streams it out; or lets them be written in their
/// place.
template <class T> class Sink {
public:
    Sink(T* to, Index row, bool streams) : to_(to), row_(row), streams_(streams && row <= capacity) {}

    /// Where the next row is to be written, or, if nothing is streamed, more. Requires that `finish` follows
    /// the last.
    [[gnu::always_inline]] T* next(Index rows = 1) {
        if (!streams_) return std::exchange(to_, to_ + rows * row_);
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

}  // namespace poolproof::reference

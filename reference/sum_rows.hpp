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

/// Calls add(i, m) for pieces of 0 to n, of m elements each, and asks meanwhile for what follows `rows` rows
/// from x on: nothing else is done while many lines are waited for.
template <class X, class Add>
[[gnu::always_inline]] inline void in_pieces(const X* x, Index rows, Index step, Index n, const Add& add) {
    constexpr Index piece = 64 / static_cast<Index>(sizeof(X));
    const auto ask = [&](Index i) __attribute__((always_inline)) {
        for (Index r = 0; r < rows; ++r) prefetch(x + r * step + i, 64);
    };
    Index i = 0;
    for (; i + piece <= n; i += piece) {
        ask(i);
        add(i, piece);
    }
    if (i == n) return;
    ask(i);
    add(i, n - i);
}

/// Rows of n elements that follow one another, of which some are summed: how many were not asked for before.
struct Asked {
    Index first = 0,
          before = 0;  ///< row of the input where the summed ones begin, and the first not asked for

    [[gnu::always_inline]] Index fresh(Index j, Index rows) {
        const Index end = first + j + rows, all = std::clamp<Index>(end - before, 0, rows);
        before = std::max(before, end);
        return all;
    }
};

struct NeverAsked {
    [[gnu::always_inline]] Index fresh(Index, Index) const { return 0; }
};

/// Asks meanwhile for what follows those rows that are fresh.
template <class X, class S, class Ask>
[[gnu::always_inline]] inline void sum_rows(const X* x, Index count, Index step, S* y, Index n, Ask& asked) {
    if (count == 0) return std::fill_n(y, n, S{0}), void();
    const auto some = [&](Index j, Index rows, const auto& add) __attribute__((always_inline)) {
        const Index fresh = asked.fresh(j, rows);
        if (fresh == 0) return add(0, n);
        in_pieces(x + (j + rows - fresh) * step, fresh, step, n, add);
    };
    if (count <= 2) {  // not worth pieces
        for (Index r = count - asked.fresh(0, count); r < count; ++r)
            prefetch(x + r * step, n * static_cast<Index>(sizeof(X)));
        return count == 1 ? sum_rows<1>(x, x, x, y, n) : sum_rows<2>(x, x + step, x, y, n);
    }
    some(
        0, 3, [&](Index i, Index m) __attribute__((always_inline)) {
            sum_rows<3>(x + i, x + step + i, x + 2 * step + i, y + i, m);
        });
    Index j = 3;
    for (; j + 8 <= count; j += 8)
        some(
            j, 8, [&](Index i, Index m) __attribute__((always_inline)) {
                add_eight(x + j * step + i, step, y + i, m);
            });
    for (; j + 4 <= count; j += 4)
        some(
            j, 4, [&](Index i, Index m) __attribute__((always_inline)) {
                const X* from = x + j * step + i;
                add_four(from, from + step, from + 2 * step, from + 3 * step, y + i, m);
            });
    for (; j < count; ++j)
        some(
            j,
            1, [&](Index i, Index m) __attribute__((always_inline)) { add_row(x + j * step + i, y + i, m); });
}

template <class X, class S>
[[gnu::always_inline]] inline void sum_rows(const X* x, Index count, Index step, S* y, Index n) {
    NeverAsked never;
    sum_rows(x, count, step, y, n, never);
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

/// Collects rows in a strip that stays in the cache, and streams it out, some lines at a time as they take
/// their way; or lets them be written in their place.
template <class T> class Sink {
public:
    Sink(T* to, Index row, bool streams)
        : to_(to), row_(row), most_(std::max(row, some)), streams_(streams && row <= capacity) {}

    /// Where the next row is to be written, or, if nothing is streamed, more. Requires that `finish` follows
    /// the last.
    [[gnu::always_inline]] T* next(Index rows = 1) {
        if (!streams_) return std::exchange(to_, to_ + rows * row_);
        if (filled_ + row_ > most_) flush();
        return strip_ + std::exchange(filled_, filled_ + row_);
    }

    [[gnu::always_inline]] void finish() {
        if (streams_) flush();
    }

private:
    static constexpr Index some = (1 << 10) / static_cast<Index>(sizeof(T)), capacity = 8 * some;

    [[gnu::always_inline]] void flush() {
        stream(strip_, to_, filled_ * static_cast<Index>(sizeof(T)));
        to_ += filled_;
        filled_ = 0;
    }

    T* to_;
    Index row_, most_, filled_ = 0;
    bool streams_;
    alignas(64) T strip_[capacity];
};

}  // namespace poolproof::reference

// SPDX-License-Identifier: Apache-2.0
// Maxima over all of a slice; see cells_levels.hpp. No include guard.

#include "reference/joined_at.hpp"

/// v, which has no NaN, becomes the greater of each lane and that of another.
struct Greater {
    template <class V> POOLPROOF_CELLS void operator()(V& v, const V& other) const {
        v = other > v ? other : v;
    }
};

/// The greatest of n elements, at least as many as so many registers hold, and false if some may be NaNs.
template <int registers, class T> POOLPROOF_CELLS bool greatest(const T* x, Index n, T& to) {
    using V = typename Register<T>::Vector;
    constexpr Index width = Register<T>::width, step = registers * width;
    V best[registers]{}, sum[registers]{}, one{};
    prefetch(x, step * static_cast<Index>(sizeof(T)));
#pragma GCC unroll 4
    for (int r = 0; r < registers; ++r) {
        load_full(x + r * width, best[r]);
        sum[r] = best[r];
    }
    for (Index i = step; i < n; i += step) {
        prefetch(x + i, std::min(step, n - i) * static_cast<Index>(sizeof(T)));
        const T* from = x + std::min(i, n - step);  // some again
#pragma GCC unroll 4
        for (int r = 0; r < registers; ++r) {
            load_full(from + r * width, one);
            sum[r] += one;
            best[r] = one > best[r] ? one : best[r];
        }
    }
#pragma GCC unroll 4
    for (int r = 1; r < registers; ++r) {
        sum[0] += sum[r];
        best[0] = best[r] > best[0] ? best[r] : best[0];
    }
    join_lanes(best[0], Greater());
    to = best[0][0];
    // No sum is a NaN but of NaNs, or of infinities of both signs.
    return !any_nan(sum[0]);
}

/// Fewer elements than a register holds, and the first again in place of the others.
template <class T, class V> POOLPROOF_CELLS void load_few_again(const T* x, Index n, V& to) {
    to = x[0] - V{};
    load_first(x, n, to);
}

/// The same of fewer than a register holds.
template <class T> POOLPROOF_CELLS bool greatest_of_few(const T* x, Index n, T& to) {
    prefetch(x, n * static_cast<Index>(sizeof(T)));
    typename Register<T>::Vector best{};
    load_few_again(x, n, best);
    const bool certain = !any_nan(best);
    join_lanes(best, Greater());
    to = best[0];
    return certain;
}

struct Less {
    template <class V> POOLPROOF_CELLS void operator()(V& v, const V& other) const {
        v = other < v ? other : v;
    }
};

/// Where the first is, of n elements, that equals `value`; there is one. Without branches but between many
/// registers: where it is cannot be foreseen.
template <class T> POOLPROOF_CELLS Index first_equal(const T* x, Index n, T value) {
    using At = typename Register<Position<T>>::Vector;
    constexpr Index width = Register<T>::width, many = 64 * width;
    constexpr auto none = std::numeric_limits<Position<T>>::max();
    const auto all = value - typename Register<T>::Vector{};
    typename Register<T>::Vector one{};
    At lanes{}, first{};
    for (Index i = 0; i < width; ++i) lanes[i] = static_cast<Position<T>>(i);
    first += none;
    const auto look = [&](Index from) POOLPROOF_CELLS_LAMBDA {
        const At here = one == all ? lanes + static_cast<Position<T>>(from) : none - At{};
        first = here < first ? here : first;
    };
    for (Index done = 0; done < n && first[0] == none; done += many) {
        if (n < width) {
            load_few_again(x, n, one);
            look(0);
        } else {
            for (Index i = done; i < std::min(done + many, n); i += width) {
                const Index from = std::min(i, n - width);  // some again
                load_full(x + from, one);
                look(from);
            }
        }
        join_lanes(first, Less());
    }
    return static_cast<Index>(first[0]);
}

template <Nan nan, class T> POOLPROOF_CELLS_KERNEL void best_of_slices(const BestOfSlices<T>& s) {
    constexpr Index width = Register<T>::width;
    const Index n = s.n;
    for (Index i = 0; i < s.slices; ++i) {
        const T* x = s.x + i * n;
        T best = 0;
        Index at = 0;
        const bool certain = n >= 4 * width ? greatest<4>(x, n, best)
                             : n >= width   ? greatest<1>(x, n, best)
                                            : greatest_of_few(x, n, best);
        if (!certain) {
            best = x[0];
            for (Index j = 1; j < n; ++j) reference::take<nan>(best, at, x[j], j);
        } else if (s.at != nullptr || best == 0) {
            at = first_equal(x, n, best);
            best = x[at];
        }
        s.y[i] = best;
        if (s.at != nullptr) s.at[i] = at;
    }
}

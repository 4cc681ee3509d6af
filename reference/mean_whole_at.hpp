// SPDX-License-Identifier: Apache-2.0
// Means over all of a slice; see cells_levels.hpp. No include guard.

#include "reference/joined_at.hpp"

struct Plus {
    template <class V> POOLPROOF_CELLS void operator()(V& v, const V& other) const { v += other; }
};

/// The sum of n elements, as many side by side at all levels, and then by halves.
template <class T> POOLPROOF_CELLS T sum_of_all(const T* x, Index n) {
    using V = typename Register<T>::Vector;
    constexpr int registers = 256 / POOLPROOF_CELLS_BYTES;
    constexpr Index width = Register<T>::width, step = registers * width;
    const V nothing = -V{};  // -0, which adds nothing
    V sums[registers], one{};
#pragma GCC unroll 16
    for (int r = 0; r < registers; ++r) sums[r] = nothing;
    Index i = 0;
    for (; i + step <= n; i += step) {
        prefetch(x + i, step * static_cast<Index>(sizeof(T)));
#pragma GCC unroll 16
        for (int r = 0; r < registers; ++r) {
            load_full(x + i + r * width, one);
            sums[r] += one;
        }
    }
    prefetch(x + i, (n - i) * static_cast<Index>(sizeof(T)));
#pragma GCC unroll 16
    for (int r = 0; r < registers; ++r) {
        const Index rest = n - i - r * width;
        if (rest >= width) {
            load_full(x + i + r * width, one);
            sums[r] += one;
        } else if (rest > 0) {
            one = nothing;
            load_first(x + i + r * width, rest, one);
            sums[r] += one;
        }
    }
#pragma GCC unroll 4
    for (int half = registers / 2; half > 0; half /= 2)
#pragma GCC unroll 8
        for (int r = 0; r < half; ++r) sums[r] += sums[r + half];
    join_lanes(sums[0], Plus());
    return sums[0][0];
}

template <class T> POOLPROOF_CELLS_KERNEL void mean_of_slices(const MeanOfSlices<T>& s) {
    for (Index i = 0; i < s.slices; ++i) s.y[i] = sum_of_all(s.x + i * s.n, s.n) / s.divisor;
}

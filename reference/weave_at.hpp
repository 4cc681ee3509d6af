// SPDX-License-Identifier: Apache-2.0
// Squares of planes and cells, transposed in registers; see cells_levels.hpp. No include guard.

/// Of a square: half a register of the widest level, or a whole one. More at once is no faster, and planes a
/// power of two apart share a cache's sets.
template <class T> using Side = Lanes<T, std::min(POOLPROOF_CELLS_BYTES, 32)>;

/// Exchanges the blocks of `h` in two rows of a square that lie off its diagonal.
template <int h, class V, int... k>
POOLPROOF_CELLS void exchange(V& a, V& b, std::integer_sequence<int, k...> /*places*/) {
    constexpr int n = sizeof...(k);
    const V upper = __builtin_shufflevector(a, b, ((k & h) == 0 ? k : n + k - h)...);
    b = __builtin_shufflevector(a, b, ((k & h) == 0 ? k + h : n + k)...);
    a = upper;
}

template <int h, class V, int size> POOLPROOF_CELLS void transpose(V (&v)[size]) {
#pragma GCC unroll 8
    for (int i = 0; i < size; ++i)
        if ((i & h) == 0) exchange<h>(v[i], v[i + h], std::make_integer_sequence<int, size>());
    if constexpr (h > 1) transpose<h / 2>(v);
}

template <class T> POOLPROOF_CELLS void square(const T* from, Index from_row, T* to, Index to_row) {
    using S = Side<T>;
    typename S::Vector v[S::width];
#pragma GCC unroll 8
    for (Index k = 0; k < S::width; ++k)
        v[k] = *reinterpret_cast<const typename S::Unaligned*>(from + k * from_row);
    transpose<S::width / 2>(v);
#pragma GCC unroll 8
    for (Index k = 0; k < S::width; ++k) *reinterpret_cast<typename S::Unaligned*>(to + k * to_row) = v[k];
}

/// Calls square(i, s) for squares that cover positions 0 to n of the first `count` strands, of which the last
/// may overlap those before, or single(i, s) where there are too few. A few strands at a time, as those of
/// planes that are a power of two apart share a cache's sets, and a strip of positions whose cells stay in
/// it.
template <Index size, class Square, class Single>
POOLPROOF_CELLS void for_squares(Index n, Index count, const Square& square, const Single& single) {
    if (n < size || count < size) {
        for (Index i = 0; i < n; ++i)
            for (Index s = 0; s < count; ++s) single(i, s);
        return;
    }
    for (Index begin = 0; begin < n; begin += strip) {
        const Index end = std::min(n, begin + strip);
        for (Index s = 0; s < count; s += size)
            for (Index i = begin; i < end; i += size)
                square(std::min(i, n - size), std::min(s, count - size));
    }
}

template <class T> POOLPROOF_CELLS_KERNEL void woven(const T* planes, Index n, Index count, T* cells) {
    constexpr Index size = Side<T>::width, line = 64 / static_cast<Index>(sizeof(T)), short_plane = 256;
    if (count < strands) std::fill_n(cells, n * strands, T{0});
    Index done = 0;
    const auto whole = [&](Index i, Index s) POOLPROOF_CELLS_LAMBDA {
        const T* from = planes + s * n + i;
        // As many lines as are read: of short planes from those after these, or what the next strip will
        // read.
        if (n <= short_plane)
            prefetch(planes + done, size * size * static_cast<Index>(sizeof(T)));
        else
            for (Index l = done; l < done + size * size; l += line)
                prefetch_at(reinterpret_cast<std::uintptr_t>(from) +
                                static_cast<std::uintptr_t>(l / line % size * n + strip) * sizeof(T),
                            1);
        done += size * size;
        square(from, n, cells + i * strands + s, strands);
    };
    for_squares<size>(n, count, whole, [&](Index i, Index s) POOLPROOF_CELLS_LAMBDA {
        cells[i * strands + s] = planes[s * n + i];
    });
}

template <class T> POOLPROOF_CELLS_KERNEL void unravelled(const T* cells, Index n, Index count, T* planes) {
    for_squares<Side<T>::width>(
        n, count,
        [&](Index i, Index s)
            POOLPROOF_CELLS_LAMBDA { square(cells + i * strands + s, strands, planes + s * n + i, n); },
        [&](Index i, Index s) POOLPROOF_CELLS_LAMBDA { planes[s * n + i] = cells[i * strands + s]; });
}

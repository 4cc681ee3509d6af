// SPDX-License-Identifier: Apache-2.0
// Registers of windows and of phases, taken apart and put together; see cells_levels.hpp. No include guard.

#include "reference/placed_at.hpp"

/// As many phases.
template <int stride> using Strides = std::make_integer_sequence<int, stride>;

/// to[i] = the place[i]-th of the elements of these registers.
template <class V, class P> POOLPROOF_CELLS void picked(const V& a, const P& place, V& to) {
    placed(a, place, to);
}
template <class V, class P> POOLPROOF_CELLS void picked(const V& a, const V& b, const P& place, V& to) {
    placed(a, b, place, to);
}
template <class V, class P>
POOLPROOF_CELLS void picked(const V& a, const V& b, const V& c, const V& d, const P& place, V& to) {
    constexpr Index two = 2 * static_cast<Index>(sizeof(V) / sizeof(to[0]));
    V later{};
    placed(a, b, place, to);
    placed(c, d, place, later);
    to = place < two ? to : later;
}
template <class V, class P>
POOLPROOF_CELLS void picked(const V& a, const V& b, const V& c, const P& place, V& to) {
    picked(a, b, c, c, place, to);
}

/// to = the lanes of `now`, u later, after the last of `before`.
template <int u, class V, int... i>
POOLPROOF_CELLS void later(const V& before, const V& now, V& to, std::integer_sequence<int, i...> /*lanes*/) {
    to = __builtin_shufflevector(before, now, (static_cast<int>(sizeof...(i)) - u + i)...);
}

/// Rows of n elements, from any of which on `reach` elements may be read: the last ones are in `spare`.
template <class T> struct Readable {
    const T* x;
    Index n, tail;
    const T* spare;

    POOLPROOF_CELLS Readable(const T* from, Index rows, Index size, Index reach, T* room)
        : x(from), n(size), tail(std::max<Index>(0, rows - (reach + n - 1) / n)), spare(room) {
        std::copy_n(from + tail * n, (rows - tail) * n, room);
    }

    POOLPROOF_CELLS const T* row(Index r) const { return r < tail ? x + r * n : spare + (r - tail) * n; }
};

// SPDX-License-Identifier: Apache-2.0
#include "reference/weave.hpp"

#include <cstring>

namespace poolproof::reference {

bool better_woven(const Geometry& g, Pass pass, std::size_t size) {
    if (!g.woven) return false;
    const Line& l = g.lines.back();
    const bool single = size == sizeof(float), far = l.stride > 2, wide = l.kernel > 3;
    Index widest = 0;  // rows that are too short
    switch (pass) {
        case Pass::mean: widest = single ? 16 : 9; break;
        case Pass::spread:
            if (wide || (single && far && l.kernel < l.stride)) return true;
            widest = single ? 48 : 28;
            break;
        case Pass::best: widest = far && single ? 32 : 14; break;
        case Pass::pull:
            if (wide && single) return true;
            widest = wide ? 64 : far && single ? 32 : single ? 14 : 8;
            break;
    }
    return l.extent <= widest;
}

namespace {

/// As many of T as registers of 16 bytes hold, which every machine has.
template <class T> struct Quad {
    static constexpr Index size = 16 / sizeof(T);
    typedef T V __attribute__((vector_size(16)));
};

constexpr Index strip = 192;

/// Square k of a plane each, transposed.
[[gnu::always_inline]] inline void transpose(Quad<float>::V (&v)[4]) {
    const auto a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
    const auto b = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
    const auto c = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    const auto d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    v[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    v[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    v[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

[[gnu::always_inline]] inline void transpose(Quad<double>::V (&v)[2]) {
    const auto a = __builtin_shufflevector(v[0], v[1], 0, 2);
    v[1] = __builtin_shufflevector(v[0], v[1], 1, 3);
    v[0] = a;
}

template <class T>
[[gnu::always_inline]] inline void square(const T* from, Index from_row, T* to, Index to_row) {
    constexpr Index size = Quad<T>::size;
    typename Quad<T>::V v[size];
    for (Index k = 0; k < size; ++k) std::memcpy(&v[k], from + k * from_row, sizeof v[k]);
    transpose(v);
    for (Index k = 0; k < size; ++k) std::memcpy(to + k * to_row, &v[k], sizeof v[k]);
}

/// Calls square(i, s) for squares that cover positions 0 to n of the first `count` strands, of which the last
/// may overlap those before, and single(i, s) for what is left of all strands. A few strands at a time, as
/// those of planes that are a power of two apart share a cache's sets, and a strip of positions whose cells
/// stay in it.
template <Index size, class Square, class Single>
[[gnu::always_inline]] inline void for_squares(Index n, Index count, const Square& square,
                                               const Single& single) {
    for (Index begin = 0; begin < n; begin += strip) {
        const Index end = std::min(n, begin + strip);
        for (Index s = 0; s < strands; s += size)
            if (n >= size && s + size <= count)
                for (Index i = begin; i < end; i += size) square(std::min(i, n - size), s);
            else
                for (Index i = begin; i < end; ++i)
                    for (Index k = s; k < s + size; ++k) single(i, k);
    }
}

template <class T> void woven(const T* planes, Index n, Index count, T* cells) {
    constexpr Index size = Quad<T>::size, line = 64 / static_cast<Index>(sizeof(T)), short_plane = 256;
    Index done = 0;
    const auto whole = [&](Index i, Index s) __attribute__((always_inline)) {
        const T* from = planes + s * n + i;
        // One line for as many elements: of short planes from those after these, or what the next strip will
        // read.
        if (done % line == 0) {
            if (n <= short_plane)
                prefetch(planes + done, 1);
            else
                prefetch_at(reinterpret_cast<std::uintptr_t>(from) +
                                static_cast<std::uintptr_t>(done / line % size * n + strip) * sizeof(T),
                            1);
        }
        done += size * size;
        square(from, n, cells + i * strands + s, strands);
    };
    for_squares<size>(
        n, count, whole, [&](Index i, Index s) __attribute__((always_inline)) {
            cells[i * strands + s] = s < count ? planes[s * n + i] : T{0};
        });
}

template <class From, class To> void unravelled(const From* cells, Index n, Index count, To* planes) {
    const auto single = [&](Index i, Index s) __attribute__((always_inline)) {
        if (s < count) planes[s * n + i] = static_cast<To>(cells[i * strands + s]);
    };
    if constexpr (std::is_same_v<From, To> && !std::is_integral_v<To>)
        for_squares<Quad<To>::size>(
            n, count,
            [&](Index i, Index s) __attribute__((always_inline)) {
                square(cells + i * strands + s, strands, planes + s * n + i, n);
            },
            single);
    else
        for_squares<strands>(n, 0, single, single);
}

}  // namespace

void weave(const float* planes, Index n, Index count, float* cells) { woven(planes, n, count, cells); }
void weave(const double* planes, Index n, Index count, double* cells) { woven(planes, n, count, cells); }

void unravel(const float* cells, Index n, Index count, float* planes) { unravelled(cells, n, count, planes); }
void unravel(const double* cells, Index n, Index count, double* planes) {
    unravelled(cells, n, count, planes);
}
void unravel(const std::int32_t* cells, Index n, Index count, Index* planes) {
    unravelled(cells, n, count, planes);
}
void unravel(const Index* cells, Index n, Index count, Index* planes) { unravelled(cells, n, count, planes); }

}  // namespace poolproof::reference

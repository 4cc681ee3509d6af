// SPDX-License-Identifier: Apache-2.0
// Writing past the caches by registers; see cells_levels.hpp. No include guard.

/// Others see it after `streamed`. Requires that `to` is a multiple of v's size.
template <class V, class X> POOLPROOF_CELLS void put_past(const V& v, X* to) {
    static_assert(sizeof(v) <= POOLPROOF_CELLS_BYTES && sizeof(v) % sizeof(X) == 0);
#if POOLPROOF_CELLS_BYTES == 64
    if constexpr (sizeof(v) == 64)
        return _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<__m512i>(v));
#endif
#if POOLPROOF_CELLS_BYTES >= 32
    if constexpr (sizeof(v) == 32)
        return _mm256_stream_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(v));
#endif
#if defined(__x86_64__) && defined(__GNUC__)
    if constexpr (sizeof(v) == 16)
        return _mm_stream_si128(reinterpret_cast<__m128i*>(to), reinterpret_cast<__m128i>(v));
#endif
    std::memcpy(to, &v, sizeof(v));
}

/// Whether rows of n elements from y on can be put past the caches as whole lines.
template <class Y> POOLPROOF_CELLS bool whole_lines(const Y* y, Index n) {
    constexpr std::uintptr_t line = 64;
    return (reinterpret_cast<std::uintptr_t>(y) | static_cast<std::uintptr_t>(n) * sizeof(Y)) % line == 0;
}

/// As `stream`, by registers.
template <class T> POOLPROOF_CELLS void stream_registers(const T* from, T* to, Index n) {
    constexpr Index width = Register<T>::width;
    const auto past =
        static_cast<Index>(reinterpret_cast<std::uintptr_t>(to) % POOLPROOF_CELLS_BYTES / sizeof(T));
    Index i = past == 0 ? 0 : std::min(n, width - past);
    if (i > 0) stream_few(from, to, i * static_cast<Index>(sizeof(T)));
    for (; i + width <= n; i += width) {
        typename Register<T>::Vector v;
        load_full(from + i, v);
        put_past(v, to + i);
    }
    if (i < n) stream_few(from + i, to + i, (n - i) * static_cast<Index>(sizeof(T)));
}

/// Collects rows in a strip that stays in the cache, and streams it out, some lines at a time as they take
/// their way; or lets them be written in their place.
template <class T> class Sink {
public:
    /// Of rows of so many elements, up to `at_once` of which are asked for at once.
    Sink(T* to, Index row, Writing how, Index at_once = 1)
        : to_(to),
          row_(row),
          most_(std::max(at_once * row, some)),
          streams_(how == Writing::past && at_once * row <= capacity),
          asks_(how == Writing::far) {}

    /// Where the next row is to be written, or, if nothing is streamed, more. Requires that `finish` follows
    /// the last.
    POOLPROOF_CELLS T* next(Index rows = 1) {
        if (!streams_) return there(rows);
        if (filled_ + rows * row_ > most_) flush();
        return strip_ + std::exchange(filled_, filled_ + rows * row_);
    }

    /// The same, where nothing is streamed. What follows is asked for: lines are read before they are
    /// written.
    POOLPROOF_CELLS T* there(Index rows = 1) {
        if (asks_) prefetch(to_, rows * row_ * static_cast<Index>(sizeof(T)));
        return std::exchange(to_, to_ + rows * row_);
    }

    POOLPROOF_CELLS void finish() {
        if (streams_) stream_registers(strip_, to_, filled_);
    }

private:
    static constexpr std::size_t line = 64;
    static constexpr Index some = (1 << 10) / static_cast<Index>(sizeof(T)), capacity = 8 * some;

    /// All but what is of a line that goes on.
    POOLPROOF_CELLS void flush() {
        const auto past = reinterpret_cast<std::uintptr_t>(to_ + filled_) % line;
        const Index rest = std::min(filled_, static_cast<Index>(past / sizeof(T))), whole = filled_ - rest;
        stream_registers(strip_, to_, whole);
        unsigned char moved[line];  // as many as may be, in one piece
        std::memcpy(moved, strip_ + whole, line);
        std::memcpy(strip_, moved, line);
        to_ += whole;
        filled_ = rest;
    }

    T* to_;
    Index row_, most_, filled_ = 0;
    bool streams_, asks_;
    alignas(line) T strip_[capacity + 2 * static_cast<Index>(line / sizeof(T))];
};

// SPDX-License-Identifier: Apache-2.0
// Eight windows at a time, in whatever registers there are: the arithmetic of the short ways, window by
// window what one double after the other would give.
#pragma once

#include "oracle/certified/clones.hpp"

#include <poolproof/tensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace poolproof::certified {

inline constexpr std::size_t lanes = 8;
/// How far beyond its cells a slice must be readable, for each cell from one window to the next.
inline constexpr std::size_t lanes_beyond = 5 * lanes;

using Lanes = double __attribute__((vector_size(8 * sizeof(double))));
using LaneBits = std::int64_t __attribute__((vector_size(8 * sizeof(double))));

/// A loop of few steps, whose number the compiler knows.
template <int n, class Use> POOLPROOF_INLINE void repeat(Use use) {
    [&]<int... k>(std::integer_sequence<int, k...>) POOLPROOF_INLINE_LAMBDA {
        (use(std::integral_constant<int, k>{}), ...);
    }
    (std::make_integer_sequence<int, n>{});
}

/// As many numbers of a type as eight doubles take room.
using Floats = float __attribute__((vector_size(sizeof(Lanes))));
using FloatBits = std::int32_t __attribute__((vector_size(sizeof(Lanes))));
template <class Number> struct FullRow { using Type = Lanes; };
template <> struct FullRow<float> { using Type = Floats; };
template <class Number> using RowOf = typename FullRow<Number>::Type;
template <class Number> constexpr std::size_t lanes_of = sizeof(Lanes) / sizeof(Number);

/// Eight numbers that follow one another.
POOLPROOF_INLINE void load_row(const double* x, Lanes& to) { std::memcpy(&to, x, sizeof to); }
POOLPROOF_INLINE void load_row(const float* x, Lanes& to) {
    double wide[lanes];  // what the compiler makes one operation of, unlike a conversion of vectors
    for (std::size_t k = 0; k < lanes; ++k) {
        float narrow;
        std::memcpy(&narrow, x + k, sizeof narrow);
        wide[k] = narrow;
    }
    std::memcpy(&to, wide, sizeof to);
}

/// As many numbers as fill a vector of this kind, as they are.
template <class Row, class Number> POOLPROOF_INLINE void load_whole(const Number* x, Row& to) {
    std::memcpy(&to, x, sizeof to);
}

/// The numbers x[0], x[stride], ..; by reference, since how vectors are returned depends on the processor.
template <class Number> POOLPROOF_INLINE void load_lanes(const Number* x, Index stride, Lanes& to) {
    if (stride == 1) return load_row(x, to);
    if (stride == 2) {
        Lanes low, high;
        load_row(x, low);
        load_row(x + lanes, high);
        to = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
        return;
    }
    double apart[lanes];
    for (std::size_t k = 0; k < lanes; ++k) {
        Number one;
        std::memcpy(&one, x + static_cast<Index>(k) * stride, sizeof one);
        apart[k] = one;
    }
    std::memcpy(&to, apart, sizeof to);
}

/// The numbers of two rows that stand at even places, and those at odd ones.
POOLPROOF_INLINE void take_apart(const Lanes& a, const Lanes& b, Lanes& even, Lanes& odd) {
    even = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
    odd = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
}
POOLPROOF_INLINE void take_apart(const Floats& a, const Floats& b, Floats& even, Floats& odd) {
    even = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    odd = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}

/// Every number's neighbour before it; that of the first is the last of `before`.
POOLPROOF_INLINE void take_before(const Lanes& before, const Lanes& of, Lanes& to) {
    to = __builtin_shufflevector(before, of, 7, 8, 9, 10, 11, 12, 13, 14);
}
POOLPROOF_INLINE void take_before(const Floats& before, const Floats& of, Floats& to) {
    to = __builtin_shufflevector(before, of, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
}

/// The first of some numbers, everywhere.
template <class Row> POOLPROOF_INLINE void take_first(const Row& of, Row& to) { to = Row{} + of[0]; }

POOLPROOF_INLINE void take_size(const Lanes& of, Lanes& to) {
    to = (Lanes)((LaneBits)of & (LaneBits{} + INT64_MAX));
}
POOLPROOF_INLINE void take_size(const Floats& of, Floats& to) {
    to = (Floats)((FloatBits)of & (FloatBits{} + INT32_MAX));
}

/// What is left of numbers without their last half of bits: 27 of 53, or 12 of 24.
POOLPROOF_INLINE void take_upper(const Lanes& of, Lanes& to) {
    to = (Lanes)((LaneBits)of & (LaneBits{} - (INT64_C(1) << 26)));
}
POOLPROOF_INLINE void take_upper(const Floats& of, Floats& to) {
    to = (Floats)((FloatBits)of & (FloatBits{} - (1 << 12)));
}

/// The least of some numbers; a NaN is none.
POOLPROOF_INLINE double least(const Lanes& of) {
    const Lanes halves = __builtin_shufflevector(of, of, 4, 5, 6, 7, 0, 1, 2, 3),
                four = halves < of ? halves : of;
    const Lanes quarters = __builtin_shufflevector(four, four, 2, 3, 0, 1, 2, 3, 0, 1);
    const Lanes two = quarters < four ? quarters : four;
    return two[1] < two[0] ? two[1] : two[0];
}

/// Whether one of some numbers, none of them negative, is not 0.
POOLPROOF_INLINE bool any(const Lanes& of) {
    const Lanes four = of + __builtin_shufflevector(of, of, 4, 5, 6, 7, 0, 1, 2, 3);
    const Lanes two = four + __builtin_shufflevector(four, four, 2, 3, 0, 1, 2, 3, 0, 1);
    return two[0] + two[1] != 0;
}
POOLPROOF_INLINE bool any(const Floats& of) {
    const Floats eight =
        of + __builtin_shufflevector(of, of, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    const Floats four =
        eight + __builtin_shufflevector(eight, eight, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3);
    return (four[0] + four[1]) + (four[2] + four[3]) != 0;
}

/// Memory whose begin and every whole vector after it share no line of the cache with others.
template <class Number> struct ByLines {
    using value_type = Number;
    static constexpr std::align_val_t line{sizeof(Lanes)};

    ByLines() = default;
    template <class Other> ByLines(const ByLines<Other>& /*of_other*/) {}  // as allocators are converted
    Number* allocate(std::size_t n) { return static_cast<Number*>(::operator new(n * sizeof(Number), line)); }
    void deallocate(Number* at, std::size_t /*n*/) { ::operator delete(at, line); }
    friend bool operator==(ByLines, ByLines) { return true; }
};
template <class Number> using LaneVector = std::vector<Number, ByLines<Number>>;

/// `count` numbers of a floating tensor, and `beyond` more that mean nothing: in their place where they are
/// of this type with others behind them, else in `room`. To be read by `load_row` and `load_lanes`. Floats
/// are for tensors of f32 alone.
template <class Number>
const Number* numbers_at(const Tensor& t, Index first, Index count, std::size_t beyond,
                         std::vector<Number>& room);

/// Whether there is neither NaN nor infinity.
bool all_finite(const double* x, Index count);
bool all_finite(const float* x, Index count);

/// Asks for a tensor's memory some time before it is read, each line once, as long as reading goes forward.
class ReadAhead {
public:
    static constexpr std::uintptr_t distance = 8192;  ///< in bytes

    /// Asks for one line that is to be read some time after `at`.
    static void ask(const void* at) { prefetch(address(at) + distance); }

    explicit ReadAhead(const Tensor& t) : last_(address(t.data.data() + t.data.size())) {}

    /// What is read up to now ends near `at`.
    void reading(const void* at) {
        const std::uintptr_t now = address(at), end = std::min(now + distance, last_);
        if (asked_ < now || asked_ > end) asked_ = now;
        for (; asked_ < end; asked_ += line) prefetch(asked_);
    }

private:
    static std::uintptr_t address(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }
    /// An integer, as it may be past the tensor.
    static void prefetch(std::uintptr_t at) {
        __builtin_prefetch(reinterpret_cast<const void*>(at));  // NOLINT(performance-no-int-to-ptr)
    }

    static constexpr std::uintptr_t line = 64;
    std::uintptr_t asked_ = 0, last_;
};

}  // namespace poolproof::certified

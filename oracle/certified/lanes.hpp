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
#include <vector>

namespace poolproof::certified {

inline constexpr std::size_t lanes = 8;
/// How far beyond its cells a slice must be readable, for each cell from one window to the next.
inline constexpr std::size_t lanes_beyond = 2 * lanes;

using Lanes = double __attribute__((vector_size(8 * sizeof(double))));
using LaneBits = std::int64_t __attribute__((vector_size(8 * sizeof(double))));

/// The numbers x[0], x[stride], ..; by reference, since how vectors are returned depends on the processor.
inline void load_lanes(const double* x, Index stride, Lanes& to) {
    if (stride == 1) {
        std::memcpy(&to, x, sizeof to);
    } else if (stride == 2) {
        Lanes low, high;
        std::memcpy(&low, x, sizeof low);
        std::memcpy(&high, x + lanes, sizeof high);
        to = __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
    } else {
        double apart[lanes];
        for (std::size_t k = 0; k < lanes; ++k)
            std::memcpy(apart + k, x + static_cast<Index>(k) * stride, sizeof *apart);
        std::memcpy(&to, apart, sizeof to);
    }
}

/// Eight numbers that follow one another.
POOLPROOF_INLINE void load_row(const double* x, Lanes& to) { std::memcpy(&to, x, sizeof to); }
POOLPROOF_INLINE void load_row(const float* x, Lanes& to) {
    float __attribute__((vector_size(lanes * sizeof(float)))) narrow;
    std::memcpy(&narrow, x, sizeof narrow);
    to = __builtin_convertvector(narrow, Lanes);
}

POOLPROOF_INLINE void take_size(const Lanes& of, Lanes& to) {
    to = (Lanes)((LaneBits)of & (LaneBits{} + INT64_MAX));
}

/// `count` numbers of a floating tensor, and `beyond` more that mean nothing: in their place where they are
/// doubles with others behind them, else in `room`. To be read by `load_lanes`.
const double* numbers_at(const Tensor& t, Index first, Index count, std::size_t beyond,
                         std::vector<double>& room);

/// Whether there is neither NaN nor infinity.
bool all_finite(const double* x, Index count);

/// Asks for a tensor's memory some time before it is read, each line once, as long as reading goes forward.
class ReadAhead {
public:
    explicit ReadAhead(const Tensor& t) : last_(address(t.data.data() + t.data.size())) {}

    /// What is read up to now ends near `at`.
    void reading(const void* at) {
        const std::uintptr_t now = address(at), end = std::min(now + distance, last_);
        if (asked_ < now || asked_ > end) asked_ = now;
        for (; asked_ < end; asked_ += line) __builtin_prefetch(reinterpret_cast<const void*>(asked_));
    }

private:
    static std::uintptr_t address(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }

    static constexpr std::uintptr_t distance = 8192, line = 64;
    std::uintptr_t asked_ = 0, last_;
};

}  // namespace poolproof::certified

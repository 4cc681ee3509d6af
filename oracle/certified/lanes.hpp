// SPDX-License-Identifier: Apache-2.0
// Eight windows at a time, in whatever registers there are: the arithmetic of the short ways, window by
// window what one double after the other would give.
#pragma once

#include <poolproof/tensor.hpp>

#include <cstddef>
#include <cstring>
#include <vector>

namespace poolproof::certified {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define POOLPROOF_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define POOLPROOF_CLONES
#endif

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

/// `count` numbers of a floating tensor, and `beyond` more that mean nothing: in their place where they are
/// doubles with others behind them, else in `room`. To be read by `load_lanes`.
const double* numbers_at(const Tensor& t, Index first, Index count, std::size_t beyond,
                         std::vector<double>& room);

}  // namespace poolproof::certified

// SPDX-License-Identifier: Apache-2.0
// Rounds sums and leaves zeros in their place; see cells_levels.hpp. No include guard.

#include "reference/doubles_at.hpp"
#include "reference/sink_at.hpp"

template <class To> POOLPROOF_CELLS void drain_near(double* from, To* to, Index n) {
    const Doubles zeros{};
    Index i = 0;
    for (; i + doubles <= n; i += doubles) {
        Doubles sums;
        load(from + i, sums);
        store(sums, to + i);
        store(zeros, from + i);
    }
    for (; i < n; ++i) to[i] = static_cast<To>(std::exchange(from[i], 0.0));
}

template <class To> POOLPROOF_CELLS_KERNEL void drain(double* from, To* to, Index n, bool past_caches) {
    if (!past_caches) return drain_near(from, to, n);
    constexpr Index piece = 2048 / sizeof(To);
    alignas(64) To rounded[piece];
    for (; n > 0; n -= piece, from += piece, to += piece) {
        const Index m = std::min(n, piece);
        drain_near(from, rounded, m);
        stream_registers(rounded, to, m);
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "reference/convert.hpp"

#include "reference/level.hpp"
#include "reference/memory.hpp"

#include <algorithm>

namespace poolproof::reference {

namespace {

template <class From, class To> void copied(const From* __restrict from, To* __restrict to, Index n) {
    for (Index i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
}

void narrowed_past_caches(const double* from, float* to, Index n) {
    constexpr Index piece = 256;
    alignas(64) float rounded[piece];
    for (; n > 0; n -= piece, from += piece, to += piece) {
        const Index m = std::min(n, piece);
        copied(from, rounded, m);
        stream(rounded, to, m * static_cast<Index>(sizeof(float)));
    }
}

/// The sign of the result tells, as of numbers without a sign that there are no comparisons for.
void outside(const Index* __restrict positions, Index n, Index limit, Index& signs) {
    std::uint64_t all = 0;
    for (Index i = 0; i < n; ++i) {
        const auto at = static_cast<std::uint64_t>(positions[i]);
        all |= (at + 1) | (static_cast<std::uint64_t>(limit) - 1 - at);
    }
    signs = static_cast<Index>(all);
}

}  // namespace

void widen(const std::int32_t* from, Index* to, Index n) {
    compiled<&copied<std::int32_t, Index>>(level())(from, to, n);
}

void narrow(const double* from, float* to, Index n, bool past_caches) {
    if (past_caches)
        compiled<&narrowed_past_caches>(level())(from, to, n);
    else
        compiled<&copied<double, float>>(level())(from, to, n);
}

void narrow(const double* from, double* to, Index n, bool past_caches) {
    if (past_caches)
        stream(from, to, n * static_cast<Index>(sizeof(double)));
    else
        std::copy_n(from, n, to);
}

bool all_below(const Index* positions, Index n, Index limit) {
    Index signs = 0;
    compiled<&outside>(level())(positions, n, limit, signs);
    return signs >= 0;
}

}  // namespace poolproof::reference

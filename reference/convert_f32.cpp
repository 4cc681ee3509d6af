// SPDX-License-Identifier: Apache-2.0
#include "reference/convert.hpp"

#include "reference/cells.hpp"
#include "reference/level.hpp"
#include "reference/memory.hpp"

#include <algorithm>
#include <utility>

namespace poolproof::reference {

namespace {

template <class From, class To> void copied(const From* __restrict from, To* __restrict to, Index n) {
    for (Index i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
}

#define POOLPROOF_CELLS_SOURCE "reference/convert_at.hpp"
#include "reference/cells_levels.hpp"

template <class To> void drain_any(double* from, To* to, Index n, bool past_caches) {
    chosen(level(), &baseline::drain<To>, &avx2::drain<To>, &avx512::drain<To>)(from, to, n, past_caches);
}

}  // namespace

void widen(const std::int32_t* from, Index* to, Index n) {
    compiled<&copied<std::int32_t, Index>>(level())(from, to, n);
}

void drain(double* from, float* to, Index n, bool past_caches) { drain_any(from, to, n, past_caches); }
void drain(double* from, double* to, Index n, bool past_caches) { drain_any(from, to, n, past_caches); }

}  // namespace poolproof::reference

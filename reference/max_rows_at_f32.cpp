// SPDX-License-Identifier: Apache-2.0
#include "reference/max_rows_of.hpp"

namespace poolproof::reference {

namespace {

void copied(const std::int32_t* __restrict from, Index* __restrict to, Index n) {
    for (Index i = 0; i < n; ++i) to[i] = from[i];
}

}  // namespace

void widen(const std::int32_t* from, Index* to, Index n) { compiled<&copied>(level())(from, to, n); }

template MaxRows<float, Position<float>> max_rows(Nan);

}  // namespace poolproof::reference

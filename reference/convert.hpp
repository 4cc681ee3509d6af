// SPDX-License-Identifier: Apache-2.0
// Rows of numbers of one type from those of another.
#pragma once

#include <poolproof/reference.hpp>

namespace poolproof::reference {

/// Copies positions to the type of the interface.
void widen(const std::int32_t* from, Index* to, Index n);

/// Rounds sums; with `past_caches` so that others see them after `streamed`.
void narrow(const double* from, float* to, Index n, bool past_caches);
void narrow(const double* from, double* to, Index n, bool past_caches);

/// Whether all are from -1 to limit - 1.
bool all_below(const Index* positions, Index n, Index limit);

}  // namespace poolproof::reference

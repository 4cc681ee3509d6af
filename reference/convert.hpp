// SPDX-License-Identifier: Apache-2.0
// Rows of numbers of one type from those of another.
#pragma once

#include <poolproof/reference.hpp>

namespace poolproof::reference {

/// Copies positions to the type of the interface.
void widen(const std::int32_t* from, Index* to, Index n);

/// Rounds sums and leaves zeros in their place; with `past_caches` so that others see them after `streamed`.
void drain(double* from, float* to, Index n, bool past_caches);
void drain(double* from, double* to, Index n, bool past_caches);

}  // namespace poolproof::reference

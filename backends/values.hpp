// SPDX-License-Identifier: Apache-2.0
// Patterns of any format as C++ numbers, and back.
#pragma once

#include <poolproof/format.hpp>

namespace poolproof::backends {

/// The number a pattern stands for. Exact for floating formats, and for integers up to 2^53 in size.
double widened(Format f, Bits b);

/// The pattern nearest to x in a floating format, ties to even, past the largest finite one infinity. Every
/// NaN becomes the quiet one of its sign.
Bits narrowed(Format f, double x);

}  // namespace poolproof::backends

// SPDX-License-Identifier: Apache-2.0
// What PyTorch's pooling functions cannot be asked for.
#pragma once

#include <poolproof/case.hpp>

namespace poolproof::backends::torch {

/// The rank a PyTorch user would see: the length of `kernel` or `output_size`, or `spatial_rank`; 0 for
/// `add`.
Index spatial_rank(Op op, const Attributes& a);

/// Why the case cannot be asked of PyTorch; nothing if it can. Says nothing about arguments that are invalid.
std::optional<std::string> outside(const Case& c);

}  // namespace poolproof::backends::torch

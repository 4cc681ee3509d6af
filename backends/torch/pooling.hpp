// SPDX-License-Identifier: Apache-2.0
// One pooling node on PyTorch's tensors.
#pragma once

#include <poolproof/case.hpp>

#include <ATen/core/Tensor.h>

namespace poolproof::backends {

struct PooledTensor {
    at::Tensor y, indices;  ///< no indices: not asked for
};

/// 0 for `add`.
std::int64_t spatial_rank(const Attributes& a);

/// Folds the leading axes of `x` into PyTorch's (N, C), calls the function, and unfolds them. Under a
/// derivative's mode it throws where PyTorch would go on to access memory out of bounds.
PooledTensor pooled(Op op, const Attributes& a, Format format, Mode mode, const at::Tensor& x);

}  // namespace poolproof::backends

// SPDX-License-Identifier: Apache-2.0
// The calls themselves, before anyone has asked whether PyTorch has an argument for everything in the case.
#pragma once

#include <poolproof/case.hpp>
#include <poolproof/observation.hpp>

namespace poolproof::backends {

/// The pooling functions by their rank, global ops as adaptive ones of size 1, `backward` for a VJP,
/// forward-mode AD for a JVP, one after the other for a graph. Leading axes are folded into PyTorch's (N, C).
/// PyTorch has no smooth maximum; it is written as padding, `unfold` and `logsumexp(beta*x)/beta`, in float
/// for 16-bit formats.
///
/// `declined` is what PyTorch has no kernel for, `rejected` what its argument checks refuse, `failed` any
/// other error. Ignores `auto_pad`, `index_form`, and unequal pads and dilation where PyTorch has none. Uses
/// one thread.
Observation call_torch(const Case& c);

/// The version of the LibTorch that this was compiled against.
const char* torch_version();

}  // namespace poolproof::backends

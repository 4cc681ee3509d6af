// SPDX-License-Identifier: Apache-2.0
#include "reference/smooth_kernels_of.hpp"

namespace poolproof::reference {

template SmoothKernels<float> smooth_kernels();

}  // namespace poolproof::reference

// SPDX-License-Identifier: Apache-2.0
#include "reference/sum_kernels_of.hpp"

namespace poolproof::reference {

template SumKernels<float, double> sum_kernels();
template SumKernels<float, float> sum_kernels();

}  // namespace poolproof::reference

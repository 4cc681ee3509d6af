// SPDX-License-Identifier: Apache-2.0
#include "reference/sum_kernels_of.hpp"

namespace poolproof::reference {

template SumKernels<double, double> sum_kernels();

}  // namespace poolproof::reference

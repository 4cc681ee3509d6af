// SPDX-License-Identifier: Apache-2.0
#include "reference/max_rows_of.hpp"

namespace poolproof::reference {

template MaxRows<float, Position<float>> max_rows(Nan);

}  // namespace poolproof::reference

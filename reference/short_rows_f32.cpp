// SPDX-License-Identifier: Apache-2.0
#include "reference/short_rows_of.hpp"

namespace poolproof::reference {

template void mean_short(const MeanShort<float, Position<float>>&);
template void max_short(const MaxShort<float, Position<float>>&);
template void find_short(const MaxShort<float, Position<float>>&);
template void spread_short(const SpreadShort<float, Position<float>>&);

}  // namespace poolproof::reference

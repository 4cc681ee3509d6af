// SPDX-License-Identifier: Apache-2.0
#include "reference/short_rows_of.hpp"

namespace poolproof::reference {

template void mean_short(const MeanShort<double, Position<double>>&);
template void max_short(const MaxShort<double, Position<double>>&);
template void find_short(const MaxShort<double, Position<double>>&);
template void spread_short(const SpreadShort<double, Position<double>>&);

}  // namespace poolproof::reference

// SPDX-License-Identifier: Apache-2.0
#include "reference/phased_of.hpp"

namespace poolproof::reference {

template void pull_phased(const PullPhased<double, Position<double>>&);
template void find_phased(const FindPhased<double, Position<double>, Index>&);
template void max_phased(const MaxPhased<double, Position<double>>&);
template void mean_phased(const MeanPhased<double, Position<double>>&);
template void spread_phased(const SpreadPhased<double>&);

}  // namespace poolproof::reference

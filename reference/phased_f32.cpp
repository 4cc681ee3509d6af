// SPDX-License-Identifier: Apache-2.0
#include "reference/phased_of.hpp"

namespace poolproof::reference {

template void pull_phased(const PullPhased<float, Position<float>>&);
template void find_phased(const FindPhased<float, Position<float>, Index>&);
template void find_phased(const FindPhased<float, Position<float>, Position<float>>&);
template void max_phased(const MaxPhased<float, Position<float>>&);
template void mean_phased(const MeanPhased<float, Position<float>>&);
template void spread_phased(const SpreadPhased<float>&);

}  // namespace poolproof::reference

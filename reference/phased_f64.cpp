// SPDX-License-Identifier: Apache-2.0
#include "reference/phased_of.hpp"

namespace poolproof::reference {

template void pull_phased(const PullPhased<double, Position<double>>&);
template void spread_few(const SpreadFew<double, Position<double>>&);
template void find_phased(const FindPhased<double, Position<double>>&);
template void spread_phased(const SpreadPhased<double, Position<double>>&);

}  // namespace poolproof::reference

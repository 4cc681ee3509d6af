// SPDX-License-Identifier: Apache-2.0
#include "reference/phased.hpp"

namespace poolproof::reference {

bool better_phased(const Geometry& g, Nan nan, std::size_t size) {
    if (level() == Level::baseline || nan != Nan::first) return false;
    if (g.cell != 1 || g.lines.size() != 2 || g.covers.empty() || g.any_empty) return false;
    const Line& l = g.lines.back();
    if (!phased(l) || g.lines[0].kernel > Phases<Index>::most_kernel) return false;
    const bool single = size == sizeof(float);
    const Index more = l.kernel - l.stride;
    Index widest = g.woven && single ? 20 : 12;  // rows that are too short
    if (g.woven && more > 1)
        widest = single ? 190 : 60;
    else if (g.woven && more == 1 && l.stride != 2)
        widest = single ? 40 : 35;
    else if (g.woven && l.stride == 4)
        widest = single ? 35 : 24;
    return l.extent > widest;
}

}  // namespace poolproof::reference

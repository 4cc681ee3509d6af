// SPDX-License-Identifier: Apache-2.0
// What tells the certified path's sets from the exact oracle's.
#pragma once

#include "oracle/tests/answers.hpp"

#include <string>

namespace poolproof {

/// What differs between the two ways to the same sets; empty if nothing does.
inline std::string difference(const Expected& exact, const Expected& certified) {
    for (std::size_t k = 0; k < exact.outputs.size(); ++k) {
        const ExpectedOutput &a = exact.outputs[k], &b = certified.outputs[k];
        if (a.name != b.name || a.shape != b.shape || a.clause != b.clause || b.first != 0)
            return "an outline";
        if (a.values.size() != b.values.size()) return "the number of values";
        for (std::size_t i = 0; i < a.values.size(); ++i)
            if (!(a.values[i] == b.values[i]))
                return a.name + "[" + std::to_string(i) + "]: " + shown(a.format, a.values[i]) +
                       " is exact, " + shown(a.format, b.values[i]) + " certified";
        if (a.positions != b.positions) return "positions";
        if (a.joint.has_value() != b.joint.has_value()) return "a joint decision";
    }
    return "";
}

}  // namespace poolproof

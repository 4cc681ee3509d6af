// SPDX-License-Identifier: Apache-2.0
// A profile as read from profiles/*.json: one choice for every open question, and the cases it knows at all.
#pragma once

#include <poolproof/case.hpp>
#include <poolproof/rejection.hpp>

#include <string>
#include <vector>

namespace poolproof {

struct Profile {
    std::string name;
    Choices base;               ///< absent: the op, attribute or format it governs is outside the profile
    Choices global;             ///< overrides for the global ops
    Choices sixteen_bit;        ///< overrides for f16 and bf16
    bool empty_output = false;  ///< an adaptive output size of 0 is an empty answer, not a rejection
    bool row_column = false;    ///< the (row, column) index form exists

    /// What the profile is confined to; empty or absent means everything.
    std::vector<std::string> ops, modes, formats, attributes;
    std::vector<Index> spatial_ranks;
    std::optional<Index> leading_axes;
};

/// Nothing if there is no profile of that name.
const Profile* find_profile(std::string_view name);

}  // namespace poolproof

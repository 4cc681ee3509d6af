// SPDX-License-Identifier: Apache-2.0
// The adapter protocol step by step, for the author of an adapter: what was sent, what came, what was
// expected.
#pragma once

#include <poolproof/backend.hpp>

#include <string>
#include <vector>

namespace poolproof {

/// The name of the only step where there is no program to take through it.
inline constexpr const char* start_step = "it starts";

struct RehearsalStep {
    std::string name;
    bool passed = false;
    std::string sent, came, expected;  ///< the messages, or what stands for them; long ones are cut
};

/// Takes a program through the protocol, from its greeting to the end of its input, in lines and in frames if
/// it takes them. Steps that cannot be tried because an earlier one failed are left out.
Checked<std::vector<RehearsalStep>> rehearse(const std::string& command, const Limits& limits = {});

}  // namespace poolproof

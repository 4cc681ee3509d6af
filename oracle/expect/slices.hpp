// SPDX-License-Identifier: Apache-2.0
// Some slices of a case as a case of their own.
#pragma once

#include <poolproof/expected.hpp>

namespace poolproof {

/// Its leading axes are one, as long as there are slices; its answer is that part of the whole one from
/// `first_value` on.
struct Part {
    Plan plan;
    Case c;
    Index first_value = 0;
};

/// All of a case but its tensors.
Case question_of(const Case& c);

Part part_of(const Plan& plan, const Case& c, const Slices& slices);

/// A decision about a part's answer, asked of the whole answer.
std::optional<Joint> of_whole(std::optional<Joint> joint, const Part& part);

/// Both decisions, of those there are.
std::optional<Joint> combined(std::optional<Joint> a, std::optional<Joint> b);

}  // namespace poolproof

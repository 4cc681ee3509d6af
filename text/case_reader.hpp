// SPDX-License-Identifier: Apache-2.0
// A case and an answer out of JSON that is part of a larger message.
#pragma once

#include "text/fields.hpp"

#include <poolproof/case.hpp>
#include <poolproof/observation.hpp>
#include <poolproof/text.hpp>

namespace poolproof::text {

/// What stands there if `reading` failed is no case.
Case case_at(const Json& json, Reading& reading);

/// The attributes of an op; `nodes` receives a graph's, and is null for a node of one.
Attributes attributes_at(const Json& json, std::string path, Op op, Format format, std::vector<Node>* nodes,
                         Reading& reading);

/// The choices of a policy; what else stands there is for the caller to see.
Choices choices_of(Fields& fields, Reading& reading);

/// Exactly one of outputs, declined, rejected, failed; of the outputs those that are asked for.
Observation answer_at(Fields& fields, const std::vector<AskedOutput>& asked, Reading& reading);

}  // namespace poolproof::text

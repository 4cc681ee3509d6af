// SPDX-License-Identifier: Apache-2.0
// What the families of laws share: questions about a case, and cases made from others.
#pragma once

#include <poolproof/laws.hpp>

namespace poolproof::law {

bool is_maximum(Op op);
bool any_node(const Case& c, bool (*holds)(Op));
/// Whether some maximum may choose among tied cells, so that equal questions in other words are answered
/// differently.
bool chooses(const Case& c, const Plan& plan);
bool has_pool(const Plan& plan, bool (*holds)(const PoolPlan&));

/// Of one mode: the output that holds values.
const char* output_of(Mode m);

/// All outputs of a case, each beside that of another side.
std::vector<Pairing> all_outputs(const Case& c, std::size_t one, std::size_t other);

/// A relation, or nothing to say if one of its cases is not valid.
Relation if_valid(Relation r);

/// The case in another mode, with directions drawn where it has none. Indices and memory are left out.
std::optional<Case> in_mode(const Case& c, Mode mode, std::uint64_t seed);

/// The tensor with every element changed; nothing where one has no such pattern.
std::optional<Tensor> each(const Tensor& t, const std::function<std::optional<Bits>(Bits)>& change);

// The families, a file each.
std::vector<Law> call_laws();
std::vector<Law> slice_laws();
std::vector<Law> arithmetic_laws();
std::vector<Law> geometry_laws();
std::vector<Law> winner_laws();
std::vector<Law> adjoint_laws();

}  // namespace poolproof::law

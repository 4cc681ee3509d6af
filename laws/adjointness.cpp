// SPDX-License-Identifier: Apache-2.0
// The law of the two derivatives: they are one linear map, read in two directions.
#include "laws/parts.hpp"

namespace poolproof::law {

namespace {

std::optional<std::string> adjoint_answers(const std::vector<LawSide>& sides) {
    const LawSide &pushed = sides[0], &pulled = sides[1];
    const Decision d =
        adjoint({pushed.expected.outputs.front(), *pushed.answer.find("dy"), *pulled.c.cotangent},
                {pulled.expected.outputs.front(), *pulled.answer.find("dx"), *pushed.c.tangent});
    if (d != Decision::refused) return std::nullopt;
    return "<cotangent, dy> and <dx, tangent> lie further apart than rounding puts them";
}

/// One of tied cells, chosen freely, need not be the same one twice.
Relation both_directions(const Case& c, std::uint64_t number) {
    auto pushed = in_mode(c, Mode::jvp, number), pulled = in_mode(c, Mode::vjp, number + 1);
    if (!pushed || !pulled) return {};
    const auto free = [](const PoolPlan& p) {
        return p.reduction == Reduction::max && (p.policy.ties == Ties::any || p.policy.ties == Ties::convex);
    };
    if (has_pool(*plan(*pushed), free)) return {};
    Relation r;
    r.cases = {std::move(*pushed), std::move(*pulled)};
    r.also = adjoint_answers;
    return r;
}

}  // namespace

std::vector<Law> adjoint_laws() {
    return {{"adjointness", "Pushing a tangent and pulling a cotangent are one linear map and its transpose.",
             "", both_directions}};
}

}  // namespace poolproof::law

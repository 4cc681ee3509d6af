// SPDX-License-Identifier: Apache-2.0
// Values for a layer of somebody's own.
#include "generate/values.hpp"

#include <poolproof/generate.hpp>
#include <poolproof/plan.hpp>

namespace poolproof {

namespace {

using generate::Draws;
using generate::Values;

Values hard_values(const Case& c) {
    const bool maximum = c.op == Op::max_pool || c.op == Op::adaptive_max_pool || c.op == Op::global_max_pool;
    if (maximum || is_integer(c.format)) return Values::few_integers;  // ties everywhere
    return c.op == Op::smooth_max_pool ? Values::near_ties : Values::cancellation;
}

Values values_of(const Case& c, Hardness hardness) {
    if (hardness == Hardness::ordinary || (hardness == Hardness::special && is_integer(c.format)))
        return Values::ordinary;
    return hardness == Hardness::hard ? hard_values(c) : Values::special;
}

}  // namespace

Checked<Case> filled(Case layer, Mode mode, Hardness hardness, std::uint64_t seed) {
    layer.mode = Mode::forward;
    layer.input = Tensor(layer.format, layer.input.shape);
    const auto forward = plan(layer);
    if (!forward) return forward.rejection();
    Draws draws(seed, static_cast<std::uint64_t>(mode), static_cast<std::uint32_t>(hardness));
    generate::fill(layer.input, values_of(layer, hardness), draws);
    layer.mode = mode;
    if (mode != Mode::forward) {
        Tensor direction(layer.format, mode == Mode::jvp ? layer.input.shape : forward->output().shape);
        generate::fill(direction, hardness == Hardness::hard ? Values::spread : Values::ordinary, draws);
        (mode == Mode::jvp ? layer.tangent : layer.cotangent) = std::move(direction);
    }
    if (const auto settled = plan(layer); !settled) return settled.rejection();
    return layer;
}

}  // namespace poolproof

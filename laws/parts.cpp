// SPDX-License-Identifier: Apache-2.0
#include "laws/parts.hpp"

#include <algorithm>

namespace poolproof::law {

bool is_maximum(Op op) {
    return op == Op::max_pool || op == Op::adaptive_max_pool || op == Op::global_max_pool;
}

bool any_node(const Case& c, bool (*holds)(Op)) {
    if (c.op != Op::graph) return holds(c.op);
    return std::any_of(c.nodes.begin(), c.nodes.end(), [&](const Node& n) { return holds(n.op); });
}

bool has_pool(const Plan& plan, bool (*holds)(const PoolPlan&)) {
    return std::any_of(plan.nodes.begin(), plan.nodes.end(),
                       [&](const NodePlan& n) { return n.pool && holds(*n.pool); });
}

bool chooses(const Case& c, const Plan& plan) {
    return c.mode != Mode::forward &&
           has_pool(plan, [](const PoolPlan& p) { return p.reduction == Reduction::max; });
}

const char* output_of(Mode m) { return m == Mode::forward ? "y" : m == Mode::jvp ? "dy" : "dx"; }

std::vector<Pairing> all_outputs(const Case& c, std::size_t one, std::size_t other) {
    std::vector<Pairing> r{{one, other, output_of(c.mode)}};
    if (c.attrs.return_indices.value_or(false)) r.push_back({one, other, "indices"});
    return r;
}

Relation if_valid(Relation r) {
    const bool all =
        std::all_of(r.cases.begin(), r.cases.end(), [](const Case& c) { return static_cast<bool>(plan(c)); });
    return all ? r : Relation{};
}

std::optional<Case> in_mode(const Case& c, Mode mode, std::uint64_t seed) {
    if (is_integer(c.format) && mode != Mode::forward) return std::nullopt;
    Case r = c;
    r.mode = mode;
    r.attrs.return_indices = std::nullopt;
    r.attrs.index_form = std::nullopt;
    r.attrs.memory = Memory::contiguous;
    r.tangent = mode == Mode::jvp ? c.tangent : std::nullopt;
    r.cotangent = mode == Mode::vjp ? c.cotangent : std::nullopt;
    if (mode == Mode::forward || r.tangent || r.cotangent) return plan(r) ? std::optional(r) : std::nullopt;
    auto drawn = filled(r, mode, Hardness::ordinary, seed);
    if (!drawn) return std::nullopt;
    drawn->input = c.input;
    return std::move(*drawn);
}

std::optional<Tensor> each(const Tensor& t, const std::function<std::optional<Bits>(Bits)>& change) {
    Tensor r = t;
    for (Index i = 0; i < t.size(); ++i) {
        const auto b = change(t[i]);
        if (!b) return std::nullopt;
        r.set(i, *b);
    }
    return r;
}

}  // namespace poolproof::law

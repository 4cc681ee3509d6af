// SPDX-License-Identifier: Apache-2.0
#include "generate/varied.hpp"

#include "generate/structure.hpp"

#include <algorithm>

namespace poolproof::generate {

namespace {

using List = std::vector<Index>;

constexpr std::uint32_t varied_stream = 48;
constexpr int attempts = 8;
constexpr Limits limits{70000, 400000};

void step(std::optional<List>& list, const List& otherwise, Draws& draws) {
    if (!list) list = otherwise;
    Index& n = (*list)[draws.below(static_cast<std::uint32_t>(list->size()))];
    n += n > 1 && draws.coin() ? -1 : 1;
}

/// Each gives whether it found something to change.
bool vary_sliding(Op op, Format f, Attributes& a, Draws& draws) {
    const List kernel = *a.kernel, ones(kernel.size(), 1), zeros(kernel.size(), 0);
    switch (draws.below(op == Op::avg_pool ? 7 : op == Op::smooth_max_pool ? 6 : 5)) {
        case 0: return a.ceil_mode = !a.ceil_mode.value_or(false), true;
        case 1: return step(a.dilation, ones, draws), true;
        case 2: return step(a.stride, kernel, draws), true;
        case 3:
            if (!a.auto_pad) step(a.pad_end, a.pad_begin.value_or(zeros), draws);
            return !a.auto_pad;
        case 4:
            if (!a.stride) a.stride = kernel;
            return step(a.kernel, kernel, draws), true;
        case 5:
            if (op == Op::smooth_max_pool)
                *a.beta ^= sign_bit(f);
            else
                a.count_include_pad = !a.count_include_pad.value_or(true);
            return true;
        default: return a.divisor_override = a.divisor_override.value_or(2) + 1, true;
    }
}

/// Numbers at the end of 32 bits stay where they change no size.
bool is_huge(const Attributes& a) {
    const auto huge = [](const std::optional<List>& list) {
        return list && std::any_of(list->begin(), list->end(), [](Index n) { return n > 1000; });
    };
    return huge(a.stride) || huge(a.dilation) || a.divisor_override.value_or(0) > 1000000;
}

bool vary(Op op, Format f, Attributes& a, Draws& draws) {
    if (op == Op::add || is_huge(a)) return false;
    if (is_sliding(op)) return vary_sliding(op, f, a, draws);
    if (is_adaptive(op)) return step(a.output_size, {}, draws), true;
    return a.keepdims = !a.keepdims.value_or(true), true;
}

}  // namespace

std::optional<Case> varied_case(const Scope& scope, const Case& base, std::uint64_t index) {
    Draws draws(scope.request.seed, index, varied_stream);
    for (int k = 0; k < attempts; ++k) {
        Case c = base;
        Node* const node =
            c.op != Op::graph ? nullptr : &c.nodes[draws.below(static_cast<std::uint32_t>(c.nodes.size()))];
        if (!vary(node ? node->op : c.op, c.format, node ? node->attrs : c.attrs, draws)) continue;
        const auto settled = plan(c);
        if (!settled || !std::all_of(settled->nodes.begin(), settled->nodes.end(),
                                     [](const NodePlan& n) { return affordable(n, limits); }))
            continue;
        const Shape& output = settled->output().shape;
        if (c.mode == Mode::vjp && c.cotangent->shape != output) {
            c.cotangent = Tensor(c.format, output);
            fill(*c.cotangent, Values::few_integers, draws);
        }
        return c;
    }
    return std::nullopt;
}

}  // namespace poolproof::generate

// SPDX-License-Identifier: Apache-2.0
#include "oracle/expect/outline.hpp"

#include "oracle/expect/clauses.hpp"

#include <algorithm>

namespace poolproof {

namespace {

Shape doubled(Shape s) {
    s.back() *= 2;
    return s;
}

}  // namespace

bool asks_for_indices(const Plan& plan) {
    return plan.mode == Mode::forward && plan.output().pool && plan.output().pool->return_indices;
}

std::vector<PermittedIndices> formed(const PoolPlan& p, std::vector<PermittedIndices> flat) {
    if (p.index_form == IndexForm::flat) return flat;
    std::vector<PermittedIndices> r;
    for (const auto& positions : flat) {
        for (const bool row : {true, false}) {
            auto& part = r.emplace_back();
            if (!positions) continue;
            part.emplace();
            for (const Index i : *positions)
                part->push_back(row ? i / p.axes[1].extent : i % p.axes[1].extent);
            std::sort(part->begin(), part->end());
            part->erase(std::unique(part->begin(), part->end()), part->end());
        }
    }
    return r;
}

Expected outline(const Plan& plan, const Case& c) {
    constexpr const char* names[] = {"y", "dy", "dx"};
    Expected r;
    auto& values = r.outputs.emplace_back();
    values.name = names[static_cast<int>(plan.mode)];
    values.format = plan.format;
    values.shape = plan.mode == Mode::vjp ? c.input.shape : plan.output().shape;
    values.clause = clause_of(plan);
    values.clause_at = clause_of_values(plan);
    if (!asks_for_indices(plan)) return r;
    const bool flat = plan.output().pool->index_form == IndexForm::flat;
    auto& indices = r.outputs.emplace_back();
    indices.name = "indices";
    indices.format = flat ? Format::i64 : plan.format;
    indices.shape = flat ? plan.output().shape : doubled(plan.output().shape);
    indices.clause = "MIdx";
    return r;
}

bool sums_exactly(const Plan& plan) {
    return (plan.mode == Mode::vjp ? plan.policy.accumulate_gradient : plan.policy.accumulate) ==
           Accumulate::exact;
}

bool correctly_rounded(const Plan& plan) {
    if (is_integer(plan.format)) return true;
    if (plan.nodes.size() > 1 || !plan.output().pool) return false;
    const PoolPlan& p = *plan.output().pool;
    const bool several = p.policy.ties == Ties::any || p.policy.ties == Ties::convex;
    return sums_exactly(plan) && !(p.reduction == Reduction::max && several);
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// Slices of a case by the certified path; what it cannot certify is left to the exact oracle, value by value.
#include "oracle/certified/block.hpp"
#include "oracle/expect/crop.hpp"
#include "oracle/expect/outline.hpp"
#include "oracle/expect/slices.hpp"

#include <algorithm>

namespace poolproof {

namespace {

using certified::Block;
using certified::Walk;

/// A plan whose sets the certified path knows how to make.
const PoolPlan* certifiable(const Plan& plan) {
    if (plan.nodes.size() != 1 || !plan.output().pool) return nullptr;
    return &*plan.output().pool;
}

void make_sets(Block& b) {
    if (b.pool.reduction == Reduction::max) return max_sets(b);
    if (b.pool.reduction == Reduction::smooth_max) return smooth_max_sets(b);
    if (is_integer(b.plan.format)) return integer_mean_sets(b);
    average_sets(b);
}

/// Takes one value from the exact oracle, by the windows that decide it, if they see fewer cells than there
/// are `left` to see; false otherwise, or where no window decides it.
bool take_alone(Permitted& to, const Plan& plan, const Case& c, Index slice, Index position, double& left) {
    const auto part = crop(plan, c, slice, position);
    if (!part || (left -= cells_seen(*part->plan.output().pool)) <= 0) return false;
    to = expect(part->plan, part->c).outputs.front().values[static_cast<std::size_t>(part->at)];
    return true;
}

/// Takes some values of a slice, and what ties its values together, from the exact oracle.
void take_exact(Expected& r, const Plan& plan, const Case& c, const Slices& slices,
                const std::vector<Index>& only) {
    const Part part = part_of(plan, c, slices);
    Expected exact = expect(part.plan, part.c);
    const Index begin = part.first_value - r.outputs.front().first;
    for (const Index at : only) {
        const auto to = static_cast<std::size_t>(at), from = static_cast<std::size_t>(at - begin);
        r.outputs.front().values[to] = exact.outputs.front().values[from];
        if (r.outputs.size() == 1) continue;
        auto &here = r.outputs.back().positions, &there = exact.outputs.back().positions;
        const std::size_t each = there.size() / exact.outputs.front().values.size();  // 2 for (row, column)
        for (std::size_t k = 0; k < each; ++k) here[to * each + k] = std::move(there[from * each + k]);
    }
    auto& joint = r.outputs.front().joint;
    joint = combined(std::move(joint), of_whole(std::move(exact.outputs.front().joint), part));
}

/// The sets of some slices; only those at `wanted`, counted within them, need be right, or all if that is
/// null.
Expected sets_of(const Plan& plan, const Case& c, const Slices& slices, const std::vector<Index>* wanted,
                 Stages* stages) {
    Expected r = outline(plan, c);
    const Index all = slice_count(plan, c);
    const auto per_slice = [&](const ExpectedOutput& o) { return all == 0 ? 0 : size(o.shape) / all; };
    for (ExpectedOutput& o : r.outputs) o.first = slices.first * per_slice(o);
    ExpectedOutput& values = r.outputs.front();
    const Index each = per_slice(values);
    const auto count = static_cast<std::size_t>(slices.count * each);
    const auto sought = static_cast<Index>(wanted != nullptr ? wanted->size() : count);
    if (count == 0) return r;
    const PoolPlan* pool = certifiable(plan);
    thread_local Walk walk;
    if (pool == nullptr || !walk.over(pool->axes)) {
        const Part part = part_of(plan, c, slices);
        Expected exact = expect(part.plan, part.c);
        for (std::size_t k = 0; k < r.outputs.size(); ++k) {
            r.outputs[k].values = std::move(exact.outputs[k].values);
            r.outputs[k].positions = std::move(exact.outputs[k].positions);
            r.outputs[k].joint = of_whole(std::move(exact.outputs[k].joint), part);
        }
        if (stages != nullptr) stages->exact += sought;
        return r;
    }
    thread_local std::vector<Index> uncertain;
    uncertain.clear();
    values.values.resize(count);
    auto* positions = r.outputs.size() > 1 ? &r.outputs.back().positions : nullptr;
    if (positions != nullptr) positions->resize(count);
    Index refined = 0;
    Block block{plan,          *pool,     c,         slices,  walk,  correctly_rounded(plan),
                values.values, positions, uncertain, refined, wanted};
    make_sets(block);
    if (positions != nullptr) *positions = formed(*pool, std::move(*positions));
    if (stages != nullptr) {
        stages->refined += refined;
        stages->exact += static_cast<Index>(uncertain.size());
        stages->certified += sought - static_cast<Index>(uncertain.size());
    }
    // Values alone, as long as that costs less than their whole slice.
    const double whole = pool->reduction == Reduction::max || uncertain.empty() ? 0 : cells_seen(*pool);
    std::vector<Index> of_slice;
    for (auto at = uncertain.begin(); at != uncertain.end();) {
        const Index slice = *at / each;
        of_slice.clear();
        double left = whole;
        for (; at != uncertain.end() && *at / each == slice; ++at)
            if (!(left > 0) || !take_alone(values.values[static_cast<std::size_t>(*at)], plan, c,
                                           slices.first + slice, *at % each, left))
                of_slice.push_back(*at);
        if (!of_slice.empty()) take_exact(r, plan, c, {slices.first + slice, 1}, of_slice);
    }
    return r;
}

}  // namespace

Expected expect(const Plan& plan, const Case& c, const Slices& slices, Stages* stages) {
    return sets_of(plan, c, slices, nullptr, stages);
}

std::vector<Permitted> permitted_at(const Plan& plan, const Case& c, const Slices& slices,
                                    const std::vector<Index>& positions, Stages* stages) {
    const Shape& answer = plan.mode == Mode::vjp ? c.input.shape : plan.output().shape;
    const Index first = slices.first * (size(answer) / std::max<Index>(slice_count(plan, c), 1));
    std::vector<Index> wanted;
    for (const Index at : positions) wanted.push_back(at - first);
    const Expected sets = sets_of(plan, c, slices, &wanted, stages);
    std::vector<Permitted> r;
    for (const Index at : wanted) r.push_back(sets.outputs.front().values[static_cast<std::size_t>(at)]);
    return r;
}

bool screen(const Plan& plan, const Case& c, const Slices& slices, const Tensor& answer,
            std::vector<Index>& doubtful) {
    const PoolPlan* pool = certifiable(plan);
    thread_local Walk walk;
    if (pool == nullptr || !walk.over(pool->axes)) return false;
    std::vector<Permitted> none;
    std::vector<Index> uncertain;
    Index refined = 0;
    const Block block{plan, *pool,   c,         slices, walk, correctly_rounded(plan),
                      none, nullptr, uncertain, refined};
    return certified::screen(block, answer, doubtful);
}

}  // namespace poolproof

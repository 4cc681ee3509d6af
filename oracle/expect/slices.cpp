// SPDX-License-Identifier: Apache-2.0
#include "oracle/expect/slices.hpp"

#include <algorithm>

namespace poolproof {

namespace {

/// How many leading axes no node pools over.
std::size_t leading_axes(const Plan& plan, const Case& c) {
    std::size_t leading = c.input.shape.size();
    for (const NodePlan& n : plan.nodes) {
        if (!n.pool) continue;
        const Index from = n.inputs.front();
        const Shape& in = from < 0 ? c.input.shape : plan.nodes[static_cast<std::size_t>(from)].shape;
        leading = std::min(leading, in.size() - n.pool->axes.size());
    }
    return leading;
}

/// Of a shape that has `leading` axes in front: `count` of its slices.
Shape part_shape(const Shape& whole, std::size_t leading, Index count) {
    Shape s{count};
    s.insert(s.end(), whole.begin() + static_cast<std::ptrdiff_t>(leading), whole.end());
    return s;
}

Index slice_size(const Shape& shape, std::size_t leading) {
    Index n = 1;
    for (std::size_t k = leading; k < shape.size(); ++k) n *= shape[k];
    return n;
}

Tensor part(const Tensor& whole, std::size_t leading, const Slices& slices) {
    Tensor t;
    t.format = whole.format;
    t.shape = part_shape(whole.shape, leading, slices.count);
    const Index slice = slice_size(whole.shape, leading) * bytes(whole.format);
    const auto begin = whole.data.begin() + slices.first * slice;
    t.data.assign(begin, begin + slices.count * slice);
    return t;
}

}  // namespace

Index slice_count(const Plan& plan, const Case& c) {
    Index n = 1;
    for (std::size_t k = 0; k < leading_axes(plan, c); ++k) n *= c.input.shape[k];
    return n;
}

Case question_of(const Case& c) {
    Case r;
    r.op = c.op;
    r.mode = c.mode;
    r.format = c.format;
    r.profile = c.profile;
    r.attrs = c.attrs;
    r.nodes = c.nodes;
    r.policy = c.policy;
    return r;
}

Part part_of(const Plan& plan, const Case& c, const Slices& slices) {
    const std::size_t leading = leading_axes(plan, c);
    const Index all = slice_count(plan, c);
    Part r{plan, question_of(c), 0};
    for (NodePlan& n : r.plan.nodes) {
        n.shape = part_shape(n.shape, leading, slices.count);
        if (n.pool && all > 0) n.leading = n.leading / all * slices.count;
    }
    r.c.input = part(c.input, leading, slices);
    if (c.tangent) r.c.tangent = part(*c.tangent, leading, slices);
    if (c.cotangent) r.c.cotangent = part(*c.cotangent, leading, slices);
    const Shape& answer = plan.mode == Mode::vjp ? c.input.shape : plan.output().shape;
    r.first_value = slices.first * slice_size(answer, leading);
    return r;
}

std::optional<Joint> of_whole(std::optional<Joint> joint, const Part& p) {
    if (!joint) return joint;
    const Shape shape = p.plan.mode == Mode::vjp ? p.c.input.shape : p.plan.output().shape;
    return Joint{joint->kind,
                 [decide = std::move(joint->decide), shape, first = p.first_value](const Tensor& all) {
                     Tensor mine(all.format, shape);
                     const Index from = first * bytes(all.format);
                     std::copy_n(all.data.begin() + from, mine.data.size(), mine.data.begin());
                     return decide(mine);
                 }};
}

std::optional<Joint> combined(std::optional<Joint> a, std::optional<Joint> b) {
    if (!a) return b;
    if (!b) return a;
    return Joint{a->kind, [a = a->decide, b = b->decide](const Tensor& t) { return both(a(t), b(t)); }};
}

Expected exact_sets(const Plan& plan, const Case& c, const Slices& slices) {
    const Part part = part_of(plan, c, slices);
    return expect(part.plan, part.c);
}

}  // namespace poolproof

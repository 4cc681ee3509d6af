// SPDX-License-Identifier: Apache-2.0
#include "oracle/expect/crop.hpp"

#include "oracle/spec/window.hpp"

#include <algorithm>

namespace poolproof {

namespace {

/// From `begin` to before `end` on one axis.
struct Range {
    Index begin = 0, end = 0;

    Index size() const { return end - begin; }
};

/// The windows of an axis that are asked for, and the cells between the first and the last that they see.
struct Cut {
    Range outs, cells;
};

/// What one output coordinate sees.
Cut around_output(const Axis& a, Index out) {
    const spec::AxisWindow w = spec::axis_window(a, out);
    return {{out, out + 1}, {w.first, w.first + (w.count - 1) * w.step + 1}};
}

/// All windows that see one cell. Bins of unequal width are no axis of their own unless all of them are
/// taken.
Cut around_cell(const Axis& a, Index cell) {
    if (a.bins) return {{0, a.out}, {0, a.extent}};
    const Index reach = (a.kernel - 1) * a.dilation;
    const Index first = std::max<Index>(-spec::floor_div(-(cell + a.pad_begin - reach), a.stride), 0);
    const Index last = std::min(spec::floor_div(cell + a.pad_begin, a.stride), a.out - 1);
    const Index begin = std::max<Index>(first * a.stride - a.pad_begin, 0);
    const Index end = std::min(last * a.stride - a.pad_begin + reach + 1, a.extent);
    return {{first, last + 1}, {begin, end}};
}

Axis cut_axis(const Axis& a, const Cut& cut) {
    Axis r = a;
    r.extent = cut.cells.size();
    r.out = cut.outs.size();
    if (a.bins) return r;
    r.pad_begin = cut.cells.begin - (cut.outs.begin * a.stride - a.pad_begin);
    r.pad_end = a.extent + a.pad_end - cut.cells.end;
    return r;
}

/// The part of a slice within the ranges, as the only slice of a tensor.
Tensor boxed(const Tensor& whole, Index slice, const std::vector<Index>& extents,
             const std::vector<Range>& box) {
    Shape shape{1};
    Index each = 1;
    for (const Range& r : box) shape.push_back(r.size());
    for (const Index n : extents) each *= n;
    Tensor t(whole.format, shape);
    std::vector<Index> at(box.size(), 0);
    Index to = 0;
    do {
        Index from = 0;
        for (std::size_t k = 0; k < box.size(); ++k) from = from * extents[k] + box[k].begin + at[k];
        t.set(to++, whole[slice * each + from]);
    } while (spec::advance(at, [&](std::size_t k) { return box[k].size(); }));
    return t;
}

}  // namespace

double cells_seen(const PoolPlan& pool) {
    double product = 1;
    for (const Axis& a : pool.axes) {
        double n = 0;
        for (Index out = 0; out < a.out; ++out)
            n += static_cast<double>(std::max<Index>(spec::axis_window(a, out).count, 0));
        product *= n;
    }
    return product;
}

std::optional<Crop> crop(const Plan& plan, const Case& c, Index slice, Index position) {
    const std::vector<Axis>& axes = plan.output().pool->axes;
    const bool backward = plan.mode == Mode::vjp;
    std::vector<Index> extents(axes.size()), outs(axes.size()), where(axes.size());
    for (std::size_t k = axes.size(); k-- > 0;) {
        extents[k] = axes[k].extent;
        outs[k] = axes[k].out;
        const Index n = backward ? extents[k] : outs[k];
        where[k] = position % n;
        position /= n;
    }
    Crop r{plan, question_of(c), 0};
    NodePlan& node = r.plan.nodes.front();
    node.leading = 1;
    node.shape = {1};
    node.pool->return_indices = false;
    std::vector<Range> cells, windows;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        const Cut cut = backward ? around_cell(axes[k], where[k]) : around_output(axes[k], where[k]);
        if (cut.cells.size() <= 0 || cut.outs.size() <= 0) return std::nullopt;
        cells.push_back(cut.cells);
        windows.push_back(cut.outs);
        node.pool->axes[k] = cut_axis(axes[k], cut);
        node.shape.push_back(cut.outs.size());
        if (backward) r.at = r.at * cut.cells.size() + where[k] - cut.cells.begin;
    }
    r.c.input = boxed(c.input, slice, extents, cells);
    if (c.tangent) r.c.tangent = boxed(*c.tangent, slice, extents, cells);
    if (c.cotangent) r.c.cotangent = boxed(*c.cotangent, slice, outs, windows);
    return r;
}

ExactValue exact_at(const Plan& plan, const Case& c, Index position, int bits) {
    const Shape& answer = plan.mode == Mode::vjp ? c.input.shape : plan.output().shape;
    const Index each = size(answer) / slice_count(plan, c);
    const Index slice = position / each, at = position % each;
    if (plan.nodes.size() == 1 && plan.output().pool)
        if (const auto part = crop(plan, c, slice, at))
            return exact(part->plan, part->c, bits).values[static_cast<std::size_t>(part->at)];
    const Part part = part_of(plan, c, {slice, 1});
    return exact(part.plan, part.c, bits).values[static_cast<std::size_t>(at)];
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// The features of a case's structure, and the list of them all. Names are in the order of the enumeration.
#include "generate/features.hpp"

#include "generate/patterns.hpp"
#include "generate/scope.hpp"

#include <algorithm>

namespace poolproof {

namespace generate {

std::vector<Feature> FeatureSet::list() const {
    std::vector<Feature> r;
    r.reserve(shown_.count());
    for (std::size_t k = 0; k < feature_count; ++k)
        if (shown_.test(k)) r.push_back(static_cast<Feature>(k));
    return r;
}

namespace {

constexpr Index lane = 8;

Index reach(const Axis& a) { return a.dilation * (a.kernel - 1) + 1; }

/// Whether some window sees no real cell on this axis.
bool has_empty_window(const Axis& a) {
    for (Index out = 0; out < a.out; ++out) {
        const Index start = out * a.stride - a.pad_begin;
        const Index skipped = start < 0 ? (-start + a.dilation - 1) / a.dilation : 0;
        if (skipped >= a.kernel || start + skipped * a.dilation >= a.extent) return true;
    }
    return false;
}

void add_ceil(const Axis& a, bool ceil, FeatureSet& set) {
    const Index padded = a.extent + a.pad_begin + a.pad_end;
    const Index room = padded - reach(a);
    if (room < 0) return;
    const bool exact = room % a.stride == 0;
    set.add(Feature::floor_remainder, !ceil && !exact);
    set.add(Feature::ceil_exact, ceil && exact);
    set.add(Feature::ceil_overhang, ceil && (a.out - 1) * a.stride + reach(a) > padded);
    set.add(Feature::ceil_window_dropped, ceil && !exact && a.out == room / a.stride + 1);
}

void add_sliding_axis(const Axis& a, const Attributes& attrs, FeatureSet& set) {
    const bool same = attrs.auto_pad && *attrs.auto_pad != AutoPad::valid;
    const bool padded = a.pad_begin + a.pad_end > 0;
    set.add(Feature::padding, padded);
    set.add(Feature::asymmetric_padding, a.pad_begin != a.pad_end && !same);
    set.add(Feature::auto_pad_odd, a.pad_begin != a.pad_end && same);
    set.add(Feature::window_starts_in_padding, a.pad_begin > 0);
    set.add(Feature::window_ends_in_padding,
            a.pad_end > 0 && (a.out - 1) * a.stride - a.pad_begin + reach(a) > a.extent);
    set.add(Feature::empty_window, has_empty_window(a));
    set.add(Feature::whole_input_kernel, a.kernel == a.extent && a.extent > 1);
    set.add(Feature::oversized_kernel, reach(a) > a.extent + a.pad_begin + a.pad_end);
    set.add(Feature::stride_one, a.stride == 1 && a.kernel > 1);
    set.add(Feature::overlap, a.stride < reach(a) && a.out > 1);
    set.add(Feature::gap, a.stride > reach(a) && a.out > 1);
    set.add(Feature::dilation, a.dilation > 1 && a.kernel > 1);
    set.add(Feature::dilated_padding, a.dilation > 1 && a.kernel > 1 && padded);
    if (!same) add_ceil(a, attrs.ceil_mode.value_or(false), set);
}

template <class Member> bool unequal(const std::vector<Axis>& axes, Member Axis::*member) {
    return std::any_of(axes.begin(), axes.end(), [&](const Axis& a) { return a.*member != axes[0].*member; });
}

void add_sliding(Op op, const Attributes& attrs, const PoolPlan& pool, FeatureSet& set) {
    bool padded = false;
    for (const Axis& a : pool.axes) {
        add_sliding_axis(a, attrs, set);
        padded = padded || a.pad_begin + a.pad_end > 0;
    }
    set.add(Feature::unequal_kernel, unequal(pool.axes, &Axis::kernel));
    set.add(Feature::unequal_stride, unequal(pool.axes, &Axis::stride));
    set.add(Feature::unequal_dilation, unequal(pool.axes, &Axis::dilation));
    set.add(Feature::unequal_padding,
            unequal(pool.axes, &Axis::pad_begin) || unequal(pool.axes, &Axis::pad_end));
    set.add(Feature::unit_kernel,
            std::all_of(pool.axes.begin(), pool.axes.end(), [](const Axis& a) { return a.kernel == 1; }));
    set.add(Feature::stride_omitted, !attrs.stride);
    set.add(Feature::padding_omitted, !attrs.pad_begin && !attrs.pad_end && !attrs.auto_pad);
    set.add(Feature::end_padding_omitted, padded && attrs.pad_begin && !attrs.pad_end);
    if (attrs.auto_pad) set.add_nth(Feature::auto_pad_valid, static_cast<Index>(*attrs.auto_pad), 3);
    set.add(Feature::counting_omitted, op == Op::avg_pool && padded && !attrs.count_include_pad);
    set.add(Feature::uncounted_padding, padded && !pool.count_padding);
    set.add(Feature::divisor_override, pool.divisor_override.has_value());
    set.add(Feature::negative_divisor, pool.divisor_override.value_or(1) < 0);
}

void add_bins(Op op, const Attributes& attrs, const PoolPlan& pool, FeatureSet& set) {
    if (!is_adaptive(op)) {
        set.add(Feature::keepdims_omitted, !attrs.keepdims);
        set.add(Feature::keepdims_true, attrs.keepdims == true);
        set.add(Feature::keepdims_false, attrs.keepdims == false);
        return;
    }
    for (const Axis& a : pool.axes) {
        set.add(Feature::empty_output, a.out == 0);
        set.add(Feature::adaptive_more_bins, a.out > a.extent);
        if (a.out == 0 || a.out > a.extent) continue;
        set.add(a.extent % a.out == 0 ? Feature::adaptive_even : Feature::adaptive_uneven);
    }
}

void add_beta(Format f, Bits beta, FeatureSet& set) {
    set.add(Feature::beta_one, magnitude(f, beta) == integer_bits(f, 1));
    set.add(Feature::beta_negative, is_negative(f, beta));
    set.add(Feature::beta_large, exponent(f, beta) >= 7);
    set.add(Feature::beta_small, exponent(f, beta) <= -7);
}

void add_pool(Op op, const Attributes& attrs, const NodePlan& node, Format format, FeatureSet& set) {
    const PoolPlan& pool = *node.pool;
    if (is_sliding(op))
        add_sliding(op, attrs, pool, set);
    else
        add_bins(op, attrs, pool, set);
    if (op == Op::smooth_max_pool) add_beta(format, pool.beta, set);
    set.add(Feature::return_indices, pool.return_indices);
    set.add(Feature::row_column, pool.return_indices && pool.index_form == IndexForm::row_column);
    Index window = 1;
    for (const Axis& a : pool.axes)
        window *= a.bins ? a.extent / std::max<Index>(a.out, 1) : std::min(a.kernel, a.extent);
    set.add(Feature::window_past_128, window > 128);
    set.add(Feature::window_past_256, window > 256);
}

/// Of a node over the case's input.
void add_shape(const NodePlan& node, const Shape& input, FeatureSet& set) {
    const auto& axes = node.pool->axes;
    const auto rank = static_cast<Index>(axes.size());
    set.add_nth(Feature::rank_1, rank - 1, 5);
    set.add_nth(Feature::leading_0, static_cast<Index>(input.size()) - rank, 4);
    set.add(Feature::empty_batch, node.leading == 0);
    set.add(Feature::several_slices, node.leading > 1);
    set.add(Feature::unequal_axes, unequal(axes, &Axis::extent));
    for (const Axis& a : axes) {
        set.add(Feature::single_cell_axis, a.extent == 1);
        set.add(Feature::axis_past_lane, a.extent > lane);
        set.add(Feature::axis_past_128, a.extent > 128);
        set.add(Feature::axis_past_256, a.extent > 256);
    }
}

void add_graph(const Case& c, FeatureSet& set) {
    std::vector<int> uses(c.nodes.size() + 1);
    for (const Node& n : c.nodes) {
        set.add(Feature::graph_add, n.op == Op::add);
        set.add(Feature::graph_chain, n.op != Op::add && n.inputs[0] >= 0);
        for (const Index k : n.inputs) ++uses[static_cast<std::size_t>(k + 1)];
    }
    set.add(Feature::graph_reuse, std::any_of(uses.begin(), uses.end(), [](int n) { return n > 1; }));
    set.add(Feature::graph_unused_node, std::find(uses.begin() + 1, uses.end() - 1, 0) != uses.end() - 1);
}

}  // namespace

void add_structure_features(const Case& c, const Plan& plan, FeatureSet& set) {
    set.add_nth(Feature::op_max_pool, static_cast<Index>(c.op), 8);
    set.add_nth(Feature::mode_forward, static_cast<Index>(c.mode), 3);
    set.add_nth(Feature::dtype_f64, static_cast<Index>(c.format), 8);
    set.add(Feature::memory_channels_last, c.attrs.memory == Memory::channels_last);
    set.add(Feature::memory_strided, c.attrs.memory == Memory::strided);
    for (std::size_t k = 0; k < plan.nodes.size(); ++k) {
        const NodePlan& node = plan.nodes[k];
        if (!node.pool) continue;
        if (c.op == Op::graph)
            add_pool(c.nodes[k].op, c.nodes[k].attrs, node, c.format, set);
        else
            add_pool(c.op, c.attrs, node, c.format, set);
        if (node.inputs[0] == -1) add_shape(node, c.input.shape, set);
    }
    if (c.op == Op::graph) add_graph(c, set);
}

}  // namespace generate

std::vector<Feature> features(const Case& c) {
    const auto settled = plan(c);
    if (!settled) return {};
    generate::FeatureSet set;
    generate::add_structure_features(c, *settled, set);
    generate::add_value_features(c, *settled, set);
    return set.list();
}

}  // namespace poolproof

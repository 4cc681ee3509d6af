// SPDX-License-Identifier: Apache-2.0
// Laws about places: padding may be written into the input, and spatial axes may change places.
#include "laws/parts.hpp"

#include <algorithm>

namespace poolproof::law {

namespace {

constexpr Index most_cells = 20'000;  ///< of a padded input

/// What stands for padding in an input; nothing where no value does.
std::optional<Bits> padding_value(const PoolPlan& p, Format f) {
    const Bits lowest = is_integer(f) ? (is_signed(f) ? sign_bit(f) : 0) : infinity_bits(f) | sign_bit(f);
    switch (p.reduction) {
        case Reduction::max: return p.policy.max_padding == MaxPadding::zero ? 0 : lowest;
        case Reduction::average:
            return p.count_padding || p.divisor_override ? std::optional<Bits>(0) : std::nullopt;
        case Reduction::smooth_max:
            if (p.policy.smooth_padding == SmoothPadding::zero) return 0;
            return infinity_bits(f) | (is_negative(f, p.beta) ? 0 : sign_bit(f));
    }
    return std::nullopt;
}

/// Whether every window has a real cell along the axis.
bool windows_reach_cells(const Axis& a) {
    for (Index o = 0; o < a.out; ++o) {
        const Index begin = o * a.stride - a.pad_begin;
        const Index skipped = begin >= 0 ? 0 : (-begin + a.dilation - 1) / a.dilation;
        if (skipped >= a.kernel || begin + skipped * a.dilation >= a.extent) return false;
    }
    return true;
}

/// Calls `visit` with the position of each of the tensor's cells in one whose last axes are wider.
template <class Visit>
void for_each_place(const Shape& shape, const std::vector<Axis>& axes, const Visit& visit) {
    const std::size_t leading = shape.size() - axes.size();
    for (Index i = 0; i < size(shape); ++i) {
        Index rest = i, place = 0, step = 1;
        for (std::size_t k = shape.size(); k-- > 0;) {
            const bool spatial = k >= leading;
            const Index begin = spatial ? axes[k - leading].pad_begin : 0;
            const Index end = spatial ? axes[k - leading].pad_end : 0;
            place += (rest % shape[k] + begin) * step;
            step *= shape[k] + begin + end;
            rest /= shape[k];
        }
        visit(i, place);
    }
}

Shape padded_shape(Shape shape, const std::vector<Axis>& axes) {
    for (std::size_t k = 0; k < axes.size(); ++k)
        shape[shape.size() - axes.size() + k] += axes[k].pad_begin + axes[k].pad_end;
    return shape;
}

Tensor padded(const Tensor& t, const std::vector<Axis>& axes, Bits with) {
    Tensor r(t.format, padded_shape(t.shape, axes));
    for (Index i = 0; i < r.size(); ++i) r.set(i, with);
    for_each_place(t.shape, axes, [&](Index i, Index place) { r.set(place, t[i]); });
    return r;
}

std::vector<Index> of_axes(const std::vector<Axis>& axes, Index Axis::*member) {
    std::vector<Index> r;
    for (const Axis& a : axes) r.push_back(a.*member);
    return r;
}

Relation explicitly_padded(const Case& c, std::uint64_t) {
    const auto settled = plan(c);
    if (!c.attrs.kernel || c.op == Op::graph) return {};
    const PoolPlan& p = *settled->output().pool;
    const bool has_padding =
        std::any_of(p.axes.begin(), p.axes.end(), [](const Axis& a) { return a.pad_begin + a.pad_end > 0; });
    const bool takes_part = p.reduction == Reduction::average || p.policy.max_padding == MaxPadding::zero;
    const auto value = padding_value(p, c.format);
    if (!has_padding || !value || size(padded_shape(c.input.shape, p.axes)) > most_cells) return {};
    if (!takes_part && !std::all_of(p.axes.begin(), p.axes.end(), windows_reach_cells)) return {};

    Case one = c;
    one.attrs.return_indices = std::nullopt;
    one.attrs.index_form = std::nullopt;
    Case other = one;
    const auto zeros = std::vector<Index>(p.axes.size(), 0);
    other.attrs.auto_pad = std::nullopt;
    other.attrs.stride = of_axes(p.axes, &Axis::stride);
    other.attrs.dilation = of_axes(p.axes, &Axis::dilation);
    other.attrs.pad_begin = other.attrs.pad_end = zeros;
    if (c.attrs.auto_pad && *c.attrs.auto_pad != AutoPad::valid) other.attrs.ceil_mode = false;
    other.input = padded(c.input, p.axes, *value);
    if (c.tangent) other.tangent = padded(*c.tangent, p.axes, 0);
    const auto other_plan = plan(other);
    if (!other_plan || other_plan->output().shape != settled->output().shape) return {};

    Relation r;
    Pairing pairing{0, 1, output_of(c.mode)};
    pairing.choice = p.reduction == Reduction::max;  // of the zeros of two signs, or with a tied padding
    if (c.mode == Mode::vjp) {
        std::vector<Index> places(static_cast<std::size_t>(c.input.size()));
        for_each_place(c.input.shape, p.axes,
                       [&](Index i, Index place) { places[static_cast<std::size_t>(i)] = place; });
        pairing.at = [places = std::move(places)](Index i) -> std::optional<Index> {
            return places[static_cast<std::size_t>(i)];
        };
    }
    r.pairings = {std::move(pairing)};
    r.cases = {std::move(one), std::move(other)};
    return r;
}

/// Where the cell of a shape stands when its last two axes have changed places.
Index transposed_place(const Shape& shape, Index i) {
    const Index rows = shape[shape.size() - 2], columns = shape.back();
    const Index within = i % (rows * columns), row = within / columns, column = within % columns;
    return i - within + column * rows + row;
}

Tensor transposed(const Tensor& t) {
    Shape shape = t.shape;
    std::swap(shape[shape.size() - 2], shape.back());
    Tensor r(t.format, shape);
    for (Index i = 0; i < t.size(); ++i) r.set(transposed_place(t.shape, i), t[i]);
    return r;
}

void transpose(Attributes& a) {
    for (auto list : {&Attributes::kernel, &Attributes::stride, &Attributes::pad_begin, &Attributes::pad_end,
                      &Attributes::dilation, &Attributes::output_size})
        if (a.*list) std::swap((a.*list)->back(), (a.*list)->end()[-2]);
}

Relation axes_swapped(const Case& c, std::uint64_t) {
    const auto settled = plan(c);
    const auto two_axes = [](const NodePlan& n) { return !n.pool || n.pool->axes.size() >= 2; };
    // Behind a flat global node there may be other axes than the last two.
    const bool keeps_axes = std::all_of(settled->nodes.begin(), settled->nodes.end(), [&](const NodePlan& n) {
        return n.shape.size() == c.input.shape.size();
    });
    if (!keeps_axes || !std::all_of(settled->nodes.begin(), settled->nodes.end(), two_axes)) return {};
    Case one = c;
    one.attrs.return_indices = std::nullopt;
    one.attrs.index_form = std::nullopt;
    Case other = one;
    transpose(other.attrs);
    for (Node& n : other.nodes) transpose(n.attrs);
    other.input = transposed(c.input);
    if (c.tangent) other.tangent = transposed(*c.tangent);
    if (c.cotangent) other.cotangent = transposed(*c.cotangent);
    Relation r;
    Pairing pairing{0, 1, output_of(c.mode)};
    pairing.choice = any_node(c, is_maximum);  // the first of several maxima is another cell
    pairing.at = [shape = c.mode == Mode::vjp ? c.input.shape : settled->output().shape](
                     Index i) -> std::optional<Index> { return transposed_place(shape, i); };
    r.pairings = {std::move(pairing)};
    r.cases = {std::move(one), std::move(other)};
    return if_valid(std::move(r));
}

}  // namespace

std::vector<Law> geometry_laws() {
    return {
        {"explicit_padding", "Padding written into the input gives what the attribute gives.", "WPad",
         explicitly_padded},
        {"axes_swapped", "With two spatial axes and their attributes swapped, the answer is swapped.", "W1",
         axes_swapped},
    };
}

}  // namespace poolproof::law

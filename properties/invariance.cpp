// SPDX-License-Identifier: Apache-2.0
// What may be done to a case without changing more than the place of its answers: translation by a stride,
// exchange of two spatial axes, splitting into slices, an added axis of one cell, padding written into the
// input.
#include "properties/cases.hpp"

#include <functional>
#include <numeric>

namespace poolproof::laws {
namespace {

using Coordinates = std::vector<Index>;

/// For each flat position of `shape` the flat position of `other` that `where` names, -1 for none.
std::vector<Index> places(const Shape& shape, const Shape& other,
                          const std::function<Coordinates(Coordinates)>& where) {
    std::vector<Index> r;
    for (Index flat = 0; flat < size(shape); ++flat) {
        Coordinates at(shape.size());
        Index rest = flat;
        for (std::size_t k = shape.size(); k-- > 0; rest /= shape[k]) at[k] = rest % shape[k];
        const Coordinates there = where(at);
        Index place = 0;
        for (std::size_t k = 0; k < other.size() && place >= 0; ++k)
            place = there[k] < 0 || there[k] >= other[k] ? -1 : place * other[k] + there[k];
        r.push_back(place);
    }
    return r;
}

template <class T>
std::vector<T> taken(const std::vector<T>& from, const std::vector<Index>& at, const T& missing) {
    std::vector<T> r;
    for (const Index k : at) r.push_back(k < 0 ? missing : from[static_cast<std::size_t>(k)]);
    return r;
}

Tensor taken(const Tensor& from, Shape shape, const std::vector<Index>& at, double missing = 0) {
    Tensor t(from.format, std::move(shape));
    for (Index k = 0; k < t.size(); ++k) {
        const Index place = at[static_cast<std::size_t>(k)];
        t.set(k, place < 0 ? std::bit_cast<Bits>(missing) : from[place]);
    }
    return t;
}

std::size_t leading_axes(const Case& c) { return c.input.shape.size() - pool_of(settled(c)).axes.size(); }

/// Writes every attribute of a sliding case out, and `auto_pad` as the pads it stands for.
void make_explicit(Case& c) {
    Attributes& a = c.attrs;
    if (!a.kernel) return;
    const Plan plan = settled(c);
    a.stride.emplace(), a.dilation.emplace(), a.pad_begin.emplace(), a.pad_end.emplace();
    for (const Axis& x : pool_of(plan).axes) {
        a.stride->push_back(x.stride);
        a.dilation->push_back(x.dilation);
        a.pad_begin->push_back(x.pad_begin);
        a.pad_end->push_back(x.pad_end);
    }
    if (a.auto_pad && *a.auto_pad != AutoPad::valid) a.ceil_mode.reset();
    a.auto_pad.reset();
}

/// The per-axis attributes.
std::vector<std::optional<std::vector<Index>>*> lists(Attributes& a) {
    return {&a.kernel, &a.stride, &a.dilation, &a.pad_begin, &a.pad_end, &a.output_size};
}

const std::vector<Op> all_ops{Op::max_pool,          Op::avg_pool,          Op::smooth_max_pool,
                              Op::adaptive_avg_pool, Op::adaptive_max_pool, Op::global_avg_pool,
                              Op::global_max_pool};

/// Values, pushes and pulls, for directions given.
struct Answers {
    std::vector<Real> y, dy, dx;
};
Answers answers(const Case& c, const Tensor& t, const Tensor& g) {
    return {finite<Real>(c), finite<Real>(as_jvp(c, t)), finite<Real>(as_vjp(c, g))};
}

/// Holds for every policy but needs pad_begin 0 on the axis, so that no window sees the beginning.
RC_GTEST_PROP(Translation, OfTheInputByAStrideShiftsTheOutputByOneW1WOutWCeil, ()) {
    Case c = some_case({.ops = sliding_ops, .small = true});
    make_explicit(c);
    const std::size_t lead = leading_axes(c);
    const auto axis = static_cast<std::size_t>(between(0, static_cast<Index>(c.attrs.kernel->size()) - 1));
    const Index stride = (*c.attrs.stride)[axis];
    const Index reach = (*c.attrs.dilation)[axis] * ((*c.attrs.kernel)[axis] - 1) + 1;
    (*c.attrs.pad_begin)[axis] = 0;
    Shape shape = c.input.shape;
    shape[lead + axis] = stride + reach + between(0, 3);
    c.input = some_tensor(shape, Spread::tied);
    const Tensor t = some_tensor(shape, Spread::tied);
    const Shape outs = output_shape(c);

    Case shifted = c;
    Shape rest = shape, rest_outs = outs;
    rest[lead + axis] -= stride;
    --rest_outs[lead + axis];
    const auto later = [&](Index by) {
        return [=](Coordinates at) {
            at[lead + axis] += by;
            return at;
        };
    };
    const auto cells = places(rest, shape, later(stride)), outputs = places(rest_outs, outs, later(1));
    shifted.input = taken(c.input, rest, cells);
    RC_ASSERT(output_shape(shifted) == rest_outs);
    const Tensor g = some_tensor(rest_outs, Spread::tied);
    const Tensor g_before = taken(g, outs, places(outs, rest_outs, later(-1)));
    seen("an overlap", has_overlap(shifted));
    seen("padding", has_padding(shifted));
    const Answers whole = answers(c, t, g_before), part = answers(shifted, taken(t, rest, cells), g);
    RC_ASSERT(equal(part.y, taken(whole.y, outputs, Real(0))));
    RC_ASSERT(equal(part.dy, taken(whole.dy, outputs, Real(0))));
    RC_ASSERT(equal(part.dx, taken(whole.dx, cells, Real(0))));
}

/// Values for every policy; derivatives where nothing ties, or under `all` and `split`, which know no order.
/// `max_padding: zero` is left out: a padded zero may tie too.
RC_GTEST_PROP(Exchange, OfTwoAxesExchangesTheAxesOfTheAnswerW4, ()) {
    Case c = some_case({.ops = all_ops, .min_rank = 2, .small = true, .max_padding = {MaxPadding::ignored}});
    make_explicit(c);
    const std::size_t lead = leading_axes(c), rank = c.input.shape.size() - lead;
    const auto i = static_cast<std::size_t>(between(0, static_cast<Index>(rank) - 2));
    const auto j = static_cast<std::size_t>(between(static_cast<Index>(i) + 1, static_cast<Index>(rank) - 1));
    const auto swapped = [&](Coordinates at) {
        std::swap(at[lead + i], at[lead + j]);
        return at;
    };
    Case other = c;
    for (auto* list : lists(other.attrs))
        if (*list) std::swap((**list)[i], (**list)[j]);
    other.attrs.keepdims = other.attrs.spatial_rank ? std::optional(true) : std::nullopt;
    c.attrs.keepdims = other.attrs.keepdims;
    const Shape shape = c.input.shape, outs = output_shape(c);
    const auto cells = places(swapped(shape), shape, swapped), outputs = places(swapped(outs), outs, swapped);
    other.input = taken(c.input, swapped(shape), cells);
    RC_ASSERT(output_shape(other) == swapped(outs));
    seen("unequal extents", shape[lead + i] != shape[lead + j]);
    RC_ASSERT(equal(finite<Real>(other), taken(finite<Real>(c), outputs, Real(0))));

    const bool ordered = c.policy.ties == Ties::first || c.policy.ties == Ties::last;
    if (ordered && has_tie(c)) return;
    seen("a tie with derivatives", has_tie(c));
    const Tensor t = some_tensor(shape, Spread::tied), g = some_tensor(outs, Spread::tied);
    const Answers here = answers(c, t, g);
    const Answers there = answers(other, taken(t, swapped(shape), cells), taken(g, swapped(outs), outputs));
    RC_ASSERT(equal(there.dy, taken(here.dy, outputs, Real(0))));
    RC_ASSERT(equal(there.dx, taken(here.dx, cells, Real(0))));
}

/// Holds for every policy, in every mode.
RC_GTEST_PROP(Slices, AreIndependentAndLeadingAxesAreOnlySlices, ()) {
    const Case c = some_case({.ops = all_ops, .leading = 2, .small = true});
    const std::size_t lead = leading_axes(c);
    const Shape outs = output_shape(c);
    const Tensor t = some_tensor(c.input.shape, Spread::tied), g = some_tensor(outs, Spread::tied);
    const Answers whole = answers(c, t, g);
    const Index slices = settled(c).output().leading;
    seen("several slices", slices > 1);
    Answers joined;
    for (Index slice = 0; slice < slices; ++slice) {
        const auto part = [&](const Tensor& from, const Shape& shape) {
            std::vector<Index> at(static_cast<std::size_t>(size(shape)));
            std::iota(at.begin(), at.end(), slice * size(shape));
            return taken(from, shape, at);
        };
        const auto spatial = [&](const Shape& s) {
            return Shape(s.begin() + static_cast<std::ptrdiff_t>(lead), s.end());
        };
        Case alone = c;
        alone.input = part(c.input, spatial(c.input.shape));
        const Answers a = answers(alone, part(t, spatial(t.shape)), part(g, spatial(g.shape)));
        joined.y.insert(joined.y.end(), a.y.begin(), a.y.end());
        joined.dy.insert(joined.dy.end(), a.dy.begin(), a.dy.end());
        joined.dx.insert(joined.dx.end(), a.dx.begin(), a.dx.end());
    }
    RC_ASSERT(equal(joined.y, whole.y));
    RC_ASSERT(equal(joined.dy, whole.dy));
    RC_ASSERT(equal(joined.dx, whole.dx));
}

/// Holds for every policy, in every mode.
RC_GTEST_PROP(UnitAxis, ChangesNothingWhereverItIsAdded, ()) {
    const Case c = some_case({.ops = all_ops, .small = true});
    const std::size_t lead = leading_axes(c), rank = c.input.shape.size() - lead;
    const auto axis = static_cast<std::ptrdiff_t>(between(0, static_cast<Index>(rank)));
    Case wider = c;
    const auto add = [&](std::vector<Index>& list, std::ptrdiff_t at, Index value) {
        list.insert(list.begin() + at, value);
    };
    add(wider.input.shape, static_cast<std::ptrdiff_t>(lead) + axis, 1);
    Attributes& a = wider.attrs;
    if (a.kernel) add(*a.kernel, axis, 1);
    if (a.stride) add(*a.stride, axis, between(1, 3));
    if (a.dilation) add(*a.dilation, axis, between(1, 3));
    if (a.pad_begin) add(*a.pad_begin, axis, 0);
    if (a.pad_end) add(*a.pad_end, axis, 0);
    if (a.output_size) add(*a.output_size, axis, 1);
    if (a.spatial_rank) ++*a.spatial_rank;
    Tensor t = some_tensor(c.input.shape, Spread::tied), g = some_tensor(output_shape(c), Spread::tied);
    const Answers lower = answers(c, t, g);
    t.shape = wider.input.shape;
    g.shape = output_shape(wider);
    const Answers higher = answers(wider, t, g);
    seen("an axis before all others", axis == 0);
    seen("an axis after all others", axis == static_cast<std::ptrdiff_t>(rank));
    RC_ASSERT(equal(higher.y, lower.y));
    RC_ASSERT(equal(higher.dy, lower.dy));
    RC_ASSERT(equal(higher.dx, lower.dx));
}

/// The case with its padding as cells of the input. Under `ceil_rule: keep` alone does the number of windows
/// not ask which of the cells were padding.
struct Unpadded {
    Case c;
    std::vector<Index> cells;  ///< of the old input for each of the new

    Tensor padded(const Tensor& t, double missing) const { return taken(t, c.input.shape, cells, missing); }
};

Unpadded unpadded(const Case& from, double padding) {
    Unpadded r{from, {}};
    const std::size_t lead = leading_axes(from);
    Shape shape = from.input.shape;
    const Coordinates begin = *from.attrs.pad_begin;
    for (std::size_t k = 0; k < begin.size(); ++k) shape[lead + k] += begin[k] + (*from.attrs.pad_end)[k];
    r.cells = places(shape, from.input.shape, [&](Coordinates at) {
        for (std::size_t k = 0; k < begin.size(); ++k) at[lead + k] -= begin[k];
        return at;
    });
    r.c.input.shape = shape;
    r.c.input = r.padded(from.input, padding);
    r.c.attrs.pad_begin.reset();
    r.c.attrs.pad_end.reset();
    return r;
}

Case some_padded_case(const Scope& scope) {
    Case c = some_case(scope);
    make_explicit(c);
    c.policy.ceil_rule = CeilRule::keep;
    return c;
}

/// Averages that count their padding, smooth maxima and maxima whose padding takes part as 0, under every
/// `ties` that decides.
RC_GTEST_PROP(ExplicitPadding, OfZerosGivesTheSameVPadSPadMPadMTie, ()) {
    Case c = some_padded_case({.ops = sliding_ops, .small = true, .max_padding = {MaxPadding::zero}});
    c.policy.smooth_padding = SmoothPadding::zero;
    if (c.op == Op::avg_pool) c.attrs.count_include_pad = true;
    const Unpadded u = unpadded(c, 0);
    const Shape outs = output_shape(c);
    RC_ASSERT(output_shape(u.c) == outs);
    seen("padding", u.c.input.size() > c.input.size());
    seen("padding in a maximum", c.op == Op::max_pool && u.c.input.size() > c.input.size());
    seen("a clipped divisor", c.policy.divisor == Divisor::clipped);
    const Tensor t = some_tensor(c.input.shape, Spread::tied), g = some_tensor(outs, Spread::tied);
    const Answers padded = answers(c, t, g), plain = answers(u.c, u.padded(t, 0), g);
    RC_ASSERT(equal(plain.y, padded.y));
    RC_ASSERT(equal(plain.dy, padded.dy));
    std::vector<Real> back(padded.dx.size());
    for (std::size_t k = 0; k < u.cells.size(); ++k)
        if (u.cells[k] >= 0) back[static_cast<std::size_t>(u.cells[k])] = plain.dx[k];
    RC_ASSERT(equal(back, padded.dx));
}

/// Values and indices; a derivative beside an infinity is open. Under `empty_window: identity`.
RC_GTEST_PROP(ExplicitPadding, OfMinusInfinityGivesTheSameMaximumM1WEmpty, ()) {
    Case c = some_padded_case({.ops = {Op::max_pool}, .small = true, .max_padding = {MaxPadding::ignored}});
    c.policy.empty_window = EmptyWindow::identity;
    const Unpadded u = unpadded(c, -std::numeric_limits<double>::infinity());
    const auto padded = evaluated<Rational>(c), plain = evaluated<Rational>(u.c);
    seen("padding", u.c.input.size() > c.input.size());
    seen("an empty window", has_empty_window(c));
    RC_ASSERT(padded.size() == plain.size());
    for (std::size_t k = 0; k < plain.size(); ++k)
        RC_ASSERT(padded[k].kind == plain[k].kind && padded[k].value == plain[k].value);
    const auto of_padded = indices(c), of_plain = indices(u.c);
    const Index slice = u.c.input.size() / settled(c).output().leading;
    const Index old_slice = c.input.size() / settled(c).output().leading;
    for (std::size_t k = 0; k < of_padded.size(); ++k) {
        if (!of_padded[k]) continue;
        RC_ASSERT(of_plain[k]->front() < slice);
        RC_ASSERT(u.cells[static_cast<std::size_t>(of_plain[k]->front())] % old_slice ==
                  of_padded[k]->front());
    }
}

}  // namespace
}  // namespace poolproof::laws

// SPDX-License-Identifier: Apache-2.0
// Windows in closed form are the windows that asking of every tap finds; the number of outputs is the largest
// that fits; and what is left of a case where a window has no cell, or no room, is a policy and never an
// accident.
#include "oracle/spec/window.hpp"
#include "properties/cases.hpp"

namespace poolproof::laws {
namespace {

const std::vector<Op> all_ops{Op::max_pool,          Op::avg_pool,          Op::smooth_max_pool,
                              Op::adaptive_avg_pool, Op::adaptive_max_pool, Op::global_avg_pool,
                              Op::global_max_pool};

RC_GTEST_PROP(Windows, InClosedFormAreThoseFoundTapByTapW1W2W3W4A1A2, ()) {
    const Case c = some_case({.ops = all_ops});
    const Plan plan = settled(c);
    const auto slow = slow_windows(c);
    std::size_t met = 0;
    spec::for_each_window(pool_of(plan).axes, [&](Index out, const spec::Window& w) {
        const SlowWindow& expected = slow[static_cast<std::size_t>(out)];
        RC_ASSERT(w.taps == expected.cells);
        RC_ASSERT(w.span() == expected.span && w.clipped() == expected.clipped);
        RC_ASSERT(w.cells() == static_cast<Index>(expected.cells.size()));
        seen("padding before",
             std::any_of(w.axes.begin(), w.axes.end(), [](const auto& a) { return a.before > 0; }));
        seen("taps past the padded input", expected.span > expected.clipped);
        ++met;
    });
    RC_ASSERT(met * static_cast<std::size_t>(plan.output().leading) == slow.size());
}

/// A window of the axis by itself.
struct Room {
    Index extent, kernel, stride, dilation, begin, end;

    Index reach() const { return dilation * (kernel - 1) + 1; }
    Index padded() const { return extent + begin + end; }
};

Room some_room() {
    return {between(1, 12), between(1, 5), between(1, 4), between(1, 3), between(0, 4), between(0, 4)};
}

Case over(const Room& r) {
    Case c;
    c.attrs.kernel = {r.kernel};
    c.attrs.stride = {r.stride};
    c.attrs.dilation = {r.dilation};
    c.attrs.pad_begin = {r.begin};
    c.attrs.pad_end = {r.end};
    c.input = constant({r.extent}, 1);
    return c;
}

RC_GTEST_PROP(Outputs, AreAsManyAsFitWOut, ()) {
    const Room r = some_room();
    const Case c = over(r);
    const Index outs = output_shape(c)[0];
    if (r.reach() > r.padded()) {
        RC_ASSERT(outs == 1);
        return;
    }
    seen("a last window that leaves cells over", (outs - 1) * r.stride + r.reach() < r.padded());
    RC_ASSERT((outs - 1) * r.stride + r.reach() <= r.padded());
    RC_ASSERT(outs * r.stride + r.reach() > r.padded());
}

RC_GTEST_PROP(Outputs, InCeilModeLeaveNothingOverAndMayDropAWindowInTheEndPaddingWCeil, ()) {
    const Room r = some_room();
    Case c = over(r);
    c.attrs.ceil_mode = true;
    c.policy.ceil_rule = CeilRule::keep;
    const Index kept = output_shape(c)[0];
    c.policy.ceil_rule = CeilRule::drop_window_in_end_padding;
    const Index dropped = output_shape(c)[0];
    seen("an overhang", r.reach() <= r.padded() && (kept - 1) * r.stride + r.reach() > r.padded());
    RC_ASSERT((kept - 1) * r.stride + r.reach() >= r.padded());
    if (kept > 1) RC_ASSERT((kept - 2) * r.stride + r.reach() < r.padded());
    const bool starts_in_end_padding = (kept - 1) * r.stride >= r.extent + r.begin;
    seen("a window that starts in the end padding", starts_in_end_padding);
    RC_ASSERT(dropped == kept - (starts_in_end_padding ? 1 : 0));
}

RC_GTEST_PROP(Outputs, OfSamePaddingAreOnePerStrideAndPadsAreEvenWSame, ()) {
    const Room r = some_room();
    Case c = over(r);
    c.attrs.pad_begin.reset();
    c.attrs.pad_end.reset();
    c.attrs.auto_pad = AutoPad::same_upper;
    c.attrs.ceil_mode = either();
    const Axis upper = pool_of(settled(c)).axes[0];
    c.attrs.auto_pad = AutoPad::same_lower;
    const Axis lower = pool_of(settled(c)).axes[0];
    RC_ASSERT(upper.out == lower.out && (upper.out - 1) * r.stride < r.extent &&
              upper.out * r.stride >= r.extent);
    RC_ASSERT(upper.pad_begin == lower.pad_end && upper.pad_end == lower.pad_begin);
    const Index odd = upper.pad_end - upper.pad_begin, total = upper.pad_end + upper.pad_begin;
    RC_ASSERT(odd == total % 2);
    seen("an odd pad", odd == 1);
    seen("no pad", total == 0);
    const Index needed = (upper.out - 1) * r.stride + r.reach();
    RC_ASSERT(total == std::max<Index>(needed - r.extent, 0));
}

RC_GTEST_PROP(Outputs, OfAnOversizedKernelAreAPolicyWOver, ()) {
    Room r = some_room();
    r.extent = between(1, 4);
    r.begin = between(0, 1);
    r.end = 0;
    Case c = over(r);
    c.attrs.ceil_mode = either();
    c.policy.ceil_rule = CeilRule::keep;
    const bool oversized = r.reach() > r.padded();
    seen("an oversized kernel", oversized);
    c.policy.oversized_kernel = OversizedKernel::one_window;
    if (oversized) RC_ASSERT(output_shape(c)[0] == 1);
    c.policy.oversized_kernel = OversizedKernel::reject;
    RC_ASSERT(static_cast<bool>(plan(c)) == !oversized);
    c.policy.oversized_kernel = OversizedKernel::reject_empty;
    // Rounded up, room that lacks less than a stride still makes a window.
    const bool saved_by_ceil = *c.attrs.ceil_mode && r.reach() - r.padded() < r.stride;
    seen("an oversized kernel that ceil saves", oversized && saved_by_ceil);
    RC_ASSERT(static_cast<bool>(plan(c)) == (!oversized || saved_by_ceil));
}

RC_GTEST_PROP(Padding, IsLimitedByAPolicyWPad, ()) {
    const Room r = some_room();
    Case c = over(r);
    const Index widest = std::max(r.begin, r.end);
    c.policy.padding_limit = PaddingLimit::none;
    RC_ASSERT(static_cast<bool>(plan(c)));
    c.policy.padding_limit = PaddingLimit::half_kernel;
    seen("more than half a kernel", 2 * widest > r.kernel);
    seen("half a kernel", 2 * widest == r.kernel);
    RC_ASSERT(static_cast<bool>(plan(c)) == (2 * widest <= r.kernel));
    c.policy.padding_limit = PaddingLimit::zero;
    RC_ASSERT(static_cast<bool>(plan(c)) == (widest == 0));
}

/// Where padding has no part: in maxima that ignore it, averages that do not count it, smooth maxima without
/// it.
RC_GTEST_PROP(EmptyWindow, HasTheValueOfItsPolicyAndNoDerivativeWEmptyDEmpty, ()) {
    Case c = some_case(
        {.ops = sliding_ops, .ties = every_tie, .small = true, .max_padding = {MaxPadding::ignored}});
    c.policy.smooth_padding = SmoothPadding::ignored;
    if (c.op == Op::avg_pool) c.attrs.count_include_pad = false;
    c.attrs.divisor_override.reset();
    const bool empty = has_empty_window(c), average = c.op == Op::avg_pool;
    const bool mirrored = c.op == Op::smooth_max_pool && is_negative(Format::f64, *c.attrs.beta);
    seen("an empty window", empty);
    seen("an empty average", empty && average);
    seen("an empty smooth maximum", empty && c.op == Op::smooth_max_pool);
    const EmptyWindow rule = one_of(std::vector{EmptyWindow::zero, EmptyWindow::identity, EmptyWindow::lowest,
                                                EmptyWindow::nan, EmptyWindow::open});
    c.policy.empty_window = rule;
    const auto y = evaluated<Real>(c);
    const auto dy = evaluated<Real>(as_jvp(c, constant(c.input.shape, 1)));
    const auto windows = slow_windows(c);
    const Kind bottom = mirrored ? Kind::infinity : Kind::minus_infinity;
    const Bits lowest = largest_bits(Format::f64) | (mirrored ? 0 : sign_bit(Format::f64));
    for (std::size_t k = 0; k < y.size(); ++k) {
        if (!windows[k].cells.empty()) {
            RC_ASSERT(y[k].is_finite());
            continue;
        }
        RC_ASSERT(dy[k].is_finite() && is_exactly_zero(dy[k].value));
        if (rule == EmptyWindow::zero) RC_ASSERT(y[k].is_finite() && is_exactly_zero(y[k].value));
        if (rule == EmptyWindow::nan) RC_ASSERT(y[k].kind == Kind::nan);
        if (rule == EmptyWindow::open) RC_ASSERT(y[k].kind == Kind::open);
        if (rule == EmptyWindow::identity) RC_ASSERT(y[k].kind == (average ? Kind::nan : bottom));
        if (rule == EmptyWindow::lowest && !average)
            RC_ASSERT(y[k].value.rational() == rational_value(Format::f64, lowest));
    }
    c.policy.empty_window = EmptyWindow::reject;
    RC_ASSERT(static_cast<bool>(plan(c)) == !empty);
}

TEST(Windows, OfABillionTapsAreCountedAndNotVisitedW1W2W3) {
    constexpr Index huge = 1'000'000'000;
    const Axis a{
        .extent = 5, .out = 1, .kernel = huge, .stride = 1, .dilation = 3, .pad_begin = 7, .pad_end = huge};
    const auto w = spec::axis_window(a, 0);
    EXPECT_EQ(w.first, 2);
    EXPECT_EQ(w.count, 1);
    EXPECT_EQ(w.before, 3);
    EXPECT_EQ(w.span, huge);
    EXPECT_EQ(w.clipped, (7 + 5 + huge + 2) / 3);
}

}  // namespace
}  // namespace poolproof::laws

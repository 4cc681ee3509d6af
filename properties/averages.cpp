// SPDX-License-Identifier: Apache-2.0
// What an average divides by, and that nothing else matters: the average of a constant is the constant where
// padding is not counted, its divisor times it is the sum, and the order within a window never shows. Holds
// for every policy.
#include "properties/cases.hpp"

namespace poolproof::laws {
namespace {

RC_GTEST_PROP(Average, OfAConstantIsTheConstantWherePaddingIsNotCountedV1VReal, ()) {
    Case c = some_case({.ops = average_ops});
    if (c.op == Op::avg_pool) c.attrs.count_include_pad = false;
    c.attrs.divisor_override.reset();
    const Tensor value = some_tensor({1}, Spread::doubles);
    for (Index k = 0; k < c.input.size(); ++k) c.input.set(k, value[0]);
    const auto y = finite<Rational>(c);
    const auto windows = slow_windows(c);
    for (std::size_t k = 0; k < y.size(); ++k) {
        seen("padding", windows[k].span > static_cast<Index>(windows[k].cells.size()));
        if (!windows[k].cells.empty()) RC_ASSERT(y[k] == numbers(value)[0]);
    }
}

RC_GTEST_PROP(Average, TimesItsDivisorIsTheSumOfItsWindowV1VDivVPadVRealVOverWClip, ()) {
    const Case c = some_case({.ops = average_ops, .spread = Spread::doubles});
    const Plan plan = settled(c);
    const PoolPlan& p = pool_of(plan);
    const auto x = numbers(c.input), y = finite<Rational>(c);
    const auto windows = slow_windows(c);
    for (std::size_t k = 0; k < y.size(); ++k) {
        const auto& w = windows[k];
        const auto cells = static_cast<Index>(w.cells.size());
        const Index counted = p.policy.divisor == Divisor::kernel ? w.span : w.clipped;
        const Index divisor = p.divisor_override ? *p.divisor_override : p.count_padding ? counted : cells;
        seen("taps past the padded input", w.span != w.clipped);
        seen("counted padding", p.count_padding && !p.divisor_override && w.clipped > cells);
        seen("a divisor override", p.divisor_override.has_value());
        Rational sum = 0;
        for (const Index cell : w.cells) sum += x[static_cast<std::size_t>(cell)];
        RC_ASSERT(y[k] * divisor == sum);
    }
}

RC_GTEST_PROP(Average, IsLinearV1, ()) {
    Case c = some_case({.ops = average_ops});
    const Tensor other = some_tensor(c.input.shape, Spread::tied);
    const auto y = finite<Rational>(c), of_other = finite<Rational>(as_jvp(c, other));
    const auto xs = numbers(c.input), os = numbers(other);
    std::vector<Rational> mixed;
    for (std::size_t k = 0; k < xs.size(); ++k) mixed.push_back(3 * xs[k] - 2 * os[k]);
    c.input = tensor(c.input.shape, mixed);
    const auto of_mixed = finite<Rational>(c);
    for (std::size_t k = 0; k < y.size(); ++k) RC_ASSERT(of_mixed[k] == 3 * y[k] - 2 * of_other[k]);
}

RC_GTEST_PROP(Permutation, WithinAWindowChangesNoValue, ()) {
    const Op op = one_of(std::vector{Op::global_avg_pool, Op::global_max_pool, Op::smooth_max_pool});
    Case c =
        some_case({.ops = {op}, .spread = one_of(std::vector{Spread::tied, Spread::dyadic}), .small = true});
    const std::size_t rank = pool_of(settled(c)).axes.size();
    if (op == Op::smooth_max_pool) {  // one window over everything, and as much padding around it
        const Shape spatial(c.input.shape.end() - static_cast<std::ptrdiff_t>(rank), c.input.shape.end());
        c.attrs.kernel = spatial;
        for (Index& k : *c.attrs.kernel) k *= 3;
        c.attrs.pad_begin = c.attrs.pad_end = spatial;
        c.attrs.auto_pad.reset();
        c.attrs.dilation.reset();
        c.attrs.ceil_mode.reset();
    }
    const auto slices = static_cast<std::size_t>(settled(c).output().leading);
    const auto y = finite<Real>(c);
    RC_ASSERT(y.size() == slices);
    auto x = numbers(c.input);
    const auto cells = static_cast<std::ptrdiff_t>(x.size() / slices);
    seen("two cells to swap", cells > 1);
    for (std::size_t s = 0; s < slices; ++s) {
        const auto begin = x.begin() + static_cast<std::ptrdiff_t>(s) * cells;
        std::rotate(begin, begin + between(0, cells - 1), begin + cells);
        std::reverse(begin, begin + between(0, cells));
    }
    c.input = tensor(c.input.shape, x);
    RC_ASSERT(equal(finite<Real>(c), y));
}

}  // namespace
}  // namespace poolproof::laws

// SPDX-License-Identifier: Apache-2.0
// What is pushed is the slope of the forward function, measured in exact arithmetic: (f(x + h t) - f(x)) / h.
// It is the slope itself for averages, and for maxima under every `ties` where no two values tie and h is too
// small to change the winner; for a smooth maximum it differs from it by at most |beta| h max t^2 / 2, and to
// the side that beta bends it.
#include "properties/cases.hpp"

namespace poolproof::laws {
namespace {

const Rational step = power_of_two(-6);

Case moved(Case c, const Tensor& t) {
    auto x = numbers(c.input);
    const auto ts = numbers(t);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] += step * ts[k];
    c.input = tensor(c.input.shape, x);
    return c;
}

void check_exact_slope(const Case& c) {
    const Tensor t = some_tensor(c.input.shape, Spread::tied);
    const auto here = finite<Rational>(c), there = finite<Rational>(moved(c, t));
    const auto slope = finite<Rational>(as_jvp(c, t));
    for (std::size_t k = 0; k < here.size(); ++k) RC_ASSERT((there[k] - here[k]) / step == slope[k]);
}

RC_GTEST_PROP(DifferenceQuotient, IsThePushOfAMaximumWhereNothingTiesM1, ()) {
    const Case c = some_case({.ops = max_ops, .ties = every_tie, .spread = Spread::distinct});
    seen("an overlap", has_overlap(c));
    seen("padding", has_padding(c));
    check_exact_slope(c);
}

RC_GTEST_PROP(DifferenceQuotient, IsThePushOfAnAverageV1, ()) {
    const Case c = some_case({.ops = average_ops, .spread = Spread::dyadic});
    seen("padding", has_padding(c));
    check_exact_slope(c);
}

RC_GTEST_PROP(DifferenceQuotient, IsThePushOfAGraphOfAverages, ()) {
    const Case c = some_graph({.ops = average_ops, .spread = Spread::dyadic, .max_rank = 2});
    check_exact_slope(c);
}

RC_GTEST_PROP(DifferenceQuotient, IsTheGreatestTangentOfTheTiedCellsMTie, ()) {
    const Case c = some_case({.ops = max_ops, .ties = {Ties::first}, .max_padding = {MaxPadding::ignored}});
    seen("a tie", has_tie(c));
    const Tensor t = some_tensor(c.input.shape, Spread::tied);
    const auto x = numbers(c.input), ts = numbers(t), y = finite<Rational>(c);
    const auto there = finite<Rational>(moved(c, t));
    const auto windows = slow_windows(c);
    for (std::size_t k = 0; k < y.size(); ++k) {
        std::optional<Rational> greatest;
        for (const Index cell : windows[k].cells) {
            const auto i = static_cast<std::size_t>(cell);
            if (x[i] == y[k] && (!greatest || ts[i] > *greatest)) greatest = ts[i];
        }
        RC_ASSERT((there[k] - y[k]) / step == greatest.value_or(0));
    }
}

RC_GTEST_PROP(DifferenceQuotient, IsThePushOfASmoothMaximumUpToItsSecondOrderBoundS1SJvp, ()) {
    const Case c = some_case({.ops = smooth_ops, .max_rank = 2, .small = true});
    const Tensor t = some_tensor(c.input.shape, Spread::tied);
    const auto here = finite<Real>(c), there = finite<Real>(moved(c, t)), slope = finite<Real>(as_jvp(c, t));
    const Rational beta = rational_value(Format::f64, *c.attrs.beta);
    Rational largest = 0;
    for (const Rational& x : numbers(t)) largest = std::max(largest, Rational(abs(x)));
    const Rational bound = abs(beta) * step * step * largest * largest / 2;
    for (std::size_t k = 0; k < here.size(); ++k) {
        const Real bend = (there[k] - here[k] - Real(step) * slope[k]) * Real(Rational(sign(beta)));
        const auto above_zero = compare(bend, Real(0)), above_bound = compare(bend, Real(bound));
        seen("a bend", above_zero == 1);
        RC_ASSERT(above_zero.value() >= 0);
        RC_ASSERT(above_bound.value() <= 0);
    }
}

}  // namespace
}  // namespace poolproof::laws

// SPDX-License-Identifier: Apache-2.0
// Euler's identity: where an operator is homogeneous of degree one, pushing the input itself gives the
// output. Holds for averages, and for maxima under every `ties` but `all`, which pushes the output once for
// each tied cell.
#include "properties/cases.hpp"

namespace poolproof::laws {
namespace {

RC_GTEST_PROP(Euler, PushingTheInputOfAMaximumGivesTheOutputMTieMPad, ()) {
    const Case c =
        some_case({.ops = max_ops, .ties = {Ties::first, Ties::last, Ties::split, Ties::any, Ties::convex}});
    seen("a tie", has_tie(c));
    seen("padding that takes part", has_padding(c) && c.policy.max_padding == MaxPadding::zero);
    RC_ASSERT(finite<Rational>(as_jvp(c, c.input)) == finite<Rational>(c));
}

RC_GTEST_PROP(Euler, PushingTheInputOfAMaximumUnderAllGivesTheOutputOncePerTiedCellMTie, ()) {
    const Case c = some_case({.ops = max_ops, .ties = {Ties::all}, .max_padding = {MaxPadding::ignored}});
    seen("a tie", has_tie(c));
    const auto x = numbers(c.input), y = finite<Rational>(c), dy = finite<Rational>(as_jvp(c, c.input));
    const auto windows = slow_windows(c);
    for (std::size_t k = 0; k < y.size(); ++k) {
        const auto tied = std::count_if(windows[k].cells.begin(), windows[k].cells.end(), [&](Index cell) {
            return x[static_cast<std::size_t>(cell)] == y[k];
        });
        RC_ASSERT(dy[k] == y[k] * tied);
    }
}

RC_GTEST_PROP(Euler, PushingTheInputOfAnAverageGivesTheOutputV1, ()) {
    const Case c = some_case({.ops = average_ops, .spread = Spread::doubles});
    seen("padding", has_padding(c));
    seen("a divisor override", c.attrs.divisor_override.has_value());
    RC_ASSERT(finite<Rational>(as_jvp(c, c.input)) == finite<Rational>(c));
}

RC_GTEST_PROP(Euler, PushingTheInputOfAGraphOfMaximaAndAveragesGivesTheOutput, ()) {
    const Case c =
        some_graph({.ops = rational_ops, .ties = {Ties::first, Ties::last, Ties::split}, .max_rank = 2});
    const auto y = finite<Rational>(c);
    seen("an output that is not 0",
         std::any_of(y.begin(), y.end(), [](const auto& v) { return !v.is_zero(); }));
    RC_ASSERT(finite<Rational>(as_jvp(c, c.input)) == y);
}

}  // namespace
}  // namespace poolproof::laws

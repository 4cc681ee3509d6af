// SPDX-License-Identifier: Apache-2.0
// Pushing a tangent and pairing with a cotangent is pairing the tangent with the pulled cotangent: <J t, g> =
// <t, J' g>, exactly. Holds for averages, smooth maxima, and maxima under `ties` first, last, all and split;
// under any and convex there is no one J.
#include "properties/cases.hpp"

namespace poolproof::laws {
namespace {

/// Both sides of the law, for directions drawn here.
template <class S> std::pair<S, S> pairings(const Case& c) {
    const Tensor t = some_tensor(c.input.shape, Spread::tied);
    const Tensor g = some_tensor(output_shape(c), Spread::tied);
    return {dot(finite<S>(as_jvp(c, t)), numbers(g)), dot(finite<S>(as_vjp(c, g)), numbers(t))};
}

RC_GTEST_PROP(Adjointness, PushAndPullOfAMaximumOrAnAverageAreTransposedMTie, ()) {
    const Case c = some_case({.ops = rational_ops});
    seen("a tie", has_tie(c));
    seen("padding", has_padding(c));
    seen("an overlap", has_overlap(c));
    seen("an empty window", has_empty_window(c));
    const auto [pushed, pulled] = pairings<Rational>(c);
    RC_ASSERT(pushed == pulled);
}

RC_GTEST_PROP(Adjointness, NoScalarIsNeededButDyadicsForAMaximum, ()) {
    const Case c =
        some_case({.ops = max_ops, .ties = {Ties::first, Ties::last, Ties::all}, .spread = Spread::doubles});
    seen("an overlap", has_overlap(c));
    const auto [pushed, pulled] = pairings<Dyadic>(c);
    RC_ASSERT(compare(pushed, pulled) == 0);
}

RC_GTEST_PROP(Adjointness, PushAndPullOfASmoothMaximumAreTransposedSJvp, ()) {
    const Case c = some_case({.ops = smooth_ops, .max_rank = 2, .small = true});
    seen("padding", has_padding(c));
    seen("an overlap", has_overlap(c));
    const auto [pushed, pulled] = pairings<Real>(c);
    RC_ASSERT(compare(pushed, pulled) == 0);
}

RC_GTEST_PROP(Adjointness, PushAndPullOfAGraphAreTransposedGAddGVjp, ()) {
    const Case c = some_graph({.ops = rational_ops, .max_rank = 2});
    seen("a sum", std::any_of(c.nodes.begin(), c.nodes.end(), [](const Node& n) { return n.op == Op::add; }));
    const auto [pushed, pulled] = pairings<Rational>(c);
    RC_ASSERT(pushed == pulled);
}

RC_GTEST_PROP(Adjointness, PushAndPullOfAGraphThatEndsInASmoothMaximumAreTransposedGVjp, ()) {
    Case c = some_graph({.ops = rational_ops, .max_rank = 1, .small = true});
    Node last;
    last.op = Op::smooth_max_pool;
    last.attrs.kernel = {2};
    last.attrs.stride = {1};
    last.attrs.beta = std::bit_cast<Bits>(1.0);
    last.inputs = {static_cast<Index>(c.nodes.size()) - 1};
    c.nodes.push_back(last);
    const auto [pushed, pulled] = pairings<Real>(c);
    seen("an irrational pairing", !pushed.rational());
    RC_ASSERT(compare(pushed, pulled) == 0);
}

}  // namespace
}  // namespace poolproof::laws

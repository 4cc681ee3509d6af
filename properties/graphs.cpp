// SPDX-License-Identifier: Apache-2.0
// A graph's push and pull are those of its nodes, one after the other: each node is fed, as a case of its
// own, what the node before it gave. A node that is used twice adds what comes back. Holds for every policy;
// the composed laws use `ties` first, last and all and divisors 4, 2 and -1, so that what is between two
// nodes is a double.
#include "properties/cases.hpp"

namespace poolproof::laws {
namespace {

const Scope dyadic_scope{.ops = {Op::max_pool, Op::adaptive_max_pool, Op::global_max_pool, Op::avg_pool},
                         .ties = {Ties::first, Ties::last, Ties::all},
                         .max_rank = 2};

using Numbers = std::vector<Rational>;

std::size_t slot(Index node) { return static_cast<std::size_t>(node + 1); }

/// The node alone, over what it is given.
Case alone(const Case& graph, const Node& node, Tensor input) {
    Case c;
    c.op = node.op;
    c.attrs = node.attrs;
    c.policy = graph.policy;
    c.input = std::move(input);
    return c;
}

Numbers sum(const Numbers& a, const Numbers& b) {
    Numbers r = a;
    for (std::size_t k = 0; k < b.size(); ++k) r[k] += b[k];
    return r;
}

/// The graph's input and every node's output.
std::vector<Tensor> intermediates(const Case& c) {
    std::vector<Tensor> r{c.input};
    for (const Node& n : c.nodes) {
        const Tensor& x = r[slot(n.inputs[0])];
        if (n.op == Op::add) {
            r.push_back(tensor(x.shape, sum(numbers(x), numbers(r[slot(n.inputs[1])]))));
            continue;
        }
        const Case one = alone(c, n, x);
        r.push_back(tensor(output_shape(one), finite<Rational>(one)));
    }
    return r;
}

void note(const Case& c) {
    std::vector<int> uses(c.nodes.size() + 1);
    for (const Node& n : c.nodes)
        for (const Index i : n.inputs) ++uses[slot(i)];
    seen("a sum", std::any_of(c.nodes.begin(), c.nodes.end(), [](const Node& n) { return n.op == Op::add; }));
    seen("a node used twice", std::any_of(uses.begin() + 1, uses.end(), [](int n) { return n > 1; }));
    seen("an unused node", std::any_of(uses.begin() + 1, uses.end() - 1, [](int n) { return n == 0; }));
}

RC_GTEST_PROP(Graph, ValueIsThatOfItsNodesComposedGAdd, ()) {
    const Case c = some_graph(dyadic_scope, true);
    note(c);
    RC_ASSERT(finite<Rational>(c) == numbers(intermediates(c).back()));
}

RC_GTEST_PROP(Graph, PushIsThatOfItsNodesComposedGAdd, ()) {
    const Case c = some_graph(dyadic_scope, true);
    note(c);
    const auto values = intermediates(c);
    std::vector<Tensor> tangents{some_tensor(c.input.shape, Spread::tied)};
    for (const Node& n : c.nodes) {
        const Tensor& t = tangents[slot(n.inputs[0])];
        if (n.op == Op::add) {
            tangents.push_back(tensor(t.shape, sum(numbers(t), numbers(tangents[slot(n.inputs[1])]))));
            continue;
        }
        const Case one = as_jvp(alone(c, n, values[slot(n.inputs[0])]), t);
        tangents.push_back(tensor(output_shape(one), finite<Rational>(one)));
    }
    RC_ASSERT(finite<Rational>(as_jvp(c, tangents.front())) == numbers(tangents.back()));
}

RC_GTEST_PROP(Graph, PullIsThatOfItsNodesComposedBackwardsGAddGVjp, ()) {
    const Case c = some_graph(dyadic_scope, true);
    note(c);
    const auto values = intermediates(c);
    std::vector<Numbers> cotangents;
    for (const Tensor& v : values) cotangents.emplace_back(static_cast<std::size_t>(v.size()));
    const Tensor g = some_tensor(values.back().shape, Spread::tied);
    cotangents.back() = numbers(g);
    for (std::size_t k = c.nodes.size(); k-- > 0;) {
        const Node& n = c.nodes[k];
        const Numbers from = cotangents[k + 1];
        if (n.op == Op::add) {
            for (const Index i : n.inputs) cotangents[slot(i)] = sum(cotangents[slot(i)], from);
            continue;
        }
        const Index i = n.inputs[0];
        const Case one = as_vjp(alone(c, n, values[slot(i)]), tensor(values[k + 1].shape, from));
        cotangents[slot(i)] = sum(cotangents[slot(i)], finite<Rational>(one));
    }
    RC_ASSERT(finite<Rational>(as_vjp(c, g)) == cotangents.front());
}

RC_GTEST_PROP(Graph, OfOneNodeIsThatNode, ()) {
    const Case c = some_case({.ops = rational_ops, .ties = every_tie});
    Case graph = c;
    graph.op = Op::graph;
    graph.attrs = {};
    graph.nodes = {{c.op, c.attrs, {-1}}};
    const Tensor t = some_tensor(c.input.shape, Spread::tied), g = some_tensor(output_shape(c), Spread::tied);
    const std::pair<Case, Case> pairs[] = {
        {c, graph}, {as_jvp(c, t), as_jvp(graph, t)}, {as_vjp(c, g), as_vjp(graph, g)}};
    for (const auto& [single, node] : pairs) {
        const auto a = evaluated<Rational>(single), b = evaluated<Rational>(node);
        for (std::size_t k = 0; k < a.size(); ++k) {
            seen("an undetermined value", a[k].kind == Kind::undetermined);
            RC_ASSERT(a[k].kind == b[k].kind && a[k].value == b[k].value);
        }
    }
}

RC_GTEST_PROP(Graph, NodeUsedTwiceAddsItsGradientsGAddGVjp, ()) {
    const Case c = some_case({.ops = {Op::max_pool, Op::avg_pool, Op::smooth_max_pool}, .small = true});
    Case doubled = c;
    doubled.op = Op::graph;
    doubled.attrs = {};
    doubled.nodes = {{c.op, c.attrs, {-1}}, {Op::add, {}, {0, 0}}};
    const Tensor g = some_tensor(output_shape(c), Spread::tied);
    const auto once = finite<Real>(as_vjp(c, g)), twice = finite<Real>(as_vjp(doubled, g));
    for (std::size_t k = 0; k < once.size(); ++k) RC_ASSERT(compare(twice[k], once[k] + once[k]) == 0);
}

RC_GTEST_PROP(Graph, SumOfTwoNodesPullsTheSumOfTheirGradientsGAddGVjp, ()) {
    const Case c = some_case({.ops = {Op::max_pool}, .small = true});
    Case average = c, both = c;
    average.op = Op::avg_pool;
    both.op = Op::graph;
    both.attrs = {};
    both.nodes = {{Op::max_pool, c.attrs, {-1}}, {Op::avg_pool, c.attrs, {-1}}, {Op::add, {}, {0, 1}}};
    const Tensor g = some_tensor(output_shape(c), Spread::tied);
    RC_ASSERT(finite<Rational>(as_vjp(both, g)) ==
              sum(finite<Rational>(as_vjp(c, g)), finite<Rational>(as_vjp(average, g))));
}

RC_GTEST_PROP(Graph, NodeThatIsNotUsedChangesNothing, ()) {
    const Case c = some_graph({.ops = rational_ops, .max_rank = 2});
    Case longer = c;
    Node unused;
    unused.op = Op::global_max_pool;
    unused.attrs.spatial_rank = 1;
    unused.inputs = {-1};
    longer.nodes.insert(longer.nodes.begin(), unused);
    for (std::size_t k = 1; k < longer.nodes.size(); ++k)
        for (Index& i : longer.nodes[k].inputs) i += i >= 0 ? 1 : 0;
    const Tensor g = some_tensor(output_shape(c), Spread::tied);
    RC_ASSERT(finite<Rational>(longer) == finite<Rational>(c));
    RC_ASSERT(finite<Rational>(as_vjp(longer, g)) == finite<Rational>(as_vjp(c, g)));
}

/// Values for every policy; derivatives where nothing ties. Windows that tile the input, of one size.
RC_GTEST_PROP(Graph, PoolingInTwoStepsIsPoolingInOneGVjpS1V1M1, ()) {
    Case c;
    c.op = one_of(std::vector{Op::max_pool, Op::avg_pool, Op::smooth_max_pool});
    // Two steps of a smooth maximum multiply what has to be expanded to prove two derivatives equal.
    const Index most = c.op == Op::smooth_max_pool ? 1 : 2;
    const Index rank = between(1, most), first = between(1, 1 + most), second = between(1, 2),
                outs = between(1, 2);
    const auto list = [&](Index n) { return std::vector<Index>(static_cast<std::size_t>(rank), n); };
    c.attrs.kernel = list(first * second);
    if (c.op == Op::smooth_max_pool) c.attrs.beta = std::bit_cast<Bits>(one_of(std::vector{1.0, -2.0, 0.5}));
    c.input = some_tensor(list(first * second * outs), Spread::distinct);
    Case steps = c;
    steps.op = Op::graph;
    steps.attrs = {};
    Node inner, outer;
    inner.op = outer.op = c.op;
    inner.attrs = outer.attrs = c.attrs;
    inner.attrs.kernel = list(first);
    outer.attrs.kernel = list(second);
    inner.inputs = {-1};
    outer.inputs = {0};
    steps.nodes = {inner, outer};
    seen("two steps of a smooth maximum", c.op == Op::smooth_max_pool && first > 1 && second > 1);
    const Tensor t = some_tensor(c.input.shape, Spread::tied), g = some_tensor(output_shape(c), Spread::tied);
    const std::pair<Case, Case> pairs[] = {
        {c, steps}, {as_jvp(c, t), as_jvp(steps, t)}, {as_vjp(c, g), as_vjp(steps, g)}};
    for (const auto& [one, two] : pairs) {
        const auto a = finite<Real>(one), b = finite<Real>(two);
        for (std::size_t k = 0; k < a.size(); ++k) RC_ASSERT(compare(a[k], b[k]) == 0);
    }
}

}  // namespace
}  // namespace poolproof::laws

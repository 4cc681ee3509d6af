// SPDX-License-Identifier: Apache-2.0
#include <poolproof/graph.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace poolproof {
namespace {

using List = std::vector<Index>;

/// The shape of a call's result over [3, 8, 8]; [-1] for a rejection.
Shape shape_of(const std::function<Checked<Var>(GraphBuilder&, Var)>& call) {
    GraphBuilder g(Format::f32, {3, 8, 8});
    const auto y = call(g, g.input());
    return y ? g.shape(*y) : Shape{-1};
}

TEST(GraphBuilder, ShapesEachNode) {
    EXPECT_EQ(shape_of([](auto& g, Var x) {
                  return g.max_pool(x, {2, 3}, {2, 1}, {0, 1});
              }),
              (Shape{3, 4, 8}));
    EXPECT_EQ(shape_of([](auto& g, Var x) {
                  return g.avg_pool(x, {2, 3}, {2, 1}, {0, 1});
              }),
              (Shape{3, 4, 8}));
    EXPECT_EQ(shape_of([](auto& g, Var x) {
                  return g.smooth_max_pool(x, {2, 3}, {2, 1}, {0, 1}, -0.5);
              }),
              (Shape{3, 4, 8}));
    EXPECT_EQ(shape_of([](auto& g, Var x) { return g.max_pool2d(x, 2, 3, 2); }), (Shape{3, 4, 3}));
    EXPECT_EQ(shape_of([](auto& g, Var x) { return g.max_pool2d_pad(x, 2, 3, 2, 1); }), (Shape{3, 5, 4}));
    EXPECT_EQ(shape_of([](auto& g, Var x) { return g.smooth_max_pool2d(x, 2, 3, 2, 1); }), (Shape{3, 4, 3}));
    EXPECT_EQ(shape_of([](auto& g, Var x) { return g.avg_pool2d(x, 2, 3, 2); }), (Shape{3, 4, 3}));
    EXPECT_EQ(shape_of([](auto& g, Var x) { return g.avg_pool2d_pad(x, 2, 3, 2, 1); }), (Shape{3, 5, 4}));
    EXPECT_EQ(shape_of([](auto& g, Var x) { return g.adaptive_avg_pool(x, {5, 9}); }), (Shape{3, 5, 9}));
    EXPECT_EQ(shape_of([](auto& g, Var x) { return g.adaptive_max_pool(x, {5}); }), (Shape{3, 8, 5}));
    EXPECT_EQ(shape_of([](auto& g, Var x) { return g.global_avg_pool(x, 2); }), (Shape{3, 1, 1}));
    EXPECT_EQ(shape_of([](auto& g, Var x) { return g.global_max_pool(x, 2, false); }), (Shape{3}));
    EXPECT_EQ(shape_of([](auto& g, Var x) { return g.add(x, x); }), (Shape{3, 8, 8}));
}

TEST(GraphBuilder, WritesTheNodesOfACase) {
    GraphBuilder g(Format::f64, {1, 4, 4});
    const Var a = *g.max_pool2d_pad(g.input(), 2, 3, 1, 1);
    const Var b = *g.smooth_max_pool(a, {2}, {1}, {0}, 1.5);
    const Var c = *g.add(b, b);
    EXPECT_EQ(c.node, 2);
    ASSERT_EQ(g.nodes().size(), 3U);
    EXPECT_EQ(g.nodes()[0].op, Op::max_pool);
    EXPECT_EQ(g.nodes()[0].inputs, List{-1});
    EXPECT_EQ(g.nodes()[0].attrs.kernel, (List{2, 3}));
    EXPECT_EQ(g.nodes()[0].attrs.stride, (List{1, 1}));
    EXPECT_EQ(g.nodes()[0].attrs.pad_begin, (List{1, 1}));
    EXPECT_EQ(g.nodes()[0].attrs.pad_end, std::nullopt);
    EXPECT_EQ(g.nodes()[1].attrs.beta, Bits{0x3FF8000000000000});
    EXPECT_EQ(g.nodes()[2].inputs, (List{1, 1}));
    EXPECT_EQ(g.shape(g.input()), (Shape{1, 4, 4}));
    EXPECT_EQ(g.shape(a), (Shape{1, 5, 4}));
    EXPECT_EQ(g.shape(c), (Shape{1, 5, 3}));
}

TEST(GraphBuilder, RefusesAndNamesTheNodeAndLeavesTheGraphAsItWas) {
    GraphBuilder g(Format::f32, {1, 4, 4});
    const Var x = *g.max_pool2d(g.input(), 1, 1, 1);
    const Var small = *g.max_pool2d(x, 2, 2, 2);
    const auto before = g.nodes();
    const auto refused = [&](const Checked<Var>& call) {
        EXPECT_EQ(g.nodes(), before);
        return call ? "accepted" : call.rejection().field;
    };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(refused(g.max_pool2d(x, 0, 1, 1)), "nodes[2].attrs.kernel[0]");
    EXPECT_EQ(refused(g.max_pool2d(x, 1, 0, 1)), "nodes[2].attrs.kernel[1]");
    EXPECT_EQ(refused(g.avg_pool2d(x, 2, 2, 0)), "nodes[2].attrs.stride[0]");
    EXPECT_EQ(refused(g.avg_pool2d_pad(x, 2, 2, 1, -1)), "nodes[2].attrs.pad_begin[0]");
    EXPECT_EQ(refused(g.max_pool(x, {2, 2, 2, 2}, {1, 1, 1, 1}, {0, 0, 0, 0})), "nodes[2].attrs.kernel");
    EXPECT_EQ(refused(g.max_pool(x, {2, 2}, {1}, {0, 0})), "nodes[2].attrs.stride");
    EXPECT_EQ(refused(g.avg_pool(x, {2}, {1}, {0, 0})), "nodes[2].attrs.pad_begin");
    EXPECT_EQ(refused(g.smooth_max_pool2d(x, 2, 2, 1, 0)), "nodes[2].attrs.beta");
    EXPECT_EQ(refused(g.smooth_max_pool2d(x, 2, 2, 1, -0.0)), "nodes[2].attrs.beta");
    EXPECT_EQ(refused(g.smooth_max_pool2d(x, 2, 2, 1, infinity)), "nodes[2].attrs.beta");
    EXPECT_EQ(refused(g.smooth_max_pool2d(x, 2, 2, 1, -infinity)), "nodes[2].attrs.beta");
    EXPECT_EQ(refused(g.smooth_max_pool2d(x, 2, 2, 1, std::numeric_limits<double>::quiet_NaN())),
              "nodes[2].attrs.beta");
    EXPECT_EQ(refused(g.smooth_max_pool(x, {2}, {1}, {0}, 1e39)), "nodes[2].attrs.beta");
    EXPECT_EQ(refused(g.smooth_max_pool(x, {2}, {1}, {0}, 1e-50)), "nodes[2].attrs.beta");
    EXPECT_EQ(refused(g.adaptive_avg_pool(x, {0})), "nodes[2].attrs.output_size[0]");
    EXPECT_EQ(refused(g.global_max_pool(x, 4)), "nodes[2].attrs.spatial_rank");
    EXPECT_EQ(refused(g.add(x, small)), "nodes[2].inputs");
    EXPECT_EQ(refused(g.add(x, Var{2})), "nodes[2].inputs");
    EXPECT_EQ(refused(g.max_pool2d(Var{9}, 1, 1, 1)), "nodes[2].input");
    EXPECT_EQ(refused(g.node({Op::graph, {}, {x.node}})), "nodes[2].op");
    EXPECT_EQ(g.max_pool2d(x, 1, 1, 1)->node, 2);  // and goes on
}

TEST(GraphBuilder, SettlesWhatFitsByItsProfileAndChoices) {
    const auto wide = [](const std::string& profile, const Choices& choices) {
        GraphBuilder g(Format::f32, {1, 2, 2}, profile, choices);
        return static_cast<bool>(g.max_pool2d(g.input(), 3, 3, 1));
    };
    Choices one_window;
    one_window.oversized_kernel = OversizedKernel::one_window;
    EXPECT_TRUE(wide("torchlean", {}));
    EXPECT_FALSE(wide("pytorch", {}));
    EXPECT_TRUE(wide("pytorch", one_window));
    EXPECT_FALSE(wide("no such profile", {}));
}

TEST(GraphBuilder, RoundsSharpnessToTheFormatOnce) {
    GraphBuilder g(Format::f16, {2});
    ASSERT_TRUE(g.smooth_max_pool(g.input(), {1}, {1}, {0}, 0.1));
    EXPECT_EQ(g.nodes()[0].attrs.beta, Bits{0x2E66});
}

}  // namespace
}  // namespace poolproof

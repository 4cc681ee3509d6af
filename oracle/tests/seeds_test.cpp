// SPDX-License-Identifier: Apache-2.0
// Every definition of the five documents, under its own name, in one example worked by hand. docs/SPEC.md,
// section 12, says which case each definition is.
#include "oracle/spec/window.hpp"
#include "oracle/tests/answers.hpp"

#include <poolproof/graph.hpp>

#include <gtest/gtest.h>

namespace poolproof {
namespace {

const std::string log2 = "0.69314718055994530941..", log3 = "1.09861228866810969139..";

// N-D pooling
// -------------------------------------------------------------------------------------------------------------

// One axis of four cells; the windows are (pad 3), (1 2), (2 pad).
const Question max_1d{"max_pool", R"("kernel":[2],"stride":[2],"pad_begin":[1])", "4", "3,1,2,2"};
const Question avg_1d{"avg_pool", R"("kernel":[2],"stride":[2],"pad_begin":[1])", "4", "3,1,2,2"};

// A 2x2x2 block, one window, in one and in two channels. The largest is 9, twice in the second channel.
const Question max_3d{"max_pool", R"("kernel":[2,2,2])", "2,2,2", "1,2,3,4,5,6,9,8"};
const Question max_3d_channels{"max_pool", R"("kernel":[2,2,2])", "2,2,2,2",
                               "1,2,3,4,5,6,9,8, 9,0,0,0,0,0,0,9"};
const Question avg_3d{"avg_pool", R"("kernel":[2,2,2])", "2,2,2", "1,2,3,4,5,6,9,8"};
const Question avg_3d_channels{"avg_pool", R"("kernel":[2,2,2])", "2,2,2,2",
                               "1,2,3,4,5,6,9,8, 9,0,0,0,0,0,0,9"};

// Two cells, unpadded and padded; equal values, so that every weight is a plain fraction.
const Question smooth_1d{"smooth_max_pool", R"("kernel":[2],"stride":[1],"pad_begin":[1],"beta":1)", "2",
                         "0,0"};
const Question smooth_channels{"smooth_max_pool", R"("kernel":[2],"beta":-2)", "2,2", "0,0,5,5"};

TEST(NDimensional, ConfigurationHasOneKernelStrideAndPaddingPerAxisW1) {
    const Question q{"max_pool", R"("kernel":[1,3],"stride":[2,1],"pad_begin":[0,1])", "3,3",
                     "1,2,3,4,5,6,9,8,7"};
    EXPECT_EQ(q.forward(), "[2,3] 2 3 3 9 9 8");
    EXPECT_EQ((Question{"avg_pool", q.attrs, q.shape, q.data}).forward(), "[2,3] 1 2 5/3 17/3 8 5");
}

TEST(NDimensional, PoolOutSpatialPadIsTheFloorOfTheQuotientPlusOneWOut) {
    // (5+2-3)/2+1 and (4+0-2)/3+1.
    const Question q{"avg_pool", R"("kernel":[3,2],"stride":[2,3],"pad_begin":[1,0])", "2,5,4",
                     "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"};
    EXPECT_EQ(q.forward(), "[2,3,1] 0 0 0 0 0 0");
}

TEST(NDimensional, LookupForAveragesReadsZeroInPaddingAndCountsItV1) {
    EXPECT_EQ(avg_1d.forward(), "[3] 3/2 3/2 1");
}

TEST(NDimensional, LookupForMaximaReadsNothingInPaddingMPad) {
    EXPECT_EQ((Question{"max_pool", max_1d.attrs, "4", "-3,-1,-2,-2"}).forward(), "[3] -3 -1 -2");
}

TEST(NDimensional, MaxPoolValueIsTheLargestCellM1) { EXPECT_EQ(max_3d.forward(), "[1,1,1] 9"); }

TEST(NDimensional, MaxPoolValueJvpReadsTheTangentAtTheFirstWinnerMTie) {
    const Question tied{"max_pool", R"("kernel":[2,2])", "2,2", "1,7,7,7"};
    EXPECT_EQ(tied.jvp("1,10,100,1000"), "[1,1] 10");
}

TEST(NDimensional, SmoothMaxPoolValueIsTheLogOfTheSumOverBetaS1) {
    const Question q{"smooth_max_pool", R"("kernel":[3],"beta":2)", "3", "1,1,1"};
    EXPECT_EQ(q.forward(), "[1] 1.54930614433405484569..");  // 1 + log(3)/2
    const Question single{"smooth_max_pool", R"("kernel":[1],"beta":-3)", "2", "0.75,-0.5"};
    EXPECT_EQ(single.forward(), "[2] 3/4 -1/2");
}

TEST(NDimensional, SmoothMaxPoolValueJvpWeighsTheTangentsSJvp) {
    const Question q{"smooth_max_pool", R"("kernel":[3],"beta":2)", "3", "1,1,1"};
    EXPECT_EQ(q.jvp("1,2,4"), "[1] 7/3");
}

TEST(NDimensional, MaxPoolSpatialSpecM1) { EXPECT_EQ(max_1d.forward(), "[3] 3 2 2"); }
TEST(NDimensional, MaxPoolSpatialJvpSpecMTie) { EXPECT_EQ(max_1d.jvp("1,10,100,1000"), "[3] 1 100 1000"); }
TEST(NDimensional, MaxPoolSpatialBackwardSpecMTie) { EXPECT_EQ(max_1d.vjp("1,10,100"), "[4] 1 0 10 100"); }

TEST(NDimensional, AvgPoolSpatialSpecV1) { EXPECT_EQ(avg_1d.forward(), "[3] 3/2 3/2 1"); }
TEST(NDimensional, AvgPoolSpatialBackwardSpecDividesByTheFullWindowVPad) {
    EXPECT_EQ(avg_1d.vjp("1,10,100"), "[4] 1/2 5 5 50");
}

TEST(NDimensional, SmoothMaxPoolSpatialSpecSPad) {
    EXPECT_EQ(smooth_1d.forward(), "[3] " + log2 + " " + log2 + " " + log2);
}
TEST(NDimensional, SmoothMaxPoolSpatialJvpSpecSJvp) { EXPECT_EQ(smooth_1d.jvp("1,3"), "[3] 1/2 2 3/2"); }
TEST(NDimensional, SmoothMaxPoolSpatialBackwardSpecSJvp) {
    EXPECT_EQ(smooth_1d.vjp("1,10,100"), "[2] 11/2 55");
}

TEST(NDimensional, MaxPoolSpecM1) { EXPECT_EQ(max_3d_channels.forward(), "[2,1,1,1] 9 9"); }
TEST(NDimensional, MaxPoolJvpSpecMTie) {
    EXPECT_EQ(max_3d_channels.jvp("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"), "[2,1,1,1] 7 9");
}
TEST(NDimensional, MaxPoolBackwardSpecMTie) {
    EXPECT_EQ(max_3d_channels.vjp("5,7"), "[2,2,2,2] 0 0 0 0 0 0 5 0 7 0 0 0 0 0 0 0");
}

TEST(NDimensional, AvgPoolSpecV1) {
    EXPECT_EQ(avg_3d.forward(), "[1,1,1] 19/4");
    EXPECT_EQ(avg_3d_channels.forward(), "[2,1,1,1] 19/4 9/4");
}
TEST(NDimensional, AvgPoolBackwardSpecVDiv) {
    EXPECT_EQ(avg_3d_channels.vjp("2,-8"),
              "[2,2,2,2] 1/4 1/4 1/4 1/4 1/4 1/4 1/4 1/4 -1 -1 -1 -1 -1 -1 -1 -1");
}

TEST(NDimensional, SmoothMaxPoolSpecS1) {
    EXPECT_EQ(smooth_channels.forward(), "[2,1] -0.34657359027997265470.. 4.65342640972002734529..");
}
TEST(NDimensional, SmoothMaxPoolJvpSpecSJvp) { EXPECT_EQ(smooth_channels.jvp("1,2,3,7"), "[2,1] 3/2 5"); }
TEST(NDimensional, SmoothMaxPoolBackwardSpecSJvp) {
    EXPECT_EQ(smooth_channels.vjp("1,-3"), "[2,2] 1/2 1/2 -3/2 -3/2");
}

// 2-D pooling: one stride, one padding
// -------------------------------------------------------------------------------------------------------------

const std::string unpadded = R"("kernel":[2,2],"stride":[1,1])";
const std::string padded = R"("kernel":[2,2],"stride":[2,2],"pad_begin":[1,1])";
const std::string reads_zeros = R"("policy":{"max_padding":"zero"})";

// The row 0, 5, 3 is the one that a scan row by row gets wrong.
const Question max_2d{"max_pool", unpadded, "2,3", "0,5,3,5,1,2", reads_zeros};
const Question max_2d_multi{"max_pool", unpadded, "2,2,3", "0,5,3,5,1,2, -1,-2,-3,-4,-5,-6", reads_zeros};
const Question avg_2d{"avg_pool", unpadded, "2,3", "0,5,3,5,1,2"};
const Question avg_2d_multi{"avg_pool", unpadded, "2,2,3", "0,5,3,5,1,2, -1,-2,-3,-4,-5,-6"};
const Question smooth_2d{"smooth_max_pool", unpadded + R"(,"beta":2)", "2,3", "1,1,1,1,1,1"};
const Question smooth_2d_multi{"smooth_max_pool", unpadded + R"(,"beta":2)", "2,2,2", "1,1,1,1,0,0,0,0"};

TEST(TwoDimensional, MaxPool2DSpecHasAKernelOfTwoAndOneStride) {
    const Question q{"max_pool", R"("kernel":[1,2],"stride":[2,2])", "3,4", "1,2,3,4,5,6,7,8,9,10,12,11",
                     reads_zeros};
    EXPECT_EQ(q.forward(), "[2,2] 2 4 10 12");
}

TEST(TwoDimensional, AvgPool2DSpecDividesByTheNumberOfTapsW2) {
    const Question q{"avg_pool", R"("kernel":[1,3],"stride":[2,2])", "3,4", "1,2,3,4,5,6,7,8,9,10,12,11"};
    EXPECT_EQ(q.forward(), "[2,1] 2 31/3");
}

/// The shape alone.
std::string shape_of(const std::string& attrs, const std::string& shape, Index cells) {
    std::string zeros = "0";
    for (Index k = 1; k < cells; ++k) zeros += ",0";
    const std::string a = Question{"max_pool", attrs, shape, zeros}.forward();
    return a.substr(0, a.find(' '));
}

TEST(TwoDimensional, Pool2dOutShapeWOut) {
    EXPECT_EQ(shape_of(R"("kernel":[2,3],"stride":[2,2])", "5,6", 30), "[2,2]");
}
TEST(TwoDimensional, Pool2dMultiOutShapeWOut) {
    EXPECT_EQ(shape_of(R"("kernel":[2,3],"stride":[2,2])", "2,5,6", 60), "[2,2,2]");
}
TEST(TwoDimensional, Pool2dOutShapePadWOut) { EXPECT_EQ(shape_of(padded, "5,6", 30), "[3,4]"); }
TEST(TwoDimensional, Pool2dMultiOutShapePadWOut) { EXPECT_EQ(shape_of(padded, "2,5,6", 60), "[2,3,4]"); }

TEST(TwoDimensional, MaxPool2dSpecM1) { EXPECT_EQ(max_2d.forward(), "[1,2] 5 5"); }
TEST(TwoDimensional, MaxPool2dSpecReadsZerosPastAnInputThatIsTooSmallMPad) {
    const Question q{"max_pool", R"("kernel":[2,2],"stride":[2,2])", "1,2", "-1,-2", reads_zeros};
    EXPECT_EQ(q.forward(), "[1,1] 0");
}
TEST(TwoDimensional, MaxPool2dJvpSpecMTie) { EXPECT_EQ(max_2d.jvp("1,2,3,4,5,6"), "[1,2] 2 2"); }
TEST(TwoDimensional, MaxPool2dBackwardSpecAddsWhereWindowsOverlapMTie) {
    EXPECT_EQ(max_2d.vjp("1,10"), "[2,3] 0 11 0 0 0 0");
}
TEST(TwoDimensional, MaxPool2dMultiSpecM1) { EXPECT_EQ(max_2d_multi.forward(), "[2,1,2] 5 5 -1 -2"); }
TEST(TwoDimensional, MaxPool2dMultiJvpSpecMTie) {
    EXPECT_EQ(max_2d_multi.jvp("1,2,3,4,5,6,7,8,9,10,11,12"), "[2,1,2] 2 2 7 8");
}
TEST(TwoDimensional, MaxPool2dMultiBackwardSpecMTie) {
    EXPECT_EQ(max_2d_multi.vjp("1,10,100,1000"), "[2,2,3] 0 11 0 0 0 0 100 1000 0 0 0 0");
}
TEST(TwoDimensional, PaddedMaxPool2dIgnoresPaddingMPad) {
    const Question q{"max_pool", padded, "2,2", "-1,-2,-3,-4"};
    EXPECT_EQ(q.forward(), "[2,2] -1 -2 -3 -4");
    EXPECT_EQ(q.vjp("1,2,3,4"), "[2,2] 1 2 3 4");
}

TEST(TwoDimensional, AvgPool2dSpecV1) { EXPECT_EQ(avg_2d.forward(), "[1,2] 11/4 11/4"); }
TEST(TwoDimensional, AvgPool2dMultiSpecV1) { EXPECT_EQ(avg_2d_multi.forward(), "[2,1,2] 11/4 11/4 -3 -4"); }
TEST(TwoDimensional, AvgPool2dBackwardSpecVDiv) {
    EXPECT_EQ(avg_2d.vjp("1,10"), "[2,3] 1/4 11/4 5/2 1/4 11/4 5/2");
}
TEST(TwoDimensional, PaddedAvgPool2dCountsPaddedZerosVPad) {
    const Question q{"avg_pool", padded, "2,2", "-1,-2,-3,-5"};
    EXPECT_EQ(q.forward(), "[2,2] -1/4 -1/2 -3/4 -5/4");
    EXPECT_EQ(q.vjp("1,2,3,4"), "[2,2] 1/4 1/2 3/4 1");
}

TEST(TwoDimensional, SmoothMaxPool2dSpecS1) {
    EXPECT_EQ(smooth_2d.forward(),
              "[1,2] 1.69314718055994530941.. 1.69314718055994530941..");  // 1 + log(4)/2
}
TEST(TwoDimensional, SmoothMaxPool2dJvpSpecSJvp) {
    EXPECT_EQ(smooth_2d.jvp("1,2,4,8,16,32"), "[1,2] 27/4 27/2");
}
TEST(TwoDimensional, SmoothMaxPool2dBackwardSpecSJvp) {
    EXPECT_EQ(smooth_2d.vjp("4,40"), "[2,3] 1 11 10 1 11 10");
}
TEST(TwoDimensional, SmoothMaxPool2dMultiSpecS1) {
    EXPECT_EQ(smooth_2d_multi.forward(), "[2,1,1] 1.69314718055994530941.. " + log2);
}
TEST(TwoDimensional, SmoothMaxPool2dMultiJvpSpecSJvp) {
    EXPECT_EQ(smooth_2d_multi.jvp("1,2,3,4,5,6,7,8"), "[2,1,1] 5/2 13/2");
}

TEST(TwoDimensional, AdaptiveStartAndAdaptiveEndOfFiveCellsInThreeBinsA1A2) {
    Axis a;
    a.extent = 5;
    a.out = 3;
    a.bins = true;
    std::vector<Index> starts, ends;
    for (Index i = 0; i < 3; ++i) {
        starts.push_back(spec::axis_window(a, i).first);
        ends.push_back(starts.back() + spec::axis_window(a, i).count);
    }
    EXPECT_EQ(starts, (std::vector<Index>{0, 1, 3}));
    EXPECT_EQ(ends, (std::vector<Index>{2, 4, 5}));
}

TEST(TwoDimensional, AdaptiveAvgPool2dSpecA1A2V1) {
    // Rows {0,1} {1,2}, columns {0,1} {1,2}; two channels.
    const Question q{"adaptive_avg_pool", R"("output_size":[2,2])", "2,3,3",
                     "1,2,3,4,5,6,7,8,10, 0,0,0,0,4,0,0,0,0"};
    EXPECT_EQ(q.forward(), "[2,2,2] 3 4 6 29/4 1 1 1 1");
}

TEST(TwoDimensional, AdaptiveMaxPool2dSpecA1A2M1) {
    const Question q{"adaptive_max_pool", R"("output_size":[2,2])", "2,3,3",
                     "1,2,3,4,5,6,7,8,10, -9,-8,-7,-6,-5,-4,-3,-2,-1"};
    EXPECT_EQ(q.forward(), "[2,2,2] 5 6 8 10 -5 -4 -2 -1");
}

// GraphM: the builders, each as a graph of one node, forward, JVP and VJP
// -------------------------------------------------------------------------------------------------------------

/// The three answers of a graph over one channel of 2x3.
struct Payloads {
    std::string forward, jvp, vjp;
    friend bool operator==(const Payloads&, const Payloads&) = default;
};
std::ostream& operator<<(std::ostream& out, const Payloads& p) {
    return out << p.forward << "; " << p.jvp << "; " << p.vjp;
}

template <class Build> Payloads payloads(const Shape& shape, const std::string& data, Build build) {
    GraphBuilder g(Format::f64, shape);
    const Checked<Var> y = build(g, g.input());
    if (!y) return {"rejected " + y.rejection().field, {}, {}};
    const auto tensor = [](const Shape& s, const std::string& values) {
        return case_of(R"({"op":"max_pool","attrs":{"kernel":[1]},"input":{"shape":)" + shown(s) +
                       ",\"data\":[" + values + "]}}")
            .input;
    };
    // Tangent and cotangent count 1, 2, 3, ..
    const auto counting = [&](const Shape& s) {
        std::string values;
        for (Index k = 1; k <= size(s); ++k) values += (k > 1 ? "," : "") + std::to_string(k);
        return tensor(s, values);
    };
    Case c;
    c.op = Op::graph;
    c.nodes = g.nodes();
    c.input = tensor(shape, data);
    Payloads p;
    p.forward = answer(c);
    c.mode = Mode::jvp;
    c.tangent = counting(shape);
    p.jvp = answer(c);
    c.mode = Mode::vjp;
    c.tangent.reset();
    c.cotangent = counting(g.shape(*y));
    p.vjp = answer(c);
    return p;
}

const Shape image{1, 2, 3};
const std::string pixels = "0,5,3,5,1,2", ones = "1,1,1,1,1,1";

TEST(GraphM, MaxPoolM1MTie) {
    EXPECT_EQ(payloads(image, pixels,
                       [](GraphBuilder& g, Var x) {
                           return g.max_pool(x, {2, 2}, {1, 1}, {0, 0});
                       }),
              (Payloads{"[1,1,2] 5 5", "[1,1,2] 2 2", "[1,2,3] 0 3 0 0 0 0"}));
}

TEST(GraphM, AvgPoolV1) {
    EXPECT_EQ(
        payloads(image, pixels,
                 [](GraphBuilder& g, Var x) {
                     return g.avg_pool(x, {1, 3}, {1, 1}, {0, 1});
                 }),
        (Payloads{"[1,2,3] 5/3 8/3 8/3 2 8/3 1", "[1,2,3] 1 2 5/3 3 5 11/3", "[1,2,3] 1 2 5/3 3 5 11/3"}));
}

TEST(GraphM, SmoothMaxPoolS1SJvp) {
    EXPECT_EQ(payloads({1, 2}, "0,0",
                       [](GraphBuilder& g, Var x) { return g.smooth_max_pool(x, {3}, {1}, {1}, 1); }),
              (Payloads{"[1,2] " + log3 + " " + log3, "[1,2] 1 1", "[1,2] 1 1"}));
}

TEST(GraphM, MaxPool2dM1MTie) {
    EXPECT_EQ(payloads(image, pixels, [](GraphBuilder& g, Var x) { return g.max_pool2d(x, 2, 1, 1); }),
              (Payloads{"[1,1,3] 5 5 3", "[1,1,3] 4 2 3", "[1,2,3] 0 2 3 1 0 0"}));
}

TEST(GraphM, MaxPool2dPadMPad) {
    EXPECT_EQ(payloads({1, 2, 2}, "-1,-2,-3,-4",
                       [](GraphBuilder& g, Var x) { return g.max_pool2d_pad(x, 2, 2, 2, 1); }),
              (Payloads{"[1,2,2] -1 -2 -3 -4", "[1,2,2] 1 2 3 4", "[1,2,2] 1 2 3 4"}));
}

TEST(GraphM, SmoothMaxPool2dS1SJvp) {
    EXPECT_EQ(
        payloads(image, ones, [](GraphBuilder& g, Var x) { return g.smooth_max_pool2d(x, 2, 2, 1, 2); }),
        (Payloads{"[1,1,2] 1.69314718055994530941.. 1.69314718055994530941..", "[1,1,2] 3 4",
                  "[1,2,3] 1/4 3/4 1/2 1/4 3/4 1/2"}));
}

TEST(GraphM, AvgPool2dV1) {
    EXPECT_EQ(payloads(image, pixels, [](GraphBuilder& g, Var x) { return g.avg_pool2d(x, 2, 2, 1); }),
              (Payloads{"[1,1,2] 11/4 11/4", "[1,1,2] 3 4", "[1,2,3] 1/4 3/4 1/2 1/4 3/4 1/2"}));
}

TEST(GraphM, AvgPool2dPadVPad) {
    EXPECT_EQ(payloads({1, 2, 2}, "-1,-2,-3,-5",
                       [](GraphBuilder& g, Var x) { return g.avg_pool2d_pad(x, 2, 2, 2, 1); }),
              (Payloads{"[1,2,2] -1/4 -1/2 -3/4 -5/4", "[1,2,2] 1/4 1/2 3/4 1", "[1,2,2] 1/4 1/2 3/4 1"}));
}

TEST(GraphM, ComposesPayloadsAndAddsTheGradientsOfSeveralUsesGAddGVjp) {
    // y = max(x) + max(x): the maximum is used twice, the average not at all.
    EXPECT_EQ(payloads(image, pixels,
                       [](GraphBuilder& g, Var x) {
                           const Var m = *g.max_pool2d(x, 2, 2, 1);
                           (void)*g.avg_pool2d(x, 2, 2, 1);
                           return g.add(m, m);
                       }),
              (Payloads{"[1,1,2] 10 10", "[1,1,2] 4 4", "[1,2,3] 0 6 0 0 0 0"}));
}

// Global pooling
// -------------------------------------------------------------------------------------------------------------

const std::string one_by_one = R"("spatial_rank":2)", flat = R"("spatial_rank":2,"keepdims":false)";
const std::string two_channels = "1,2,3,4, 7,0,7,0";

Question global(const std::string& op, const std::string& attrs, const std::string& rest = "") {
    return {op, attrs, "2,2,2", two_channels, rest};
}

TEST(Global, GlobalAvgPool2DSpecAndGlobalMaxPool2DSpecKeepAOneByOneGridOrFlatten) {
    EXPECT_EQ(global("global_avg_pool", one_by_one).forward().substr(0, 7), "[2,1,1]");
    EXPECT_EQ(global("global_max_pool", one_by_one).forward().substr(0, 7), "[2,1,1]");
    EXPECT_EQ(global("global_avg_pool", flat).forward().substr(0, 3), "[2]");
    EXPECT_EQ(global("global_max_pool", flat).forward().substr(0, 3), "[2]");
}

TEST(Global, ReduceSpatialAndGlobalChannelReduceFoldOneChannelToAScalar) {
    EXPECT_EQ((Question{"global_avg_pool", flat, "2,3", "1,2,3,4,5,7"}).forward(), "[] 11/3");
}

TEST(Global, ChannelSpatialMaxM1) {
    EXPECT_EQ((Question{"global_max_pool", flat, "2,3", "-1,-2,-3,-4,-5,-7"}).forward(), "[] -1");
}

TEST(Global, GlobalPool2d1x1AndGlobalPool2dFlatHoldTheSameValues) {
    EXPECT_EQ(global("global_avg_pool", one_by_one).forward(), "[2,1,1] 5/2 7/2");
    EXPECT_EQ(global("global_avg_pool", flat).forward(), "[2] 5/2 7/2");
}

TEST(Global, GlobalAvgPool2dSpecV1) {
    EXPECT_EQ(global("global_avg_pool", one_by_one).forward(), "[2,1,1] 5/2 7/2");
}
TEST(Global, GlobalMaxPool2dSpecM1) {
    EXPECT_EQ(global("global_max_pool", one_by_one).forward(), "[2,1,1] 4 7");
}
TEST(Global, GlobalAvgPool2dFlatSpecV1) {
    EXPECT_EQ(global("global_avg_pool", flat).forward(), "[2] 5/2 7/2");
}
TEST(Global, GlobalMaxPool2dFlatSpecM1) { EXPECT_EQ(global("global_max_pool", flat).forward(), "[2] 4 7"); }

TEST(Global, GlobalAvgPool2dBackwardSpecVReal) {
    EXPECT_EQ(global("global_avg_pool", one_by_one).vjp("1,8"), "[2,2,2] 1/4 1/4 1/4 1/4 2 2 2 2");
}
TEST(Global, GlobalAvgPool2dFlatBackwardSpecVReal) {
    EXPECT_EQ(global("global_avg_pool", flat).vjp("1,8"), "[2,2,2] 1/4 1/4 1/4 1/4 2 2 2 2");
}
TEST(Global, GlobalMaxPool2dBackwardSpecGivesEveryTieTheFullGradientMTie) {
    EXPECT_EQ(global("global_max_pool", one_by_one).vjp("1,8"), "[2,2,2] 0 0 0 1 8 0 8 0");
}
TEST(Global, GlobalMaxPool2dFlatBackwardSpecGivesEveryTieTheFullGradientMTie) {
    EXPECT_EQ(global("global_max_pool", flat).vjp("1,8"), "[2,2,2] 0 0 0 1 8 0 8 0");
}
TEST(Global, GlobalMaxPool2dBackwardDistributedSpecSplitsEvenlyMTie) {
    EXPECT_EQ(global("global_max_pool", one_by_one, R"("policy":{"ties":"split"})").vjp("1,8"),
              "[2,2,2] 0 0 0 1 4 0 4 0");
}

// tiny_pool: single precision, [batch, channels, ..], no padding
// -------------------------------------------------------------------------------------------------------------

const std::string tiny = R"("profile":"tiny_pool","dtype":"f32")";

// Length 5 and kernel 2: the stride is 2, and the last cell is dropped.
const Question tiny_max_1d{"max_pool", R"("kernel":[2],"return_indices":true)", "1,2,5",
                           "1,1,3,4,9, 5,2,0,7,8", tiny};
const Question tiny_avg_1d{"avg_pool", R"("kernel":[2])", "1,2,5", "1,1,3,4,9, 5,2,0,7,8", tiny};
// Height 3 and width 4, stride 1 in height: the rows overlap.
const Question tiny_max_2d{"max_pool",
                           R"("kernel":[2,2],"stride":[1,2],"return_indices":true,"index_form":"row_column")",
                           "1,1,3,4", "1,2,3,4,5,9,7,7,0,9,1,6", tiny};
const Question tiny_avg_2d{"avg_pool", R"("kernel":[2,2],"stride":[1,2])", "1,1,3,4",
                           "1,2,3,4,5,9,7,7,0,9,1,6", tiny};

/// A derivative does not report indices.
Question without_indices(Question q) {
    q.attrs = q.attrs.substr(0, q.attrs.find(R"(,"return_indices")"));
    return q;
}

TEST(TinyPool, MaxPool1DForwardRecordsAbsolutePositionsInItsMaskMIdx) {
    EXPECT_EQ(tiny_max_1d.forward(), "[1,2,2] 1 4 5 7 at 0 3 0 3");
}
TEST(TinyPool, MaxPool1DBackwardWritesToTheMaskedPositionsMTie) {
    EXPECT_EQ(without_indices(tiny_max_1d).vjp("1,10,100,1000"), "[1,2,5] 1 0 0 10 0 100 0 0 1000 0");
}
TEST(TinyPool, AvgPool1DForwardV1) { EXPECT_EQ(tiny_avg_1d.forward(), "[1,2,2] 1 7/2 7/2 7/2"); }
TEST(TinyPool, AvgPool1DBackwardSpreadsEvenlyVDiv) {
    EXPECT_EQ(tiny_avg_1d.vjp("1,10,100,1000"), "[1,2,5] 1/2 1/2 5 5 0 50 50 500 500 0");
}
TEST(TinyPool, MaxPool2DForwardPacksRowAndColumnInItsMaskMIdx) {
    EXPECT_EQ(tiny_max_2d.forward(), "[1,1,2,2] 9 7 9 7 at [1,1,2,4] 1 1 1 2 1 1 1 2");
}
TEST(TinyPool, MaxPool2DBackwardAddsWhereWindowsOverlapMTie) {
    EXPECT_EQ(without_indices(tiny_max_2d).vjp("1,10,100,1000"), "[1,1,3,4] 0 0 0 0 0 101 1010 0 0 0 0 0");
}
TEST(TinyPool, AvgPool2DForwardV1) { EXPECT_EQ(tiny_avg_2d.forward(), "[1,1,2,2] 17/4 21/4 23/4 21/4"); }
TEST(TinyPool, AvgPool2DBackwardAddsWhereWindowsOverlapVDiv) {
    EXPECT_EQ(tiny_avg_2d.vjp("4,8,40,80"), "[1,1,3,4] 1 1 2 2 11 11 22 22 10 10 20 20");
}
TEST(TinyPool, StrideDefaultsToTheKernelAndEdgeCellsAreDroppedWOut) {
    const Question q{"max_pool", R"("kernel":[3])", "1,1,8", "1,2,3,4,5,6,7,9", tiny};
    EXPECT_EQ(q.forward(), "[1,1,2] 3 6");
    EXPECT_EQ(q.vjp("1,2"), "[1,1,8] 0 0 1 0 0 2 0 0");
}
TEST(TinyPool, BackwardBelongsToItsOwnForward) {
    const auto first = without_indices(tiny_max_1d);
    Question second = first;
    second.data = "9,1,4,3,1, 2,5,7,0,8";  // every winner is the other cell
    const std::string before = first.vjp("1,1,1,1");
    EXPECT_EQ(second.forward(), "[1,2,2] 9 4 5 7");
    EXPECT_EQ(second.vjp("1,1,1,1"), "[1,2,5] 1 0 1 0 0 0 1 1 0 0");
    EXPECT_EQ(first.vjp("1,1,1,1"), before);
    EXPECT_EQ(before, "[1,2,5] 1 0 0 1 0 1 0 0 1 0");
}

}  // namespace
}  // namespace poolproof

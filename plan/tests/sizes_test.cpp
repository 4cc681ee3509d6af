// SPDX-License-Identifier: Apache-2.0
// Output sizes, by shape alone: no tensor is made.
#include <poolproof/plan.hpp>
#include <poolproof/rejection.hpp>

#include <gtest/gtest.h>

namespace poolproof {
namespace {

struct Sizes {
    Index extent, kernel, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;
    bool ceil = false;
    std::optional<AutoPad> auto_pad = {};
};

Checked<NodePlan> settled(const Sizes& s, const Choices& choices, const std::string& profile) {
    Node n;
    n.inputs = {-1};
    n.attrs.kernel = {{s.kernel}};
    n.attrs.stride = {{s.stride}};
    n.attrs.dilation = {{s.dilation}};
    n.attrs.ceil_mode = s.ceil;
    n.attrs.auto_pad = s.auto_pad;
    if (!s.auto_pad) {
        n.attrs.pad_begin = {{s.pad_begin}};
        n.attrs.pad_end = {{s.pad_end}};
    }
    const auto nodes = plan_nodes({n}, Format::f32, {s.extent}, profile, choices);
    return nodes ? Checked<NodePlan>(nodes->front()) : nodes.rejection();
}

/// The number of outputs; 0 for a rejection.
Index outputs(const Sizes& s, const Choices& choices = {}, const std::string& profile = "torchlean") {
    const auto n = settled(s, choices, profile);
    return n ? n->shape.front() : 0;
}

/// The pads that an automatic padding settles.
std::pair<Index, Index> pads(const Sizes& s) {
    const Axis a = settled(s, {}, "torchlean")->pool->axes.front();
    return {a.pad_begin, a.pad_end};
}

Choices ceil_rule(CeilRule rule) {
    Choices c;
    c.ceil_rule = rule;
    return c;
}

Choices oversized(OversizedKernel rule) {
    Choices c;
    c.oversized_kernel = rule;
    return c;
}

constexpr auto drop = CeilRule::drop_window_in_end_padding;
constexpr auto keep = CeilRule::keep;

TEST(Sizes, AreTheFloorOfTheQuotientPlusOneWOut) {
    EXPECT_EQ(outputs({.extent = 5, .kernel = 2, .stride = 2}), 2);
    EXPECT_EQ(outputs({.extent = 6, .kernel = 2, .stride = 2}), 3);
    EXPECT_EQ(outputs({.extent = 6, .kernel = 6}), 1);
    EXPECT_EQ(outputs({.extent = 7, .kernel = 3, .stride = 5}), 1);
    EXPECT_EQ(outputs({.extent = 5, .kernel = 3, .stride = 2, .pad_begin = 1, .pad_end = 2}), 3);
    EXPECT_EQ(outputs({.extent = 5, .kernel = 2, .dilation = 2}), 3);
    EXPECT_EQ(outputs({.extent = 5, .kernel = 3, .dilation = 2}), 1);
}

TEST(Sizes, AreNotComputedInSinglePrecisionWOut) {
    EXPECT_EQ(outputs({.extent = 19199998, .kernel = 1921}), 19198078);
    EXPECT_EQ(outputs({.extent = 268435456, .kernel = 1}), 268435456);
    EXPECT_EQ(outputs({.extent = 2147483647, .kernel = 2, .stride = 9, .dilation = 2147483646}), 1);
    EXPECT_EQ(
        outputs(
            {.extent = 268435456, .kernel = 1'000'000'001, .stride = 2147483647, .pad_begin = 2147483647}),
        1);
}

TEST(Sizes, RoundUpInCeilModeWCeil) {
    EXPECT_EQ(outputs({.extent = 5, .kernel = 2, .stride = 2, .ceil = true}), 3);
    EXPECT_EQ(outputs({.extent = 6, .kernel = 2, .stride = 2, .ceil = true}), 3);
    EXPECT_EQ(outputs({.extent = 7, .kernel = 3, .stride = 3, .pad_begin = 1, .pad_end = 1, .ceil = true}),
              3);
}

TEST(Sizes, DropOrKeepAWindowThatBeginsInTheEndPaddingWCeil) {
    EXPECT_EQ(outputs({.extent = 6, .kernel = 1, .stride = 2, .ceil = true}, ceil_rule(drop)), 3);
    EXPECT_EQ(outputs({.extent = 6, .kernel = 1, .stride = 2, .ceil = true}, ceil_rule(keep)), 4);
    const Sizes padded{.extent = 3, .kernel = 2, .stride = 2, .pad_begin = 1, .pad_end = 2, .ceil = true};
    EXPECT_EQ(outputs(padded, ceil_rule(drop)), 2);  // starts -1, 1, 3
    EXPECT_EQ(outputs(padded, ceil_rule(keep)), 3);
    EXPECT_EQ(outputs({.extent = 4, .kernel = 2, .stride = 2, .pad_begin = 1, .pad_end = 2, .ceil = true},
                      ceil_rule(drop)),
              3);  // starts -1, 1, 3, which is the last cell
    EXPECT_EQ(outputs({.extent = 3, .kernel = 2, .stride = 2, .pad_begin = 1, .pad_end = 2}, ceil_rule(drop)),
              3);
}

TEST(Sizes, UnderSameAreTheCeilingOfTheLengthOverTheStrideWSame) {
    const auto same = [](Index extent, Index kernel, Index stride, Index dilation, AutoPad pad) {
        const Sizes s{
            .extent = extent, .kernel = kernel, .stride = stride, .dilation = dilation, .auto_pad = pad};
        return std::tuple_cat(std::tuple(outputs(s)), pads(s));
    };
    const auto upper = AutoPad::same_upper, lower = AutoPad::same_lower;
    using Row = std::tuple<Index, Index, Index>;
    EXPECT_EQ(same(5, 2, 2, 1, upper), Row(3, 0, 1));
    EXPECT_EQ(same(5, 2, 2, 1, lower), Row(3, 1, 0));
    EXPECT_EQ(same(5, 4, 2, 1, upper), Row(3, 1, 2));
    EXPECT_EQ(same(5, 4, 2, 1, lower), Row(3, 2, 1));
    EXPECT_EQ(same(6, 3, 1, 2, upper), Row(6, 2, 2));
    EXPECT_EQ(same(7, 1, 3, 1, upper), Row(3, 0, 0));
    EXPECT_EQ(same(2, 9, 1, 1, upper), Row(2, 4, 4));  // no window is too wide
}

TEST(Sizes, UnderSameDoNotHeedCeilModeAndUnderValidDoWSame) {
    Sizes s{.extent = 5, .kernel = 2, .stride = 2, .ceil = true, .auto_pad = AutoPad::same_upper};
    EXPECT_EQ(outputs(s), 3);
    s.auto_pad = AutoPad::valid;
    EXPECT_EQ(outputs(s), 3);
    s.ceil = false;
    EXPECT_EQ(outputs(s), 2);
    EXPECT_EQ(pads(s), std::pair(Index{0}, Index{0}));
}

TEST(Sizes, OfAWindowThatIsTooWideFollowThePolicyWOver) {
    const Sizes wide{.extent = 2, .kernel = 3, .stride = 2};
    EXPECT_EQ(outputs(wide, oversized(OversizedKernel::reject)), 0);
    EXPECT_EQ(outputs(wide, oversized(OversizedKernel::reject_empty)), 0);
    EXPECT_EQ(outputs(wide, oversized(OversizedKernel::one_window)), 1);
    Sizes ceil = wide;
    ceil.ceil = true;
    EXPECT_EQ(outputs(ceil, oversized(OversizedKernel::reject)), 0);
    EXPECT_EQ(outputs(ceil, oversized(OversizedKernel::reject_empty)), 1);
    EXPECT_EQ(outputs(ceil, oversized(OversizedKernel::one_window)), 1);
    ceil.kernel = 5;  // ceil(-3/2)+1 = 0
    EXPECT_EQ(outputs(ceil, oversized(OversizedKernel::reject_empty)), 0);
    EXPECT_EQ(outputs({.extent = 2, .kernel = 1'000'000'000, .dilation = 2}), 1);
}

TEST(Sizes, OfAWindowAsWideAsThePaddedInputAreOneWOver) {
    for (const auto rule :
         {OversizedKernel::reject, OversizedKernel::reject_empty, OversizedKernel::one_window})
        EXPECT_EQ(
            outputs({.extent = 2, .kernel = 2, .dilation = 3, .pad_begin = 1, .pad_end = 1}, oversized(rule)),
            1);
}

TEST(Sizes, OfAdaptiveAndGlobalOutputsAreAsAskedA1) {
    const auto shape = [](Op op, auto set, const Shape& input) {
        Node n;
        n.op = op;
        n.inputs = {-1};
        set(n.attrs);
        return plan_nodes({n}, Format::f32, input, "torchlean", {})->front().shape;
    };
    const auto adaptive = [](Attributes& a) { a.output_size = {{13, 2}}; };
    EXPECT_EQ(shape(Op::adaptive_avg_pool, adaptive, {3, 7, 9}), (Shape{3, 13, 2}));
    EXPECT_EQ(shape(Op::global_max_pool, [](Attributes& a) { a.spatial_rank = 2; }, {3, 7, 9}),
              (Shape{3, 1, 1}));
    const auto flat = [](Attributes& a) { a.spatial_rank = 2, a.keepdims = false; };
    EXPECT_EQ(shape(Op::global_avg_pool, flat, {3, 7, 9}), (Shape{3}));
    EXPECT_EQ(shape(Op::global_avg_pool, flat, {7, 9}), Shape{});
}

}  // namespace
}  // namespace poolproof

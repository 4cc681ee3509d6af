// SPDX-License-Identifier: Apache-2.0
// The maximum on inputs small enough to check by hand.
#include <poolproof/reference.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

namespace poolproof::reference {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Values = std::vector<double>;
using Positions = std::vector<Index>;

struct Maximum {
    Values y;
    Positions at;
};

Index outputs(const Pooling& p) {
    Index n = p.slices;
    for (const Axis& a : p.axes) n *= a.out;
    return n;
}

Maximum maximum(const Pooling& p, const Values& x) {
    Maximum m{Values(static_cast<std::size_t>(outputs(p)), -99),
              Positions(static_cast<std::size_t>(outputs(p)), -99)};
    max_forward<double>(p, x, m.y, m.at);
    Values alone(m.y.size());
    max_forward<double>(p, x, alone);
    for (std::size_t i = 0; i < alone.size(); ++i) {
        EXPECT_TRUE(alone[i] == m.y[i] || (std::isnan(alone[i]) && std::isnan(m.y[i])));
        EXPECT_EQ(std::signbit(alone[i]), std::signbit(m.y[i]));
    }
    return m;
}

Values pulled(const Pooling& p, const Values& x, const Values& cotangent) {
    Values dx(x.size(), -99);
    max_vjp<double>(p, x, cotangent, dx);
    return dx;
}

Values pushed(const Pooling& p, const Values& x, const Values& tangent) {
    Values dy(static_cast<std::size_t>(outputs(p)), -99);
    max_jvp<double>(p, x, tangent, dy);
    return dy;
}

Pooling window_of(Index n) { return {.axes = {{.extent = n, .kernel = n}}}; }

TEST(ReferenceMax, TakesTheLargestOfEachWindowAndItsPosition) {
    const Pooling p{.axes = {{.extent = 3, .out = 2, .kernel = 2}, {.extent = 3, .out = 2, .kernel = 2}}};
    const Values x{1, 2, 3, 8, 5, 6, 7, 4, 9};
    const Maximum m = maximum(p, x);
    EXPECT_EQ(m.y, (Values{8, 6, 8, 9}));
    EXPECT_EQ(m.at, (Positions{3, 5, 3, 8}));
    EXPECT_EQ(pulled(p, x, {1, 10, 100, 1000}), (Values{0, 0, 0, 101, 0, 10, 0, 0, 1000}));
    EXPECT_EQ(pushed(p, x, {0, 1, 2, 3, 4, 5, 6, 7, 8}), (Values{3, 5, 3, 8}));
}

TEST(ReferenceMax, KeepsSlicesApart) {
    const Pooling p{.axes = {{.extent = 2, .out = 1, .kernel = 2}}, .slices = 3};
    const Maximum m = maximum(p, {1, 2, 4, 3, 5, 5});
    EXPECT_EQ(m.y, (Values{2, 4, 5}));
    EXPECT_EQ(m.at, (Positions{1, 0, 0}));
    EXPECT_EQ(pulled(p, {1, 2, 4, 3, 5, 5}, {1, 2, 3}), (Values{0, 1, 2, 0, 3, 0}));
}

TEST(ReferenceMax, StridesDilatesAndPadsUnevenly) {
    // Windows at -2, 1, 4 with taps 3 apart: {1}, {1, 4}, {4}.
    const Pooling p{
        .axes = {
            {.extent = 5, .out = 3, .kernel = 2, .stride = 3, .dilation = 3, .pad_begin = 2, .pad_end = 3}}};
    const Maximum m = maximum(p, {9, -1, 9, 9, -3});
    EXPECT_EQ(m.y, (Values{-1, -1, -3}));
    EXPECT_EQ(m.at, (Positions{1, 1, 4}));
}

TEST(ReferenceMax, CoversOverlappingBins) {
    const Pooling p{.axes = {{.extent = 5, .out = 3, .bins = true}}};
    EXPECT_EQ(maximum(p, {1, 5, 2, 4, 3}).at, (Positions{1, 1, 3}));
    const Pooling more{.axes = {{.extent = 2, .out = 3, .bins = true}}};
    EXPECT_EQ(maximum(more, {1, 2}).y, (Values{1, 2, 2}));
}

TEST(ReferenceMax, GivesTiesToTheFirstInRowMajorOrderThoughAxesAreReducedApart) {
    Pooling p{.axes = {{.extent = 2, .kernel = 2}, {.extent = 3, .kernel = 3}}};
    const Values x{0, 0, 7, 7, 0, 7};
    EXPECT_EQ(maximum(p, x).at, (Positions{2}));
    p.ties = Ties::last;
    EXPECT_EQ(maximum(p, x).at, (Positions{5}));
    EXPECT_EQ(pulled(p, x, {6}), (Values{0, 0, 0, 0, 0, 6}));
    p.ties = Ties::all;
    EXPECT_EQ(maximum(p, x).at, (Positions{2}));
    EXPECT_EQ(pulled(p, x, {6}), (Values{0, 0, 6, 6, 0, 6}));
    EXPECT_EQ(pushed(p, x, {9, 9, 1, 2, 9, 3}), (Values{6}));
    p.ties = Ties::split;
    EXPECT_EQ(pulled(p, x, {6}), (Values{0, 0, 2, 2, 0, 2}));
    EXPECT_EQ(pushed(p, x, {9, 9, 1, 2, 9, 3}), (Values{2}));
}

TEST(ReferenceMax, TiesZerosOfEitherSignAndKeepsTheFirst) {
    Pooling p{.axes = {{.extent = 2, .kernel = 2}, {.extent = 2, .kernel = 2}}};
    const Values x{-1, -0.0, 0.0, -0.0};
    EXPECT_TRUE(std::signbit(maximum(p, x).y[0]));
    EXPECT_EQ(maximum(p, x).at, (Positions{1}));
    p.ties = Ties::all;
    EXPECT_EQ(pulled(p, x, {1}), (Values{0, 1, 1, 1}));
    p.ties = Ties::last;
    Values y(1);
    Positions at(1);
    max_forward<double>(p, Values{-1, 0.0, -1, -0.0}, y, at);
    EXPECT_FALSE(std::signbit(y[0])) << "the value is the first zero even where the index is the last";
    EXPECT_EQ(at, (Positions{3}));
}

TEST(ReferenceMax, PrefersPositiveZeroWhereAsked) {
    Pooling p = window_of(4);
    p.positive_zero = true;
    const Values x{-0.0, 0.0, -0.0, 0.0};
    EXPECT_FALSE(std::signbit(maximum(p, x).y[0]));
    EXPECT_EQ(maximum(p, x).at, (Positions{1}));
    p.ties = Ties::all;
    EXPECT_EQ(pulled(p, x, {1}), (Values{0, 1, 0, 1}));
    p.ties = Ties::last;
    EXPECT_EQ(maximum(p, x).at, (Positions{3}));
}

TEST(ReferenceMax, LetsNanStickWhereverItStands) {
    for (std::size_t k = 0; k < 4; ++k) {
        Values x{inf, 1, 2, inf};
        x[k] = nan;
        const Maximum m = maximum({.axes = {{.extent = 2, .kernel = 2}, {.extent = 2, .kernel = 2}}}, x);
        EXPECT_TRUE(std::isnan(m.y[0]));
        EXPECT_EQ(m.at[0], static_cast<Index>(k));
    }
}

TEST(ReferenceMax, ReportsTheFirstOrTheLastNanAsAsked) {
    Pooling p{.axes = {{.extent = 2, .kernel = 2}, {.extent = 2, .kernel = 2}}};
    const Values x{1, nan, nan, 2};
    EXPECT_EQ(maximum(p, x).at, (Positions{1}));
    p.nan = Nan::last;
    EXPECT_EQ(maximum(p, x).at, (Positions{2}));
    p.ties = Ties::last;
    EXPECT_EQ(maximum(p, x).at, (Positions{2}));
}

TEST(ReferenceMax, PassesOverNanWhereAsked) {
    Pooling p = window_of(4);
    p.nan = Nan::ignore;
    EXPECT_EQ(maximum(p, {nan, -inf, nan, -inf}).y, (Values{-inf}));
    EXPECT_EQ(maximum(p, {nan, -inf, nan, -inf}).at, (Positions{1}));
    EXPECT_TRUE(std::isnan(maximum(p, {nan, nan, nan, nan}).y[0]));
}

TEST(ReferenceMax, NeverLetsPaddingWinUnlessItTakesPart) {
    Pooling p{.axes = {{.extent = 1, .kernel = 3, .pad_begin = 1, .pad_end = 1}}};
    EXPECT_EQ(maximum(p, {-5}).y, (Values{-5}));
    EXPECT_EQ(maximum(p, {-inf}).at, (Positions{0}));
    p.taps = Taps::kernel;
    EXPECT_EQ(maximum(p, {-5}).y, (Values{0}));
    EXPECT_EQ(maximum(p, {-5}).at, (Positions{-1}));
    EXPECT_EQ(pulled(p, {-5}, {3}), (Values{0}));
    EXPECT_EQ(maximum(p, {0}).at, (Positions{-1})) << "padding comes first in this window";
    EXPECT_EQ(maximum(p, {5}).at, (Positions{0}));
    p.ties = Ties::split;
    EXPECT_EQ(pulled(p, {0}, {3}), (Values{1})) << "two padding taps take their shares with them";
}

TEST(ReferenceMax, TellsPaddingTapsFromTapsPastThePaddedInput) {
    // A tap at 1 past everything: it exists for `kernel` alone.
    Pooling p{.axes = {{.extent = 1, .kernel = 2}}};
    p.taps = Taps::kernel;
    EXPECT_EQ(maximum(p, {-5}).y, (Values{0}));
    p.taps = Taps::clipped;
    EXPECT_EQ(maximum(p, {-5}).y, (Values{-5}));
}

TEST(ReferenceMax, GivesEmptyWindowsTheValueAskedForAndNoDerivative) {
    Pooling p{.axes = {{.extent = 1, .out = 3, .pad_begin = 1, .pad_end = 1}, {.extent = 1}}};
    EXPECT_EQ(maximum(p, {-5}).y, (Values{0, -5, 0}));
    EXPECT_EQ(maximum(p, {-5}).at, (Positions{-1, 0, -1}));
    EXPECT_EQ(pulled(p, {-5}, {1, 2, 4}), (Values{2}));
    EXPECT_EQ(pushed(p, {-5}, {3}), (Values{0, 3, 0}));
    p.empty = Empty::identity;
    EXPECT_EQ(maximum(p, {-5}).y, (Values{-inf, -5, -inf}));
    p.empty = Empty::lowest;
    EXPECT_EQ(maximum(p, {-5}).y[2], std::numeric_limits<double>::lowest());
    p.empty = Empty::nan;
    EXPECT_TRUE(std::isnan(maximum(p, {-5}).y[0]));
    p.ties = Ties::all;
    EXPECT_EQ(pulled(p, {-5}, {1, 2, 4}), (Values{2}));
    std::vector<float> y(3);
    p.empty = Empty::lowest;
    max_forward<float>(p, std::vector<float>{1}, y);
    EXPECT_EQ(y[0], std::numeric_limits<float>::lowest());
}

TEST(ReferenceMax, VisitsNoPaddingHoweverLargeTheKernel) {
    const Index huge = 1'000'000'000;
    Pooling p{.axes = {{.extent = 2, .out = 3, .kernel = huge, .pad_begin = huge, .pad_end = huge},
                       {.extent = 2, .out = 1, .kernel = huge, .dilation = huge, .pad_end = huge}}};
    EXPECT_EQ(maximum(p, {1, 9, 2, 9}).y, (Values{0, 1, 2}));
    p.axes[0].stride = huge;
    EXPECT_EQ(maximum(p, {1, 9, 2, 9}).y, (Values{0, 2, 0}));
}

TEST(ReferenceMax, AcceptsSizesOfZeroAndOne) {
    EXPECT_TRUE(maximum({.axes = {{}}, .slices = 0}, {}).y.empty());
    EXPECT_EQ(pulled({.axes = {{.extent = 2, .out = 0, .bins = true}}}, {1, 2}, {}), (Values{0, 0}));
    EXPECT_EQ(
        maximum({.axes = {{.extent = 0, .out = 2, .bins = true}, {.extent = 3, .out = 1, .bins = true}}}, {})
            .at,
        (Positions{-1, -1}));
    EXPECT_EQ(maximum({.axes = {8, Axis{}}}, {-7}).y, (Values{-7}));
}

TEST(ReferenceMax, RefusesWhatDoesNotFit) {
    Values y(1), x(2);
    EXPECT_THROW(max_forward<double>({.axes = {{}}}, x, y), std::invalid_argument);
    EXPECT_THROW(max_forward<double>({.axes = {}}, y, y), std::invalid_argument);
    EXPECT_THROW(max_forward<double>({.axes = {{.kernel = 0}}}, Values{1}, y), std::invalid_argument);
    EXPECT_THROW(max_forward<double>({.axes = {9, Axis{}}}, Values{1}, y), std::invalid_argument);
    EXPECT_THROW(max_vjp_at<double>({.axes = {{}}}, Positions{1}, Values{1}, y), std::invalid_argument);
    EXPECT_THROW(max_vjp_at<double>({.axes = {{}}}, Positions{-2}, Values{1}, y), std::invalid_argument);
}

TEST(ReferenceMax, PullsBackAlongGivenIndices) {
    const Pooling p{.axes = {{.extent = 3, .out = 2, .kernel = 2}}, .slices = 2};
    Values dx(6, -99);
    max_vjp_at<double>(p, Positions{1, 1, -1, 2}, Values{1, 2, 4, 8}, dx);
    EXPECT_EQ(dx, (Values{0, 3, 0, 0, 0, 8}));
    max_vjp_at<double>(p, Positions{2, 2, 0, 1}, Values{1, 2, 4, 8}, dx);
    EXPECT_EQ(dx, (Values{0, 0, 3, 4, 8, 0})) << "some outside their windows";
}

}  // namespace
}  // namespace poolproof::reference

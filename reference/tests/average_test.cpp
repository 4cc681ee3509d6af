// SPDX-License-Identifier: Apache-2.0
// Averages on inputs small enough to check by hand.
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

std::size_t outputs(const Pooling& p) {
    Index n = p.slices;
    for (const Axis& a : p.axes) n *= a.out;
    return static_cast<std::size_t>(n);
}

Values average(const Pooling& p, const Values& x) {
    Values y(outputs(p), -99);
    average_forward<double>(p, x, y);
    return y;
}

Values pulled(const Pooling& p, const Values& cotangent, std::size_t inputs) {
    Values dx(inputs, -99);
    average_vjp<double>(p, cotangent, dx);
    return dx;
}

// Three windows of three over two cells, the last hanging one past the padding: taps on the input 1, 2, 0;
// inside the padded input 3, 3, 1.
Pooling overhanging(Taps taps) {
    return {.axes = {{.extent = 2, .out = 3, .kernel = 3, .stride = 2, .pad_begin = 2, .pad_end = 1}},
            .taps = taps};
}

TEST(ReferenceAverage, DividesByTheTapsThatExist) {
    EXPECT_EQ(average(overhanging(Taps::kernel), {6, 12}), (Values{2, 6, 0}));
    EXPECT_EQ(average(overhanging(Taps::clipped), {6, 12}), (Values{2, 6, 0}));
    EXPECT_EQ(average(overhanging(Taps::real), {6, 12}), (Values{6, 9, 0}));
    Pooling p{.axes = {{.extent = 3, .out = 2, .kernel = 2, .stride = 2}}};
    p.taps = Taps::kernel;
    EXPECT_EQ(average(p, {1, 3, 8}), (Values{2, 4}));
    p.taps = Taps::clipped;
    EXPECT_EQ(average(p, {1, 3, 8}), (Values{2, 8}));
}

TEST(ReferenceAverage, DividesByItsOwnDivisorWhereGiven) {
    Pooling p = overhanging(Taps::real);
    p.divisor = -2;
    EXPECT_EQ(average(p, {6, 12}), (Values{-3, -9, 0}));
    EXPECT_EQ(pulled(p, {2, 4, 8}, 2), (Values{-3, -2}));
}

TEST(ReferenceAverage, IsEmptyOnlyWhereItWouldDivideByZero) {
    Pooling p = overhanging(Taps::real);
    p.empty = Empty::nan;
    EXPECT_TRUE(std::isnan(average(p, {6, 12})[2]));
    EXPECT_EQ(pulled(p, {1, 2, nan}, 2), (Values{2, 1}));
    p.empty = Empty::identity;
    EXPECT_TRUE(std::isnan(average(p, {6, 12})[2]));
    Values dy(3);
    average_jvp<double>(p, Values{6, 12}, dy);
    EXPECT_EQ(dy, (Values{6, 9, 0}));
    p = {.axes = {{.extent = 1, .out = 2, .stride = 2}}, .taps = Taps::clipped, .empty = Empty::nan};
    EXPECT_EQ(average(p, {1}), (Values{1, 0})) << "a window past the padded input is a sum of nothing";
}

TEST(ReferenceAverage, SharesGradientsAmongOverlappingWindowsOfSeveralAxes) {
    const Pooling p{.axes = {{.extent = 3, .out = 2, .kernel = 2}, {.extent = 3, .out = 2, .kernel = 2}}};
    EXPECT_EQ(average(p, {1, 1, 1, 1, 5, 1, 1, 1, 1}), (Values{2, 2, 2, 2}));
    EXPECT_EQ(pulled(p, {4, 8, 16, 32}, 9), (Values{1, 3, 2, 5, 15, 10, 4, 12, 8}));
}

TEST(ReferenceAverage, RoundsSharesOnce) {
    const Pooling p{.axes = {{.extent = 30, .out = 10, .kernel = 3, .stride = 3}}};
    std::vector<double> c, dx(30);
    for (int i = 0; i < 10; ++i) c.push_back(i + 1.0 / (i + 1));
    average_vjp<double>(p, c, dx);
    for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(dx[i], c[i / 3] / 3) << i;
}

TEST(ReferenceAverage, AveragesOverlappingBins) {
    const Pooling p{.axes = {{.extent = 3, .out = 2, .bins = true}}, .slices = 2};
    EXPECT_EQ(average(p, {1, 3, 5, 2, 4, 8}), (Values{2, 4, 3, 6}));
    EXPECT_EQ(pulled(p, {2, 4, 6, 8}, 6), (Values{1, 3, 2, 3, 7, 4}));
}

TEST(ReferenceAverage, CountsHugeKernelsWithoutVisitingThem) {
    const Index huge = 1'000'000'000;
    const Axis wide{.extent = 1, .kernel = huge, .pad_begin = huge - 1};
    EXPECT_EQ(average({.axes = {wide}, .taps = Taps::kernel}, {1}), (Values{1e-9}));
    EXPECT_EQ(average({.axes = {wide, wide, wide}, .taps = Taps::kernel}, {1e27}), (Values{1}));
    EXPECT_EQ(average({.axes = {8, wide}, .taps = Taps::kernel}, {1}), (Values{1 / 1e72}));
    // (2^31 - 1)^2 lies between two doubles and must be rounded once.
    const Axis odd{.extent = 1, .kernel = 2147483647};
    EXPECT_EQ(average({.axes = {odd, odd}, .taps = Taps::kernel}, {1}), (Values{1 / 4611686014132420609.0}));
}

TEST(ReferenceAverage, FollowsTheExtendedReals) {
    const Pooling p{.axes = {{.extent = 2, .kernel = 2}}};
    EXPECT_EQ(average(p, {inf, 1}), (Values{inf}));
    EXPECT_TRUE(std::isnan(average(p, {inf, -inf})[0]));
    EXPECT_TRUE(std::isnan(average(p, {nan, 1})[0]));
}

TEST(ReferenceAverage, LeavesNeighboursOfNanAndLargeValuesAlone) {
    // A running sum would carry either into the windows after it.
    const Pooling p{.axes = {{.extent = 4, .out = 3, .kernel = 2}}};
    EXPECT_EQ(average(p, {nan, 1, 2, 4})[1], 1.5);
    EXPECT_EQ(average(p, {inf, 1, 2, 4})[2], 3);
    EXPECT_EQ(average(p, {1e300, 1, 2, 4})[1], 1.5);
}

TEST(ReferenceAverage, SumsFloatsInDouble) {
    const Pooling p{.axes = {{.extent = 3, .kernel = 3}}, .taps = Taps::kernel, .divisor = 1};
    std::vector<float> y(1);
    average_forward<float>(p, std::vector<float>{16777216, 1, 1}, y);
    EXPECT_EQ(y[0], 16777218);
    average_forward<float>(p, std::vector<float>{3e38F, 3e38F, -3e38F}, y);
    EXPECT_EQ(y[0], 3e38F);
    std::vector<float> dx(3);
    average_vjp<float>(p, std::vector<float>{2}, dx);
    EXPECT_EQ(dx, (std::vector<float>{2, 2, 2}));
}

TEST(ReferenceAverage, SumsFloatsInFloatWhereSoAsked) {
    const Pooling p{
        .axes = {{.extent = 3, .kernel = 3}}, .taps = Taps::kernel, .divisor = 1, .sums = Sums::own};
    std::vector<float> y(1);
    average_forward<float>(p, std::vector<float>{16777216, 1, 1}, y);
    EXPECT_EQ(y[0], 16777216);
    Pooling large = p;
    large.divisor = (1 << 24) + 1;  // which is no float
    average_forward<float>(large, std::vector<float>{16777216, 0, 0}, y);
    EXPECT_EQ(y[0], 1 - 0x1p-24F);
}

TEST(ReferenceAverage, AcceptsSizesOfZeroAndOne) {
    EXPECT_TRUE(average({.axes = {{}}, .slices = 0}, {}).empty());
    EXPECT_EQ(pulled({.axes = {{.extent = 2, .out = 0, .bins = true}, {.extent = 1}}}, {}, 2),
              (Values{0, 0}));
    EXPECT_EQ(average({.axes = {{.extent = 0, .out = 1, .bins = true}}}, {}), (Values{0}));
    EXPECT_EQ(average({.axes = {8, Axis{}}}, {3}), (Values{3}));
}

TEST(ReferenceAverage, RefusesADivisorOfZero) {
    Values y(1);
    EXPECT_THROW(average_forward<double>({.axes = {{}}, .divisor = 0}, Values{1}, y), std::invalid_argument);
}

}  // namespace
}  // namespace poolproof::reference

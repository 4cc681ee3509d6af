// SPDX-License-Identifier: Apache-2.0
// The smooth maximum where its value is known in closed form, and at the ends of the number line.
#include <poolproof/reference.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

namespace poolproof::reference {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max();

using Values = std::vector<double>;

/// One window over the whole of `x`, with `padding` further taps.
Pooling window(std::size_t n, Index padding = 0) {
    const auto extent = static_cast<Index>(n);
    return {.axes = {{.extent = extent, .kernel = extent + padding, .pad_end = padding}},
            .taps = Taps::kernel};
}

double smooth(double beta, const Values& x, Index padding = 0) {
    Values y(1, -99);
    smooth_max_forward<double>(window(x.size(), padding), beta, x, y);
    return y[0];
}

Values pulled(const Pooling& p, double beta, const Values& x, const Values& cotangent) {
    Values dx(x.size(), -99);
    smooth_max_vjp<double>(p, beta, x, cotangent, dx);
    return dx;
}

TEST(ReferenceSmoothMax, IsTheLogOfASumOfExponentials) {
    EXPECT_DOUBLE_EQ(smooth(1, {std::log(1.0), std::log(2.0), std::log(4.0)}), std::log(7.0));
    EXPECT_DOUBLE_EQ(smooth(2, {5, 5}), 5 + std::log(2.0) / 2);
    EXPECT_DOUBLE_EQ(smooth(-2, {5, 5}), 5 - std::log(2.0) / 2);
    EXPECT_EQ(smooth(3, {-7}), -7);
}

TEST(ReferenceSmoothMax, CountsPaddingAsExpOfZero) {
    EXPECT_DOUBLE_EQ(smooth(1, {std::log(2.0)}, 5), std::log(7.0));
    EXPECT_DOUBLE_EQ(smooth(1, {-std::log(2.0)}, 5), std::log(5.5));
    EXPECT_DOUBLE_EQ(smooth(1, {-800}, 5), std::log(5.0));
    EXPECT_EQ(smooth(1, {800}, 5), 800);
    EXPECT_DOUBLE_EQ(smooth(1, {-inf}, 5), std::log(5.0));
    EXPECT_DOUBLE_EQ(smooth(1, {0}, 999'999'999), std::log(1e9));
}

TEST(ReferenceSmoothMax, CountsWindowsOfPaddingAlone) {
    Pooling p{.axes = {{.extent = 1, .out = 2, .kernel = 3, .stride = 3, .pad_begin = 3}},
              .taps = Taps::kernel};
    Values y(2);
    smooth_max_forward<double>(p, 2, Values{1}, y);
    EXPECT_DOUBLE_EQ(y[0], std::log(3.0) / 2);
    EXPECT_DOUBLE_EQ(y[1], std::log(2 + std::exp(2.0)) / 2);
    p.taps = Taps::clipped;
    smooth_max_forward<double>(p, 2, Values{1}, y);
    EXPECT_DOUBLE_EQ(y[0], std::log(3.0) / 2);
    EXPECT_EQ(y[1], 1);
    p.taps = Taps::real;
    p.empty = Empty::identity;
    smooth_max_forward<double>(p, 2, Values{1}, y);
    EXPECT_EQ(y, (Values{-inf, 1}));
    smooth_max_forward<double>(p, -2, Values{1}, y);
    EXPECT_EQ(y, (Values{inf, 1}));
    p.empty = Empty::lowest;
    smooth_max_forward<double>(p, -2, Values{1}, y);
    EXPECT_EQ(y, (Values{largest, 1}));
    EXPECT_EQ(pulled(p, 2, {1}, {5, 7}), (Values{7}));
}

TEST(ReferenceSmoothMax, FollowsTheExtendedReals) {
    EXPECT_EQ(smooth(1, {1, inf, -inf}), inf);
    EXPECT_EQ(smooth(1, {1, -inf}), 1);
    EXPECT_EQ(smooth(1, {-inf, -inf}), -inf);
    EXPECT_EQ(smooth(-1, {1, inf, -inf}), -inf);
    EXPECT_EQ(smooth(-1, {1, inf}), 1);
    EXPECT_EQ(smooth(-1, {inf, inf}), inf);
    EXPECT_EQ(smooth(1, {inf}, 3), inf);
    for (const double beta : {1.0, -1.0})
        for (std::size_t k = 0; k < 3; ++k) {
            Values x{inf, -inf, inf};
            x[k] = nan;
            EXPECT_TRUE(std::isnan(smooth(beta, x)));
            EXPECT_TRUE(std::isnan(smooth(beta, x, 2)));
        }
}

TEST(ReferenceSmoothMax, OverflowsNowhereOnTheWay) {
    EXPECT_EQ(smooth(1e308, {1e308, -1e308}), 1e308);
    EXPECT_EQ(smooth(-1e308, {largest, -largest}), -largest);
    // The distance of the two overflows, its product with beta is -3.
    EXPECT_DOUBLE_EQ(smooth(0x1p-1023, {0x1.8p1023, -0x1.8p1023}),
                     (0x1.8p-1 + std::log1p(std::exp(-3.0)) / 2) * 0x1p1023 * 2);
    // log(4) / beta overflows, the result does not.
    EXPECT_DOUBLE_EQ(smooth(0x1p-1024, Values(4, -0x1.8p1023)), (std::log(4.0) - 0.75) * 2 * 0x1p1023);
}

TEST(ReferenceSmoothMax, FindsLargeValuesAnywhereInALongRow) {
    for (const std::size_t at : {0U, 127U, 128U, 300U, 511U, 599U}) {
        Values x(600, 0), y(300), expected(300, std::log(2.0));
        x[at] = x[at ^ 1] = 5000;
        expected[at / 2] += 5000;
        const Pooling pairs{.axes = {{.extent = 600, .out = 300, .kernel = 2, .stride = 2}}};
        smooth_max_forward<double>(pairs, 1, x, y);
        for (std::size_t o = 0; o < y.size(); ++o) ASSERT_DOUBLE_EQ(y[o], expected[o]) << at << ' ' << o;
    }
}

TEST(ReferenceSmoothMax, KeepsSmallTermsBesideAWinnerOfZero) {
    EXPECT_DOUBLE_EQ(smooth(1, {0, -40}), std::exp(-40.0));
    EXPECT_DOUBLE_EQ(smooth(1, {-40}, 1), std::exp(-40.0));
}

TEST(ReferenceSmoothMax, WeighsDerivativesByTheShareOfEachExponential) {
    const Values x{std::log(1.0), std::log(3.0)};
    Pooling p = window(2, 4);
    Values dx = pulled(p, 1, x, {8});
    EXPECT_DOUBLE_EQ(dx[0], 1);
    EXPECT_DOUBLE_EQ(dx[1], 3);
    Values dy(1);
    smooth_max_jvp<double>(p, 1, x, Values{16, 8}, dy);
    EXPECT_DOUBLE_EQ(dy[0], 5);
    dx = pulled(window(2), -1, x, {8});
    EXPECT_DOUBLE_EQ(dx[0], 6);
    EXPECT_DOUBLE_EQ(dx[1], 2);
    EXPECT_EQ(pulled(window(2), 1, {1e308, -1e308}, {3}), (Values{3, 0}));
    // exp(-746) is no double, its product with the cotangent is.
    EXPECT_NEAR(pulled(window(2), 1, {0, -746}, {1e300})[1] / (1e300 * std::exp(-346.0) * std::exp(-400.0)),
                1, 1e-13);
}

TEST(ReferenceSmoothMax, AddsGradientsOfOverlappingWindows) {
    const Pooling p{.axes = {{.extent = 2, .out = 1, .kernel = 2}, {.extent = 3, .out = 2, .kernel = 2}},
                    .slices = 2};
    const Values dx = pulled(p, 5, Values(12, 1.0), {4, 8, 16, 32});
    const Values expected{1, 3, 2, 1, 3, 2, 4, 12, 8, 4, 12, 8};
    for (std::size_t i = 0; i < 12; ++i) EXPECT_DOUBLE_EQ(dx[i], expected[i]);
}

TEST(ReferenceSmoothMax, AcceptsSizesOfZeroAndOne) {
    Values y;
    smooth_max_forward<double>({.axes = {{}}, .slices = 0}, 1, Values{}, y);
    EXPECT_EQ(pulled({.axes = {{.extent = 2, .out = 0, .bins = true}}}, 1, {1, 2}, {}), (Values{0, 0}));
    EXPECT_DOUBLE_EQ(pulled({.axes = {8, Axis{}}}, 1, {9}, {4})[0], 4);
    std::vector<float> z(1);
    smooth_max_forward<float>({.axes = {{.extent = 0, .bins = true}}}, 1, std::vector<float>{}, z);
    EXPECT_EQ(z[0], 0);
}

TEST(ReferenceSmoothMax, RefusesABetaOfZeroOrInfinity) {
    Values y(1);
    for (const double beta : {0.0, inf, nan})
        EXPECT_THROW(smooth_max_forward<double>({.axes = {{}}}, beta, Values{1}, y), std::invalid_argument);
}

}  // namespace
}  // namespace poolproof::reference

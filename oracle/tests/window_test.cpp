// SPDX-License-Identifier: Apache-2.0
#include "oracle/spec/window.hpp"

#include <gtest/gtest.h>

#include <array>

namespace poolproof::spec {
namespace {

constexpr Index huge = 2147483647;

struct Sliding {
    Index extent, kernel, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;
};

Axis axis(const Sliding& s) {
    Axis a;
    a.extent = s.extent;
    a.kernel = s.kernel;
    a.stride = s.stride;
    a.dilation = s.dilation;
    a.pad_begin = s.pad_begin;
    a.pad_end = s.pad_end;
    return a;
}

Axis bins(Index extent, Index out) {
    Axis a;
    a.extent = extent;
    a.out = out;
    a.bins = true;
    return a;
}

/// first, step, count, before, span, clipped.
using Parts = std::array<Index, 6>;

Parts parts(const Axis& a, Index out) {
    const AxisWindow w = axis_window(a, out);
    return {w.first, w.step, w.count, w.before, w.span, w.clipped};
}

/// Each bin as its first cell and the one after its last.
std::vector<std::array<Index, 2>> cells_of(const Axis& a) {
    std::vector<std::array<Index, 2>> r;
    for (Index i = 0; i < a.out; ++i) {
        const AxisWindow w = axis_window(a, i);
        r.push_back({w.first, w.first + w.count});
    }
    return r;
}

TEST(Window, StartsAtStrideTimesOutLessPaddingW1) {
    const Axis a = axis({.extent = 10, .kernel = 3, .stride = 2, .pad_begin = 1, .pad_end = 2});
    EXPECT_EQ(parts(a, 0), (Parts{0, 1, 2, 1, 3, 3}));  // -1 0 1
    EXPECT_EQ(parts(a, 2), (Parts{3, 1, 3, 0, 3, 3}));  // 3 4 5
    EXPECT_EQ(parts(a, 5), (Parts{9, 1, 1, 0, 3, 3}));  // 9 10 11, all of them in the padded input
}

TEST(Window, StepsByTheDilationW1) {
    const Axis a = axis({.extent = 5, .kernel = 3, .dilation = 2, .pad_begin = 1, .pad_end = 1});
    EXPECT_EQ(parts(a, 0), (Parts{1, 2, 2, 1, 3, 3}));  // -1 1 3
    EXPECT_EQ(parts(a, 1), (Parts{0, 2, 3, 0, 3, 3}));  // 0 2 4
    EXPECT_EQ(parts(a, 2), (Parts{1, 2, 2, 0, 3, 3}));  // 1 3 5
}

TEST(Window, MayStepOverTheWholeInputW1) {
    EXPECT_EQ(parts(axis({.extent = 2, .kernel = 2, .dilation = 4, .pad_begin = 1, .pad_end = 2}), 0),
              (Parts{3, 4, 0, 1, 2, 2}));  // -1 3
}

TEST(Window, SpansEveryTapAndClipsThoseThatHangOverTheEndW2W3) {
    const Axis a = axis({.extent = 7, .kernel = 4, .stride = 3, .pad_end = 1});
    EXPECT_EQ(parts(a, 1), (Parts{3, 1, 4, 0, 4, 4}));  // 3 4 5 6
    EXPECT_EQ(parts(a, 2), (Parts{6, 1, 1, 0, 4, 2}));  // 6 7 8 9: 7 is padding, 8 and 9 are nothing
    EXPECT_EQ(parts(a, 3), (Parts{9, 1, 0, 0, 4, 0}));  // 9 10 11 12: past everything
}

TEST(Window, CountsAKernelOfAThousandMillionWithoutWalkingItW2W3) {
    constexpr Index kernel = 1'000'000'000;
    EXPECT_EQ(parts(axis({.extent = 5, .kernel = kernel}), 0), (Parts{0, 1, 5, 0, kernel, 5}));
    EXPECT_EQ(parts(axis({.extent = 5, .kernel = kernel, .pad_begin = 10, .pad_end = 2}), 0),
              (Parts{0, 1, 5, 10, kernel, 17}));
    EXPECT_EQ(parts(axis({.extent = 5, .kernel = kernel, .pad_begin = kernel - 1, .pad_end = kernel}), 0),
              (Parts{0, 1, 1, kernel - 1, kernel, kernel}));
}

TEST(Window, TakesTheLargestDilationW1) {
    EXPECT_EQ(parts(axis({.extent = 3, .kernel = huge, .dilation = huge}), 0),
              (Parts{0, huge, 1, 0, huge, 1}));
    EXPECT_EQ(parts(axis({.extent = 3, .kernel = 2, .dilation = huge, .pad_begin = huge}), 0),
              (Parts{0, huge, 1, 1, 2, 2}));
    EXPECT_EQ(parts(axis({.extent = 3, .kernel = 2, .dilation = huge, .pad_begin = 1}), 0),
              (Parts{huge - 1, huge, 0, 1, 2, 1}));
}

TEST(Window, CutsFiveCellsIntoThreeOverlappingBinsA1A2) {
    EXPECT_EQ(cells_of(bins(5, 3)), (std::vector<std::array<Index, 2>>{{0, 2}, {1, 4}, {3, 5}}));
    EXPECT_EQ(parts(bins(5, 3), 1), (Parts{1, 1, 3, 0, 3, 3}));
}

TEST(Window, CutsSevenCellsIntoThirteenBinsA1A2) {
    EXPECT_EQ(cells_of(bins(7, 13)), (std::vector<std::array<Index, 2>>{{0, 1},
                                                                        {0, 2},
                                                                        {1, 2},
                                                                        {1, 3},
                                                                        {2, 3},
                                                                        {2, 4},
                                                                        {3, 4},
                                                                        {3, 5},
                                                                        {4, 5},
                                                                        {4, 6},
                                                                        {5, 6},
                                                                        {5, 7},
                                                                        {6, 7}}));
}

TEST(Window, CutsEvenlyWhereTheBinsDivideAndTakesEverythingAsOneBinA1A2) {
    EXPECT_EQ(cells_of(bins(6, 3)), (std::vector<std::array<Index, 2>>{{0, 2}, {2, 4}, {4, 6}}));
    EXPECT_EQ(cells_of(bins(6, 1)), (std::vector<std::array<Index, 2>>{{0, 6}}));
}

TEST(Window, ListsItsRealCellsInRowMajorOrderW4) {
    Axis rows = axis({.extent = 3, .kernel = 2, .dilation = 2, .pad_begin = 1});
    Axis columns = axis({.extent = 4, .kernel = 3, .stride = 3, .pad_begin = 1, .pad_end = 2});
    rows.out = columns.out = 2;
    std::vector<std::vector<Index>> taps;
    std::vector<Index> outs;
    for_each_window({rows, columns}, [&](Index out, const Window& w) {
        outs.push_back(out);
        taps.push_back(w.taps);
        EXPECT_EQ(w.span(), 6);
        EXPECT_EQ(w.cells(), static_cast<Index>(w.taps.size()));
    });
    EXPECT_EQ(outs, (std::vector<Index>{0, 1, 2, 3}));
    EXPECT_EQ(taps, (std::vector<std::vector<Index>>{
                        {4, 5},        // rows -1 1, columns -1 0 1
                        {6, 7},        // rows -1 1, columns 2 3 4
                        {0, 1, 8, 9},  // rows 0 2
                        {2, 3, 10, 11},
                    }));
}

TEST(Window, IsTheProductOfItsAxesW2W3) {
    Axis rows = axis({.extent = 2, .kernel = 3'000'000'000, .pad_begin = 1});
    const Axis columns = axis({.extent = 2, .kernel = 5'000'000'000});
    for_each_window({rows, columns}, [&](Index, const Window& w) {
        EXPECT_EQ(w.span(), Rational("15000000000000000000"));
        EXPECT_EQ(w.clipped(), 6);
        EXPECT_EQ(w.cells(), 4);
        EXPECT_EQ(w.taps, (std::vector<Index>{0, 1, 2, 3}));
    });
    rows.out = 0;
    for_each_window({rows, columns}, [](Index, const Window&) { FAIL() << "there is no output"; });
}

}  // namespace
}  // namespace poolproof::spec

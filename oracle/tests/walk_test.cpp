// SPDX-License-Identifier: Apache-2.0
// The certified path's rows of windows: every window is in one, where the row says, and none runs backwards.
// The short ways read some cells past a row's last window, which must not be before the slice.
#include "oracle/certified/walk.hpp"

#include <gtest/gtest.h>

namespace poolproof::certified {
namespace {

/// With padding counted in, windows in a row see as much; those that see padding alone are among themselves.
void expect_rows_of_taps(const Walk& walk) {
    std::size_t next = 0;
    for (const Walk::Run& run : walk.runs_of_taps()) {
        EXPECT_EQ(run.begin, next);
        for (std::size_t k = 0; k < run.count; ++k, ++next) {
            const Walk::Inner &first = walk.inner[run.begin], &here = walk.inner[next];
            EXPECT_EQ(here.start, first.start + static_cast<Index>(k) * run.stride);
            EXPECT_EQ(here.counts.span, first.counts.span);
            EXPECT_EQ(here.step, first.step);
            EXPECT_EQ(here.counts.count == 0, first.counts.count == 0);
            const Index before = (here.first - here.start) / here.step;
            EXPECT_TRUE(before >= 0 && before + here.counts.count <= here.counts.span);
        }
    }
    EXPECT_EQ(next, walk.inner.size());
}

/// Looks at the rows of one axis; whether two windows that follow one another ever begin in reverse order.
bool rows_are_right(const Axis& a) {
    Walk walk;
    EXPECT_TRUE(walk.over({a}));
    std::size_t next = 0;
    bool reversed = false;
    for (const Walk::Run& run : walk.runs()) {
        EXPECT_EQ(run.begin, next);
        EXPECT_GE(run.stride, 0);
        for (std::size_t k = 0; k < run.count; ++k, ++next) {
            const Walk::Inner &first = walk.inner[run.begin], &here = walk.inner[next];
            EXPECT_EQ(here.first, first.first + static_cast<Index>(k) * run.stride);
            EXPECT_EQ(here.counts, first.counts);
            EXPECT_EQ(here.step, first.step);
            if (next > 0) reversed |= here.first < walk.inner[next - 1].first;
        }
    }
    EXPECT_EQ(next, walk.inner.size());
    expect_rows_of_taps(walk);
    return reversed;
}

TEST(Walk, RowsOfWindowsTileTheAxisAndNeverRunBackwards) {
    int reversed = 0;
    for (Index extent = 1; extent <= 6; ++extent)
        for (Index kernel = 1; kernel <= 3; ++kernel)
            for (Index stride = 1; stride <= 3; ++stride)
                for (Index dilation = 1; dilation <= 4; ++dilation)
                    for (Index pad = 0; pad <= 3; ++pad) {
                        Axis a;
                        a.extent = extent;
                        a.kernel = kernel;
                        a.stride = stride;
                        a.dilation = dilation;
                        a.pad_begin = a.pad_end = pad;
                        const Index room = extent + 2 * pad - dilation * (kernel - 1) - 1;
                        if (room < 0) continue;
                        a.out = room / stride + 1;
                        reversed += rows_are_right(a) ? 1 : 0;
                    }
    EXPECT_GT(reversed, 50);  // dilation steps over the cells at the begin
}

TEST(Walk, RowsOfBinsTileTheAxis) {
    for (Index extent = 1; extent <= 12; ++extent)
        for (Index bins = 1; bins <= 12; ++bins) {
            Axis a;
            a.extent = extent;
            a.bins = true;
            a.out = bins;
            EXPECT_FALSE(rows_are_right(a));
        }
}

}  // namespace
}  // namespace poolproof::certified

// SPDX-License-Identifier: Apache-2.0
// Zeros of padding in a maximum: where they stand among the window's taps, and what they take by that.
#include "oracle/spec/reductions.hpp"
#include "oracle/tests/answers.hpp"

#include <gtest/gtest.h>

#include <random>

namespace poolproof {

namespace {

/// The taps of a window in order: the real ones by their number, padding as -1; none past the padded input.
std::vector<Index> taps_in_order(const std::vector<Axis>& axes, Index out) {
    std::vector<Index> extents, at(axes.size(), 0), place(axes.size());
    for (const Axis& a : axes) extents.push_back(a.out);
    for (std::size_t k = axes.size(); k-- > 0; out /= extents[k]) place[k] = out % extents[k];
    std::vector<Index> r;
    Index real = 0;
    do {
        bool inside = true, padding = false;
        for (std::size_t k = 0; k < axes.size(); ++k) {
            const Axis& a = axes[k];
            const Index x = place[k] * a.stride - a.pad_begin + at[k] * a.dilation;
            inside &= x < a.extent + a.pad_end;
            padding |= x < 0 || x >= a.extent;
        }
        if (inside) r.push_back(padding ? -1 : real++);
    } while (spec::advance(at, [&](std::size_t k) { return axes[k].kernel; }));
    return r;
}

Axis drawn_axis(std::mt19937& random) {
    const auto below = [&](int n) { return Index{std::uniform_int_distribution(0, n - 1)(random)}; };
    Axis a;
    a.extent = 1 + below(3);
    a.kernel = 1 + below(3);
    a.stride = 1 + below(2);
    a.dilation = 1 + below(2);
    a.pad_begin = below(3);
    a.pad_end = below(3);
    a.out = 1 + below(3);
    return a;
}

Question padded(const std::string& attrs, const std::string& shape, const std::string& data,
                const std::string& policy) {
    return {"max_pool", attrs, shape, data, R"("policy":{"max_padding":"zero",)" + policy + "}"};
}

const std::string before = R"("kernel":[2],"pad_begin":[1],"pad_end":[0])",
                  after = R"("kernel":[2],"pad_begin":[0],"pad_end":[1])";

}  // namespace

TEST(PaddedMaximum, FindsPaddingBeforeAndAfterATapAsAWalkDoesMPadMTie) {
    std::mt19937 random(20260101);
    int found = 0;
    for (int k = 0; k < 6000; ++k) {
        std::vector<Axis> drawn;
        for (int axis = 0; axis <= k % 3; ++axis) drawn.push_back(drawn_axis(random));
        spec::for_each_window(drawn, [&](Index out, const spec::Window& w) {
            const std::vector<Index> taps = taps_in_order(drawn, out);
            ASSERT_EQ(w.clipped(), Rational(taps.size()));
            const auto first = std::find(taps.begin(), taps.end(), Index{-1});
            if (first == taps.end()) return;
            const auto last = std::find(taps.rbegin(), taps.rend(), Index{-1}).base() - 1;
            for (std::size_t tap = 0; tap < w.taps.size(); ++tap) {
                const auto own = std::find(taps.begin(), taps.end(), static_cast<Index>(tap));
                EXPECT_EQ(spec::padding_leads(w, tap, false), first < own);
                EXPECT_EQ(spec::padding_leads(w, tap, true), last > own);
                ++found;
            }
        });
    }
    EXPECT_GT(found, 10'000);
}

TEST(PaddedMaximum, IsTheZeroOfPaddingMPadMZero) {
    EXPECT_EQ(permitted(padded(before, "1", "-1", R"("signed_zero":"either")").in_forward()), "0x0p+0");
    EXPECT_EQ(permitted(padded(before, "1", R"("-0x0p+0")", R"("signed_zero":"either")").in_forward()),
              "-0x0p+0..0x0p+0");
    EXPECT_EQ(permitted(padded(before, "1", R"("-0x0p+0")", R"("signed_zero":"positive")").in_forward()),
              "0x0p+0");
    EXPECT_EQ(permitted(padded(before, "1", R"("-0x0p+0")", R"("signed_zero":"first")").in_forward()),
              "0x0p+0");
    EXPECT_EQ(permitted(padded(after, "1", R"("-0x0p+0")", R"("signed_zero":"first")").in_forward()),
              "-0x0p+0");
}

TEST(PaddedMaximum, OfPaddingAloneIsNotEmptyMPadWEmpty) {
    const std::string alone = R"("kernel":[1],"pad_begin":[1],"pad_end":[0])";
    EXPECT_EQ(padded(alone, "1", "-3", R"("empty_window":"lowest")").forward(), "[2] 0 -3");
    EXPECT_EQ(padded(alone, "1", "-3", R"("empty_window":"lowest")").jvp("5"), "[2] 0 5");
}

TEST(PaddedMaximum, TakesTheGradientAndTheIndexWhereItComesFirstMPadMTieMIdx) {
    const auto index = [](const std::string& attrs, const std::string& ties) {
        return permitted(
            padded(attrs + R"(,"return_indices":true)", "1", "0", "\"ties\":\"" + ties + "\"").in_forward());
    };
    EXPECT_EQ(index(before, "first"), "0x0p+0 at ?");
    EXPECT_EQ(index(after, "first"), "0x0p+0 at 0");
    EXPECT_EQ(index(before, "last"), "0x0p+0 at 0");
    EXPECT_EQ(index(after, "last"), "0x0p+0 at ?");
    EXPECT_EQ(index(after, "any"), "0x0p+0 at ?");
    const auto pushed = [](const std::string& attrs, const std::string& ties, const std::string& tangent) {
        return padded(attrs, "1", "0", "\"ties\":\"" + ties + "\"").jvp(tangent);
    };
    EXPECT_EQ(pushed(before, "first", "5"), "[1] 0");
    EXPECT_EQ(pushed(after, "first", "5"), "[1] 5");
    EXPECT_EQ(pushed(after, "any", "5"), "[1] open");
    EXPECT_EQ(pushed(after, "any", "0"), "[1] 0");
    EXPECT_EQ(pushed(after, "split", "5"), "[1] 5/2");
    // Padding stands between the tied cells, and the last of them is real.
    const std::string left = R"("kernel":[2,2],"pad_begin":[0,1],"pad_end":[0,0])";
    EXPECT_EQ(padded(left, "2,1", "0,0", R"("ties":"last")").vjp("7"), "[2,1] 0 7");
    EXPECT_EQ(padded(left, "2,1", "0,0", R"("ties":"first")").vjp("7"), "[2,1] 0 0");
}

}  // namespace poolproof

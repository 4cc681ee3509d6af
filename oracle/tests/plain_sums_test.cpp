// SPDX-License-Identifier: Apache-2.0
// Plain sums see the cells that windows see, wherever rows end: right answers are near, and those of windows
// that see one cell more or less, or a cell's neighbour, are not. What they must not pass over is
// screen_test's.
#include "oracle/certified/plain_sums.hpp"

#include <gtest/gtest.h>

namespace poolproof::certified {
namespace {

struct Geometry {
    Index rows, kernel, stride, pad, overhang;
};

/// Two slices' cells, of which the second is behind the first one's last row, and averages over windows.
template <class Number> class Layer {
public:
    Layer(const Geometry& g, Index extent) : g_(g), extent_(extent) {
        Axis outer, inner;
        outer.extent = 2 * g.rows;
        outer.kernel = outer.stride = g.rows;
        outer.out = 2;
        inner.extent = extent;
        inner.kernel = g.kernel;
        inner.stride = g.stride;
        inner.pad_begin = inner.pad_end = g.pad;
        inner.out = (extent + 2 * g.pad + g.overhang - g.kernel) / g.stride + 1;
        EXPECT_TRUE(walk_.over({outer, inner}));
        layout_ = row_layout(walk_, extent);
        cells_.resize(static_cast<std::size_t>(2 * walk_.cells) + lanes_beyond);
        for (std::size_t k = 0; k < cells_.size(); ++k)  // none like the 63 cells around it
            cells_[k] = static_cast<Number>(1 + static_cast<double>(k * 37 % 64) / 64);
        answers_.resize(static_cast<std::size_t>(walk_.outs) + lanes_beyond);
        walk_.for_each_window([&](const Walk::Outer& o, const Walk::Inner& i, Index out) {
            double sum = 0;
            walk_.for_each_tap(o, i, [&](Index tap) { sum += cell(tap); });
            answers_[static_cast<std::size_t>(out)] = static_cast<Number>(sum / divisor);
        });
        for (const Walk::Inner& i : walk_.inner) seen_.push_back(static_cast<double>(i.counts.count));
        Limits l;
        l.divisor = divisor;
        l.scaling = 2;
        l.per_rounding = sizeof(Number) == sizeof(double) ? 0x1p-40 : 0x1p-18;  // no rounding is in doubt
        l.least = 0x1p-300;
        limits_.assign(layout_.parts.size(), l);
    }

    /// How many rows are near, the first ones.
    std::size_t near_rows(bool in_pairs) {
        Tensor none(Format::f64, {1});
        ReadAhead ahead(none), answers_ahead(none);
        PlainSums<Number> sums(in_pairs);
        sums.lay_out(layout_, walk_.inner.size());
        sums.allow(layout_, limits_, static_cast<std::size_t>(g_.rows), seen_.data());
        return sums.near_until({walk_, layout_, cells_.data(), answers_.data(), ahead, answers_ahead}, 0, 2);
    }

    Index windows() const { return static_cast<Index>(walk_.inner.size()); }
    /// Lets an answer of the second row count a column's first cell, or not count it.
    void add_to(Index window, Index column, double sign) {
        answers_[static_cast<std::size_t>(windows() + window)] +=
            static_cast<Number>(sign * cell(g_.rows * extent_ + column) / divisor);
    }
    Index first_column(Index window) const { return window * g_.stride - g_.pad; }

    static constexpr double divisor = 6;

private:
    double cell(Index at) const { return static_cast<double>(cells_[static_cast<std::size_t>(at)]); }

    Geometry g_;
    Index extent_;
    Walk walk_;
    RowLayout layout_;
    std::vector<Number> cells_, answers_;
    std::vector<double> seen_;
    std::vector<Limits> limits_;
};

template <class Number> void expect_windows_seen(const Geometry& g, Index extent, bool in_pairs) {
    const Layer<Number> right(g, extent);
    Layer<Number> layer = right;
    EXPECT_EQ(layer.near_rows(in_pairs), 2U);
    for (Index w = 0; w < right.windows(); ++w)
        for (const Index column : {right.first_column(w) - 1, right.first_column(w) + g.kernel}) {
            layer = right;
            layer.add_to(w, column, 1);
            EXPECT_EQ(layer.near_rows(in_pairs), 1U) << "window " << w << " with column " << column;
            layer = right;
            layer.add_to(w, column, 1);
            layer.add_to(w, column < right.first_column(w) ? column + g.kernel : column - g.kernel, -1);
            EXPECT_EQ(layer.near_rows(in_pairs), 1U) << "window " << w << " moved to column " << column;
        }
}

TEST(PlainSums, SeeTheCellsThatWindowsSeeWhereverRowsEnd) {
    const Geometry geometries[] = {{2, 2, 2, 0, 0}, {3, 3, 2, 1, 0}, {3, 3, 2, 0, 0}, {2, 3, 2, 1, 1},
                                   {3, 2, 2, 0, 1}, {2, 3, 2, 0, 1}, {1, 3, 2, 1, 0}, {3, 3, 1, 1, 0},
                                   {2, 2, 1, 0, 0}, {5, 5, 2, 2, 0}};
    for (const Geometry& g : geometries)
        for (Index extent = 4; extent < 70; ++extent) {
            SCOPED_TRACE(testing::Message() << g.rows << " x " << g.kernel << " stride " << g.stride
                                            << " pad " << g.pad << " of " << extent);
            for (const bool in_pairs : {false, true}) {
                expect_windows_seen<double>(g, extent, in_pairs);
                expect_windows_seen<float>(g, extent, in_pairs);
            }
        }
}

}  // namespace
}  // namespace poolproof::certified

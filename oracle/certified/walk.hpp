// SPDX-License-Identifier: Apache-2.0
// The windows of a pool over one slice, as rows: the only walk of the certified path, and its own derivation
// of which cells a window sees.
#pragma once

#include <poolproof/plan.hpp>

#include <vector>

namespace poolproof::certified {

/// Windows are products: an outer part (all axes but the last) lists where the window's rows begin, an inner
/// part says which cells of each row it sees.
struct Walk {
    /// What one axis of a window counts: real cells, all taps, those in the padded input.
    struct Counts {
        Index count = 0, span = 0, clipped = 0;

        friend bool operator==(const Counts&, const Counts&) = default;
    };
    struct Outer {
        std::size_t first_row = 0, rows = 0;  ///< in `row_starts`
        std::size_t first_counts = 0;         ///< in `outer_counts`, one for each outer axis
    };
    struct Inner {
        Index first = 0, step = 1;
        Counts counts;
        Index start = 0;  ///< where its first tap is, in padding or not
    };

    Index cells = 1, outs = 1;  ///< of one slice
    std::vector<Outer> outer;
    std::vector<Inner> inner;
    std::vector<Index> row_starts;
    std::vector<Counts> outer_counts;
    std::size_t outer_axes = 0;

    /// Inner windows that follow one another `stride` cells apart, none before the last, and see as many
    /// cells.
    struct Run {
        std::size_t begin = 0, count = 0;
        Index stride = 0;
    };
    std::vector<Run> runs() const;

    /// The same of all taps: from `start` on, and as many, in padding or not. Those without a real cell are
    /// on their own.
    std::vector<Run> runs_of_taps() const;

    /// Fills the walk in, keeping its memory. False for windows so wide that products of counts are not safe.
    bool over(const std::vector<Axis>& axes);

    /// How many real cells a window has.
    Index taps(const Outer& o, const Inner& i) const { return static_cast<Index>(o.rows) * i.counts.count; }

    /// At least how many windows see a cell, whose rows are `extent` long.
    Index most_windows(Index extent) const;

    /// Calls `use(outer, inner, out)` for every window in row-major order.
    template <class Use> void for_each_window(Use use) const {
        Index out = 0;
        for (const Outer& o : outer)
            for (const Inner& i : inner) use(o, i, out++);
    }

    /// Calls `use(tap)` for the flat position of each real cell, in row-major order.
    template <class Use> void for_each_tap(const Outer& o, const Inner& i, Use use) const {
        for (std::size_t r = 0; r < o.rows; ++r) {
            const Index row = row_starts[o.first_row + r] + i.first;
            for (Index k = 0; k < i.counts.count; ++k) use(row + k * i.step);
        }
    }

private:
    template <class First, class Alike> std::vector<Run> runs_by(First first, Alike alike) const;

    /// Splits every row from `begin` on into one for each cell that a window sees of the next axis.
    void split_rows(std::size_t begin, const Inner& at, Index extent);
};

}  // namespace poolproof::certified

// SPDX-License-Identifier: Apache-2.0
// How rows of windows lie over the columns of rows of cells.
#pragma once

#include "oracle/certified/lanes.hpp"
#include "oracle/certified/walk.hpp"

#include <functional>

namespace poolproof::certified {

/// Where the columns of a row are: in order, or the even ones apart from the odd ones, `before` that are not
/// there counted in.
struct Columns {
    std::size_t count = 0, before = 0;
    std::size_t apart = 0;  ///< from the first even one to the first odd one; 0 if all are in order

    std::size_t place(Index column) const {
        const auto c = static_cast<std::size_t>(column + static_cast<Index>(before));
        return apart == 0 ? c : c % 2 * apart + c / 2;
    }

    /// Puts a neutral number at the places up to `step`'s next multiple, which are written with others.
    template <class Number> void clear_end(Number* of, std::size_t step, Number neutral) const {
        for (std::size_t c = count; c % step != 0; ++c) of[place(static_cast<Index>(c))] = neutral;
    }
};

/// Stores vectors of columns that follow one another, in pairs.
class ColumnPlaces {
public:
    template <class Row>
    ColumnPlaces(const Columns& c, const Row& /*kind*/, std::size_t lanes_of_row)
        : first_(c.place(0)),
          second_(c.apart == 0 ? first_ + lanes_of_row : c.place(1)),
          apart_(c.apart != 0) {}

    template <class Number, class Row>
    POOLPROOF_INLINE void store(Number* to, std::size_t column, const Row& a, const Row& b) const {
        if (apart_) {
            Row even, odd;
            take_apart(a, b, even, odd);
            std::memcpy(to + first_ + column / 2, &even, sizeof even);
            std::memcpy(to + second_ + column / 2, &odd, sizeof odd);
        } else {
            std::memcpy(to + first_ + column, &a, sizeof a);
            std::memcpy(to + second_ + column, &b, sizeof b);
        }
    }

private:
    std::size_t first_, second_;
    bool apart_;
};

/// Windows of a row whose columns are `stride` places apart from one to the next.
struct RowPart {
    std::size_t begin = 0, count = 0;
    Index first = 0, step = 1, taps = 0;  ///< of the first window
    Index between = 1;                    ///< columns from one window to the next
    Index most_seen = 0;                  ///< cells of a row that a window sees
    std::size_t stride = 1;
    std::vector<std::size_t> places;  ///< of the first window's columns; none where none sees a cell
};

struct RowLayout {
    Columns columns;
    std::size_t room = 0;  ///< for the columns, and for vectors that run past them
    std::vector<RowPart> parts;
};

/// Of rows of so many cells. Windows go together if they are `alike`, asked of one and the next.
RowLayout row_layout(const Walk& walk, Index extent,
                     const std::function<bool(std::size_t, std::size_t)>& alike);
inline RowLayout row_layout(const Walk& walk, Index extent) {
    return row_layout(walk, extent, [](std::size_t, std::size_t) { return true; });
}

}  // namespace poolproof::certified

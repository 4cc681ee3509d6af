// SPDX-License-Identifier: Apache-2.0
// How rows of windows lie over the columns of rows of cells.
#pragma once

#include "oracle/certified/lanes.hpp"
#include "oracle/certified/walk.hpp"

#include <functional>
#include <span>

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

/// A slice's rows of windows, its cells and its answers. `lanes_beyond` of each are readable past the last.
template <class Number> struct SliceRows {
    const Walk& walk;
    const RowLayout& layout;
    const Number *cells, *answers;
    ReadAhead &ahead, &answers_ahead;

    std::span<const Index> rows(std::size_t outer) const {
        const Walk::Outer& o = walk.outer[outer];
        return {walk.row_starts.data() + o.first_row, o.rows};
    }
    const Number* answers_of(std::size_t outer) const { return answers + outer * walk.inner.size(); }

    /// Asks for the memory that is read some time after a row of windows.
    void reading(std::size_t outer) const {
        answers_ahead.reading(answers_of(outer));
        if (const auto r = rows(outer); !r.empty()) ahead.reading(cells + r.back());
    }
};

/// Rows by one way, and by the next where that leaves one in doubt, and for some rows after it: the more the
/// more often that is so. `by(way, begin, end)` tells the first row in doubt, or `end`; the last way, for
/// which there is no pause, leaves none.
template <class By>
void settle_rows(std::span<std::size_t> pauses, std::size_t way, std::size_t begin, std::size_t end, By by) {
    constexpr std::size_t most_paused = 63;
    while (begin < end) {
        const std::size_t doubtful = by(way, begin, end);
        if (doubtful == end) return;
        std::size_t& pause = pauses[way];
        pause = doubtful > begin ? 1 : std::min(2 * pause + 1, most_paused);
        begin = std::min(doubtful + pause, end);
        settle_rows(pauses, way + 1, doubtful, begin, by);
    }
}

}  // namespace poolproof::certified

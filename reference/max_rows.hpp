// SPDX-License-Identifier: Apache-2.0
// The kernels of the maximum: several rows at a time along themselves, and several windows of rows across.
#pragma once

#include "reference/best.hpp"
#include "reference/cells.hpp"
#include "reference/geometry.hpp"

namespace poolproof::reference {

/// Rows of `line.extent` cells, one after the other in `x`, become rows of line.out() cells in `y`. `base` is
/// the position of the first cell, and cells are as many elements as stand beside each other at one position.
template <class T, class P> struct Along {
    const Line& line;
    Index cell;
    const T* x;
    Index base;
    Row<T, P> y;
    Index rows;
    Row<T, P> spare[2];  ///< where windows double: spare_cells(line) of them each, to be overwritten
};

/// Whether windows overlap so much that it pays to reduce 2, 4, 8, .. neighbours first.
inline bool doubles(const Line& l) { return l.step == 1 && l.kernel >= 5 && l.kernel > 2 * l.stride; }

/// Cells of a row as long as if every window were full, for some rows.
inline Index padded_row(const Line& l) { return (l.out() - 1) * l.stride + l.kernel; }
inline Index padded_rows(const Line& l) { return std::max<Index>(1, 1024 / padded_row(l)); }

inline Index spare_cells(const Line& l) { return std::max(l.extent, padded_rows(l) * padded_row(l)); }

/// Each window of rows in `x`, of n elements, becomes one row in `y`, from window `begin` of the line on.
/// x holds row `first` of the line and those after it, up to `past`; it is overwritten if doubles(line).
template <class T, class P> struct Across {
    const Line& line;
    Row<T, P> x;
    Index first, past;
    Row<T, P> y;
    Index n, begin, end;
    bool asks = false;  ///< for what follows the rows that are read
};

/// A plane whose cells are more than elements.
template <class T, class P> struct BestCells {
    const Line& height;
    const Line& width;
    Index cell;
    const T* x;
    Index base;  ///< the position of the first cell
    Row<T, P> y;
    Row<T, P> held;  ///< unless `directly`, height.kernel rows of width.out() cells, to be overwritten
};

/// The gradient of a plane in dx. `best.y` has room for one row of values and for `tall` of positions, to be
/// overwritten.
template <class T, class P> struct PullCells {
    BestCells<T, P> best;
    const Line& height;  ///< transposed,
    const Line& width;   ///< and this
    Index tall;          ///< at least what height's fullest window has
    const T* dy;
    T* dx;
    Writing writing;
};

/// Slices of n elements, each of which becomes one, and where it is unless `at` is null.
template <class T> struct BestOfSlices {
    const T* x;
    Index n, slices;
    T* y;
    Index* at = nullptr;
};

/// Whether they are reduced by the kernel for them: where rows are shared, they must begin one after the
/// other, and where windows overlap so much that it pays to let them double, they had better.
inline bool best_of_cells(const Line& h, const Line& w, Index cell) {
    const auto few = [](const Line& l) { return l.kernel <= std::max<Index>(5, 3 * l.stride); };
    if (h.kernel > most_taps || w.kernel > most_taps) return false;
    return cell >= 8 && (directly(h, w, cell) || (h.step == 1 && few(h) && few(w)));
}

/// Whether `across_few` serves: rows of no less than a register, few of which are reduced at once. Where it
/// asks for what follows, those of a window must be in the nearest cache with that.
template <class T, class P> bool few_across(const Across<T, P>& a) {
    constexpr Index longest_register = 64 / static_cast<Index>(sizeof(T));
    constexpr Index near_bytes = 16 << 10;
    if (a.asks && a.line.kernel * a.n * static_cast<Index>(sizeof(T)) > near_bytes) return false;
    return !Row<T, P>::indexed && a.n >= longest_register && !doubles(a.line) && a.line.kernel <= most_taps;
}

template <class T, class P> struct MaxRows {
    void (*cells)(const BestCells<T, P>&);
    void (*along)(const Along<T, P>&);
    void (*across_any)(const Across<T, P>&);
    void (*across_few)(const Across<T, P>&);     ///< null where there are positions,
    void (*slices)(const BestOfSlices<T>&);      ///< and this
    void (*pull_cells)(const PullCells<T, P>&);  ///< null where there are none

    void across(const Across<T, P>& a) const { (few_across(a) ? across_few : across_any)(a); }
};

/// The kernels for this machine. Instantiated for float and double, with positions and without.
template <class T, class P> MaxRows<T, P> max_rows(Nan nan);

}  // namespace poolproof::reference

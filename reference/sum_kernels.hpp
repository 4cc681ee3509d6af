// SPDX-License-Identifier: Apache-2.0
// Sums over windows, one axis after the other from the first on: rows across first, so that only one row of
// sums is left to be reduced along itself. The transpose is the same, over the windows that cover an input.
// Sums, and what they are divided by, are of one type S.
#pragma once

#include "reference/cells.hpp"
#include "reference/strided.hpp"

namespace poolproof::reference {

/// A plane of rows of x, the last two axes of a block, becomes a plane of means in y.
template <class X, class Y, class S> struct Mean {
    const Line& height;
    const Line& width;
    Index cell;
    const X* x;
    Y* y;
    const S* heights;  ///< the divisor of an output is the product of its row's, its column's and `scale`
    const S* widths;
    S scale;
    S* row;       ///< of width.extent cells, or summed_at_once(width), to be overwritten,
    S* divisors;  ///< and of width.out(), or means_at_once, where cells are single elements
    Writing writing;
};

/// So many means of short rows are made at once, where rows go on in the next.
inline constexpr Index means_at_once = 128;

/// Whether they do: windows that are alike leave no rest.
inline bool goes_on(const Line& l) {
    return l.step == 1 && l.begin == 0 && l.end == l.out() && l.extent == l.out() * l.stride &&
           l.stride <= 3 && l.kernel >= 2 && l.kernel <= l.stride;
}

inline Index summed_at_once(const Line& l) { return goes_on(l) ? means_at_once * l.stride : 0; }

/// Slices of n elements, each of which becomes one.
template <class T> struct MeanOfSlices {
    const T* x;
    Index n, slices;
    T divisor;
    T* y;
};

/// A plane of shares, one for each output, becomes a plane in y where each is added wherever its window was.
template <class Y, class S> struct Spread {
    const Line& height;  ///< transposed
    const Line& width;   ///< as it is, and
    const Line& covers;  ///< transposed
    Index cell;
    const S* x;
    Y* y;
    S* row;  ///< of width.out() cells and one more, to be overwritten
    Writing writing;

    const Strided<S>& strided;  ///< of the width, where it is
};

/// The same where cells are more than elements, from what is still to be divided; or, if there is no x, from
/// shares.
template <class T, class S> struct SpreadCells {
    const Line& height;  ///< transposed,
    const Line& width;   ///< and this
    Index cell;
    const T* x;
    const S* heights;  ///< as in Mean
    const S* widths;
    S scale;
    S* shares;  ///< or, if there is an x, room for the `tallest` of rows, to be overwritten
    S* row;     ///< of width.extent cells, to be overwritten
    T* y;
    Writing writing;
};

/// Rows of shares that a row of inputs is made of, at most, and at least 1.
inline Index tallest(const Line& height) { return std::max<Index>(1, height.kernel); }

/// y[i] = x[i] / (d[i / cell] * scale) for `cells` cells.
template <class T, class S> struct Share {
    const T* x;
    S* y;
    const S* d;
    S scale;
    Index cell, cells;
};

/// y[i] = x[i] / d, for n elements.
template <class T, class S> struct Divide {
    const T* x;
    S* y;
    S d;
    Index n;
};

/// y[i] = x[i] + x[step + i] + .., `count` terms, none of which makes 0.
template <class X, class S> struct Sum {
    const X* x;
    Index count, step;
    S* y;
    Index n;
};

/// Whether the kernels for cells are made for these windows: they read all rows of one at once.
inline bool cells_fit(const Line& h, const Line& w) { return h.kernel <= 8 && w.kernel <= most_taps; }

template <class T, class S> struct SumKernels {
    void (*mean)(const Mean<T, T, S>&);
    void (*mean_of_sums)(const Mean<S, T, S>&);
    void (*mean_cells)(const Mean<T, T, S>&);  ///< the same where cells are more than elements
    void (*mean_cells_of_sums)(const Mean<S, T, S>&);
    void (*mean_of_slices)(const MeanOfSlices<S>&);
    void (*spread)(const Spread<T, S>&);
    void (*spread_strided)(
        const Spread<T, S>&);  ///< the same where the width is `strided`, of single elements
    void (*spread_cells)(const SpreadCells<T, S>&);
    void (*share)(const Share<T, S>&);
    void (*divide)(const Divide<T, S>&);
    void (*sum)(const Sum<T, S>&);
    void (*sum_of_sums)(const Sum<S, S>&);
};

/// The kernels for this machine: for double, and for float with sums of either.
template <class T, class S> SumKernels<T, S> sum_kernels();

}  // namespace poolproof::reference

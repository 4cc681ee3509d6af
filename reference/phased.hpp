// SPDX-License-Identifier: Apache-2.0
// What is done to planes from register to register, where windows begin one stride after the other along rows
// (see phases.hpp and columns.hpp), or where a plane has few outputs. Not for the baseline, which has no
// permutations by tables.
#pragma once

#include "reference/best.hpp"
#include "reference/columns.hpp"
#include "reference/phases.hpp"

namespace poolproof::reference {

/// The rows of a plane that are `phased`, windows over at most most_kernel of which have the first NaN as
/// their maximum. What is not const is to be overwritten.
template <class T, class P> struct Rows {
    const Line& height;
    const Line& covers;  ///< the same, transposed
    const Phases<P>& phases;
    const T* x;
    T* spare;        ///< as many elements as one row has, and twice those of `stride` registers
    Row<T, P> held;  ///< most_kernel rows of registers of windows
};

/// Their gradient in dx.
template <class T, class P> struct PullPhased {
    Rows<T, P> rows;
    double* pending;  ///< most_kernel rows of registers of phases
    const T* dy;
    T* spare_dy;  ///< as many as one row has, and twice those of its registers
    T* dx;
    Writing writing;
};

/// Their maxima and winners' positions, of type At.
template <class T, class P, class At> struct FindPhased {
    Rows<T, P> rows;
    T* y;
    At* indices;
    Writing writing;
};

/// A plane of shares, one for each output, becomes a plane in y where each is added wherever its window was.
/// A share before those is read, and a register more.
template <class T> struct SpreadPhased {
    const Line& height;  ///< transposed
    const Line& width;
    Index before;  ///< cut_off(width)
    const T* x;
    T* y;
    Writing writing;
    bool apart;              ///< whether rows that are alike are made one by one
    std::uintptr_t follows;  ///< what is read after this plane is asked for, so many elements with each row
    Index each;
};

/// A plane of rows of x, at most most_kernel of which are in a window, becomes a plane in y.
template <class T, class P> struct ByColumns {
    const Line& height;
    const Columns<P>& columns;
    const T* x;
    T* spare;  ///< as many elements as one row has, and twice those of `stride` registers; to be overwritten
    T* y;
    Writing writing;
};

/// Of maxima.
template <class T, class P> struct MaxPhased {
    ByColumns<T, P> plane;
    Nan nan;
};

/// Of means.
template <class T, class P> struct MeanPhased {
    ByColumns<T, P> plane;
    const T* heights;  ///< the divisor of an output is the product of its row's, its column's and `scale`
    const T* widths;
    T scale;
    T* divisors;  ///< of the registers of a row, to be overwritten
};

/// Whether planes are better pulled, or winners better found, like that. Measured: rows that fill few
/// registers had better be woven.
bool better_pull_phased(const Geometry& g, Nan nan, std::size_t size);
bool better_find_phased(const Geometry& g, Nan nan, std::size_t size);

/// Whether planes that are not better pulled like that had better have their winners found, and cotangents
/// added there. Measured: the fewer windows are beside those of a register the less it is worth.
bool better_add_found(const Geometry& g, Nan nan, std::size_t size);

/// Whether SpreadPhased serves, as far as its sums are those of other kernels for planes.
inline bool summed_by_phases(const Geometry& g) {
    constexpr Index one_by_one = 6;  // rows, that those sum one after the other
    const auto few = [&](const std::vector<Line>& lines) {
        return lines.size() < 2 || lines[lines.size() - 2].kernel <= one_by_one;
    };
    const auto near = [](const Line& l) { return l.step == 1; };
    return g.cell == 1 && phased(g.lines.back()) && few(g.lines) && few(g.covers) &&
           std::all_of(g.lines.begin(), g.lines.end(), near);
}

/// Whether it is better, and whether MeanPhased and MaxPhased are. Measured.
bool better_spread_phased(const Geometry& g, std::size_t size);
bool better_mean_phased(const Geometry& g, std::size_t size);
bool better_max_phased(const Geometry& g, std::size_t size);

/// Whether SpreadPhased had better make rows that are alike one by one: from far, memory is fastest in its
/// own order.
bool rows_apart(const Geometry& g, std::size_t size);

// Instantiated for float and double.
template <class T, class P> void pull_phased(const PullPhased<T, P>& p);
template <class T, class P, class At> void find_phased(const FindPhased<T, P, At>& f);
template <class T> void spread_phased(const SpreadPhased<T>& s);
template <class T, class P> void max_phased(const MaxPhased<T, P>& m);
template <class T, class P> void mean_phased(const MeanPhased<T, P>& m);

}  // namespace poolproof::reference

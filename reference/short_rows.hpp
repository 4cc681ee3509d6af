// SPDX-License-Identifier: Apache-2.0
// Planes whose rows are in a few registers: each element of what becomes of a row finds its own there by
// tables, all planes in one call. Not for the baseline, which has no permutations by tables.
#pragma once

#include "reference/best.hpp"
#include "reference/geometry.hpp"
#include "reference/level.hpp"
#include "reference/scratch.hpp"

#include <algorithm>

namespace poolproof::reference {

/// So many rows of inputs that are made of the same rows of shares, `windows` of them.
struct AlikeRows {
    Index first, windows, count;
};

/// Planes of `rows` rows of shares that are in up to 4 registers each.
template <class T, class P> struct SpreadShort {
    Index planes = 0, rows = 0;
    bool alone = false;         ///< whether that is one which becomes one row of inputs
    Index out = 0, extent = 0;  ///< of a row of shares, and of one of inputs
    Index registers = 0;        ///< of a row of shares: 1, 2 or 4
    Index terms = 0;            ///< windows over an input of a row at most,
    bool each = false;          ///< or, over one of a plane, 2 by 2, to be summed row by row
    const P* places = nullptr;  ///< for each register of inputs `terms` of them: where their shares are
    const AlikeRows *alike = nullptr, *past_alike = nullptr;  ///< of a plane, whose rows of shares go up
    Index most_alike = 1;
    const T* divisors = nullptr;  ///< registers of each share, or, with `times`, their inverses,
    Index pitch = 0;              ///< of rows so far apart
    bool times = false;
    const T* beyond = nullptr;   ///< what is in place of shares beyond those of a row
    const P* numbers = nullptr;  ///< the number of each
    const T* x = nullptr;
    T* spare = nullptr;  ///< as many elements as a row has, and those of twice the registers
    T* held = nullptr;   ///< registers of a plane's shares, to be overwritten
    T* y = nullptr;
    Writing writing = Writing::near;
};

/// Windows over blocks of slabs of planes whose rows are in up to 4 registers each.
template <class T, class P> struct ShortRows {
    const Line& outer;
    const Line& height;
    Index blocks = 0;
    Index extent = 0, out = 0;  ///< of a row of inputs, and of one of outputs
    Index registers = 0;        ///< of a row of inputs: 1, 2 or 4
    Index terms = 0;            ///< taps in a row of a window at most
    const P* places = nullptr;  ///< for each register of outputs `terms` of them: where their taps are
    Index past_rows = 0;        ///< rows of a window after its first, and those between
    const T* x = nullptr;
    const T* also = nullptr;  ///< what is asked for as x is, if not null
    Index follows = 0;        ///< elements after those of x that may be read
    T* spare = nullptr;       ///< as many elements as a row has, and twice those and the registers'
    T* y = nullptr;
    Writing writing = Writing::near;
};

/// Their means; a tap that is not there is at -1.
template <class T, class P> struct MeanShort {
    ShortRows<T, P> rows;
    bool each = false;          ///< whether outputs are summed row by row, and not rows first
    bool times = false;         ///< whether divisors are inverses, to be multiplied by:
    const T* scales = nullptr;  ///< those of the outer windows,
    const T* by = nullptr;      ///< and registers of each output of a plane
    Index pitch = 0;            ///< of rows so far apart
};

/// Their maxima; a tap that is not there is where the last one is.
template <class T, class P> struct MaxShort {
    ShortRows<T, P> rows;
    Nan nan;
    P* at = nullptr;  ///< for winners' positions: then nothing is streamed
};

/// Elements of a register.
template <class T> Index lanes_of() { return register_bytes(level()) / Index{sizeof(T)}; }

/// Registers of n elements.
template <class T> Index registers_of(Index n) { return (n + lanes_of<T>() - 1) / lanes_of<T>(); }

/// The same of a row, as there are kernels for 1, 2 and 4.
template <class T> Index registers_of_row(Index n) {
    const Index registers = registers_of<T>(n);
    return registers == 3 ? 4 : registers;
}

/// Whether SpreadShort serves. Its sums are those of the other kernels for planes, woven or not.
template <class T> bool short_shares(const Geometry& g);

/// What of it does not depend on tensors, for shares divided by `divisors` of both lines, or by `all`, if
/// that is not null.
template <class T>
SpreadShort<T, Position<T>> spread_short_of(const Geometry& g, T* const* divisors, const T* all,
                                            Scratch& scratch);

/// Whether MeanShort serves and is better, measured. Its sums are those of the other kernels for planes,
/// woven or not.
template <class T> bool short_means(const Geometry& g);

/// Whether MaxShort serves, of what MaxPlanes covers, and is better, measured.
template <class T> bool short_maxima(const Geometry& g);

/// The same where positions are found, and for gradients.
template <class T> bool found_short(const Geometry& g);
template <class T> bool pulled_short(const Geometry& g);

/// What of them does not depend on tensors, for the divisors of all lines.
template <class T>
MeanShort<T, Position<T>> mean_short_of(const Geometry& g, T* const* divisors, Scratch& scratch);

template <class T> MaxShort<T, Position<T>> max_short_of(const Geometry& g, Nan nan, Scratch& scratch);

// Instantiated for float and double.
template <class T, class P> void mean_short(const MeanShort<T, P>& m);
template <class T, class P> void max_short(const MaxShort<T, P>& m);
template <class T, class P> void find_short(const MaxShort<T, P>& m);
template <class T, class P> void spread_short(const SpreadShort<T, P>& s);

}  // namespace poolproof::reference

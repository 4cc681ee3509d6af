// SPDX-License-Identifier: Apache-2.0
// The gradient of a maximum by planes whose windows begin one stride after the other along rows.
#pragma once

#include "reference/best.hpp"
#include "reference/phases.hpp"

namespace poolproof::reference {

/// A plane of rows that are `phased`, windows over at most most_kernel of which have the first NaN as their
/// maximum. What is not const is to be overwritten.
template <class T, class P> struct PullPhased {
    const Line& height;
    const Line& covers;  ///< the same, transposed
    const Phases<P>& phases;
    const T* x;
    T* spare;  ///< as many elements as one row has, and twice those of `stride` registers
    const T* dy;
    T* spare_dy;      ///< as many as one row has, and twice those of its registers
    Row<T, P> held;   ///< most_kernel rows of registers of windows
    double* pending;  ///< most_kernel rows of registers of phases
    T* dx;
    bool stream;
};

/// A plane of shares, one for each output, becomes a plane in y where each is added wherever its window was.
/// A register more of shares is read.
template <class T, class P> struct SpreadPhased {
    const Line& height;  ///< transposed
    const Phases<P>& phases;
    const T* x;
    T* y;
    bool stream;
};

/// Whether planes are better pulled like that. Measured: rows that fill few registers had better be woven.
bool better_phased(const Geometry& g, Nan nan, std::size_t size);

/// What SpreadPhased needs, or nothing where that does not serve.
template <class T> Phases<Position<T>> spread_phases(const Geometry& g, Scratch& scratch) {
    if (level() == Level::baseline || g.cell > 1 || !phased(g.lines.back())) return {};
    return phases<Position<T>>(g.lines.back(), scratch);
}

// Instantiated for float and double.
template <class T, class P> void pull_phased(const PullPhased<T, P>& p);
template <class T, class P> void spread_phased(const SpreadPhased<T, P>& s);

}  // namespace poolproof::reference

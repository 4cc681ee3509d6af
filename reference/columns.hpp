// SPDX-License-Identifier: Apache-2.0
// What the kernels need that reduce across rows first: where the columns that a register of windows sees
// along a row are found.
#pragma once

#include "reference/geometry.hpp"
#include "reference/level.hpp"
#include "reference/scratch.hpp"

#include <algorithm>

namespace poolproof::reference {

/// Windows that begin one stride after the other go by registers. The columns of each phase, those one stride
/// apart, do too: tap t of a register of windows is column t / stride, and those after it, of phase t %
/// stride. P is a type of positions, as wide as an element.
template <class P> struct Columns {
    static constexpr Index most_stride = 4, most_kernel = 8;
    static constexpr Index most_strides = 4;  ///< that a window is wide

    /// The first columns of a register of windows, of all phases: at a register of `places` for each, in
    /// `stride` registers from `begin` on. Where there are no columns the first and the last are in place of
    /// them; those that there are lie from `bounds` to the register after it, counted from a lane's own. That
    /// is null where none are missing.
    struct Part {
        Index begin = 0;
        const P* places = nullptr;
        const P* bounds = nullptr;
    };

    /// How many elements are read from the begin of a part on.
    Index past() const { return stride * lanes; }

    Index stride = 1, kernel = 1, extent = 0, out = 0;
    Index registers = 0;          ///< of windows in a row
    const Part* parts = nullptr;  ///< as many, and one that the last ones reach into
    Index lanes = 0;              ///< of a register
};

/// Whether there are kernels for such windows.
inline bool has_columns(const Line& l) {
    using C = Columns<Index>;
    if (l.stride > C::most_stride || l.kernel > C::most_kernel || l.kernel < 2) return false;
    if (l.kernel > C::most_strides * l.stride) return false;
    const Index before = cut_off(l);
    return before >= 0 && before < l.kernel;
}

/// For a line that has them.
template <class P> Columns<P> columns(const Line& l, Scratch& scratch) {
    Columns<P> c;
    const Index lanes = register_bytes(level()) / Index{sizeof(P)}, stride = l.stride, extent = l.extent;
    const Index size = stride * lanes, before = cut_off(l);
    c.stride = stride;
    c.kernel = l.kernel;
    c.extent = extent;
    c.out = l.out();
    c.registers = (c.out + lanes - 1) / lanes;
    auto* parts = scratch.take<typename Columns<P>::Part>(c.registers + 1);
    const P* whole = nullptr;
    for (Index v = 0; v <= c.registers; ++v) {
        const Index first = v * size - before, begin = std::clamp<Index>(first, 0, extent - 1);
        const bool cut = first < 0 || first + size > extent;
        parts[v] = {begin, whole, nullptr};
        if (!cut && whole != nullptr) continue;
        P* places = scratch.take<P>(size);
        P* bounds = scratch.take<P>(2 * lanes);
        for (Index i = 0; i < lanes; ++i) {
            const Index own = first + i * stride;
            for (Index phase = 0; phase < stride; ++phase)
                places[phase * lanes + i] =
                    static_cast<P>(std::clamp<Index>(own + phase, 0, extent - 1) - begin);
            bounds[i] = static_cast<P>(-own);
            bounds[lanes + i] = static_cast<P>(extent - 1 - own);
        }
        parts[v].places = places;
        if (cut)
            parts[v].bounds = bounds;
        else
            whole = places;
    }
    c.parts = parts;
    c.lanes = lanes;
    return c;
}

}  // namespace poolproof::reference

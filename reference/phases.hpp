// SPDX-License-Identifier: Apache-2.0
// What the kernels need that go along rows whose windows begin one stride after the other: where
// each window of a register finds its taps, and each input the windows that it is in.
#pragma once

#include "reference/geometry.hpp"
#include "reference/level.hpp"
#include "reference/scratch.hpp"

#include <algorithm>

namespace poolproof::reference {

/// Windows go by registers, and so do the inputs of a phase, which are those one stride apart: the first of
/// each phase are in the first window that is not cut off, wherever that begins. P is the type of positions,
/// as wide as an element.
template <class P> struct Phases {
    static constexpr Index most_stride = 4;
    static constexpr Index most_kernel = 8;  ///< along rows and across

    /// The tap of what is no window, so far below 0 that it stays there whatever rows add.
    static constexpr P nowhere = -2 * most_kernel * most_kernel;

    /// Where a register of windows finds its taps: those of each stride in `stride` registers, which begin
    /// where `begins` says, and there at `places`, a register of which is for each tap. Windows that borders
    /// cut off find their first and last inputs in place of others, and what is said to be their tap is to be
    /// limited: to at least the first of two registers of `limits`, and at most the second, which is
    /// `nowhere` where no windows are. That is null if there are none of either.
    struct Taken {
        const Index* begins;
        const P* places;
        const P* limits;
    };

    Index stride = 1, kernel = 1, extent = 0, out = 0;
    Index before = 0;  ///< as cut_off says
    Index lanes = 0;   ///< of a register

    Index registers = 0;              ///< of windows in a row,
    Index inner = 0, past_inner = 0;  ///< and which of those need no limits
    const Taken* taken = nullptr;

    Index joints = 0;  ///< registers of inputs of a phase in a row

    /// Where those of a row that are a register of each phase find themselves in these, `stride` registers;
    /// and the same of the first, if that begins before the row.
    const P* joined = nullptr;
    const P* first_joined = nullptr;
};

/// Whether windows begin one stride after the other, and each sees the line.
inline bool regular(const Line& l) {
    if (l.stride > Phases<Index>::most_stride) return false;
    const Index before = cut_off(l);
    return before >= 0 && before < l.kernel;
}

/// Whether there are kernels that find their winners.
inline bool found_by_phases(const Line& l) {
    return l.kernel >= 2 && l.kernel <= Phases<Index>::most_kernel && regular(l);
}

/// And kernels for the rest, of windows of which at most two share an input.
inline bool phased(const Line& l) {
    if (l.kernel > 2 * l.stride || (l.stride < 4 ? l.kernel < 2 : l.kernel > l.stride)) return false;
    return regular(l);
}

/// For a line that is `phased`, or `found_by_phases`.
template <class P> Phases<P> phases(const Line& l, Scratch& scratch) {
    Phases<P> p;
    const Index lanes = register_bytes(level()) / Index{sizeof(P)}, before = cut_off(l);
    const Index stride = l.stride, kernel = l.kernel, extent = l.extent;
    const auto registers_of = [&](Index n) { return (n + lanes - 1) / lanes; };
    p.lanes = lanes;
    p.stride = stride;
    p.kernel = kernel;
    p.extent = extent;
    p.out = l.out();
    p.before = before;
    p.registers = registers_of(p.out);

    const Index strides = (kernel + stride - 1) / stride;  // of a window
    auto* taken = scratch.take<typename Phases<P>::Taken>(p.registers);
    Index* begins = scratch.take<Index>(p.registers * strides);
    P* inner = nullptr;
    for (Index v = 0; v < p.registers; ++v, begins += strides) {
        const Index first = v * lanes * stride - before;
        const Index past = first + (lanes - 1) * stride + std::max(kernel, stride);
        const bool cut = first < 0 || past > extent || (v + 1) * lanes > p.out;
        for (Index u = 0; u < strides; ++u) begins[u] = std::clamp<Index>(first + u * stride, 0, extent - 1);
        P* places = cut || inner == nullptr ? scratch.take<P>(kernel * lanes) : inner;
        if (!cut) {
            if (inner == nullptr) p.inner = v;
            p.past_inner = v + 1;
            inner = places;
        }
        for (Index t = 0; t < kernel; ++t)
            for (Index i = 0; i < lanes; ++i)
                places[t * lanes + i] = static_cast<P>(
                    std::clamp<Index>(first + i * stride + t, 0, extent - 1) - begins[t / stride]);
        P* limits = cut ? scratch.take<P>(2 * lanes) : nullptr;
        for (Index i = 0; cut && i < lanes; ++i) {
            const Index window = first + i * stride;
            limits[i] = static_cast<P>(std::max<Index>(0, -window));
            limits[lanes + i] =
                v * lanes + i < p.out ? static_cast<P>(std::min(kernel, extent - window) - 1) : p.nowhere;
        }
        taken[v] = {begins, places, limits};
    }
    p.taken = taken;

    p.past_inner = std::max(p.inner, p.past_inner);
    p.joints = std::max(p.registers, registers_of((extent + before + stride - 1) / stride));
    P* joined = scratch.take<P>(stride * lanes);
    for (Index i = 0; i < stride * lanes; ++i) joined[i] = static_cast<P>(i % stride * lanes + i / stride);
    p.joined = joined;
    P* shifted = scratch.take<P>(stride * lanes);
    for (Index i = 0; i < stride * lanes; ++i) shifted[i] = joined[std::min(i + before, stride * lanes - 1)];
    p.first_joined = shifted;
    return p;
}

}  // namespace poolproof::reference

// SPDX-License-Identifier: Apache-2.0
// What the kernel needs that spreads shares along rows whose windows begin one stride after the other: where
// each input of a register finds its sum.
#pragma once

#include "reference/geometry.hpp"
#include "reference/level.hpp"
#include "reference/scratch.hpp"

#include <algorithm>
#include <type_traits>

namespace poolproof::reference {

/// How many of a row's shares an input takes at most.
inline Index shares_of(const Line& l) { return (l.kernel + l.stride - 1) / l.stride; }

/// What cut_off says of such windows, or -1 where there are none or they are far apart or long. What their
/// shares add up to is the same as `sum_of` makes it.
inline Index strided(const Line& l) {
    constexpr Index most_phases = 8, most_shares = 7;
    return l.stride <= most_phases && shares_of(l) <= most_shares ? cut_off(l) : -1;
}

/// So many elements more than those of a plane of shares are read.
template <class S> inline constexpr Index read_past = 64 / Index{sizeof(S)};

/// Inputs are made a register at a time, from two registers of sums that begin with one window: `all` sums of
/// as many shares as an input takes at most, and `less`, of one less.
template <class S> struct Strided {
    /// Where in those an input takes its sum from, of the size of an S.
    using Place = std::conditional_t<sizeof(S) == sizeof(std::int32_t), std::int32_t, std::int64_t>;

    /// Rows of sums that wait to be spread, each with some room before and behind, and for a register behind
    /// the last: by then they have left the store buffer, where a load across two stores waits for both.
    static constexpr Index rows = 16, room = 64 / Index{sizeof(S)};

    Index stride = 1, terms = 1;
    Index before = 0;   ///< as cut_off says
    Index covered = 0;  ///< inputs of a row, before those which windows do not reach
    Index pitch = 0;
    S* waiting = nullptr;  ///< that many rows, the first with room before it; or null where there are none

    const Place* alone = nullptr;  ///< for each phase: of a register that begins so long after a window does

    /// Or null, or those of the first `stride` registers, if two registers of sums hold all that they are
    /// made of, `all` from `shift` windows later on.
    const Place* together = nullptr;
    Index shift = 0;
};

/// Nothing where windows are not `strided`, or rows are shorter than a register.
template <class S> Strided<S> stride_by_stride(const Line& l, Scratch& scratch) {
    using Place = typename Strided<S>::Place;
    const Index lanes = register_bytes(level()) / Index{sizeof(S)}, n = l.out(), stride = l.stride;
    Strided<S> s;
    s.before = strided(l);
    if (s.before < 0) return {};
    s.stride = stride;
    s.terms = shares_of(l);
    s.covered = std::min(l.extent, (n - 1) * stride + l.kernel - s.before);
    if (s.covered < lanes) return {};
    s.pitch = n / s.room * s.room + 3 * s.room;
    s.waiting = scratch.take<S>(s.rows * s.pitch + 2 * s.room) + s.room;

    const Index full = l.kernel - (s.terms - 1) * stride;  // inputs of each stride that take all
    const auto place = [&](Place* to, Index phase, Index inputs, Index shift) {
        for (Index i = 0, at = 0; i < inputs; ++i) {
            to[i] = static_cast<Place>(phase < full ? at - shift : at + lanes);
            if (++phase < stride) continue;
            phase = 0;
            ++at;
        }
    };
    Place* alone = scratch.take<Place>(stride * lanes);
    for (Index phase = 0; phase < stride; ++phase) place(alone + phase * lanes, phase, lanes, 0);
    s.alone = alone;

    const Index begin = s.before % stride;
    if (begin != 0 && begin != full) return s;
    s.shift = begin == 0 ? 0 : 1;
    Place* together = scratch.take<Place>(stride * lanes);
    place(together, begin, stride * lanes, s.shift);
    s.together = together;
    return s;
}

}  // namespace poolproof::reference

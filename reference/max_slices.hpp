// SPDX-License-Identifier: Apache-2.0
// The maximum by kernels that take many slices at once: those that are windows, and planes and slabs whose
// rows are in a few registers. All are for what MaxPlanes covers.
#pragma once

#include "reference/convert.hpp"
#include "reference/max_rows.hpp"
#include "reference/scatter.hpp"
#include "reference/short_rows.hpp"
#include "reference/workers.hpp"

#include <array>
#include <optional>

namespace poolproof::reference {

/// False, and nothing done, where there is no such kernel.
template <class T>
bool best_of_slices(const Pooling& p, const Geometry& g, std::span<const T> x, std::span<T> y) {
    const bool whole = g.whole;
    if (!whole && !short_maxima<T>(g)) return false;
    in_parallel(p.threads, g.blocks, [&](Index begin, Index end) {
        const T* from = x.data() + begin * g.inputs;
        T* to = y.data() + begin * g.outputs;
        if (whole) return max_rows<T, void>(p.nan).slices({from, g.inputs, end - begin, to});
        Scratch scratch;
        MaxShort<T, Position<T>> maxima = max_short_of<T>(g, p.nan, scratch);
        ShortRows<T, Position<T>>& rows = maxima.rows;
        rows.blocks = end - begin;
        rows.x = from;
        rows.y = to;
        rows.writing = writing_of(y.size_bytes());
        max_short<T, Position<T>>(maxima);
        streamed();
    });
    return true;
}

/// Calls f(slice, y, at) for each from `begin` to `end`, with its maxima and where they are. `found_short`
/// or `pulled_short` must be. What will be written in dx is asked for, unless that is null.
template <class T, class F>
void for_each_found(const Pooling& p, const Geometry& g, std::span<const T> x, const T* dx, Index begin,
                    Index end, Scratch& scratch, const F& f) {
    constexpr Index near_bytes = 8 << 10;
    const Index bytes = g.outputs * static_cast<Index>(2 * sizeof(T));
    const Index together = std::max<Index>(1, std::min(near_bytes / bytes, end - begin));
    MaxShort<T, Position<T>> maxima = max_short_of<T>(g, p.nan, scratch);
    maxima.at = scratch.take<Position<T>>(together * g.outputs);
    maxima.rows.y = scratch.take<T>(together * g.outputs);
    for (Index done = begin; done < end; done += maxima.rows.blocks) {
        maxima.rows.blocks = std::min(together, end - done);
        maxima.rows.x = x.data() + done * g.inputs;
        maxima.rows.follows = static_cast<Index>(x.size()) - (done + maxima.rows.blocks) * g.inputs;
        maxima.rows.also = dx == nullptr ? nullptr : dx + done * g.inputs;
        find_short<T, Position<T>>(maxima);
        for (Index s = 0; s < maxima.rows.blocks; ++s)
            f(done + s, maxima.rows.y + s * g.outputs, maxima.at + s * g.outputs);
    }
}

/// As above, with positions.
template <class T>
bool found_in_slices(const Pooling& p, const Geometry& g, std::span<const T> x, std::span<T> y,
                     std::span<Index> indices) {
    const bool whole = g.whole;
    if (!whole && !found_short<T>(g)) return false;
    in_parallel(p.threads, g.blocks, [&](Index begin, Index end) {
        if (whole)
            return max_rows<T, void>(p.nan).slices({x.data() + begin * g.inputs, g.inputs, end - begin,
                                                    y.data() + begin, indices.data() + begin});
        Scratch scratch;
        for_each_found<T>(p, g, x, nullptr, begin, end, scratch,
                          [&](Index slice, const T* best, const Position<T>* at) {
                              std::copy_n(best, g.outputs, y.data() + slice * g.outputs);
                              if constexpr (std::is_same_v<Position<T>, Index>)
                                  std::copy_n(at, g.outputs, indices.data() + slice * g.outputs);
                              else
                                  widen(at, indices.data() + slice * g.outputs, g.outputs);
                          });
    });
    return true;
}

/// Whether sums in T are those in double, rounded: no input is in more than two windows.
template <class T> bool summed_in_place(const Geometry& g) {
    Index windows = 1;
    for (const Line& l : g.covers) windows *= l.kernel;
    return sizeof(T) == sizeof(double) || (!g.covers.empty() && windows <= 2);
}

/// The gradient of slices that are windows.
template <class T>
void pull_windows(const Pooling& p, const Geometry& g, std::span<const T> x, std::span<const T> cotangent,
                  std::span<T> dx, Index begin, Index end) {
    constexpr Index together = 64;
    std::array<T, together> y;
    std::array<Index, together> at;
    const MaxRows<T, void> rows = max_rows<T, void>(p.nan);
    for (Index done = begin; done < end; done += together) {
        const Index count = std::min(together, end - done);
        rows.slices({x.data() + done * g.inputs, g.inputs, count, y.data(), at.data()});
        T* to = dx.data() + done * g.inputs;
        std::fill_n(to, count * g.inputs, T{0});
        for (Index s = 0; s < count; ++s, to += g.inputs)
            to[at[extent_of(s)]] += cotangent[extent_of(done + s)];
    }
}

/// The gradient, likewise.
template <class T>
bool pulled_in_slices(const Pooling& p, const Geometry& g, std::span<const T> x, std::span<const T> cotangent,
                      std::span<T> dx) {
    const bool whole = g.whole;
    if (!whole && !pulled_short<T>(g)) return false;
    in_parallel(p.threads, g.blocks, [&](Index begin, Index end) {
        if (whole) return pull_windows(p, g, x, cotangent, dx, begin, end);
        Scratch scratch;
        const Writing writing = writing_of(dx.size_bytes());
        const bool in_place = writing != Writing::past && summed_in_place<T>(g);
        std::optional<Scatter<T>> gradient;
        if (!in_place) gradient.emplace(g, g.blocks * g.inputs, scratch);
        for_each_found<T>(p, g, x, writing == Writing::far ? dx.data() : nullptr, begin, end, scratch,
                          [&](Index slice, const T* /*best*/, const Position<T>* at) {
                              const T* c = cotangent.data() + slice * g.outputs;
                              T* to = dx.data() + slice * g.inputs;
                              if (!in_place) return gradient->block(at, c, to);
                              prefetch(c, g.outputs * static_cast<Index>(sizeof(T)));
                              std::fill_n(to, g.inputs, T{0});
                              for (Index o = 0; o < g.outputs; ++o) to[at[o]] += c[o];
                          });
    });
    return true;
}

}  // namespace poolproof::reference

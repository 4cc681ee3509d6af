// SPDX-License-Identifier: Apache-2.0
// Fewer channels than registers are made for, last: taken apart into planes, and put together again.
#pragma once

#include "reference/geometry.hpp"
#include "reference/workers.hpp"

namespace poolproof::reference {

/// Whether it is worth it.
inline bool few_channels(const Pooling& p) {
    return p.layout == Layout::channels_last && p.channels > 1 && p.channels < 8;
}

/// The channels of one block, n elements each.
template <class T> struct Planes {
    Index n, channels;
    T* planes;

    Planes(Index size, Index of, Scratch& scratch)
        : n(size), channels(of), planes(scratch.take<T>(size * of)) {}

    std::span<const T> of(std::span<const T> cells, Index block) {
        const T* from = cells.data() + block * n * channels;
        for (Index c = 0; c < channels; ++c)
            for (Index i = 0; i < n; ++i) planes[c * n + i] = from[i * channels + c];
        return all();
    }

    void into(std::span<T> cells, Index block) const {
        T* to = cells.data() + block * n * channels;
        for (Index c = 0; c < channels; ++c)
            for (Index i = 0; i < n; ++i) to[i * channels + c] = planes[c * n + i];
    }

    std::span<T> all() const { return {planes, extent_of(n * channels)}; }
};

/// Calls f(one, begin, end, scratch) for parts of the blocks, each of which is as `one` has it, as planes.
template <class F> void in_planes(const Pooling& p, Index blocks, const F& f) {
    thread_local Pooling kept;  // and so is its memory
    kept = p;
    kept.layout = Layout::planes;
    kept.slices = p.channels;
    kept.threads = 1;
    const Pooling& one = kept;  // this thread's, for all
    in_parallel(p.threads, blocks, [&](Index begin, Index end) {
        Scratch scratch;
        f(one, begin, end, scratch);
    });
}

}  // namespace poolproof::reference

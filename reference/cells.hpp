// SPDX-License-Identifier: Apache-2.0
// What the kernels for cells share, of sums and of maxima: cells are the elements that stand beside each
// other at one position, such as channels.
#pragma once

#include "reference/geometry.hpp"
#include "reference/lanes.hpp"
#include "reference/memory.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace poolproof::reference {

/// What their windows may have along one axis, or in all if each is reduced by itself.
inline constexpr Index most_taps = 64;

/// Whether reducing every window by itself is no more work than reducing rows, whose results windows share
/// but which are written and read again.
inline bool directly(const Line& h, const Line& w, Index cell) {
    const Index taps = h.kernel * w.kernel;
    return cell >= 8 && taps <= most_taps && taps <= h.kernel * w.stride + w.kernel + 2;
}

/// Whether means of cells are summed tap by tap, row by row, and not rows first.
inline bool summed_each(const Line& h, const Line& w, Index cell = strands) {
    return directly(h, w, cell) || (cell >= 8 && h.kernel * w.kernel <= 9);
}

namespace cells {

using Strands = std::integral_constant<Index, strands>;

inline std::uintptr_t address_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
template <class X> std::uintptr_t bytes_of(Index n) { return static_cast<std::uintptr_t>(n) * sizeof(X); }

struct NoAsks {
    [[gnu::always_inline]] void operator()() const {}
};

/// Lines to be asked for at each step of some work.
struct Asks {
    std::uintptr_t at;
    std::uintptr_t bytes;
    std::int64_t rows;
    std::uintptr_t pitch;

    [[gnu::always_inline]] void operator()() {
        for (std::int64_t r = 0; r < rows; ++r)
            prefetch_at(at + static_cast<std::uintptr_t>(r) * pitch, static_cast<std::int64_t>(bytes));
        at += bytes;
    }
};

/// Windows with so many bytes, which share none, are read as fast as they can be if nothing is asked for.
inline constexpr std::uintptr_t read_alone = 9 << 10;

/// What the row of windows after this one will read: where windows leave cells out, those of the window
/// below, and otherwise a share of the rows that have not been read yet. It is asked for step by step, as
/// nothing else is done while many lines are waited for.
template <class X> class Ahead {
public:
    /// Of a window or of several `at_once`, a step takes `step` elements, or one window if it has fewer.
    Ahead(const Line& h, const Line& w, Index cell, Index step, bool at_once) : cell_(cell) {
        const auto reach = [](const Line& l) { return (l.kernel - 1) * l.step + 1; };
        Index most = 0;
        if (h.stride > reach(h) || w.stride > reach(w)) {
            below_ = h.stride * w.extent + w.windows[extent_of(w.begin)].first - w.begin * w.stride;
            window_ = w.stride * cell;
            most = reach(w) * cell;
            rows_ = h.kernel;
            pitch_ = bytes_of<X>(h.step * w.extent * cell);
        } else {
            row_ = w.extent;
            most = window_ = std::min(h.stride, h.extent) * w.extent * cell / w.out();
        }
        const bool apart = h.stride >= reach(h) && w.stride >= reach(w);
        if (apart && bytes_of<X>(reach(h) * reach(w) * cell) >= read_alone) rows_ = 0;
        const Index steps = (cell + step - 1) / step;
        const Index asked = at_once && step > cell ? window_ * step / cell : (most + steps - 1) / steps;
        bytes_ = bytes_of<X>(asked);
    }

    /// While window i of those is reduced whose rows begin at x.
    [[gnu::always_inline]] Asks during(const X* x, Index rows, Index i) const {
        return {address_of(x) + bytes_of<X>((rows * row_ + below_) * cell_ + i * window_), bytes_, rows_,
                pitch_};
    }

private:
    Index cell_;
    Index row_ = 0, below_ = 0;  ///< cells to what is asked for: of each row, and in all
    Index window_ = 0;           ///< elements from what is asked for during one window to the next
    std::uintptr_t bytes_ = 0, pitch_ = 0;
    std::int64_t rows_ = 1;
};

}  // namespace cells

}  // namespace poolproof::reference

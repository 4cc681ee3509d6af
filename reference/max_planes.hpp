// SPDX-License-Identifier: Apache-2.0
// The maximum where no tap beside the input counts: rows are reduced along themselves, then across, a strip
// of them at a time that stays in the cache. Rows before columns is a matter of meaning: the first winner of
// each row, then the first of these, is the first in row-major order.
#pragma once

#include "reference/max_rows.hpp"
#include "reference/scratch.hpp"

#include <limits>

namespace poolproof::reference {

/// Whether MaxPlanes can be used; the rule for zeros of both signs is that the first wins.
template <class T> bool covered_by_planes(const Geometry& g) {
    return !g.any_padding && !g.any_empty && g.inputs > 0 && g.outputs > 0 &&
           g.inputs <= std::numeric_limits<Position<T>>::max();
}

/// One block of slices at a time; positions are of type P, or absent where that is void.
template <class T, class P> class MaxPlanes {
public:
    using At = P;

    MaxPlanes(Nan nan, const Geometry& g, Scratch& scratch)
        : rows_(max_rows<T, P>(nan)), g_(g), width_(g.lines.back()), row_(width_.out() * g.cell) {
        if (g.lines.size() == 1) return;
        const Line& h = height();
        const Index span = (h.kernel - 1) * h.step + 1;
        const Index fitting =
            strip_bytes / (row_ * static_cast<Index>(sizeof(T)) * (Row<T, P>::indexed ? 2 : 1));
        strip_rows_ = std::min(h.extent, std::max(fitting, 4 * span));
        strip_ = taken(scratch, strip_rows_ * row_);
        if (outer() > 0)
            for (auto& b : between_) b = taken(scratch, g.between);
    }

    void block(const T* x, Row<T, P> y) {
        if (g_.lines.size() == 1) return rows_.along({width_, g_.cell, x, 0, y, 1});
        if (outer() == 0) return plane(x, 0, y);
        const Index planes = height().outer, inputs = height().extent * width_.extent;
        const Index outputs = g_.lines[outer() - 1].inner;
        Row<T, P> from = between_[outer() % 2];
        for (Index k = 0; k < planes; ++k) plane(x + k * inputs * g_.cell, k * inputs, from + k * outputs);
        for (std::size_t k = outer(); k-- > 0;) {
            const Row<T, P> to = k == 0 ? y : between_[k % 2];
            const Line& l = g_.lines[k];
            for (Index b = 0; b < l.outer; ++b)
                rows_.across(
                    {l, from + b * l.extent * l.inner, 0, to + b * l.out() * l.inner, l.inner, 0, l.out()});
            from = to;
        }
    }

private:
    static constexpr Index strip_bytes = 12 << 10;  ///< with what is read, in a cache of 32 KiB

    std::size_t outer() const { return g_.lines.size() - 2; }  ///< axes before the last two
    const Line& height() const { return g_.lines[outer()]; }

    static Row<T, P> taken(Scratch& scratch, Index n) {
        if constexpr (Row<T, P>::indexed)
            return {scratch.take<T>(n), scratch.take<P>(n)};
        else
            return {scratch.take<T>(n)};
    }

    /// `base` is the position of the plane's first element.
    void plane(const T* x, Index base, Row<T, P> y) {
        const Line& h = height();
        for (Index o = 0; o < h.out();) {
            const Strip strip = strip_from(h, o);
            const Index at = strip.first * width_.extent;
            rows_.along({width_, g_.cell, x + at * g_.cell, base + at, strip_, strip.past - strip.first});
            rows_.across({h, strip_, strip.first, y + o * row_, row_, o, strip.end});
            o = strip.end;
        }
    }

    /// Rows `first` to `past` hold the windows up to `end`. Where taps lie apart, a later window may begin
    /// before an earlier one whose first tap was padding.
    struct Strip {
        Index first, past, end;
    };

    Strip strip_from(const Line& h, Index o) const {
        Strip all{h.extent, 0, o};
        for (; all.end < h.out(); ++all.end) {
            const Window& w = h.windows[extent_of(all.end)];
            const Index first = std::min(all.first, w.first);
            const Index past = std::max(all.past, w.first + (w.count - 1) * h.step + 1);
            if (all.end > o && past - first > strip_rows_) break;
            all.first = first;
            all.past = past;
        }
        return all;
    }

    const MaxRows<T, P> rows_;
    const Geometry& g_;
    const Line& width_;
    const Index row_;  ///< elements of a reduced row
    Index strip_rows_ = 0;
    Row<T, P> strip_{};
    Row<T, P> between_[2]{};
};

}  // namespace poolproof::reference

// SPDX-License-Identifier: Apache-2.0
// The maximum where no tap beside the input counts: rows are reduced along themselves, then across, a strip
// of them at a time that stays in the cache. Rows before columns is a matter of meaning: the first winner of
// each row, then the first of these, is the first in row-major order.
#pragma once

#include "reference/max_rows.hpp"
#include "reference/memory.hpp"
#include "reference/phased.hpp"
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
        : rows_(max_rows<T, P>(nan)),
          g_(g),
          width_(g.lines.back()),
          row_(width_.out() * g.cell),
          phased_(Row<T, P>::indexed && better_pull_phased(g, nan, sizeof(T))),
          found_by_phases_(Row<T, P>::indexed &&
                           (better_find_phased(g, nan, sizeof(T)) || better_add_found(g, nan, sizeof(T)))),
          nan_(nan) {
        if (g.lines.size() > 2)
            for (auto& b : between_) b = taken(scratch, g.between);
        if constexpr (!Row<T, P>::indexed)
            if (better_max_phased(g, sizeof(T))) {
                columns_ = columns<Position<T>>(width_, scratch);
                past_ = scratch.take<T>(columns_.extent + 2 * columns_.past());
                return;
            }
        if (doubles(width_))
            for (auto& s : spare_) s = taken(scratch, spare_cells(width_) * g.cell);
        if (g.lines.size() == 1) return;
        const Line& h = height();
        cells_ = best_of_cells(h, width_, g.cell);
        if (cells_) {
            strip_ = taken(scratch, h.kernel * row_);
            return;
        }
        large_strip_ = strip_of(24 << 10);  // with what is read, in a cache of 32 KiB
        // Rows come from memory only while they are reduced along themselves, which should be most of the
        // time; those that strips share are reduced twice.
        constexpr Index read_at_once = 4 << 10;
        const Index read = width_.extent * g.cell * static_cast<Index>(sizeof(T));
        strip_rows_ =
            h.kernel <= h.stride + 1
                ? std::min(large_strip_, std::max(read_at_once / read, 2 * ((h.kernel - 1) * h.step + 1)))
                : large_strip_;
        strip_ = taken(scratch, large_strip_ * row_);
        columns_first_ = !Row<T, P>::indexed && h.kernel > 1 && h.kernel <= h.stride + 1 &&
                         width_.kernel > 3 && !doubles(h);
        if (columns_first_) wide_ = taken(scratch, width_.extent * g.cell);
        reduced_rows_ = std::min(large_strip_, h.out());
        reduced_ = taken(scratch, reduced_rows_ * row_);
    }

    /// What is written past the caches is to be followed by streamed().
    void block(const T* x, Row<T, P> y, Writing writing = Writing::near) {
        writing_ = g_.lines.size() == 2 ? writing : Writing::near;
        if (g_.lines.size() == 1) return rows_.along({width_, g_.cell, x, 0, y, 1, {spare_[0], spare_[1]}});
        if (outer() == 0) return plane(x, 0, y);
        const Index planes = height().outer, inputs = height().extent * width_.extent;
        const Index outputs = g_.lines[outer() - 1].inner;
        Row<T, P> from = between_[outer() % 2];
        for (Index k = 0; k < planes; ++k) plane(x + k * inputs * g_.cell, k * inputs, from + k * outputs);
        for (std::size_t k = outer(); k-- > 0;) {
            const Row<T, P> to = k == 0 ? y : between_[k % 2];
            const Line& l = g_.lines[k];
            for (Index b = 0; b < l.outer; ++b)
                rows_.across({l, from + b * l.extent * l.inner, 0, l.extent, to + b * l.out() * l.inner,
                              l.inner, 0, l.out()});
            from = to;
        }
    }

    /// Whether `find` can be used.
    bool finds() const { return found_by_phases_; }

    /// As `block`, with positions as those of the interface.
    template <class At> void find(const T* x, T* y, At* indices, Writing writing, Scratch& scratch) {
        if constexpr (Row<T, P>::indexed) find_phased<T, P, At>({rows_of(x, scratch), y, indices, writing});
    }

    /// Whether `pull` can be used.
    bool pulls() const {
        constexpr Index most_windows = 16;  // from which on it is cheaper to add each cotangent at its winner
        if (phased_) return true;
        return Row<T, P>::indexed && cells_ && outer() == 0 && !g_.covers.empty() &&
               height().kernel * width_.kernel <= most_windows;
    }

    /// The gradient of a block, row by row as the winners of the windows over each are known. Written
    /// as `block` does.
    void pull(const T* x, const T* dy, T* dx, Writing writing, Scratch& scratch) {
        if constexpr (Row<T, P>::indexed) {
            if (phased_) return pull_phased(x, dy, dx, writing, scratch);
            const Index tall = height().kernel;
            if (winners_.at == nullptr) winners_ = {scratch.take<T>(row_), scratch.take<P>(tall * row_)};
            rows_.pull_cells({{height(), width_, g_.cell, x, 0, winners_, strip_},
                              g_.covers[0],
                              g_.covers[1],
                              tall,
                              dy,
                              dx,
                              writing});
        }
    }

private:
    /// What kernels by phases need of the rows of a plane.
    auto rows_of(const T* x, Scratch& scratch) {
        if (held_.value == nullptr) {
            phases_ = phases<P>(width_, scratch);
            rows_past_ = scratch.take<T>(width_.extent + 2 * phases_.stride * phases_.lanes);
            held_ = taken(scratch, phases_.most_kernel * phases_.registers * phases_.lanes);
        }
        return Rows<T, P>{height(), g_.covers[0], phases_, x, rows_past_, held_};
    }

    void pull_phased(const T* x, const T* dy, T* dx, Writing writing, Scratch& scratch) {
        const Rows<T, P> rows = rows_of(x, scratch);
        const Index lanes = phases_.lanes;
        if (pending_ == nullptr) {
            cotangents_past_ = scratch.take<T>(width_.out() + 2 * phases_.registers * lanes);
            pending_ = scratch.take<double>(phases_.most_kernel * phases_.joints * phases_.stride * lanes);
        }
        reference::pull_phased<T, P>({rows, pending_, dy, cotangents_past_, dx, writing});
    }

    std::size_t outer() const { return g_.lines.size() - 2; }  ///< axes before the last two
    const Line& height() const { return g_.lines[outer()]; }

    /// So many rows, reduced along themselves, that they are of that many bytes.
    Index strip_of(Index bytes) const {
        const Line& h = height();
        const Index row = row_ * static_cast<Index>(sizeof(T)) * (Row<T, P>::indexed ? 2 : 1);
        return std::min(h.extent, std::max(bytes / row, 4 * ((h.kernel - 1) * h.step + 1)));
    }

    static Row<T, P> taken(Scratch& scratch, Index n) {
        if constexpr (Row<T, P>::indexed)
            return {scratch.take<T>(n), scratch.take<P>(n)};
        else
            return {scratch.take<T>(n)};
    }

    /// `base` is the position of the plane's first element.
    void plane(const T* x, Index base, Row<T, P> y) {
        const Line& h = height();
        if (cells_) return rows_.cells({h, width_, g_.cell, x, base, y, strip_});
        if constexpr (!Row<T, P>::indexed) {
            if (past_ != nullptr)
                return max_phased<T, Position<T>>({{h, columns_, x, past_, y.value, writing_}, nan_});
            if (columns_first_) return across_first(x, y);
        }
        const bool streams = writing_ == Writing::past;
        Index out = 0;  // outputs before it are written
        const auto flush = [&](Index end) {
            stream(reduced_.value, y.value + out * row_, (end - out) * row_ * static_cast<Index>(sizeof(T)));
            if constexpr (Row<T, P>::indexed)
                stream(reduced_.at, y.at + out * row_, (end - out) * row_ * static_cast<Index>(sizeof(P)));
            out = end;
        };
        for (Index o = 0; o < h.out();) {
            const Strip strip = strip_from(h, o);
            const Index at = strip.first * width_.extent;
            rows_.along({width_,
                         g_.cell,
                         x + at * g_.cell,
                         base + at,
                         strip_,
                         strip.past - strip.first,
                         {spare_[0], spare_[1]}});
            if (streams && strip.end - out > reduced_rows_) flush(o);
            const Row<T, P> to = streams ? reduced_ + (o - out) * row_ : y + o * row_;
            rows_.across({h, strip_, strip.first, strip.past, to, row_, o, strip.end});
            o = strip.end;
        }
        if (streams) flush(h.out());
    }

    /// Where rows are not shared by windows it is cheaper to go across first, along what is left. The maximum
    /// is the same, but for which of several zeros it is.
    void across_first(const T* x, Row<T, P> y) {
        const Line& h = height();
        const Index n = width_.extent * g_.cell;
        // Not written to, as doubles(h) is false.
        const Row<T, P> rows{const_cast<T*>(x)};
        for (Index o = 0; o < h.out(); ++o, y = y + row_) {
            rows_.across({h, rows, 0, h.extent, wide_, n, o, o + 1, g_.cell == 1});
            rows_.along({width_, g_.cell, wide_.value, 0, y, 1, {spare_[0], spare_[1]}});
            for (Index i = 0; i < row_; ++i)
                if (y.value[i] == 0) y.value[i] = first_zero(x, h.windows[extent_of(o)], i);
        }
    }

    T first_zero(const T* x, const Window& rows, Index output) const {
        const Window& columns = width_.windows[extent_of(output / g_.cell)];
        for (Index r = 0; r < rows.count; ++r)
            for (Index c = 0; c < columns.count; ++c) {
                const Index at =
                    (rows.first + r * height().step) * width_.extent + columns.first + c * width_.step;
                const T value = x[at * g_.cell + output % g_.cell];
                if (value == 0) return value;
            }
        return 0;
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
            if (all.end > o && (past - first > strip_rows_ || all.end - o == strip_rows_)) break;
            all.first = first;
            all.past = past;
        }
        return all;
    }

    const MaxRows<T, P> rows_;
    const Geometry& g_;
    const Line& width_;
    const Index row_;  ///< elements of a reduced row
    Index strip_rows_ = 0, large_strip_ = 0, reduced_rows_ = 0;
    Row<T, P> strip_{};
    Row<T, P> reduced_{};  ///< of some strips, before they are streamed out
    Row<T, P> between_[2]{};
    Row<T, P> spare_[2]{};
    Row<T, P> winners_{};  ///< of the windows over one row
    Row<T, P> wide_{};     ///< a row not yet reduced along itself
    Writing writing_ = Writing::near;
    bool columns_first_ = false, cells_ = false;

    // By phases: the gradient, and positions of winners.
    const bool phased_, found_by_phases_;
    Phases<std::conditional_t<std::is_void_v<P>, Index, P>> phases_{};
    T *rows_past_ = nullptr, *cotangents_past_ = nullptr;
    Row<T, P> held_{};
    double* pending_ = nullptr;

    // And maxima.
    const Nan nan_;
    Columns<Position<T>> columns_{};
    T* past_ = nullptr;
};

}  // namespace poolproof::reference

// SPDX-License-Identifier: Apache-2.0
// The gradient of a maximum from the positions of its winners. Sums are formed in double, those of a few rows
// of the first axis at a time, which stay in the nearest cache and are rounded when no later window reaches
// them.
#pragma once

#include "reference/convert.hpp"
#include "reference/geometry.hpp"
#include "reference/memory.hpp"

namespace poolproof::reference {

template <class T> class Scatter {
public:
    /// `all` is how many elements the whole gradient has.
    Scatter(const Geometry& g, Index all, Scratch& scratch)
        : g_(g),
          scratch_(scratch),
          line_(g.lines[0]),
          streams_(all * static_cast<Index>(sizeof(T)) >= streamed_bytes) {
        if (g.inputs == 0) return;
        positions_ = g.inputs / line_.extent;
        row_ = positions_ * g.cell;
        if (line_.step > 1 || g.outputs == 0) return;
        const Index fitting = near_bytes / static_cast<Index>(sizeof(double)) / row_;
        rows_ = std::min(line_.extent, std::max(fitting, line_.kernel));
        sums_ = scratch.take<double>(rows_ * row_);
        std::fill_n(sums_, rows_ * row_, 0.0);
    }

    ~Scatter() {
        if (streams_) streamed();
    }

    /// Zeros, and each cotangent added at its winner, if it has one. Throws std::invalid_argument where one
    /// is neither -1 nor the position of an input.
    template <class P> void block(const P* at, const T* cotangent, T* dx) {
        if (rows_ > 0 && by_rows(at, cotangent, dx)) return;
        if (whole_ == nullptr) {
            whole_ = scratch_.take<double>(g_.block_inputs());
            std::fill_n(whole_, g_.block_inputs(), 0.0);
        }
        require(add(at, cotangent, g_.outputs, 0, g_.inputs, whole_), "an index lies outside its slice");
        drain(whole_, dx, g_.block_inputs(), streams_);
    }

private:
    static constexpr Index near_bytes = 16 << 10;

    /// Adds `outputs` cells, of n elements, at those of their positions that are among the `count` from
    /// `first` on. Gives whether all others are -1.
    template <class P, class N>
    static bool add(const P* at, const T* cotangent, Index outputs, Index first, Index count, double* sums,
                    N n) {
        const Index piece = std::max<Index>(1, 64 / n);  // that is asked for at once
        bool all = true;
        for (Index o = 0; o < outputs;) {
            const Index end = std::min(outputs, o + piece);
            prefetch(at, (end - o) * n * static_cast<Index>(sizeof(P)));
            prefetch(cotangent, (end - o) * n * static_cast<Index>(sizeof(T)));
            for (; o < end; ++o)
                for (Index c = 0; c < n; ++c, ++at, ++cotangent) {
                    const Index i = static_cast<Index>(*at) - first;
                    if (static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(count))
                        sums[i * n + c] += static_cast<double>(*cotangent);
                    else
                        all = all && *at == -1;
                }
        }
        return all;
    }

    template <class P>
    bool add(const P* at, const T* cotangent, Index outputs, Index first, Index count, double* sums) const {
        bool all = true;
        with_inner(g_.cell, [&](auto n) { all = add(at, cotangent, outputs, first, count, sums, n); });
        return all;
    }

    /// Where the next window begins that has inputs, or the axis ends.
    Index next_first(Index o) const {
        while (o < line_.out() && line_.windows[extent_of(o)].count == 0) ++o;
        return o < line_.out() ? line_.windows[extent_of(o)].first : line_.extent;
    }

    /// Gives whether all winners are in rows of their windows, as they are unless given for others; otherwise
    /// what is written is not the gradient.
    template <class P> bool by_rows(const P* at, const T* cotangent, T* dx) {
        const Index outputs = g_.outputs / line_.out();
        // sums_ holds rows `low` to `past` of the input, and zeros.
        Index low = 0, past = 0;
        for (Index o = 0; o < line_.out();) {
            Index end = o;
            for (; end < line_.out(); ++end) {
                const Window& w = line_.windows[extent_of(end)];
                if (w.count == 0) continue;
                if (w.first + w.count - low > rows_) break;
                past = w.first + w.count;
            }
            const Index skipped = o * outputs * g_.cell;
            if (!add(at + skipped, cotangent + skipped, (end - o) * outputs, low * positions_,
                     (past - low) * positions_, sums_))
                return std::fill_n(sums_, rows_ * row_, 0.0), false;
            const Index next = next_first(end), done = std::min(next, past);
            drain(sums_, dx + low * row_, (done - low) * row_, streams_);
            std::fill_n(dx + done * row_, (next - done) * row_, T{0});
            if (done > low && done < past) {  // those of rows that later windows reach
                const Index moved = (past - done) * row_, by = (done - low) * row_;
                std::copy_n(sums_ + by, moved, sums_);
                std::fill_n(sums_ + std::max(moved, by), std::min(moved, by), 0.0);
            }
            low = next;
            past = std::max(next, past);
            o = end;
        }
        return true;
    }

    const Geometry& g_;
    Scratch& scratch_;
    const Line& line_;               ///< the first axis,
    Index positions_ = 0, row_ = 0;  ///< and what one of its rows holds
    Index rows_ = 0;                 ///< that fit into sums_, or 0
    double *sums_ = nullptr, *whole_ = nullptr;
    bool streams_;
};

}  // namespace poolproof::reference

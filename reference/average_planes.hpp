// SPDX-License-Identifier: Apache-2.0
// Averages by the kernels for sums: the axes before the last two are summed slab by slab, and the last two by
// planes.
#pragma once

#include "reference/memory.hpp"
#include "reference/phased.hpp"
#include "reference/scratch.hpp"
#include "reference/short_rows.hpp"
#include "reference/sum_kernels.hpp"
#include "reference/weave.hpp"

namespace poolproof::reference {

/// Whether AveragePlanes can be used with sums of that many bits: no divisor is 0, and each is exact and a
/// product of exact factors.
bool covered_by_planes(const Pooling& p, const Geometry& g, int bits);

/// Of T, with sums in S.
template <class T, class S> class AveragePlanes {
public:
    /// `vjp` is for Pass::spread only, `forward` for any; `divisor` in place of the number of taps.
    AveragePlanes(Pass pass, const std::optional<Index>& divisor, const Geometry& g, Scratch& scratch)
        : kernels_(sum_kernels<T, S>()), g_(g), rank_(g.lines.size()) {
        for (std::size_t k = 0; k < rank_; ++k) {
            const Line& l = g.lines[k];
            divisors_[k] = scratch.take<S>(l.out());
            for (Index o = 0; o < l.out(); ++o)
                divisors_[k][o] = !divisor         ? static_cast<S>(l.windows[extent_of(o)].taps())
                                  : k + 1 == rank_ ? static_cast<S>(*divisor)
                                                   : S{1};
            alike_ = alike_ && std::equal(divisors_[k] + 1, divisors_[k] + l.out(), divisors_[k]);
            divisor_ *= divisors_[k][0];
        }
        below_[rank_] = {g.cell, g.cell};
        for (std::size_t k = rank_; k-- > 0;)
            below_[k] = {g.lines[k].extent * below_[k + 1].in, g.lines[k].out() * below_[k + 1].out};
        row_ = scratch.take<S>(
            std::max({below_[rank_ - 1].in, below_[rank_ - 1].out, summed_at_once(g.lines.back())}) + g.cell);
        for (std::size_t k = 0; k + 2 < rank_; ++k)
            slabs_[k] = with_room(std::max(below_[k + 1].in, below_[k + 1].out), scratch);
        shares_ = with_room(g.block_outputs(), scratch);
        products_ = scratch.take<S>(std::max(g.lines.back().out(), means_at_once));
        if (g.cell > 1 && !g.covers.empty()) {
            const Index tall = tallest(across());
            cells_ = tall + g.covers.back().kernel <= most_taps;
            if (rank_ <= 2 && cells_) held_ = scratch.take<S>(tall * below_[rank_ - 1].out);
        }
        if constexpr (std::is_same_v<T, S>) {
            if (pass == Pass::spread && short_shares<T>(g)) {
                short_ = spread_short_of<T>(g, divisors_, alike_ ? &divisor_ : nullptr, scratch);
                return;
            }
            phased_ = pass == Pass::spread && better_spread_phased(g, sizeof(T));
            if (phased_) {
                before_ = cut_off(g.lines.back());
                apart_ = rows_apart(g, sizeof(T));
            }
            if (pass == Pass::mean && short_means<T>(g)) {
                means_.emplace(mean_short_of<T>(g, divisors_, scratch));
            } else if (pass == Pass::mean && better_mean_phased(g, sizeof(T))) {
                columns_ = columns<Position<T>>(g.lines.back(), scratch);
                spare_ = scratch.take<T>(columns_.extent + 2 * columns_.past());
                products_ = scratch.take<S>(columns_.registers * columns_.lanes);
            }
        }
        if (pass == Pass::spread && !phased_ && g.cell == 1)
            strided_ = stride_by_stride<S>(g.lines.back(), scratch);
    }

    void forward(std::span<const T> x, std::span<T> y, Index begin, Index end) {
        writing_ = writing_of(y.size_bytes());
        T* to = y.data() + begin * g_.block_outputs();
        if constexpr (std::is_same_v<T, S>)
            if (means_) {
                ShortRows<T, Position<T>>& rows = means_->rows;
                rows.blocks = end - begin;
                rows.x = x.data() + begin * g_.inputs;
                rows.y = to;
                rows.writing = writing_;
                mean_short<T, Position<T>>(*means_);
                if (writing_ == Writing::past) streamed();
                return;
            }
        for (Index b = begin; b < end; ++b) means(0, x.data() + b * g_.block_inputs(), to, 1);
        if (writing_ == Writing::past) streamed();
    }

    void vjp(std::span<const T> cotangent, std::span<T> dx, Index begin, Index end) {
        writing_ = writing_of(dx.size_bytes());
        T* to = dx.data() + begin * g_.block_inputs();
        if constexpr (std::is_same_v<T, S>)
            if (short_.registers > 0) {
                short_.planes = end - begin;
                short_.x = cotangent.data() + begin * g_.outputs;
                short_.y = to;
                short_.writing = writing_;
                spread_short<T, Position<T>>(short_);
                if (writing_ == Writing::past) streamed();
                return;
            }
        for (Index b = begin; b < end; ++b) {
            const T* c = cotangent.data() + b * g_.block_outputs();
            if (held_ != nullptr) {
                kernels_.spread_cells({across(), g_.covers.back(), g_.cell, c, heights(),
                                       divisors_[rank_ - 1], 1, held_, row_, to, writing_});
                to += g_.block_inputs();
                continue;
            }
            follows_ = reinterpret_cast<std::uintptr_t>(c) + extent_of(g_.block_outputs()) * sizeof(T);
            if (alike_) {
                kernels_.divide({c, shares_, divisor_, g_.block_outputs()});
            } else {
                S* share = shares_;
                divide(0, c, share, 1);
            }
            spread(0, shares_, to);
        }
        if (writing_ == Writing::past) streamed();
    }

private:
    /// As kernels read beyond n elements.
    static S* with_room(Index n, Scratch& scratch) {
        return scratch.take<S>(n + 2 * read_past<S>) + read_past<S>;
    }

    struct Sizes {
        Index in, out;
    };

    /// The line before the last, if there is one.
    const Line& height() const { return rank_ < 2 ? no_axis() : g_.lines[rank_ - 2]; }

    /// The windows that cover each of its positions.
    const Line& across() const { return rank_ < 2 ? height() : g_.covers[rank_ - 2]; }

    /// Its divisors.
    const S* heights() const {
        static constexpr S one = 1;
        return rank_ < 2 ? &one : divisors_[rank_ - 2];
    }

    // Not inlined, as in geometry.hpp.
    template <class X> [[gnu::noinline]] void means(std::size_t axis, const X* x, T*& y, S scale) {
        if (axis + 2 >= rank_) {
            if constexpr (std::is_same_v<X, T> && std::is_same_v<S, T>)
                if (spare_ != nullptr) {
                    mean_phased<T, Position<T>>({{height(), columns_, x, spare_, y, writing_},
                                                 heights(),
                                                 divisors_[rank_ - 1],
                                                 scale,
                                                 products_});
                    y += below_[rank_ < 2 ? 0 : rank_ - 2].out;
                    return;
                }
            const Mean<X, T, S> plane{height(),  g_.lines.back(),      g_.cell, x,    y,
                                      heights(), divisors_[rank_ - 1], scale,   row_, products_,
                                      writing_};
            const bool cells = g_.cell > 1 && cells_fit(height(), g_.lines.back());
            if constexpr (std::is_same_v<X, T>)
                (cells ? kernels_.mean_cells : kernels_.mean)(plane);
            else
                (cells ? kernels_.mean_cells_of_sums : kernels_.mean_of_sums)(plane);
            y += below_[rank_ < 2 ? 0 : rank_ - 2].out;
            return;
        }
        const Line& l = g_.lines[axis];
        const Index n = below_[axis + 1].in;
        for (Index o = 0; o < l.out(); ++o) {
            const Window& w = l.windows[extent_of(o)];
            const Sum<X, S> sum{x + w.first * n, w.count, l.step * n, slabs_[axis], n};
            if constexpr (std::is_same_v<X, T>)
                kernels_.sum(sum);
            else
                kernels_.sum_of_sums(sum);
            means<S>(axis + 1, slabs_[axis], y, scale * divisors_[axis][o]);
        }
    }

    [[gnu::noinline]] void divide(std::size_t axis, const T*& x, S*& y, S scale) {
        const Line& l = g_.lines[axis];
        if (axis + 1 == rank_) {
            kernels_.share({x, y, divisors_[axis], scale, g_.cell, l.out()});
            x += below_[axis].out;
            y += below_[axis].out;
            return;
        }
        for (Index o = 0; o < l.out(); ++o) divide(axis + 1, x, y, scale * divisors_[axis][o]);
    }

    [[gnu::noinline]] void spread(std::size_t axis, S* shares, T*& dx) {
        if (axis + 2 >= rank_) {
            if (cells_)
                kernels_.spread_cells({across(), g_.covers.back(), g_.cell, nullptr, nullptr, nullptr, 1,
                                       shares, row_, dx, writing_});
            else if (phased_) {
                if constexpr (std::is_same_v<T, S>) {
                    const Index rows = std::max<Index>(1, across().out()),
                                out = below_[rank_ < 2 ? 0 : rank_ - 2].out;
                    const Index each = writing_ == Writing::near ? 0 : out / rows + 1;
                    spread_phased<T>(
                        {across(), g_.lines.back(), before_, shares, dx, writing_, apart_, follows_, each});
                    follows_ += extent_of(rows * each) * sizeof(T);
                }
            } else
                (strided_.waiting != nullptr ? kernels_.spread_strided : kernels_.spread)(
                    {across(), g_.lines.back(), g_.covers.back(), g_.cell, shares, dx, row_, writing_,
                     strided_});
            dx += below_[rank_ < 2 ? 0 : rank_ - 2].in;
            return;
        }
        const Index n = below_[axis + 1].out;
        for (const Window& w : g_.covers[axis].windows) {
            if (w.count == 1) {
                spread(axis + 1, shares + w.first * n, dx);
                continue;
            }
            kernels_.sum_of_sums({shares + w.first * n, w.count, n, slabs_[axis], n});
            spread(axis + 1, slabs_[axis], dx);
        }
    }

    const SumKernels<T, S> kernels_;
    const Geometry& g_;
    const std::size_t rank_;
    Writing writing_ = Writing::near;
    S* divisors_[max_axes] = {};  ///< of each axis' windows, their product being the divisor
    S divisor_ = 1;               ///< of all, if they are
    bool alike_ = true;
    Sizes below_[max_axes + 1] = {};  ///< elements of a block's part from this axis on
    S* slabs_[max_axes] = {};
    S *row_ = nullptr, *products_ = nullptr;
    T* spare_ = nullptr;  ///< for what is read past rows
    Strided<S> strided_;
    Columns<Position<T>> columns_;
    SpreadShort<T, Position<T>> short_;
    std::optional<MeanShort<T, Position<T>>> means_;
    S* shares_ = nullptr;
    S* held_ = nullptr;           ///< rows of shares
    bool cells_ = false;          ///< whether `spread_cells` serves,
    bool phased_ = false;         ///< or `spread_phased`
    Index before_ = 0;            ///< then cut_off of the last line,
    bool apart_ = false;          ///< and whether rows that are alike are made one by one
    std::uintptr_t follows_ = 0;  ///< the cotangents after a block, as far as they were not asked for
};

}  // namespace poolproof::reference

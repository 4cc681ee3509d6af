// SPDX-License-Identifier: Apache-2.0
// The maximum under any policy: values and winners are reduced from the last axis to the first. Only ties
// that count jointly visit windows.
#pragma once

#include "reference/best.hpp"
#include "reference/geometry.hpp"
#include "reference/scratch.hpp"

#include <cmath>
#include <limits>

namespace poolproof::reference {

/// Whether a later element displaces the winner so far.
template <Nan nan, bool last, bool positive_zero> struct Rule {
    template <class T> static bool beats(T later, T winner) {
        if constexpr (positive_zero)
            if (later == 0 && winner == 0 && std::signbit(later) != std::signbit(winner))
                return std::signbit(winner);
        return last ? later >= winner : later > winner;
    }

    template <class T> static bool displaces(T later, T winner) {
        // Bitwise, so that no branch follows the data.
        const bool ahead = beats(later, winner), later_nan = later != later;
        if constexpr (nan == Nan::first) return ahead | (later_nan & (winner == winner));
        if constexpr (nan == Nan::last) return ahead | later_nan;
        return ahead | ((winner != winner) & (later == later));
    }
};

template <bool last, bool positive_zero, class F> void with_nan_rule(Nan nan, F&& f) {
    switch (nan) {
        case Nan::first: return f(Rule<Nan::first, last, positive_zero>{});
        case Nan::last: return f(Rule<Nan::last, last, positive_zero>{});
        case Nan::ignore: return f(Rule<Nan::ignore, last, positive_zero>{});
    }
}

template <class F> void with_rule(const Pooling& p, bool last, F&& f) {
    if (p.positive_zero)
        last ? with_nan_rule<true, true>(p.nan, f) : with_nan_rule<false, true>(p.nan, f);
    else
        last ? with_nan_rule<true, false>(p.nan, f) : with_nan_rule<false, false>(p.nan, f);
}

inline constexpr Index nowhere = -1;

template <class R, bool indexed, class T, class Inner>
void reduce_axis(const Line& line, Row<const T, const Index> from, Row<T, Index> to, Inner inner) {
    T* y = to.value;
    [[maybe_unused]] Index* at = to.at;
    for (Index block = 0; block < line.outer; ++block)
        for (const Window& w : line.windows) {
            Index j = 0;
            if (w.before > 0 || w.count == 0) {
                std::fill_n(y, Index{inner}, T{0});
                if constexpr (indexed) std::fill_n(at, Index{inner}, nowhere);
            } else {
                const Index row = (block * line.extent + w.first) * inner;
                std::copy_n(from.value + row, Index{inner}, y);
                if constexpr (indexed) std::copy_n(from.at + row, Index{inner}, at);
                j = 1;
            }
            for (; j < w.count; ++j) {
                const Index row = (block * line.extent + w.first + j * line.step) * inner;
                const T* x = from.value + row;
                for (Index i = 0; i < inner; ++i) {
                    const bool taken = R::displaces(x[i], y[i]);
                    y[i] = taken ? x[i] : y[i];
                    if constexpr (indexed) at[i] = taken ? from.at[row + i] : at[i];
                }
            }
            for (Index i = 0; w.after > 0 && i < inner; ++i) {
                const bool taken = R::displaces(T{0}, y[i]);
                y[i] = taken ? T{0} : y[i];
                if constexpr (indexed) at[i] = taken ? nowhere : at[i];
            }
            y += Index{inner};
            if constexpr (indexed) at += Index{inner};
        }
}

/// The maxima of one block of slices at a time, and with `with_winners` their positions.
template <class T, bool with_winners> class MaxAxes {
public:
    using At = Index;

    MaxAxes(const Pooling& p, const Geometry& g, Scratch& scratch) : p_(p), g_(g) {
        for (auto& v : values_) v = scratch.take<T>(g.between);
        if (with_winners) {
            for (auto& w : winners_) w = scratch.take<Index>(g.between);
            positions_ = scratch.take<Index>(g.block_inputs());
            for (Index i = 0; i < g.block_inputs(); ++i) positions_[i] = i / g.cell;
        }
    }

    void block(const T* x, Row<T, Index> y, Writing /*writing*/ = Writing::near) {
        with_rule(p_, p_.ties == Ties::last, [&](auto rule) { reduce<decltype(rule), true>(x, y); });
        // The value is that of the first of equals: that of the last may be another zero.
        if (p_.ties == Ties::last) block(x, Row<T, void>{y.value});
    }

    void block(const T* x, Row<T, void> y, Writing /*writing*/ = Writing::near) {
        with_rule(p_, false, [&](auto rule) { reduce<decltype(rule), false>(x, {y.value, nullptr}); });
    }

private:
    template <class R, bool indexed> void reduce(const T* x, Row<T, Index> y) {
        Row<const T, const Index> from{x, positions_};
        for (std::size_t k = g_.lines.size(); k-- > 0;) {
            const Row<T, Index> to = k == 0 ? y : Row<T, Index>{values_[k % 2], winners_[k % 2]};
            with_inner(g_.lines[k].inner,
                       [&](auto inner) { reduce_axis<R, indexed>(g_.lines[k], from, to, inner); });
            from = {to.value, to.at};
        }
        if (!g_.any_empty) return;
        Index o = 0;
        for_each_window(g_, [&](const Box& box) {
            if (empty(box)) {
                std::fill_n(y.value + o, g_.cell, empty_value());
                if constexpr (indexed) std::fill_n(y.at + o, g_.cell, nowhere);
            }
            o += g_.cell;
        });
    }

    bool empty(const Box& box) const {
        for (std::size_t k = 0; k < g_.lines.size(); ++k)
            if (box[k]->taps() == 0) return true;
        return false;
    }

    T empty_value() const {
        using Limits = std::numeric_limits<T>;
        switch (p_.empty) {
            case Empty::zero: return 0;
            case Empty::identity: return -Limits::infinity();
            case Empty::lowest: return Limits::lowest();
            case Empty::nan: break;
        }
        return Limits::quiet_NaN();
    }

    const Pooling& p_;
    const Geometry& g_;
    T* values_[2] = {};
    Index* winners_[2] = {};
    Index* positions_ = nullptr;
};

/// The tied maxima of each window, for ties that count jointly.
class Tied {
public:
    Tied(const Pooling& p, const Geometry& g)
        : p_(p), g_(g), window_(extent_of(g.fullest)), taps_(tap_counts(g)), real_(real_counts(g)) {}

    /// Calls f(output, box, marks, share) for every window of the slice whose elements are every cell-th from
    /// `x` and from `maxima` on: a mark for each input element, not 0 where it is maximal, and in how many
    /// parts the derivative goes.
    template <class T, class F> void for_each(const T* x, const T* maxima, F&& f) {
        Index o = 0;
        for_each_window(g_, [&](const Box& box) {
            const auto maximum = static_cast<double>(maxima[o * g_.cell]);
            const double padding = taps_[extent_of(o)] - real_[extent_of(o)];
            double tied = padding > 0 && tie(0.0, maximum) ? padding : 0;
            const double* end = gather(g_, box, x, window_.data());
            for (double* w = window_.data(); w != end; ++w) tied += * w = tie(*w, maximum) ? 1 : 0;
            f(o, box, window_.data(), p_.ties == Ties::split ? tied : 1.0);
            ++o;
        });
    }

private:
    bool tie(double value, double maximum) const {
        return value == maximum && !(p_.positive_zero && std::signbit(value) != std::signbit(maximum));
    }

    const Pooling& p_;
    const Geometry& g_;
    std::vector<double> window_, taps_, real_;
};

}  // namespace poolproof::reference

// SPDX-License-Identifier: Apache-2.0
// The maximum and its derivatives. Values and winners are reduced from the last axis to the first: the first
// winner of each row, then the first of these rows, is the first in row-major order. Only ties that count
// jointly visit windows.
#include "reference/geometry.hpp"

#include <cmath>
#include <limits>
#include <numeric>

namespace poolproof::reference {

namespace {

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

constexpr Index nowhere = -1;

/// Values with their positions in the slice; the latter may be absent.
template <class T> struct Field {
    T* value;
    Index* at;
};

template <class R, bool indexed, class T, class Inner>
void reduce_axis(const Line& line, Field<const T> from, Field<T> to, Inner inner) {
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

/// The maxima of one slice at a time, and their winners. Holds the memory between the axes.
template <class T> class Reducer {
public:
    Reducer(const Pooling& p, const Geometry& g, bool indexed) : p_(p), g_(g) {
        for (auto& s : values_) s.resize(extent_of(g.between));
        if (indexed) {
            for (auto& s : winners_) s.resize(extent_of(g.between));
            positions_.resize(extent_of(g.inputs));
            std::iota(positions_.begin(), positions_.end(), Index{0});
        }
        if (g.any_empty) taps_ = tap_counts(g);
    }

    /// The first of equal values, whatever `ties` says: that is a matter of indices and derivatives.
    void values(const T* x, T* y) {
        with_rule(p_, false, [&](auto rule) { reduce<decltype(rule), false>(x, {y, nullptr}); });
    }

    /// Requires `indexed`. `y` receives the values unless ties go to the last.
    void winners(const T* x, T* y, Index* at) {
        with_rule(p_, p_.ties == Ties::last, [&](auto rule) { reduce<decltype(rule), true>(x, {y, at}); });
    }

private:
    template <class R, bool indexed> void reduce(const T* x, Field<T> y) {
        Field<const T> from{x, positions_.data()};
        for (std::size_t k = g_.lines.size(); k-- > 0;) {
            const Field<T> to = k == 0 ? y : Field<T>{values_[k % 2].data(), winners_[k % 2].data()};
            with_inner(g_.lines[k].inner,
                       [&](auto inner) { reduce_axis<R, indexed>(g_.lines[k], from, to, inner); });
            from = {to.value, to.at};
        }
        for (std::size_t o = 0; o < taps_.size(); ++o) {
            if (taps_[o] != 0) continue;
            y.value[o] = empty_value();
            if constexpr (indexed) y.at[o] = nowhere;
        }
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
    std::array<std::vector<T>, 2> values_;
    std::array<std::vector<Index>, 2> winners_;
    std::vector<Index> positions_;
    std::vector<double> taps_;  ///< of each output, if any has none
};

template <class T> void add_at(const Index* at, const T* addends, Index n, double* sums) {
    for (Index o = 0; o < n; ++o)
        if (at[o] != nowhere) sums[at[o]] += static_cast<double>(addends[o]);
}

bool joint(Ties t) { return t == Ties::all || t == Ties::split; }

/// The tied maxima of each window, for ties that count jointly.
class Tied {
public:
    Tied(const Pooling& p, const Geometry& g)
        : p_(p), g_(g), window_(extent_of(g.fullest)), taps_(tap_counts(g)), real_(real_counts(g)) {}

    /// Calls f(output, box, marks, share) for every window of a slice: a mark for each input element, not 0
    /// where it is maximal, and in how many parts the derivative goes.
    template <class T, class F> void for_each(const T* x, const T* maxima, F&& f) {
        std::size_t o = 0;
        for_each_window(g_, [&](const Box& box) {
            const auto maximum = static_cast<double>(maxima[o]);
            double tied = taps_[o] > real_[o] && tie(0.0, maximum) ? taps_[o] - real_[o] : 0;
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

}  // namespace

template <class T>
void max_forward(const Pooling& p, std::span<const T> x, std::span<T> y, std::span<Index> indices) {
    const Geometry g(p);
    g.require_inputs(x.size());
    g.require_outputs(y.size());
    const bool indexed = !indices.empty();
    if (indexed) g.require_outputs(indices.size());
    Reducer<T> reducer(p, g, indexed);
    for (Index s = 0; s < g.slices; ++s) {
        const T* from = x.data() + s * g.inputs;
        T* to = y.data() + s * g.outputs;
        if (indexed) reducer.winners(from, to, indices.data() + s * g.outputs);
        if (!indexed || p.ties == Ties::last) reducer.values(from, to);
    }
}

template <class T>
void max_jvp(const Pooling& p, std::span<const T> x, std::span<const T> tangent, std::span<T> dy) {
    const Geometry g(p);
    g.require_inputs(x.size());
    g.require_inputs(tangent.size());
    g.require_outputs(dy.size());
    Reducer<T> reducer(p, g, !joint(p.ties));
    std::optional<Tied> tied;
    if (joint(p.ties)) tied.emplace(p, g);
    std::vector<T> maxima(extent_of(g.outputs));
    std::vector<Index> winners(tied ? 0 : extent_of(g.outputs));
    for (Index s = 0; s < g.slices; ++s) {
        const T* from = x.data() + s * g.inputs;
        const T* t = tangent.data() + s * g.inputs;
        T* to = dy.data() + s * g.outputs;
        if (!tied) {
            reducer.winners(from, maxima.data(), winners.data());
            for (const Index at : winners) *to++ = at == nowhere ? T{0} : t[at];
            continue;
        }
        reducer.values(from, maxima.data());
        tied->for_each(from, maxima.data(),
                       [&](std::size_t o, const Box& box, const double* mark, double share) {
                           double sum = 0;
                           for_each_row(g, box, [&](Index at, Index count, Index step) {
                               for (Index j = 0; j < count; ++j)
                                   if (*mark++ != 0) sum += static_cast<double>(t[at + j * step]);
                           });
                           to[o] = static_cast<T>(sum == 0 ? 0 : sum / share);
                       });
    }
}

template <class T>
void max_vjp(const Pooling& p, std::span<const T> x, std::span<const T> cotangent, std::span<T> dx) {
    const Geometry g(p);
    g.require_inputs(x.size());
    g.require_outputs(cotangent.size());
    g.require_inputs(dx.size());
    Reducer<T> reducer(p, g, !joint(p.ties));
    std::optional<Tied> tied;
    if (joint(p.ties)) tied.emplace(p, g);
    std::vector<T> maxima(extent_of(g.outputs));
    std::vector<Index> winners(tied ? 0 : extent_of(g.outputs));
    Gradient<T> gradient(g.inputs);
    for (Index s = 0; s < g.slices; ++s) {
        const T* from = x.data() + s * g.inputs;
        const T* c = cotangent.data() + s * g.outputs;
        double* sums = gradient.zeroed(dx.data() + s * g.inputs);
        if (tied) {
            reducer.values(from, maxima.data());
            tied->for_each(from, maxima.data(),
                           [&](std::size_t o, const Box& box, const double* mark, double share) {
                               const double part = static_cast<double>(c[o]) / share;
                               for_each_row(g, box, [&](Index at, Index count, Index step) {
                                   for (Index j = 0; j < count; ++j)
                                       if (*mark++ != 0) sums[at + j * step] += part;
                               });
                           });
        } else {
            reducer.winners(from, maxima.data(), winners.data());
            add_at(winners.data(), c, g.outputs, sums);
        }
        gradient.finish(dx.data() + s * g.inputs);
    }
}

template <class T>
void max_vjp_at(const Pooling& p, std::span<const Index> indices, std::span<const T> cotangent,
                std::span<T> dx) {
    const Geometry g(p);
    g.require_outputs(indices.size());
    g.require_outputs(cotangent.size());
    g.require_inputs(dx.size());
    for (const Index at : indices) require(at >= nowhere && at < g.inputs, "an index lies outside its slice");
    Gradient<T> gradient(g.inputs);
    for (Index s = 0; s < g.slices; ++s) {
        double* sums = gradient.zeroed(dx.data() + s * g.inputs);
        add_at(indices.data() + s * g.outputs, cotangent.data() + s * g.outputs, g.outputs, sums);
        gradient.finish(dx.data() + s * g.inputs);
    }
}

template void max_forward(const Pooling&, std::span<const float>, std::span<float>, std::span<Index>);
template void max_forward(const Pooling&, std::span<const double>, std::span<double>, std::span<Index>);
template void max_jvp(const Pooling&, std::span<const float>, std::span<const float>, std::span<float>);
template void max_jvp(const Pooling&, std::span<const double>, std::span<const double>, std::span<double>);
template void max_vjp(const Pooling&, std::span<const float>, std::span<const float>, std::span<float>);
template void max_vjp(const Pooling&, std::span<const double>, std::span<const double>, std::span<double>);
template void max_vjp_at(const Pooling&, std::span<const Index>, std::span<const float>, std::span<float>);
template void max_vjp_at(const Pooling&, std::span<const Index>, std::span<const double>, std::span<double>);

}  // namespace poolproof::reference

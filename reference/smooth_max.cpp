// SPDX-License-Identifier: Apache-2.0
// The smooth maximum and its derivatives. Where exponentials can be shared, see smooth_planes.hpp; elsewhere
// window by window, around the winner w: with a = beta (x - w) <= 0
// for every other tap, the value is w + log1p(sum of exp a) / beta, and the weight of a tap is exp a / (1 +
// sum of exp a).
#include "reference/smooth_planes.hpp"
#include "reference/workers.hpp"

#include <cmath>
#include <limits>

namespace poolproof::reference {

bool covered_by_smooth_planes(const Geometry& g) {
    double taps = 1;
    for (const Line& l : g.lines) {
        Index most = 0;
        for (const Window& w : l.windows) most = std::max(most, w.taps());
        taps *= static_cast<double>(most);
    }
    // e^690 times as many is still a double.
    return !g.any_empty && g.inputs > 0 && g.outputs > 0 && taps < 1e7;
}

namespace {

/// beta (x - w), at most 0 for w at least as great as x (least for beta < 0).
double exponent(double beta, double x, double w) {
    const double distance = x - w;
    // Halved where the distance of two finite values overflows: beta may be small enough for it to matter.
    if (std::isinf(distance) && std::isfinite(x) && std::isfinite(w)) return (x / 2 - w / 2) * beta * 2;
    return distance * beta;
}

/// factor · exp(a), also where the exponential alone would underflow.
double scaled_exp(double a, double factor) {
    if (a > -700) return std::exp(a) * factor;
    const double root = std::exp(a / 2);
    return root * factor * root;
}

/// A window around its winner: the sum of all exponentials but the winner's, which is 1.
struct Shifted {
    double winner = 0, rest = 0;

    double total() const { return 1 + rest; }
};

/// Replaces the window's elements by their exponents. Requires a tap: an element, or `padding` > 0 zeros.
Shifted shift(double beta, double padding, double* begin, double* end) {
    const double* at = padding > 0 ? end : begin;
    double winner = padding > 0 ? 0 : *begin;
    for (const double* x = begin; x != end; ++x)
        if (beta > 0 ? *x > winner : *x < winner) winner = *x, at = x;
    double rest = 0;
    if (padding > 0) rest = at == end ? padding - 1 : scaled_exp(exponent(beta, 0, winner), padding);
    for (double* x = begin; x != end; ++x) {
        *x = exponent(beta, *x, winner);
        if (x != at) rest += std::exp(*x);
    }
    return {winner, rest};
}

double value(double beta, double padding, double* begin, double* end) {
    for (const double* x = begin; x != end; ++x)
        if (std::isnan(*x)) return *x;
    const auto [winner, rest] = shift(beta, padding, begin, end);
    // The sum is meaningless beside an infinite winner, and not needed.
    if (std::isinf(winner)) return winner;
    const double correction = std::log1p(rest) / beta;
    if (std::isfinite(correction)) return winner + correction;
    return (winner / 2 + std::log1p(rest) / 2 / beta) * 2;
}

template <class T> T empty_value(const Pooling& p, T beta) {
    using Limits = std::numeric_limits<T>;
    switch (p.empty) {
        case Empty::zero: return 0;
        case Empty::identity: return beta > 0 ? -Limits::infinity() : Limits::infinity();
        case Empty::lowest: return beta > 0 ? Limits::lowest() : Limits::max();
        case Empty::nan: break;
    }
    return Limits::quiet_NaN();
}

/// The windows of one slice at a time, their elements gathered from every cell-th of a block.
class Windows {
public:
    Windows(const Geometry& g, Scratch& scratch) : g_(g), window_(scratch.take<double>(g.fullest)) {}

    /// Calls f(output, box, padding, begin, end), the elements free to be overwritten; outputs are every
    /// cell-th, too.
    template <class T, class F> void for_each(const T* slice, const F& f) {
        Index o = 0;
        for_each_window(g_, [&](const Box& box) {
            visit(slice, o, box, f);
            o += g_.cell;
        });
    }

    /// The same for the one whose number within the slice is `o`.
    template <class T, class F> void at(const T* slice, Index o, const F& f) {
        Box box{};
        Index rest = o;
        for (std::size_t k = g_.lines.size(); k-- > 0;) {
            box[k] = &g_.lines[k].windows[extent_of(rest % g_.lines[k].out())];
            rest /= g_.lines[k].out();
        }
        visit(slice, o * g_.cell, box, f);
    }

private:
    template <class T, class F> void visit(const T* slice, Index o, const Box& box, const F& f) {
        Product taps, real;
        for (std::size_t k = 0; k < g_.lines.size(); ++k) {
            taps = taps.times(box[k]->taps());
            real = real.times(box[k]->count);
        }
        f(o, box, taps.high - real.high, window_, gather(g_, box, slice, window_));
    }

    const Geometry& g_;
    double* window_;
};

/// Calls shared(planes, windows, block, n) for n blocks at once, and if that cannot do one of them,
/// alone(windows, input, output) for each of its slices: where its first element is among the inputs, and the
/// outputs.
template <class T, class Shared, class Alone>
void for_each_block(const Pooling& p, Pass pass, const Geometry& g, double beta, const Shared& shared,
                    const Alone& alone) {
    in_parallel(p.threads, g.blocks, [&](Index begin, Index end) {
        Scratch scratch;
        Windows windows(g, scratch);
        std::optional<SmoothPlanes<T>> planes;
        if (covered_by_smooth_planes(g)) planes.emplace(pass, g, beta, scratch);
        for (Index b = begin, n = 0; b < end; b += n) {
            n = planes ? std::min(end - b, planes->at_once) : 1;
            if (planes && shared(*planes, windows, b, n)) continue;
            for (Index one = b; one < b + n; ++one) {
                if (n > 1 && shared(*planes, windows, one, 1)) continue;
                for (Index c = 0; c < g.cell; ++c)
                    alone(windows, one * g.block_inputs() + c, one * g.block_outputs() + c);
            }
        }
    });
}

void require_beta(double beta) { require(std::isfinite(beta) && beta != 0, "beta must be finite and not 0"); }

}  // namespace

template <class T> void smooth_max_forward(const Pooling& p, T beta, std::span<const T> x, std::span<T> y) {
    require_beta(beta);
    const Geometry& g = geometry(p);
    g.require_inputs(x.size());
    g.require_outputs(y.size());
    const auto put = [&](T* to) {
        return [&p, beta, to](Index o, const Box&, double padding, double* begin, double* end) {
            to[o] = begin == end && padding == 0 ? empty_value(p, beta)
                                                 : static_cast<T>(value(beta, padding, begin, end));
        };
    };
    for_each_block<T>(
        p, Pass::mean, g, beta,
        [&](SmoothPlanes<T>& planes, Windows& windows, Index b, Index n) {
            const T* from = x.data() + b * g.block_inputs();
            T* to = y.data() + b * g.block_outputs();
            return planes.forward(from, to, n, [&](Index i) {
                const Index block = i / g.block_outputs(), o = i % g.block_outputs(), c = o % g.cell;
                windows.at(from + block * g.block_inputs() + c, o / g.cell,
                           put(to + block * g.block_outputs() + c));
            });
        },
        [&](Windows& windows, Index in, Index out) { windows.for_each(x.data() + in, put(y.data() + out)); });
}

template <class T>
void smooth_max_jvp(const Pooling& p, T beta, std::span<const T> x, std::span<const T> tangent,
                    std::span<T> dy) {
    require_beta(beta);
    const Geometry& g = geometry(p);
    g.require_inputs(x.size());
    g.require_inputs(tangent.size());
    g.require_outputs(dy.size());
    const auto shared = [&](SmoothPlanes<T>& planes, Windows&, Index b, Index n) {
        const Index in = b * g.block_inputs();
        return planes.jvp(x.data() + in, tangent.data() + in, dy.data() + b * g.block_outputs(), n);
    };
    for_each_block<T>(p, Pass::mean, g, beta, shared, [&](Windows& windows, Index in, Index out) {
        const T* t = tangent.data() + in;
        T* to = dy.data() + out;
        windows.for_each(
            x.data() + in, [&](Index o, const Box& box, double padding, double* begin, double* end) {
                to[o] = 0;
                if (begin == end) return;
                const double total = shift(beta, padding, begin, end).total();
                double sum = 0;
                for_each_row(g, box, [&](Index at, Index count, Index step) {
                    for (Index j = 0; j < count; ++j)
                        sum += scaled_exp(*begin++, static_cast<double>(t[(at + j * step) * g.cell]));
                });
                to[o] = static_cast<T>(sum / total);
            });
    });
}

template <class T>
void smooth_max_vjp(const Pooling& p, T beta, std::span<const T> x, std::span<const T> cotangent,
                    std::span<T> dx) {
    require_beta(beta);
    const Geometry& g = geometry(p);
    g.require_inputs(x.size());
    g.require_outputs(cotangent.size());
    g.require_inputs(dx.size());
    const auto shared = [&](SmoothPlanes<T>& planes, Windows&, Index b, Index n) {
        const Index in = b * g.block_inputs();
        return planes.vjp(x.data() + in, cotangent.data() + b * g.block_outputs(), dx.data() + in, n);
    };
    for_each_block<T>(p, Pass::spread, g, beta, shared, [&](Windows& windows, Index in, Index out) {
        Scratch scratch;
        const T* c = cotangent.data() + out;
        double* sums = scratch.take<double>(g.inputs);
        std::fill_n(sums, g.inputs, 0.0);
        windows.for_each(x.data() + in,
                         [&](Index o, const Box& box, double padding, double* begin, double* end) {
                             if (begin == end) return;
                             const double total = shift(beta, padding, begin, end).total();
                             const double part = static_cast<double>(c[o]) / total;
                             for_each_row(g, box, [&](Index at, Index count, Index step) {
                                 for (Index j = 0; j < count; ++j)
                                     sums[at + j * step] += scaled_exp(*begin++, part);
                             });
                         });
        for (Index i = 0; i < g.inputs; ++i) dx[extent_of(in + i * g.cell)] = static_cast<T>(sums[i]);
    });
}

template void smooth_max_forward(const Pooling&, float, std::span<const float>, std::span<float>);
template void smooth_max_forward(const Pooling&, double, std::span<const double>, std::span<double>);
template void smooth_max_jvp(const Pooling&, float, std::span<const float>, std::span<const float>,
                             std::span<float>);
template void smooth_max_jvp(const Pooling&, double, std::span<const double>, std::span<const double>,
                             std::span<double>);
template void smooth_max_vjp(const Pooling&, float, std::span<const float>, std::span<const float>,
                             std::span<float>);
template void smooth_max_vjp(const Pooling&, double, std::span<const double>, std::span<const double>,
                             std::span<double>);

}  // namespace poolproof::reference

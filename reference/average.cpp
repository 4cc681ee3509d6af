// SPDX-License-Identifier: Apache-2.0
// Averages, which are linear: sums and one division; transposed, one division and then sums over the windows
// that cover an input. Every sum is a tree over the terms of its window, never a difference.
#include "reference/apart.hpp"
#include "reference/average_planes.hpp"
#include "reference/weave.hpp"
#include "reference/workers.hpp"

#include <cmath>
#include <limits>

namespace poolproof::reference {

bool covered_by_planes(const Pooling& p, const Geometry& g, int bits) {
    if (g.any_empty || g.inputs == 0 || g.outputs == 0) return false;
    const double limit = std::ldexp(1.0, bits);
    if (p.divisor) return std::fabs(static_cast<double>(*p.divisor)) < limit;
    double most = 1;
    for (const Line& l : g.lines) {
        Index taps = 0;
        for (const Window& w : l.windows) taps = std::max(taps, w.taps());
        most *= static_cast<double>(taps);
    }
    return most < limit;
}

namespace {

template <class From, class Inner> void sum_axis(const Line& line, const From* x, double* y, Inner inner) {
    for (Index block = 0; block < line.outer; ++block)
        for (const Window& w : line.windows) {
            std::fill_n(y, Index{inner}, 0.0);
            for (Index j = 0; j < w.count; ++j) {
                const From* row = x + (block * line.extent + w.first + j * line.step) * inner;
                for (Index i = 0; i < inner; ++i) y[i] += static_cast<double>(row[i]);
            }
            y += Index{inner};
        }
}

/// The transpose: adds each window's row to all rows it was the sum of.
template <class Inner> void spread_axis(const Line& line, const double* y, double* x, Inner inner) {
    std::fill_n(x, line.outer * line.extent * inner, 0.0);
    for (Index block = 0; block < line.outer; ++block)
        for (const Window& w : line.windows) {
            for (Index j = 0; j < w.count; ++j) {
                double* row = x + (block * line.extent + w.first + j * line.step) * inner;
                for (Index i = 0; i < inner; ++i) row[i] += y[i];
            }
            y += Index{inner};
        }
}

/// The divisor of each output; 0 where the window is empty.
std::vector<double> divisors(const Pooling& p, const Geometry& g) {
    if (p.divisor) return std::vector<double>(extent_of(g.outputs), static_cast<double>(*p.divisor));
    return tap_counts(g);
}

template <class T> T empty_value(const Pooling& p) {
    // Under any other count a window without taps is a sum of nothing.
    if (p.taps != Taps::real) return 0;
    switch (p.empty) {
        case Empty::zero: return 0;
        case Empty::lowest: return std::numeric_limits<T>::lowest();
        case Empty::identity:
        case Empty::nan: break;
    }
    return std::numeric_limits<T>::quiet_NaN();
}

/// Of slices that are windows.
template <class T>
void mean_of_windows(const Pooling& p, const Geometry& g, std::span<const T> x, std::span<T> y) {
    T divisor = 1;
    for (const Line& l : g.lines) divisor *= static_cast<T>(l.windows[0].taps());
    if (p.divisor) divisor = static_cast<T>(*p.divisor);
    const auto kernel = sum_kernels<T, T>().mean_of_slices;
    in_parallel(p.threads, g.blocks, [&](Index begin, Index end) {
        kernel({x.data() + begin * g.inputs, g.inputs, end - begin, divisor, y.data() + begin});
    });
}

/// By planes, as they are or woven, from `from` elements each to `to`: `run` takes the planes, both tensors
/// and which slices to do. False if sums in S do not serve.
template <class S, class T, class Run>
bool summed_in(const Pooling& p, const Geometry& g, Pass pass, std::span<const T> x, Index from,
               std::span<T> y, Index to, const Run& run) {
    if (!covered_by_planes(p, g, std::numeric_limits<S>::digits)) return false;
    if constexpr (std::is_same_v<S, T>)
        if (pass == Pass::mean && g.whole) return mean_of_windows(p, g, x, y), true;
    const bool rows = std::is_same_v<S, T> && (pass == Pass::spread ? short_shares<T>(g) : short_means<T>(g));
    if (better_woven(g, pass, sizeof(T), sizeof(S)) && !rows)
        over_weaves(p, g, [&](Scratch& scratch, const auto& each) {
            AveragePlanes<T, S> planes(pass, p.divisor, *g.woven, scratch);
            Cloth<T> given(from, scratch), made(to, scratch);
            each([&](Index first, Index count) {
                given.of(x, first, count);
                run(planes, std::span<const T>(given.all()), made.all(), 0, 1);
                made.into(y, first, count);
            });
        });
    else
        in_parallel(p.threads, g.blocks, [&](Index begin, Index end) {
            Scratch scratch;
            AveragePlanes<T, S> planes(pass, p.divisor, g, scratch);
            run(planes, x, y, begin, end);
        });
    return true;
}

/// With sums as asked for.
template <class T, class Run>
bool by_planes(const Pooling& p, const Geometry& g, Pass pass, std::span<const T> x, Index from,
               std::span<T> y, Index to, const Run& run) {
    // Rows of large windows come from memory, and are waited for more the less there is to do.
    const bool large = g.cell == 1 && g.fullest > 64 && !g.whole;
    if constexpr (!std::is_same_v<T, double>)
        if (p.sums == Sums::own && !large && summed_in<T>(p, g, pass, x, from, y, to, run)) return true;
    return summed_in<double>(p, g, pass, x, from, y, to, run);
}

template <class T> void means(const Pooling& p, T empty, std::span<const T> x, std::span<T> y) {
    const Geometry& g = stacked(geometry(p), Pass::mean, sizeof(T));
    g.require_inputs(x.size());
    g.require_outputs(y.size());
    const auto forward = [](auto& planes, auto from, auto to, Index begin, Index end) {
        planes.forward(from, to, begin, end);
    };
    if (by_planes(p, g, Pass::mean, x, g.inputs, y, g.outputs, forward)) return;
    const std::vector<double> divisor = divisors(p, g);
    const Index in = g.block_inputs(), out = g.block_outputs();
    const std::size_t last = g.lines.size() - 1;
    in_parallel(p.threads, g.blocks, [&](Index begin, Index end) {
        Scratch scratch;
        double* sums = scratch.take<double>(out);
        double* between[] = {scratch.take<double>(g.between), scratch.take<double>(g.between)};
        for (Index b = begin; b < end; ++b) {
            const double* from = nullptr;
            for (std::size_t k = last + 1; k-- > 0;) {
                double* to = k == 0 ? sums : between[k % 2];
                with_inner(g.lines[k].inner, [&](auto inner) {
                    if (k == last)
                        sum_axis(g.lines[k], x.data() + b * in, to, inner);
                    else
                        sum_axis(g.lines[k], from, to, inner);
                });
                from = to;
            }
            T* to = y.data() + b * out;
            for (Index o = 0; o < out; ++o) {
                const double d = divisor[extent_of(o / g.cell)];
                to[o] = d == 0 ? empty : static_cast<T>(sums[o] / d);
            }
        }
    });
}

}  // namespace

template <class T> void average_forward(const Pooling& p, std::span<const T> x, std::span<T> y) {
    means(p, empty_value<T>(p), x, y);
}

template <class T> void average_jvp(const Pooling& p, std::span<const T> tangent, std::span<T> dy) {
    means(p, T{0}, tangent, dy);
}

template <class T> void average_vjp(const Pooling& p, std::span<const T> cotangent, std::span<T> dx) {
    const Geometry& g = geometry(p);
    g.require_outputs(cotangent.size());
    g.require_inputs(dx.size());
    if (few_channels(p))
        return in_planes(p, g.blocks,
                         [&, in = g.inputs, out = g.outputs](const Pooling& one, Index begin, Index end,
                                                             Scratch& scratch) {
                             Planes<T> from(out, p.channels, scratch), to(in, p.channels, scratch);
                             for (Index b = begin; b < end; ++b) {
                                 average_vjp<T>(one, from.of(cotangent, b), to.all());
                                 to.into(dx, b);
                             }
                         });
    const auto back = [](auto& planes, auto from, auto to, Index begin, Index end) {
        planes.vjp(from, to, begin, end);
    };
    if (!g.covers.empty() && by_planes(p, g, Pass::spread, cotangent, g.outputs, dx, g.inputs, back)) return;
    const std::vector<double> divisor = divisors(p, g);
    const Index in = g.block_inputs(), out = g.block_outputs();
    in_parallel(p.threads, g.blocks, [&](Index begin, Index end) {
        Scratch scratch;
        double* shares = scratch.take<double>(out);
        double* between[] = {scratch.take<double>(g.between), scratch.take<double>(g.between)};
        Gradient<T> gradient(in, g.blocks * in, scratch);
        for (Index b = begin; b < end; ++b) {
            const T* c = cotangent.data() + b * out;
            for (Index o = 0; o < out; ++o) {
                const double d = divisor[extent_of(o / g.cell)];
                shares[o] = d == 0 ? 0 : static_cast<double>(c[o]) / d;
            }
            T* block = dx.data() + b * in;
            const double* from = shares;
            for (std::size_t k = 0; k < g.lines.size(); ++k) {
                double* to = k + 1 == g.lines.size() ? gradient.zeroed(block) : between[k % 2];
                with_inner(g.lines[k].inner, [&](auto inner) { spread_axis(g.lines[k], from, to, inner); });
                from = to;
            }
            gradient.finish(block);
        }
    });
}

template void average_forward(const Pooling&, std::span<const float>, std::span<float>);
template void average_forward(const Pooling&, std::span<const double>, std::span<double>);
template void average_jvp(const Pooling&, std::span<const float>, std::span<float>);
template void average_jvp(const Pooling&, std::span<const double>, std::span<double>);
template void average_vjp(const Pooling&, std::span<const float>, std::span<float>);
template void average_vjp(const Pooling&, std::span<const double>, std::span<double>);

}  // namespace poolproof::reference

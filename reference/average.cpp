// SPDX-License-Identifier: Apache-2.0
// Averages, which are linear: sums along one axis after the other and then one division; transposed, one
// division and then the same axes the other way round. Every sum is a tree over the terms of its window,
// never a difference.
#include "reference/geometry.hpp"

#include <limits>

namespace poolproof::reference {

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

template <class T> void means(const Pooling& p, T empty, std::span<const T> x, std::span<T> y) {
    const Geometry g(p);
    g.require_inputs(x.size());
    g.require_outputs(y.size());
    const std::vector<double> divisor = divisors(p, g);
    std::vector<double> sums(extent_of(g.outputs));
    std::array<std::vector<double>, 2> between;
    for (auto& b : between) b.resize(extent_of(g.between));
    const std::size_t last = g.lines.size() - 1;
    for (Index s = 0; s < g.slices; ++s) {
        const double* from = nullptr;
        for (std::size_t k = last + 1; k-- > 0;) {
            double* to = k == 0 ? sums.data() : between[k % 2].data();
            with_inner(g.lines[k].inner, [&](auto inner) {
                if (k == last)
                    sum_axis(g.lines[k], x.data() + s * g.inputs, to, inner);
                else
                    sum_axis(g.lines[k], from, to, inner);
            });
            from = to;
        }
        T* to = y.data() + s * g.outputs;
        for (std::size_t o = 0; o < sums.size(); ++o)
            to[o] = divisor[o] == 0 ? empty : static_cast<T>(sums[o] / divisor[o]);
    }
}

}  // namespace

template <class T> void average_forward(const Pooling& p, std::span<const T> x, std::span<T> y) {
    means(p, empty_value<T>(p), x, y);
}

template <class T> void average_jvp(const Pooling& p, std::span<const T> tangent, std::span<T> dy) {
    means(p, T{0}, tangent, dy);
}

template <class T> void average_vjp(const Pooling& p, std::span<const T> cotangent, std::span<T> dx) {
    const Geometry g(p);
    g.require_outputs(cotangent.size());
    g.require_inputs(dx.size());
    const std::vector<double> divisor = divisors(p, g);
    std::vector<double> shares(extent_of(g.outputs));
    std::array<std::vector<double>, 2> between;
    for (auto& b : between) b.resize(extent_of(g.between));
    Gradient<T> gradient(g.inputs);
    for (Index s = 0; s < g.slices; ++s) {
        const T* c = cotangent.data() + s * g.outputs;
        for (std::size_t o = 0; o < shares.size(); ++o)
            shares[o] = divisor[o] == 0 ? 0 : static_cast<double>(c[o]) / divisor[o];
        T* slice = dx.data() + s * g.inputs;
        const double* from = shares.data();
        for (std::size_t k = 0; k < g.lines.size(); ++k) {
            double* to = k + 1 == g.lines.size() ? gradient.zeroed(slice) : between[k % 2].data();
            with_inner(g.lines[k].inner, [&](auto inner) { spread_axis(g.lines[k], from, to, inner); });
            from = to;
        }
        gradient.finish(slice);
    }
}

template void average_forward(const Pooling&, std::span<const float>, std::span<float>);
template void average_forward(const Pooling&, std::span<const double>, std::span<double>);
template void average_jvp(const Pooling&, std::span<const float>, std::span<float>);
template void average_jvp(const Pooling&, std::span<const double>, std::span<double>);
template void average_vjp(const Pooling&, std::span<const float>, std::span<float>);
template void average_vjp(const Pooling&, std::span<const double>, std::span<double>);

}  // namespace poolproof::reference

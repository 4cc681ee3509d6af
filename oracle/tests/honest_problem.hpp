// SPDX-License-Identifier: Apache-2.0
// A case as the honest implementations want it: one slice of two axes, its numbers decoded; and their answers
// to it, in any arithmetic.
#pragma once

#include "oracle/tests/honest_smooth.hpp"

#include <poolproof/plan.hpp>

namespace poolproof::honest {

enum class Method { max, average, smooth };

struct Side {
    Index extent = 1, out = 1, kernel = 1, stride = 1, pad = 0;

    /// The cells of a window, and the windows of a cell, from the first to before the second.
    std::pair<Index, Index> cells(Index o) const {
        const Index from = o * stride - pad;
        return {std::max<Index>(from, 0), std::min(from + kernel, extent)};
    }
    std::pair<Index, Index> windows(Index i) const {
        const Index last = (i + pad) / stride, over = i + pad - kernel;
        return {over < 0 ? 0 : over / stride + 1, std::min(last + 1, out)};
    }
};

struct Problem {
    Case c;
    Method method = Method::average;
    Side rows, columns;
    bool count_padding = true;
    double divisor = 0;  ///< 0: none of its own
    double beta = 1;
    std::vector<double> x, t;  ///< t: tangent or cotangent

    Index cells() const { return rows.extent * columns.extent; }
    Index outputs() const { return rows.out * columns.out; }
    Index taps() const { return rows.kernel * columns.kernel; }

    /// Decodes the case's numbers again, after a change to its tensors.
    void decode() {
        const auto values = [&](const Tensor& from) {
            std::vector<double> to;
            for (Index k = 0; k < from.size(); ++k) to.push_back(decoded(c.format, from[k]));
            return to;
        };
        x = values(c.input);
        if (c.tangent) t = values(*c.tangent);
        if (c.cotangent) t = values(*c.cotangent);
    }

    /// The divisors along one axis, for the windows in a range.
    std::vector<double> divisors(const Side& side, std::pair<Index, Index> windows) const {
        std::vector<double> d;
        for (Index o = windows.first; o < windows.second; ++o) {
            const auto [from, to] = side.cells(o);
            const auto own = static_cast<double>(count_padding ? side.kernel : to - from);
            d.push_back(std::fpclassify(divisor) == FP_ZERO ? own : &side == &rows ? divisor : 1);
        }
        return d;
    }
};

/// Calls `use(row, column)` over a rectangle.
template <class Use> void over(std::pair<Index, Index> rows, std::pair<Index, Index> columns, Use use) {
    for (Index r = rows.first; r < rows.second; ++r)
        for (Index c = columns.first; c < columns.second; ++c) use(r, c);
}

/// Each output in T, in one way. A window without a cell gives 0.
template <class T> std::vector<T> average_values(const Problem& p, const Choice& how, Rng& rng) {
    std::vector<T> y;
    const bool backward = p.c.mode == Mode::vjp;
    const auto& from = p.c.mode == Mode::forward ? p.x : p.t;
    const Index height = backward ? p.rows.extent : p.rows.out,
                width = backward ? p.columns.extent : p.columns.out;
    over({0, height}, {0, width}, [&](Index r, Index c) {
        const auto rows = backward ? p.rows.windows(r) : p.rows.cells(r);
        const auto columns = backward ? p.columns.windows(c) : p.columns.cells(c);
        Terms<T> terms;
        const Index pitch = backward ? p.columns.out : p.columns.extent;
        over(rows, columns, [&](Index i, Index k) {
            terms.values.emplace_back(from[static_cast<std::size_t>(i * pitch + k)]);
        });
        const auto along = [&](const Side& side, std::pair<Index, Index> range, Index o) {
            if (backward) return p.divisors(side, range);
            const double d = p.divisors(side, {o, o + 1}).front();
            return std::vector<double>(
                static_cast<std::size_t>(std::max<Index>(range.second - range.first, 0)), d);
        };
        terms.rows = along(p.rows, rows, r);
        terms.columns = along(p.columns, columns, c);
        y.push_back(mean(terms, how, rng));
    });
    return y;
}

template <class T> std::vector<T> smooth_values(const Problem& p, const Choice& how, Rng& rng) {
    std::vector<T> y;
    std::vector<std::vector<T>> sent(static_cast<std::size_t>(p.cells()));
    over({0, p.rows.out}, {0, p.columns.out}, [&](Index r, Index c) {
        std::vector<T> xs, ts;
        std::vector<std::size_t> cells;
        over(p.rows.cells(r), p.columns.cells(c), [&](Index i, Index k) {
            cells.push_back(static_cast<std::size_t>(i * p.columns.extent + k));
            xs.emplace_back(p.x[cells.back()]);
            if (p.c.mode == Mode::jvp) ts.emplace_back(p.t[cells.back()]);
        });
        const Index pads = p.taps() - static_cast<Index>(xs.size());
        if (xs.empty()) {
            y.push_back(T{});
            return;
        }
        const Smooth<T> s = smooth_max(xs, T(p.beta), pads, how, rng);
        if (p.c.mode == Mode::forward) y.push_back(s.value);
        if (p.c.mode == Mode::jvp) y.push_back(smooth_jvp(s, ts, how, rng));
        if (p.c.mode != Mode::vjp) return;
        const T g(p.t[static_cast<std::size_t>(r * p.columns.out + c)]);
        for (std::size_t k = 0; k < cells.size(); ++k)
            sent[cells[k]].push_back(smooth_vjp(s, k, g, how, rng));
    });
    if (p.c.mode == Mode::vjp)
        for (const auto& terms : sent) y.push_back(sum(terms, how.order, rng));
    return y;
}

/// First of equals wins.
template <class T> std::vector<T> max_values(const Problem& p, const Choice& how, Rng& rng) {
    std::vector<T> y;
    std::vector<std::vector<T>> sent(static_cast<std::size_t>(p.cells()));
    over({0, p.rows.out}, {0, p.columns.out}, [&](Index r, Index c) {
        std::optional<std::size_t> best;
        over(p.rows.cells(r), p.columns.cells(c), [&](Index i, Index k) {
            const auto cell = static_cast<std::size_t>(i * p.columns.extent + k);
            if (!best || p.x[*best] < p.x[cell]) best = cell;
        });
        const auto output = static_cast<std::size_t>(r * p.columns.out + c);
        if (p.c.mode == Mode::vjp) {
            if (best) sent[*best].emplace_back(p.t[output]);
        } else {
            y.push_back(best ? T((p.c.mode == Mode::forward ? p.x : p.t)[*best]) : T{});
        }
    });
    if (p.c.mode == Mode::vjp)
        for (const auto& terms : sent) y.push_back(sum(terms, how.order, rng));
    return y;
}

template <class T> std::vector<T> values(const Problem& p, const Choice& how, Rng& rng) {
    switch (p.method) {
        case Method::max: return max_values<T>(p, how, rng);
        case Method::average: return average_values<T>(p, how, rng);
        case Method::smooth: break;
    }
    return smooth_values<T>(p, how, rng);
}

}  // namespace poolproof::honest

// SPDX-License-Identifier: Apache-2.0
// Which inputs an output sees: the only place where coordinates become positions, and the only walk over
// windows of the exact oracle. Everything is decided one axis at a time and in closed form; padding is
// counted, never visited.
#pragma once

#include "oracle/scalar/rational.hpp"

#include <poolproof/plan.hpp>

#include <algorithm>
#include <vector>

namespace poolproof::spec {

/// What one output coordinate sees on one axis: `count` real cells from `first` on, `step` apart, after
/// `before` taps of padding; `span` taps in all [W2], of which `clipped` lie in the padded input [W3].
struct AxisWindow {
    Index first, step, count, before, span, clipped;
};

inline Index floor_div(Index a, Index b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

inline AxisWindow axis_window(const Axis& a, Index out) {
    if (a.bins) {
        const Index first = out * a.extent / a.out;                     // [A1]
        const Index last = ((out + 1) * a.extent + a.out - 1) / a.out;  // [A2]
        return {first, 1, last - first, 0, last - first, last - first};
    }
    const Index start = out * a.stride - a.pad_begin;  // [W1]
    const auto taps_below = [&](Index end) {           // taps at start, start + dilation, .. < end
        return std::clamp<Index>(floor_div(end - 1 - start, a.dilation) + 1, 0, a.kernel);
    };
    const Index before = taps_below(0);
    return {start + before * a.dilation,     a.dilation, taps_below(a.extent) - before, before, a.kernel,
            taps_below(a.extent + a.pad_end)};
}

/// The product of its axes' windows. `taps` are the flat positions of its real cells in row-major order [W4].
struct Window {
    std::vector<AxisWindow> axes;
    std::vector<Index> taps;

    Rational span() const { return product(&AxisWindow::span); }
    Rational clipped() const { return product(&AxisWindow::clipped); }
    Rational cells() const { return product(&AxisWindow::count); }

private:
    Rational product(Index AxisWindow::*part) const {
        Integer n(1);
        for (const AxisWindow& a : axes) n *= a.*part;
        return Rational(n);
    }
};

/// Steps a coordinate vector to the next one in row-major order; false after the last.
template <class Extents> bool advance(std::vector<Index>& at, const Extents& extent) {
    for (std::size_t k = at.size(); k-- > 0;) {
        if (++at[k] < extent(k)) return true;
        at[k] = 0;
    }
    return false;
}

inline void collect_taps(Window& w, const std::vector<Axis>& axes) {
    w.taps.clear();
    for (const AxisWindow& a : w.axes)
        if (a.count <= 0) return;
    std::vector<Index> at(axes.size(), 0);
    do {
        Index flat = 0;
        for (std::size_t k = 0; k < axes.size(); ++k)
            flat = flat * axes[k].extent + w.axes[k].first + at[k] * w.axes[k].step;
        w.taps.push_back(flat);
    } while (advance(at, [&](std::size_t k) { return w.axes[k].count; }));
}

/// Calls `visit(out, window)` for every output position in row-major order.
template <class Visit> void for_each_window(const std::vector<Axis>& axes, Visit visit) {
    for (const Axis& a : axes)
        if (a.out == 0) return;
    std::vector<Index> at(axes.size(), 0);
    Window w{std::vector<AxisWindow>(axes.size()), {}};
    Index out = 0;
    do {
        for (std::size_t k = 0; k < axes.size(); ++k) w.axes[k] = axis_window(axes[k], at[k]);
        collect_taps(w, axes);
        visit(out++, static_cast<const Window&>(w));
    } while (advance(at, [&](std::size_t k) { return axes[k].out; }));
}

}  // namespace poolproof::spec

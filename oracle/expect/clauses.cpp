// SPDX-License-Identifier: Apache-2.0
#include "oracle/expect/clauses.hpp"

#include "oracle/spec/window.hpp"

namespace poolproof {

namespace {

/// What there is to know of a window, or of the windows of a cell.
struct Sight {
    bool padding = false;  ///< some of its taps are no real cells
    bool cells = true;     ///< it has a real cell
};

/// Calls `use(axis, coordinate)` for the coordinates of a flat position.
template <class Extent, class Use>
void over_coordinates(const std::vector<Axis>& axes, Index position, Extent extent, Use use) {
    for (std::size_t k = axes.size(); k-- > 0; position /= extent(axes[k]))
        use(axes[k], position % extent(axes[k]));
}

Sight window_at(const std::vector<Axis>& axes, Index output) {
    Sight s;
    over_coordinates(
        axes, output, [](const Axis& a) { return a.out; },
        [&](const Axis& a, Index out) {
            const spec::AxisWindow w = spec::axis_window(a, out);
            s.padding |= w.count < w.span;
            s.cells &= w.count > 0;
        });
    return s;
}

/// Whether some window that sees a cell holds padding; along one axis, windows are looked at one by one.
Sight windows_of(const std::vector<Axis>& axes, Index cell) {
    Sight s;
    bool padding = false;
    over_coordinates(
        axes, cell, [](const Axis& a) { return a.extent; },
        [&](const Axis& a, Index place) {
            bool seen = false;
            for (Index out = 0; out < a.out; ++out) {
                const spec::AxisWindow w = spec::axis_window(a, out);
                const Index from_first = place - w.first;
                const bool sees =
                    from_first >= 0 && from_first % w.step == 0 && from_first / w.step < w.count;
                seen |= sees;
                padding |= sees && w.count < w.span;
            }
            s.cells &= seen;
        });
    s.padding = padding && s.cells;
    return s;
}

std::string clause_of_pool(const PoolPlan& p, Mode mode, const Sight& s, std::string otherwise) {
    if (mode == Mode::vjp && !s.cells) return otherwise;
    const bool forward = mode == Mode::forward;
    switch (p.reduction) {
        case Reduction::average:
            if (p.divisor_override) return "VOver";
            if (s.padding && s.cells) return p.count_padding ? "VPad" : "VReal";
            if (s.padding && !p.count_padding) return forward ? "WEmpty" : "DEmpty";
            return otherwise;
        case Reduction::max:
            if (forward && s.padding && p.policy.max_padding == MaxPadding::zero) return "MPad";
            break;
        case Reduction::smooth_max:
            if (forward && s.padding && p.policy.smooth_padding == SmoothPadding::zero) return "SPad";
            break;
    }
    if (s.cells) return otherwise;
    return forward ? "WEmpty" : "DEmpty";
}

}  // namespace

std::string clause_of(const Plan& plan) {
    if (!plan.output().pool) return plan.mode == Mode::vjp ? "GVjp" : "GAdd";
    if (plan.nodes.size() > 1 && plan.mode == Mode::vjp) return "GVjp";
    const bool derivative = plan.mode != Mode::forward;
    switch (plan.output().pool->reduction) {
        case Reduction::max: return derivative ? "MTie" : "M1";
        case Reduction::average: return derivative ? "VDiv" : "V1";
        case Reduction::smooth_max: break;
    }
    return derivative ? "SJvp" : "S1";
}

std::function<std::string(Index)> clause_of_values(const Plan& plan) {
    if (!plan.output().pool || (plan.nodes.size() > 1 && plan.mode == Mode::vjp)) return {};
    return [pool = *plan.output().pool, mode = plan.mode, otherwise = clause_of(plan)](Index position) {
        const bool backward = mode == Mode::vjp;
        const Sight s = backward ? windows_of(pool.axes, position) : window_at(pool.axes, position);
        return clause_of_pool(pool, mode, s, otherwise);
    };
}

}  // namespace poolproof

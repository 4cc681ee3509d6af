// SPDX-License-Identifier: Apache-2.0
#include "backends/reference/pooling.hpp"

#include <algorithm>

namespace poolproof::backends {

namespace {

/// [WClip]
reference::Taps padding_taps(const Policy& p) {
    return p.divisor == Divisor::clipped ? reference::Taps::clipped : reference::Taps::kernel;
}

reference::Taps taps(const PoolPlan& p) {
    const bool padding_counts = p.reduction == Reduction::max ? p.policy.max_padding == MaxPadding::zero
                                : p.reduction == Reduction::smooth_max
                                    ? p.policy.smooth_padding == SmoothPadding::zero
                                    : p.count_padding;
    return padding_counts ? padding_taps(p.policy) : reference::Taps::real;
}

reference::Ties ties(Ties t) {
    switch (t) {
        case Ties::last: return reference::Ties::last;
        case Ties::all: return reference::Ties::all;
        case Ties::split: return reference::Ties::split;
        case Ties::first:
        case Ties::any:
        case Ties::convex: break;
    }
    return reference::Ties::first;
}

reference::Nan nan(const Policy& p) {
    if (p.nan == Nan::ignore) return reference::Nan::ignore;
    return p.nan_index == NanIndex::last ? reference::Nan::last : reference::Nan::first;
}

reference::Empty empty(EmptyWindow e) {
    switch (e) {
        case EmptyWindow::zero: return reference::Empty::zero;
        case EmptyWindow::lowest: return reference::Empty::lowest;
        case EmptyWindow::nan: return reference::Empty::nan;
        case EmptyWindow::identity:
        case EmptyWindow::reject:
        case EmptyWindow::open: break;
    }
    return reference::Empty::identity;
}

/// Whether a window begins past the padded input. The reference takes the average of such a window for 0,
/// where [WEmpty] finds a divisor of 0 if that is the clipped size.
bool begins_outside(const Axis& a) {
    return !a.bins && (a.out - 1) * a.stride >= a.extent + a.pad_begin + a.pad_end;
}

std::optional<std::string> declined(const PoolPlan& p, Mode mode, std::size_t nodes) {
    const bool copies =
        p.reduction == Reduction::max && mode != Mode::vjp &&
        (mode == Mode::forward || (p.policy.ties != Ties::all && p.policy.ties != Ties::split));
    if (p.axes.size() > 8) return "more than eight spatial axes";
    const Accumulate kept = mode == Mode::vjp ? p.policy.accumulate_gradient : p.policy.accumulate;
    if (kept == Accumulate::exact && !(copies && nodes == 1)) return "accumulate 'exact'";
    if (p.policy.intermediate_overflow == IntermediateOverflow::forbidden && !(copies && nodes == 1))
        return "intermediate_overflow 'forbidden'";
    if (p.reduction == Reduction::average && taps(p) == reference::Taps::clipped && !p.divisor_override &&
        std::any_of(p.axes.begin(), p.axes.end(), begins_outside))
        return "a window past the padded input";
    return std::nullopt;
}

}  // namespace

reference::Pooling pooling(const PoolPlan& p, Index slices) {
    reference::Pooling r;
    for (const Axis& a : p.axes)
        r.axes.push_back({a.extent, a.out, a.bins, a.kernel, a.stride, a.dilation, a.pad_begin, a.pad_end});
    r.slices = slices;
    r.taps = taps(p);
    if (p.reduction == Reduction::average) r.divisor = p.divisor_override;
    r.ties = ties(p.policy.ties);
    r.nan = nan(p.policy);
    r.positive_zero = p.policy.signed_zero == SignedZero::positive;
    r.empty = empty(p.policy.empty_window);
    return r;
}

std::optional<std::string> declined(const Plan& plan) {
    if (is_integer(plan.format)) return "integers";
    for (const NodePlan& n : plan.nodes)
        if (n.pool)
            if (auto why = declined(*n.pool, plan.mode, plan.nodes.size())) return why;
    return std::nullopt;
}

}  // namespace poolproof::backends

// SPDX-License-Identifier: Apache-2.0
// Which cells of a maximum may be taken for zero under `subnormals: may_flush`, and whether that makes a tie
// of what is none. A cell that is zero already is nothing new.
#pragma once

#include "oracle/expect/arithmetic.hpp"
#include "oracle/spec/window.hpp"

#include <algorithm>

namespace poolproof {

inline bool is_near_zero(const Interval& x, const Arithmetic& a) {
    return surely_less(abs(x), a.least_kept());
}

template <class Values> bool any_may_vanish(const Values& xs, const Arithmetic& a) {
    return a.policy.subnormals == Subnormals::may_flush &&
           std::any_of(xs.begin(), xs.end(), [&](const auto& x) {
               const Interval v(x.value);
               return x.is_finite() && v.sign() != 0 && is_near_zero(v, a);
           });
}

/// `padded`: whether zeros of padding take part beside the cells.
template <class Values> bool flush_may_tie(const Values& xs, bool padded, const Arithmetic& a) {
    if (!any_may_vanish(xs, a)) return false;
    const auto near = [&](const auto& x) { return x.is_finite() && is_near_zero(Interval(x.value), a); };
    const auto above = [&](const auto& x) {
        return x.is_finite() && !possibly_less(Interval(x.value), a.least_kept());
    };
    return std::count_if(xs.begin(), xs.end(), near) + (padded ? 1 : 0) > 1 &&
           std::none_of(xs.begin(), xs.end(), above);
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// The transpose of a mean: part of the definitions of sum_kernels_of.hpp.
#pragma once

#include "reference/sum_rows.hpp"

namespace poolproof::reference {

/// The sum of x[i - j] over all j for which tap f + stride j exists; there are at most three.
template <int kernel, int stride, int f, class S> [[gnu::always_inline]] inline S spread_to(const S* x) {
    S sum = x[0];
    if constexpr (f + stride < kernel) sum += x[-1];
    if constexpr (f + 2 * stride < kernel) sum += x[-2];
    return sum;
}

/// y[stride i + f] = that, for all f.
template <int kernel, int stride, class S, class Y>
[[gnu::always_inline]] inline void spread_inside(const S* __restrict x, Y* __restrict y, Index begin,
                                                 Index end) {
    for (Index i = begin; i < end; ++i) {
        y[stride * i] = static_cast<Y>(spread_to<kernel, stride, 0>(x + i));
        if constexpr (stride > 1) y[stride * i + 1] = static_cast<Y>(spread_to<kernel, stride, 1>(x + i));
        if constexpr (stride > 2) y[stride * i + 2] = static_cast<Y>(spread_to<kernel, stride, 2>(x + i));
    }
}

/// Calls spread_inside for the geometries it is made for; gives the least and the greatest i, or equal ones.
template <class S, class Y>
[[gnu::always_inline]] inline std::pair<Index, Index> spread_inside(const Line& l, const S* x, Y* y) {
    const Index begin = (l.kernel - 1) / l.stride, end = l.end - l.begin;
    if (begin >= end || l.step != 1 || l.stride > l.kernel) return {0, 0};
    x += l.begin;
    y += l.windows[extent_of(l.begin)].first;
    if (l.kernel == 2 && l.stride == 2)
        spread_inside<2, 2>(x, y, begin, end);
    else if (l.kernel == 3 && l.stride == 2)
        spread_inside<3, 2>(x, y, begin, end);
    else if (l.kernel == 3 && l.stride == 1)
        spread_inside<3, 1>(x, y, begin, end);
    else if (l.kernel == 2 && l.stride == 1)
        spread_inside<2, 1>(x, y, begin, end);
    else if (l.kernel == 3 && l.stride == 3)
        spread_inside<3, 3>(x, y, begin, end);
    else
        return {0, 0};
    const Index first = l.windows[extent_of(l.begin)].first;
    return {first + begin * l.stride, first + end * l.stride};
}

template <class S, class Y>
[[gnu::always_inline]] inline void spread_along(const Line& l, const Line& covers, const S* x, Y* y) {
    const auto inside = spread_inside(l, x, y);
    for (Index i = 0; i < l.extent; ++i) {
        if (i == inside.first) i = inside.second;
        if (i >= l.extent) break;
        const Window& w = covers.windows[extent_of(i)];
        y[i] = static_cast<Y>(w.count == 1 ? x[w.first] : sum_of(x + w.first, w.count, 1));
    }
}

template <class Y, class S> void spread(const Spread<Y, S>& s) {
    const Index n = s.width.out() * s.cell;
    const Index row = s.width.extent * s.cell;
    const S* of = nullptr;
    Y* y = s.y;
    for (Index r = 0; r < s.height.out(); ++r) {
        const Window& h = s.height.windows[extent_of(r)];
        if (h.count == 1)
            of = s.x + h.first * n;
        else {
            sum_rows(s.x + h.first * n, h.count, n, s.row, n);
            of = s.row;
        }
        if (r > 0) y += row;
        if (r > 0 && h.count == 1 && h.first == s.height.windows[extent_of(r - 1)].first &&
            s.height.windows[extent_of(r - 1)].count == 1) {
            std::copy_n(y - row, row, y);
            continue;
        }
        if (s.cell == 1) {
            spread_along(s.width, s.covers, of, y);
            continue;
        }
        for (Index i = 0; i < s.width.extent; ++i) {
            const Window& w = s.covers.windows[extent_of(i)];
            sum_rows(of + w.first * s.cell, w.count, s.cell, s.row + n, s.cell);
            divide_row(s.row + n, S{1}, y + i * s.cell, s.cell);
        }
    }
}

}  // namespace poolproof::reference

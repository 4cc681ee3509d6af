// SPDX-License-Identifier: Apache-2.0
// The transpose of a mean: part of the definitions of sum_kernels_of.hpp.
#pragma once

#include "reference/sum_rows.hpp"

namespace poolproof::reference {

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
        for (Index i = 0; i < s.width.extent; ++i) {
            const Window& w = s.covers.windows[extent_of(i)];
            if (s.cell == 1) {
                y[i] = static_cast<Y>(w.count == 1 ? of[w.first] : sum_of(of + w.first, w.count, 1));
                continue;
            }
            sum_rows(of + w.first * s.cell, w.count, s.cell, s.row + n, s.cell);
            divide_row(s.row + n, S{1}, y + i * s.cell, s.cell);
        }
    }
}

}  // namespace poolproof::reference

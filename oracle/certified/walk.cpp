// SPDX-License-Identifier: Apache-2.0
#include "oracle/certified/walk.hpp"

#include <algorithm>

namespace poolproof::certified {

namespace {

constexpr Index most_taps = Index{1} << 20;  ///< along one axis; wider windows are left to the exact oracle

/// How many of `count` taps at start, start + step, .. lie below `end`.
Index below(Index start, Index step, Index count, Index end) {
    if (end <= start) return 0;
    return std::min(count, (end - start - 1) / step + 1);
}

Walk::Inner window_of(const Axis& a, Index out) {
    if (a.bins) {
        const Index first = out * a.extent / a.out;                    // [A1]
        const Index end = ((out + 1) * a.extent + a.out - 1) / a.out;  // [A2]
        return {first, 1, {end - first, end - first, end - first}, first};
    }
    const Index start = out * a.stride - a.pad_begin;  // [W1]
    const Index before = below(start, a.dilation, a.kernel, 0);
    const Index real = below(start, a.dilation, a.kernel, a.extent) - before;
    return {start + before * a.dilation,
            a.dilation,
            {real, a.kernel, below(start, a.dilation, a.kernel, a.extent + a.pad_end)},
            start};
}

}  // namespace

void Walk::split_rows(std::size_t begin, const Inner& at, Index extent) {
    const std::size_t rows = row_starts.size() - begin, count = static_cast<std::size_t>(at.counts.count);
    row_starts.resize(begin + rows * count);
    for (std::size_t r = rows;
         r-- > 0 && count > 0;) {  // from the last on, so that none is overwritten unread
        const Index start = row_starts[begin + r] * extent + at.first;
        for (std::size_t j = count; j-- > 0;)
            row_starts[begin + r * count + j] = start + static_cast<Index>(j) * at.step;
    }
}

template <class First, class Alike> std::vector<Walk::Run> Walk::runs_by(First first, Alike alike) const {
    std::vector<Run> r;
    for (std::size_t k = 0; k < inner.size(); ++k) {
        const Index stride = k == 0 ? 0 : first(inner[k]) - first(inner[k - 1]);
        const bool goes_on = !r.empty() && stride >= 0 && alike(inner[r.back().begin], inner[k]);
        if (goes_on && (r.back().count == 1 || r.back().stride == stride)) {
            r.back().stride = stride;
            ++r.back().count;
        } else {
            r.push_back({k, 1, 0});
        }
    }
    return r;
}

std::vector<Walk::Run> Walk::runs() const {
    return runs_by([](const Inner& i) { return i.first; },
                   [](const Inner& a, const Inner& b) { return a.step == b.step && a.counts == b.counts; });
}

std::vector<Walk::Run> Walk::runs_of_taps() const {
    return runs_by([](const Inner& i) { return i.start; },
                   [](const Inner& a, const Inner& b) {
                       return a.step == b.step && a.counts.span == b.counts.span &&
                              (a.counts.count == 0) == (b.counts.count == 0);
                   });
}

Index Walk::most_windows(Index extent) const {
    std::vector<Index> of_row(static_cast<std::size_t>(cells / extent)),
        of_column(static_cast<std::size_t>(extent));
    for (const Index start : row_starts) ++of_row[static_cast<std::size_t>(start / extent)];
    for (const Inner& i : inner)
        for (Index j = 0; j < i.counts.count; ++j)
            ++of_column[static_cast<std::size_t>(i.first + j * i.step)];
    return *std::max_element(of_row.begin(), of_row.end()) *
           *std::max_element(of_column.begin(), of_column.end());
}

bool Walk::over(const std::vector<Axis>& axes) {
    cells = outs = 1;
    for (const Axis& a : axes) {
        cells *= a.extent;
        outs *= a.out;
        if (a.kernel > most_taps || a.out > most_taps) return false;
    }
    outer.clear();
    inner.clear();
    row_starts.clear();
    outer_counts.clear();
    outer_axes = axes.size() - 1;
    if (outs == 0) return true;
    for (Index i = 0; i < axes.back().out; ++i) inner.push_back(window_of(axes.back(), i));

    std::vector<Index> out(outer_axes, 0);
    for (bool more = true; more;) {
        Outer o{row_starts.size(), 0, outer_counts.size()};
        row_starts.push_back(0);
        for (std::size_t k = 0; k < outer_axes; ++k) {
            const Inner at = window_of(axes[k], out[k]);
            outer_counts.push_back(at.counts);
            split_rows(o.first_row, at, axes[k].extent);
        }
        o.rows = row_starts.size() - o.first_row;
        for (std::size_t r = o.first_row; r < row_starts.size(); ++r) row_starts[r] *= axes.back().extent;
        outer.push_back(o);
        more = false;
        for (std::size_t k = outer_axes; k-- > 0 && !more;) {
            if (++out[k] < axes[k].out)
                more = true;
            else
                out[k] = 0;
        }
    }
    return true;
}

}  // namespace poolproof::certified

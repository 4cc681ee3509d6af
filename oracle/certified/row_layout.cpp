// SPDX-License-Identifier: Apache-2.0
#include "oracle/certified/row_layout.hpp"

namespace poolproof::certified {

namespace {

/// With all taps, those in padding among them, or real cells alone.
std::vector<RowPart> parts_of(const Walk& walk, bool all_taps,
                              const std::function<bool(std::size_t, std::size_t)>& alike) {
    std::vector<RowPart> r;
    for (const Walk::Run& run : all_taps ? walk.runs_of_taps() : walk.runs())
        for (std::size_t k = run.begin; k < run.begin + run.count; ++k) {
            const Walk::Inner& i = walk.inner[k];
            if (k == run.begin || !alike(k - 1, k)) {
                RowPart& p = r.emplace_back();
                p.begin = k;
                p.first = all_taps ? i.start : i.first;
                p.step = i.step;
                p.taps = all_taps ? i.counts.span : i.counts.count;
                p.between = run.count == 1 ? 1 : run.stride;
            }
            ++r.back().count;
            r.back().most_seen = std::max(r.back().most_seen, i.counts.count);
        }
    return r;
}

/// How far windows reach beyond a row.
struct Reach {
    Index before = 0, after = 0;
};
Reach reach_of(const std::vector<RowPart>& parts, Index extent) {
    Reach r;
    for (const RowPart& p : parts) {
        if (p.most_seen == 0) continue;
        const Index last = p.first + static_cast<Index>(p.count - 1) * p.between + (p.taps - 1) * p.step;
        r.before = std::max(r.before, -p.first);
        r.after = std::max(r.after, last + 1 - extent);
    }
    return r;
}

/// At least so many columns, so that what follows them begins with a whole vector, be the even ones apart
/// from the odd ones or not.
std::size_t in_lines(std::size_t columns) {
    constexpr std::size_t step = 2 * sizeof(Lanes) / sizeof(float);
    return (columns + step - 1) / step * step;
}

}  // namespace

RowLayout row_layout(const Walk& walk, Index extent,
                     const std::function<bool(std::size_t, std::size_t)>& alike) {
    RowLayout r;
    r.parts = parts_of(walk, true, alike);
    Reach reach = reach_of(r.parts, extent);
    if (reach.before + reach.after > extent + static_cast<Index>(lanes)) {  // most of it would be padding
        r.parts = parts_of(walk, false, alike);
        reach = {};
    }
    Index stride = 1;
    bool by_two = true;
    for (const RowPart& p : r.parts) {
        stride = std::max(stride, p.between);
        by_two &= p.count == 1 || p.between == 2;
    }
    r.columns.count = static_cast<std::size_t>(extent);
    r.columns.before = in_lines(static_cast<std::size_t>(reach.before));
    r.room = in_lines(r.columns.before + static_cast<std::size_t>(extent + reach.after) +
                      static_cast<std::size_t>(1 + stride) * lanes_beyond);
    if (by_two && stride == 2) r.columns.apart = r.room / 2;
    for (RowPart& p : r.parts) {
        p.stride = r.columns.apart == 0 ? static_cast<std::size_t>(p.between) : 1;
        for (Index j = 0; j < p.taps && p.most_seen > 0; ++j)
            p.places.push_back(r.columns.place(p.first + j * p.step));
    }
    return r;
}

}  // namespace poolproof::certified

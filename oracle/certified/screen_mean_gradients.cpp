// SPDX-License-Identifier: Apache-2.0
// The short way for gradients of averages that all divide alike. Rows of cotangents that meet in a row of
// cells are summed column by column; cells whose windows lie alike around them are sums of columns, side by
// side.
#include "oracle/certified/near_sums.hpp"

namespace poolproof::certified {

namespace {

/// Cells `stride` apart, from `first` on, the p-th of which is seen by the windows p + `offsets`, as far as
/// there are such windows.
struct Phase {
    Index first = 0, count = 0;
    std::vector<Index> offsets;
    std::vector<std::size_t> places;  ///< of those, from the first cell on
    std::vector<double> seen;         ///< how many there are for each cell
};

/// The phases of a row of cells; none where they do not lie so. Whatever is found is checked: as many pairs
/// of a window and a cell as the walk has.
std::vector<Phase> phases_of(const Walk& walk, Index extent, Index stride) {
    std::vector<Phase> r(static_cast<std::size_t>(std::min(stride, extent)));
    const auto outs = static_cast<Index>(walk.inner.size());
    Index pairs = 0, found = 0;
    for (Index o = 0; o < outs; ++o) {
        const Walk::Inner& i = walk.inner[static_cast<std::size_t>(o)];
        for (Index j = 0; j < i.counts.count; ++j) {
            const Index cell = i.first + j * i.step;
            auto& offsets = r[static_cast<std::size_t>(cell % stride)].offsets;
            const Index offset = o - cell / stride;
            const auto at = std::lower_bound(offsets.begin(), offsets.end(), offset);
            if (at == offsets.end() || *at != offset) offsets.insert(at, offset);
            if (offsets.size() > 1024) return {};
            ++pairs;
        }
    }
    Index first = 0;
    for (Phase& p : r) {
        p.first = first++;
        p.count = (extent - p.first + stride - 1) / stride;
        for (const Index offset : p.offsets)
            found += std::max<Index>(std::min(p.count, outs - offset) - std::max<Index>(-offset, 0), 0);
    }
    if (found != pairs) r.clear();
    return r;
}

/// Memory that one call leaves to the next.
template <class Number> struct Room {
    std::vector<Number> input, cotangents, answers;
    std::vector<double> wide_cotangents, wide_answers;
    std::vector<double> doubt;
    std::vector<std::uint8_t> marks;
    ColumnSums columns;
    PairSums sums;

    static Room& own() {
        thread_local Room r;
        return r;
    }
};

template <class Number> class MeanGradientScreen {
public:
    MeanGradientScreen(const Block& b, const Tensor& answer, std::vector<Index>& doubtful,
                       const Keeping& keeping, const Scaling& by)
        : b_(b), answer_(answer), doubtful_(doubtful), runs_(b.walk.runs()), answers_ahead_(answer) {
        extent_ = b.pool.axes.back().extent;
        for (const Walk::Run& run : runs_) stride_ = std::max(stride_, run.stride);
        const Index most = b.walk.most_windows(extent_);
        limits_ = limits_of(keeping, by, most);
        find_rows();
        lay_out();
    }

    void run() {
        room_.doubt.resize(static_cast<std::size_t>(b_.walk.cells) + lanes);
        for (Index k = 0; k < b_.slices.count; ++k)
            if (!slice(k))
                for (std::size_t at = 0; at < marks_.size(); ++at)
                    if (marks_[at] != 0) doubtful_.push_back(b_.first_cell(k) + static_cast<Index>(at));
    }

private:
    /// Which rows of cotangents come to each row of cells.
    void find_rows() {
        const auto outs = static_cast<Index>(b_.walk.inner.size());
        rows_.resize(static_cast<std::size_t>(b_.walk.cells / extent_));
        Index from = 0;
        for (const Walk::Outer& o : b_.walk.outer) {
            for (std::size_t r = 0; r < o.rows; ++r)
                rows_[static_cast<std::size_t>(b_.walk.row_starts[o.first_row + r] / extent_)].push_back(
                    from);
            from += outs;
        }
    }

    void lay_out() {
        phases_ = phases_of(b_.walk, extent_, stride_);
        const auto outs = static_cast<Index>(b_.walk.inner.size());
        Index before = 0, after = 0;
        for (const Phase& p : phases_)
            for (const Index offset : p.offsets) {
                before = std::max(before, -offset);
                after = std::max(after, p.count + offset - outs);
            }
        const Columns columns{static_cast<std::size_t>(outs), static_cast<std::size_t>(before), 0};
        const auto room = static_cast<std::size_t>(before + outs + after) + 2 * lanes_beyond;
        room_.columns.lay_out(columns, room, b_.plan.format == Format::f64);
        for (Phase& p : phases_) {
            p.seen.assign(static_cast<std::size_t>(p.count) + lanes, 0);
            for (const Index offset : p.offsets) {
                p.places.push_back(columns.place(offset));
                for (Index k = 0; k < p.count; ++k)
                    p.seen[static_cast<std::size_t>(k)] += k + offset >= 0 && k + offset < outs ? 1.0 : 0.0;
            }
        }
    }

    /// Whether all of a slice is permitted; what is in doubt is marked.
    bool slice(Index k) {
        const Walk& walk = b_.walk;
        marks_.assign(static_cast<std::size_t>(walk.cells), 1);
        if (walk.outs == 0 || !(limits_.least < HUGE_VAL) ||
            !all_finite(numbers_at(b_.c.input, b_.first_cell(k), walk.cells, 0, room_.input), walk.cells))
            return false;
        const Tensor& cotangent = *b_.c.cotangent;
        const Index first_out = b_.first_out(k), first_cell = b_.first_cell(k);
        const Number* const g = numbers_at(cotangent, first_out, walk.outs, lanes_beyond, room_.cotangents);
        if (!all_finite(g, walk.outs)) return false;
        if (phases_.empty()) return look_again(k);
        const std::size_t beyond = lanes_beyond * static_cast<std::size_t>(stride_);
        const Number* const y = numbers_at(answer_, first_cell, walk.cells, beyond, room_.answers);
        marks_.assign(marks_.size(), 0);
        bool doubt = false;
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            const Index at = static_cast<Index>(row) * extent_;
            answers_ahead_.reading(answer_.data.data() + (first_cell + at) * bytes(answer_.format));
            doubt |= doubt_row(g, rows_[row], y, at);
        }
        return !doubt;
    }

    /// Whether some cell of a row is in doubt; those are marked.
    bool doubt_row(const Number* g, const std::vector<Index>& rows, const Number* y, Index at) {
        room_.columns.add(g, rows);
        bool any = false;
        for (const Phase& p : phases_) {
            const Windows w{p.places, 1, static_cast<std::size_t>(p.count), p.seen.data()};
            const Answers<Number> answers{y + at + p.first, stride_};
            if (!doubt_windows(room_.columns, w, answers, limits_, room_.doubt.data())) continue;
            any = true;
            std::uint8_t* const marks = marks_.data() + at + p.first;
            for (Index i = 0; i < p.count; ++i)
                marks[i * stride_] = room_.doubt[static_cast<std::size_t>(i)] != 0 ? 1 : 0;
        }
        return any;
    }

    /// All of a slice by pairs, window by window.
    bool look_again(Index slice) {
        const double* g =
            numbers_at(*b_.c.cotangent, b_.first_out(slice), b_.walk.outs, 0, room_.wide_cotangents);
        const double* const y =
            numbers_at(answer_, b_.first_cell(slice), b_.walk.cells, lanes, room_.wide_answers);
        PairSums& sums = room_.sums;
        sums.clear(marks_.size());
        for (const Walk::Outer& o : b_.walk.outer) {
            for (const Walk::Run& run : runs_) {
                const Walk::Inner& first = b_.walk.inner[run.begin];
                b_.walk.for_each_tap(o, first, [&](Index tap) {
                    sums.add(g + run.begin, run.count, static_cast<std::size_t>(tap),
                             static_cast<std::size_t>(run.stride));
                });
            }
            g += b_.walk.inner.size();
        }
        const bool doubt = doubt_sums(sums, y, limits_, room_.doubt.data());
        for (std::size_t at = 0; at < marks_.size(); ++at)
            if (room_.doubt[at] == 0) marks_[at] = 0;
        return !doubt;
    }

    const Block& b_;
    const Tensor& answer_;
    std::vector<Index>& doubtful_;
    std::vector<Walk::Run> runs_;
    Room<Number>& room_ = Room<Number>::own();
    std::vector<std::uint8_t>& marks_ = room_.marks;  ///< of the slice's cells, as far as they are in doubt

    Limits limits_;
    Index extent_ = 1, stride_ = 1;
    std::vector<std::vector<Index>> rows_;
    std::vector<Phase> phases_;
    ReadAhead answers_ahead_;
};

}  // namespace

bool screen_mean_gradients(const Block& b, const Tensor& answer, std::vector<Index>& doubtful) {
    const Keeping keeping = keeping_of(b);
    const Divisors divisors(b, keeping.accumulator);
    if (!divisors.uniform() || b.walk.outs == 0) return false;
    const Scaling by = divisors.of(0, 0);
    if (b.plan.format == Format::f32)
        MeanGradientScreen<float>(b, answer, doubtful, keeping, by).run();
    else
        MeanGradientScreen<double>(b, answer, doubtful, keeping, by).run();
    return true;
}

}  // namespace poolproof::certified

// SPDX-License-Identifier: Apache-2.0
// The short way for averages and their tangents: rows of cells are summed column by column, and windows are
// sums of columns, side by side; in pairs of doubles where the cells are doubles.
#include "oracle/certified/near_sums.hpp"

namespace poolproof::certified {

namespace {

/// Windows of a row that divide alike.
struct RowPart {
    std::size_t begin, count;
    Index first, step, taps;  ///< of the first window, columns that are padding among them
    Index stride;
    Index most_seen;                  ///< cells of a row that a window sees
    std::vector<std::size_t> places;  ///< of the first window's columns
    Limits limits;                    ///< for the present row of windows
};

/// The parts of a row of windows, all taps counted or real cells alone.
std::vector<RowPart> parts_of(const Walk& walk, const Divisors& divisors, bool all_taps) {
    std::vector<RowPart> r;
    for (const Walk::Run& run : all_taps ? walk.runs_of_taps() : walk.runs())
        for (std::size_t k = run.begin; k < run.begin + run.count; ++k) {
            const Walk::Inner& i = walk.inner[k];
            if (k == run.begin || !divisors.same_inner(k, k - 1))
                r.push_back({k,
                             0,
                             all_taps ? i.start : i.first,
                             i.step,
                             all_taps ? i.counts.span : i.counts.count,
                             run.count == 1 ? 1 : run.stride,
                             0,
                             {},
                             {}});
            ++r.back().count;
            r.back().most_seen = std::max(r.back().most_seen, i.counts.count);
        }
    return r;
}

/// Memory that one call leaves to the next.
template <class Number> struct Room {
    std::vector<Number> input, numbers, answers;
    std::vector<double> doubt, seen;
    std::vector<Index> cells;
    ColumnSums sums;

    static Room& own() {
        thread_local Room r;
        return r;
    }
};

template <class Number> class AverageScreen {
public:
    AverageScreen(const Block& b, const Tensor& answer, std::vector<Index>& doubtful)
        : b_(b),
          source_(b.plan.mode == Mode::forward ? b.c.input : *b.c.tangent),
          answer_(answer),
          doubtful_(doubtful),
          keeping_(keeping_of(b)),
          divisors_(b, keeping_.accumulator),
          ahead_(source_),
          answers_ahead_(answer) {
        room_.doubt.resize(b.walk.inner.size() + lanes);
        room_.seen.assign(b.walk.inner.size() + lanes, 0);
        for (std::size_t k = 0; k < b.walk.inner.size(); ++k)
            room_.seen[k] = static_cast<double>(b.walk.inner[k].counts.count);
        parts_ = parts_of(b.walk, divisors_, true);
        if (!lay_out()) {
            parts_ = parts_of(b.walk, divisors_, false);
            lay_out();
        }
    }

    void run() {
        for (Index k = 0; k < b_.slices.count; ++k) {
            const Index first_out = b_.first_out(k), outs = b_.walk.outs;
            if (b_.plan.mode == Mode::jvp && !inputs_are_finite(k)) {
                for (Index at = 0; at < outs; ++at) doubtful_.push_back(first_out + at);
                continue;
            }
            cells_ = numbers_at(source_, b_.first_cell(k), b_.walk.cells, lanes_beyond, room_.numbers);
            const Number* const y = numbers_at(answer_, first_out, outs, lanes, room_.answers);
            first_cell_ = b_.first_cell(k);
            for (std::size_t o = 0; o < b_.walk.outer.size(); ++o) row(o, y, first_out);
        }
    }

private:
    /// Makes room for the columns that the parts are sums of; false where much of them would be padding.
    bool lay_out() {
        const auto extent = static_cast<std::size_t>(b_.pool.axes.back().extent);
        Columns columns{extent, 0, 0};
        Index end = 0, stride = 1;
        bool by_two = true;
        for (const RowPart& p : parts_) {
            stride = std::max(stride, p.stride);
            by_two &= p.count == 1 || p.stride == 2;
            if (p.most_seen == 0) continue;
            columns.before = std::max(columns.before, static_cast<std::size_t>(std::max<Index>(-p.first, 0)));
            end = std::max(end,
                           p.first + static_cast<Index>(p.count - 1) * p.stride + (p.taps - 1) * p.step + 1);
        }
        const std::size_t after = std::max(static_cast<std::size_t>(end), extent) - extent;
        if (columns.before + after > extent + lanes) return false;
        columns.apart = by_two && stride == 2 ? 1 : 0;
        room_.sums.lay_out(columns, after, static_cast<std::size_t>(stride), b_.plan.format == Format::f64);
        for (RowPart& p : parts_)
            for (Index j = 0; j < p.taps && p.most_seen > 0; ++j)
                p.places.push_back(room_.sums.columns().place(p.first + j * p.step));
        return true;
    }

    bool inputs_are_finite(Index k) {
        return all_finite(numbers_at(b_.c.input, b_.first_cell(k), b_.walk.cells, 0, room_.input),
                          b_.walk.cells);
    }

    void row(std::size_t outer, const Number* y, Index first_out) {
        const Walk::Outer& o = b_.walk.outer[outer];
        const Index in_row = static_cast<Index>(outer * b_.walk.inner.size());
        answers_ahead_.reading(answer_.data.data() + (first_out + in_row) * bytes(answer_.format));
        if (o.rows > 0) add_columns(o);
        const bool as_before =
            outer > 0 && b_.walk.outer[outer - 1].rows == o.rows && divisors_.same_outer(outer, outer - 1);
        for (RowPart& p : parts_) {
            const Index at = in_row + static_cast<Index>(p.begin);
            const Index terms = static_cast<Index>(o.rows) * p.most_seen;
            if (!as_before)
                p.limits = terms == 0 ? Limits{} : limits_of(keeping_, divisors_.of(outer, p.begin), terms);
            double* const doubt = room_.doubt.data();
            if (p.limits.least < HUGE_VAL) {
                const bool in_order = room_.sums.columns().apart == 0;
                const Windows w{p.places, in_order ? static_cast<std::size_t>(p.stride) : 1, p.count,
                                room_.seen.data() + p.begin};
                if (!doubt_windows(room_.sums, w, Answers<Number>{y + at}, p.limits, doubt)) continue;
            } else {
                std::fill_n(doubt, p.count, 1.0);
            }
            for (std::size_t k = 0; k < p.count; ++k)
                if (const Index more = static_cast<Index>(k);
                    doubt[k] != 0 && !is_tie(o, b_.walk.inner[p.begin + k], number(y + at + more),
                                             first_out + at + more, p.limits))
                    doubtful_.push_back(first_out + at + more);
        }
    }

    /// Sums the columns of a row of windows.
    void add_columns(const Walk::Outer& o) {
        const std::span<const Index> rows(b_.walk.row_starts.data() + o.first_row, o.rows);
        ahead_.reading(source_.data.data() + (first_cell_ + rows.back()) * bytes(source_.format));
        room_.sums.add(cells_, rows);
    }

    static double number(const Number* at) {
        Number v;
        std::memcpy(&v, at, sizeof v);
        return v;
    }

    /// Whether an answer in doubt is the sum correctly rounded, be it a tie.
    bool is_tie(const Walk::Outer& o, const Walk::Inner& i, double y, Index out, const Limits& l) const {
        if (!l.correctly_rounded) return false;
        ExactSum sum;
        double size = 0;
        b_.walk.for_each_tap(o, i, [&](Index tap) {
            const double t = number(cells_ + tap);
            sum.add(t);
            size += std::fabs(t);
        });
        return rounds_to(sum, size, y, (answer_[out] & 1) == 0, l);
    }

    const Block& b_;
    const Tensor& source_;  ///< what is averaged
    const Tensor& answer_;
    std::vector<Index>& doubtful_;
    Keeping keeping_;
    Divisors divisors_;
    std::vector<RowPart> parts_;
    Room<Number>& room_ = Room<Number>::own();

    Index first_cell_ = 0;
    const Number* cells_ = nullptr;  ///< the slice's
    ReadAhead ahead_, answers_ahead_;
};

}  // namespace

bool screen_averages(const Block& b, const Tensor& answer, std::vector<Index>& doubtful) {
    if (b.plan.format == Format::f32)
        AverageScreen<float>(b, answer, doubtful).run();
    else
        AverageScreen<double>(b, answer, doubtful).run();
    return true;
}

}  // namespace poolproof::certified

// SPDX-License-Identifier: Apache-2.0
// The short way for averages and their tangents: rows of cells are summed column by column, and windows are
// sums of columns, side by side; in pairs of doubles where the cells are doubles.
#include "oracle/certified/near_sums.hpp"

#include <optional>

namespace poolproof::certified {

namespace {

/// Memory that one call leaves to the next.
template <class Number> struct Room {
    std::vector<Number> input, numbers, answers;
    std::vector<double> doubt, seen;
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
        layout_ = row_layout(b.walk, b.pool.axes.back().extent, [&](std::size_t one, std::size_t next) {
            return divisors_.same_inner(one, next);
        });
        limits_.resize(layout_.parts.size());
        room_.sums.lay_out(layout_.columns, layout_.room, b.plan.format == Format::f64);
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
    bool inputs_are_finite(Index k) {
        return all_finite(numbers_at(b_.c.input, b_.first_cell(k), b_.walk.cells, 0, room_.input),
                          b_.walk.cells);
    }

    void row(std::size_t outer, const Number* y, Index first_out) {
        const Walk::Outer& o = b_.walk.outer[outer];
        const Index in_row = static_cast<Index>(outer * b_.walk.inner.size());
        answers_ahead_.reading(answer_.data.data() + (first_out + in_row) * bytes(answer_.format));
        if (o.rows > 0) add_columns(o);
        const bool as_before = limits_of_ && b_.walk.outer[*limits_of_].rows == o.rows &&
                               divisors_.same_outer(outer, *limits_of_);
        limits_of_ = outer;
        for (std::size_t part = 0; part < limits_.size(); ++part) {
            const RowPart& p = layout_.parts[part];
            Limits& l = limits_[part];
            const Index at = in_row + static_cast<Index>(p.begin);
            const Index terms = static_cast<Index>(o.rows) * p.most_seen;
            if (!as_before)
                l = terms == 0 ? Limits{} : limits_of(keeping_, divisors_.of(outer, p.begin), terms);
            double* const doubt = room_.doubt.data();
            if (l.least < HUGE_VAL) {
                const Windows w{p.places, p.stride, p.count, room_.seen.data() + p.begin};
                if (!doubt_windows(room_.sums, w, Answers<Number>{y + at}, l, doubt)) continue;
            } else {
                std::fill_n(doubt, p.count, 1.0);
            }
            for (std::size_t k = 0; k < p.count; ++k)
                if (const Index more = static_cast<Index>(k);
                    doubt[k] != 0 &&
                    !is_tie(o, b_.walk.inner[p.begin + k], number(y + at + more), first_out + at + more, l))
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
    RowLayout layout_;
    std::vector<Limits> limits_;            ///< of the layout's parts, for a row of windows
    std::optional<std::size_t> limits_of_;  ///< which row
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

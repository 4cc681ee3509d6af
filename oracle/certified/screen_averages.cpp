// SPDX-License-Identifier: Apache-2.0
// The short way for averages and their tangents: rows of cells are summed column by column, and windows are
// sums of columns, side by side: in the cells' own numbers, then in pairs of them, and what is in doubt still
// in doubles, or pairs of them where the cells are doubles.
#include "oracle/certified/plain_sums.hpp"

#include <optional>

namespace poolproof::certified {

namespace {

/// Memory that one call leaves to the next.
template <class Number> struct Room {
    std::vector<Number> input, numbers, answers;
    std::vector<double> doubt, seen;
    ColumnSums sums;
    PlainSums<Number> plain[2] = {PlainSums<Number>(false), PlainSums<Number>(true)};

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
        if (!keeping_.exactly && bytes(b.plan.format) == sizeof(Number)) first_way_ = 0;
    }

    void run() {
        for (Index k = 0; k < b_.slices.count; ++k) {
            const Index first_out = b_.first_out(k), outs = b_.walk.outs;
            if (b_.plan.mode == Mode::jvp && !inputs_are_finite(k)) {
                for (Index at = 0; at < outs; ++at) doubtful_.push_back(first_out + at);
                continue;
            }
            cells_ = numbers_at(source_, b_.first_cell(k), b_.walk.cells, lanes_beyond, room_.numbers);
            const Number* const y = numbers_at(answer_, first_out, outs, lanes_beyond, room_.answers);
            first_out_ = first_out;
            const SliceRows<Number> slice{b_.walk, layout_, cells_, y, ahead_, answers_ahead_};
            for (std::size_t o = 0; o < b_.walk.outer.size();) {
                const std::size_t alike = find_limits(o);
                settle_rows(pauses_, first_way_, o, alike,
                            [&](std::size_t way, std::size_t begin, std::size_t end) {
                                if (way < ways) return prepared(way).near_until(slice, begin, end);
                                for (; begin < end; ++begin) row(begin, slice);
                                return end;
                            });
                o = alike;
            }
        }
    }

private:
    bool inputs_are_finite(Index k) {
        return all_finite(numbers_at(b_.c.input, b_.first_cell(k), b_.walk.cells, 0, room_.input),
                          b_.walk.cells);
    }

    /// What a row of windows is compared by; how far it goes for rows after it.
    std::size_t find_limits(std::size_t outer) {
        const auto& all = b_.walk.outer;
        const auto alike = [&](std::size_t next) {
            return all[next].rows == all[outer].rows && divisors_.same_outer(next, outer);
        };
        std::size_t end = outer + 1;
        while (end < all.size() && alike(end)) ++end;
        if (limits_of_ && alike(*limits_of_)) return end;
        limits_of_ = outer;
        for (std::size_t part = 0; part < limits_.size(); ++part) {
            const RowPart& p = layout_.parts[part];
            const Index terms = static_cast<Index>(all[outer].rows) * p.most_seen;
            limits_[part] = terms == 0 ? Limits{} : limits_of(keeping_, divisors_.of(outer, p.begin), terms);
        }
        return end;
    }

    /// Prepares a way for the rows that the limits are of.
    PlainSums<Number>& prepared(std::size_t way) {
        PlainSums<Number>& sums = room_.plain[way];
        if (prepared_[way] == limits_of_) return sums;
        if (!prepared_[way]) sums.lay_out(layout_, b_.walk.inner.size());
        sums.allow(layout_, limits_, b_.walk.outer[*limits_of_].rows, room_.seen.data());
        prepared_[way] = limits_of_;
        return sums;
    }

    void row(std::size_t outer, const SliceRows<Number>& slice) {
        const Walk::Outer& o = b_.walk.outer[outer];
        const Number* const y = slice.answers_of(outer);
        const Index first_out = first_out_ + static_cast<Index>(outer * b_.walk.inner.size());
        slice.reading(outer);
        if (!laid_out_) room_.sums.lay_out(layout_.columns, layout_.room, b_.plan.format == Format::f64);
        laid_out_ = true;
        if (o.rows > 0) room_.sums.add(cells_, slice.rows(outer));
        for (std::size_t part = 0; part < limits_.size(); ++part) {
            const RowPart& p = layout_.parts[part];
            const Limits& l = limits_[part];
            const Number* const at = y + p.begin;
            double* const doubt = room_.doubt.data();
            if (l.least < HUGE_VAL) {
                const Windows w{p.places, p.stride, p.count, room_.seen.data() + p.begin};
                if (!doubt_windows(room_.sums, w, Answers<Number>{at}, l, doubt)) continue;
            } else {
                std::fill_n(doubt, p.count, 1.0);
            }
            for (std::size_t k = 0; k < p.count; ++k) {
                const Index out = first_out + static_cast<Index>(p.begin + k);
                if (doubt[k] != 0 && !is_tie(o, b_.walk.inner[p.begin + k], number(at + k), out, l))
                    doubtful_.push_back(out);
            }
        }
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

    /// Ways that are tried before that of doubles: in `Room::plain`, from the first that suits on; and for
    /// how many rows one was last not tried.
    static constexpr std::size_t ways = 2, most_paused = 63;
    std::size_t first_way_ = ways, pauses_[ways] = {};
    std::optional<std::size_t> prepared_[ways];  ///< for which row's limits
    bool laid_out_ = false;                      ///< the sums in doubles

    Index first_out_ = 0;
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

// SPDX-License-Identifier: Apache-2.0
// The short way for averages and their tangents: rows of cells are summed column by column, and windows are
// sums of columns. What that is too coarse for is summed in pairs of doubles, eight windows at a time.
#include "oracle/certified/near_sums.hpp"

namespace poolproof::certified {

namespace {

/// Memory that one call leaves to the next.
struct Room {
    std::vector<double> input, numbers, answers, high, size, count;
    std::vector<Index> cells, columns;
    std::vector<double> doubt;

    static Room& own() {
        thread_local Room r;
        return r;
    }
};

void grow(std::vector<double>& v, std::size_t n) {
    if (v.size() < n) v.resize(n);
}

class AverageScreen {
public:
    AverageScreen(const Block& b, const Tensor& answer, std::vector<Index>& doubtful)
        : b_(b),
          source_(b.plan.mode == Mode::forward ? b.c.input : *b.c.tangent),
          answer_(answer),
          doubtful_(doubtful),
          keeping_(keeping_of(b)),
          divisors_(b, keeping_.accumulator),
          runs_(b.walk.runs()),
          ahead_(source_),
          answers_ahead_(answer),
          known_(runs_.size()) {
        for (const Walk::Run& run : runs_) beyond_ = std::max(beyond_, static_cast<std::size_t>(run.stride));
        beyond_ *= lanes_beyond;
        columns_ = static_cast<std::size_t>(b.pool.axes.back().extent);
        room_.doubt.resize(b.walk.inner.size() + lanes);
        for (auto* v : {&room_.high, &room_.size, &room_.count}) grow(*v, columns_ + lanes + beyond_);
    }

    void run() {
        for (Index k = 0; k < b_.slices.count; ++k) {
            first_cell_ = b_.first_cell(k);
            cells_ = nullptr;
            const Index first_out = b_.first_out(k), outs = b_.walk.outs;
            if (b_.plan.mode == Mode::jvp && !inputs_are_finite()) {
                for (Index at = 0; at < outs; ++at) doubtful_.push_back(first_out + at);
                continue;
            }
            const double* const y = numbers_at(answer_, first_out, outs, lanes, room_.answers);
            for (std::size_t o = 0; o < b_.walk.outer.size(); ++o) row(o, y, first_out);
        }
    }

private:
    bool inputs_are_finite() {
        return all_finite(numbers_at(b_.c.input, first_cell_, b_.walk.cells, 0, room_.input), b_.walk.cells);
    }

    /// The slice's numbers, readable as far as loads of strided lanes go.
    const double* cells() {
        if (cells_ == nullptr)
            cells_ = numbers_at(source_, first_cell_, b_.walk.cells, beyond_, room_.numbers);
        return cells_;
    }

    /// Whether columns may do at all: a correctly rounded double asks for more than one double knows.
    bool columns_do() const { return !(keeping_.exactly && b_.plan.format == Format::f64); }

    void row(std::size_t outer, const double* y, Index first_out) {
        const Walk::Outer& o = b_.walk.outer[outer];
        bool summed = false;
        const Index out = first_out + static_cast<Index>(outer * b_.walk.inner.size());
        answers_ahead_.reading(answer_.data.data() + out * bytes(answer_.format));
        for (std::size_t r = 0; r < runs_.size(); ++r) {
            const Walk::Run& run = runs_[r];
            const std::size_t at = outer * b_.walk.inner.size() + run.begin;
            const Walk::Inner& first = b_.walk.inner[run.begin];
            const Limits& l = limits(r, divisors_.of(outer, run.begin), b_.walk.taps(o, first));
            double* const doubt = room_.doubt.data();
            if (columns_do() && l.least < HUGE_VAL) {
                if (!summed) add_columns(o);
                summed = true;
                if (!doubt_columns(sums(o, first), columns_of(run, first), {y + at}, l, doubt)) continue;
            } else {
                std::fill_n(doubt, run.count, 1.0);
            }
            look_again(o, run, y + at, first_out + static_cast<Index>(at), l);
        }
    }

    /// Sums the columns of a row of windows.
    void add_columns(const Walk::Outer& o) {
        const std::span<const Index> rows(b_.walk.row_starts.data() + o.first_row, o.rows);
        const ColumnSums to{room_.high.data(), room_.size.data()};
        const auto left = static_cast<std::size_t>(source_.size() - first_cell_ - b_.walk.cells);
        const bool in_place = source_.format == Format::f32 && left >= lanes;
        const std::uint8_t* const begin = source_.data.data() + first_cell_ * bytes(source_.format);
        if (!rows.empty()) ahead_.reading(begin + rows.back() * bytes(source_.format));
        const auto add = [&](const ColumnSums& sums) {
            if (!in_place) return add_rows(cells(), rows, columns_, sums);
            return add_rows(reinterpret_cast<const float*>(begin), rows, columns_, sums);
        };
        counted_ = !add(to);
        if (counted_) add({to.high, to.size, room_.count.data()});
    }

    Sums sums(const Walk::Outer& o, const Walk::Inner& first) const {
        Sums s{room_.high.data(), room_.size.data()};
        if (counted_) s.count = room_.count.data();
        s.terms = static_cast<double>(b_.walk.taps(o, first));
        const auto additions = static_cast<double>(static_cast<Index>(o.rows) + first.counts.count - 2);
        s.lost = additions * (0x1p-53 + 0x1p-73);
        return s;
    }

    Windows columns_of(const Walk::Run& run, const Walk::Inner& first) {
        room_.columns.clear();
        for (Index j = 0; j < first.counts.count; ++j) room_.columns.push_back(first.first + j * first.step);
        return {room_.columns, run.stride, run.count};
    }

    /// What is in doubt, by pairs, and then, if it must be correctly rounded, by whether that is a tie.
    void look_again(const Walk::Outer& o, const Walk::Run& run, const double* y, Index at, const Limits& l) {
        const Walk::Inner& first = b_.walk.inner[run.begin];
        room_.cells.clear();
        b_.walk.for_each_tap(o, first, [&](Index tap) { room_.cells.push_back(tap); });
        for (std::size_t begin = 0; begin < run.count; begin += lanes) {
            const std::size_t n = std::min(lanes, run.count - begin);
            double* const doubt = room_.doubt.data() + begin;
            if (!std::any_of(doubt, doubt + n, [](double flag) { return flag != 0; })) continue;
            const Index moved = static_cast<Index>(begin) * run.stride;
            const bool pairs = l.least < HUGE_VAL && !room_.cells.empty();
            if (pairs && !doubt_cells(cells() + moved, {room_.cells, run.stride, n}, {y + begin}, l, doubt))
                continue;
            for (std::size_t k = 0; k < n; ++k) {
                const Index out = at + static_cast<Index>(begin + k);
                if (doubt[k] != 0 && !(pairs && is_tie(moved + static_cast<Index>(k) * run.stride,
                                                       number(y + begin + k), out, l)))
                    doubtful_.push_back(out);
            }
        }
    }

    static double number(const double* at) {
        double v;
        std::memcpy(&v, at, sizeof v);
        return v;
    }

    bool is_tie(Index moved, double y, Index out, const Limits& l) {
        if (!l.correctly_rounded) return false;
        ExactSum sum;
        double size = 0;
        for (const Index cell : room_.cells) {
            const double t = number(cells() + cell + moved);
            sum.add(t);
            size += std::fabs(t);
        }
        return rounds_to(sum, size, y, (answer_[out] & 1) == 0, l);
    }

    /// Most windows have the limits of those above them.
    const Limits& limits(std::size_t run, const Scaling& by, Index taps) {
        Known& k = known_[run];
        if (k.taps != taps || k.by.divisor != by.divisor || k.by.roundings != by.roundings ||
            k.by.scalings != by.scalings)
            k = {by, taps, taps == 0 ? Limits{} : limits_of(keeping_, by, taps)};
        return k.limits;
    }

    const Block& b_;
    const Tensor& source_;  ///< what is averaged
    const Tensor& answer_;
    std::vector<Index>& doubtful_;
    Keeping keeping_;
    Divisors divisors_;
    std::vector<Walk::Run> runs_;
    std::size_t beyond_ = 1, columns_ = 0;
    Room& room_ = Room::own();

    Index first_cell_ = 0;
    const double* cells_ = nullptr;  ///< null until they are asked for
    bool counted_ = false;           ///< whether some cell of the row of windows is 0
    ReadAhead ahead_, answers_ahead_;
    struct Known {
        Scaling by;
        Index taps = -1;
        Limits limits;
    };
    std::vector<Known> known_;  ///< of the runs
};

}  // namespace

bool screen_averages(const Block& b, const Tensor& answer, std::vector<Index>& doubtful) {
    AverageScreen(b, answer, doubtful).run();
    return true;
}

}  // namespace poolproof::certified

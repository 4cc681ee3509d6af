// SPDX-License-Identifier: Apache-2.0
// The short way for maxima that are right: a window's greatest value, if it is a number other than 0, is the
// only pattern that may stand there, and an equal one is that pattern. Rows of windows are maxima of columns.
#include "oracle/certified/divisors.hpp"
#include "oracle/certified/row_layout.hpp"

#include <span>

namespace poolproof::certified {

namespace {

template <class Number> using RowOf = typename FullRow<Number>::Type;
template <class Number> constexpr std::size_t lanes_of = sizeof(Lanes) / sizeof(Number);

/// Finds the columns' greatest numbers, and returns 0 if all are surely finite, else NaN.
template <int count, class Number>
POOLPROOF_INLINE Number raise_columns(const Number* x, std::span<const Index> all_rows, const Columns& c,
                                      Number* most) {
    using Row = RowOf<Number>;
    constexpr std::size_t lanes_here = lanes_of<Number>;
    const ColumnPlaces places(c, Row{}, lanes_here);
    Index few[count > 0 ? count : 1];
    for (int k = 0; k < count; ++k) few[k] = all_rows[static_cast<std::size_t>(k)];
    const std::size_t n = all_rows.size();
    Row off{};
    const auto greatest = [&](std::size_t column, Row& to) POOLPROOF_INLINE_LAMBDA {
        Row sum{};  // finite only if all are
        const auto add = [&](Index row) POOLPROOF_INLINE_LAMBDA {
            Row t;
            std::memcpy(&t, x + row + column, sizeof t);
            sum += t;
            to = t > to ? t : to;
        };
        to = Row{} - static_cast<Number>(HUGE_VAL);
        if constexpr (count > 0)
            repeat<count>([&](auto k) POOLPROOF_INLINE_LAMBDA { add(few[k]); });
        else
            for (std::size_t k = 0; k < n; ++k) add(all_rows[k]);
        off += sum * 0;
    };
    Row a, b;
    for (std::size_t k = 0; k < c.count; k += 2 * lanes_here) {
        greatest(k, a);
        greatest(k + lanes_here, b);
        places.store(most, k, a, b);
    }
    Number all = 0;
    for (std::size_t lane = 0; lane < lanes_here; ++lane) all += off[lane];
    return all;
}

template <class Number>
POOLPROOF_INLINE Number raise_any_columns(const Number* x, std::span<const Index> rows, const Columns& c,
                                          Number* most) {
    switch (rows.size()) {
        case 2: return raise_columns<2>(x, rows, c, most);
        case 3: return raise_columns<3>(x, rows, c, most);
        default: return raise_columns<0>(x, rows, c, most);
    }
}

/// Whether an answer is not a window's greatest number, or is told from others by more than its value.
template <class Number> POOLPROOF_INLINE bool differs(Number answer, Number most) {
    return answer != most || most == 0 || most == -static_cast<Number>(HUGE_VAL);
}

/// Compares answers with the maxima of windows, which it writes too; whether all are equal.
template <class Number>
POOLPROOF_INLINE bool equal_windows(const Number* columns, const RowPart& w, const Number* y, Number* most) {
    using Row = RowOf<Number>;
    constexpr std::size_t lanes_here = lanes_of<Number>;
    const Row zero{}, one = zero + 1;
    Row off{};
    const auto find = [&](std::size_t k, Row& m) POOLPROOF_INLINE_LAMBDA {
        Row t{};
        m = zero - static_cast<Number>(HUGE_VAL);
        for (const std::size_t place : w.places) {
            const Number* const at = columns + place + k * w.stride;
            if (w.stride == 1)
                std::memcpy(&t, at, sizeof t);
            else
                for (std::size_t lane = 0; lane < lanes_here; ++lane) t[lane] = at[lane * w.stride];
            m = t > m ? t : m;
        }
        std::memcpy(most + k, &m, sizeof m);
    };
    Row m;
    if (w.count < lanes_here) {
        bool all = true;
        find(0, m);
        for (std::size_t k = 0; k < w.count; ++k) {
            Number answer;
            std::memcpy(&answer, y + k, sizeof answer);
            all &= !differs(answer, most[k]);
        }
        return all;
    }
    for (std::size_t begin = 0; begin < w.count; begin += lanes_here) {
        const std::size_t k = std::min(begin, w.count - lanes_here);  // the last ones twice
        find(k, m);
        Row t;
        std::memcpy(&t, y + k, sizeof t);
        off += t == m ? zero : one;
        off += m == 0 ? one : zero;
        off += m == -static_cast<Number>(HUGE_VAL) ? one : zero;
    }
    Number all = 0;
    for (std::size_t lane = 0; lane < lanes_here; ++lane) all += off[lane];
    return all == 0;
}

POOLPROOF_CLONES double raise(const double* x, std::span<const Index> rows, const Columns& c, double* most) {
    return raise_any_columns(x, rows, c, most);
}
POOLPROOF_CLONES float raise(const float* x, std::span<const Index> rows, const Columns& c, float* most) {
    return raise_any_columns(x, rows, c, most);
}
POOLPROOF_CLONES bool equal(const double* columns, const RowPart& w, const double* y, double* most) {
    return equal_windows(columns, w, y, most);
}
POOLPROOF_CLONES bool equal(const float* columns, const RowPart& w, const float* y, float* most) {
    return equal_windows(columns, w, y, most);
}

template <class Number> class MaximumScreen {
public:
    MaximumScreen(const Block& b, const Tensor& answer, std::vector<Index>& doubtful)
        : b_(b),
          answer_(answer),
          doubtful_(doubtful),
          layout_(row_layout(b.walk, b.pool.axes.back().extent)),
          columns_(layout_.room, -static_cast<Number>(HUGE_VAL)),
          most_(b.walk.inner.size() + lanes_beyond),
          ahead_(b.c.input),
          answers_ahead_(answer) {}

    void run() {
        const auto inners = static_cast<Index>(b_.walk.inner.size());
        for (Index k = 0; k < b_.slices.count; ++k) {
            const Index first_cell = b_.first_cell(k), first_out = b_.first_out(k);
            const Number* const x = numbers_at(b_.c.input, first_cell, b_.walk.cells, lanes_beyond, x_);
            const Number* const y = numbers_at(answer_, first_out, b_.walk.outs, 0, answers_);
            Index at = 0;
            for (const Walk::Outer& o : b_.walk.outer) {
                const std::span<const Index> rows(b_.walk.row_starts.data() + o.first_row, o.rows);
                answers_ahead_.reading(answer_.data.data() + (first_out + at) * bytes(answer_.format));
                if (!rows.empty())
                    ahead_.reading(b_.c.input.data.data() +
                                   (first_cell + rows.back()) * bytes(b_.c.input.format));
                row(x, rows, y + at, first_out + at);
                at += inners;
            }
        }
    }

private:
    void row(const Number* x, std::span<const Index> rows, const Number* y, Index first_out) {
        const bool finite = raise(x, rows, layout_.columns, columns_.data()) == 0;
        layout_.columns.clear_end(columns_.data(), 2 * lanes_of<Number>, -static_cast<Number>(HUGE_VAL));
        for (const RowPart& p : layout_.parts) {
            if (finite && equal(columns_.data(), p, y + p.begin, most_.data())) continue;
            for (std::size_t k = 0; k < p.count; ++k) {
                Number answer;
                std::memcpy(&answer, y + p.begin + k, sizeof answer);
                if (!finite || differs(answer, most_[k]))
                    doubtful_.push_back(first_out + static_cast<Index>(p.begin + k));
            }
        }
    }

    const Block& b_;
    const Tensor& answer_;
    std::vector<Index>& doubtful_;
    RowLayout layout_;
    LaneVector<Number> columns_;
    std::vector<Number> most_, x_, answers_;
    ReadAhead ahead_, answers_ahead_;
};

}  // namespace

bool screen_maxima(const Block& b, const Tensor& answer, std::vector<Index>& doubtful) {
    if (keeping_of(b).flushes || b.pool.policy.max_padding == MaxPadding::zero) return false;
    if (b.plan.format == Format::f32)
        MaximumScreen<float>(b, answer, doubtful).run();
    else
        MaximumScreen<double>(b, answer, doubtful).run();
    return true;
}

}  // namespace poolproof::certified

// SPDX-License-Identifier: Apache-2.0
// Sums of rows, column by column: what windows that lie side by side are then sums of.
#pragma once

#include "oracle/certified/row_layout.hpp"

#include <span>

namespace poolproof::certified {

/// Sums of rows, column by column; what is before the first column and after the last is 0.
class ColumnSums {
public:
    /// Sums are in two doubles if so asked, else in one, rounded at each addition.
    void lay_out(const Columns& columns, std::size_t room, bool pairs);

    /// Reads less than `lanes_beyond` columns more than there are.
    void add(const double* x, std::span<const Index> rows);
    void add(const float* x, std::span<const Index> rows);

    const Columns& columns() const { return columns_; }
    bool pairs() const { return pairs_; }
    const double* high() const { return high_.data(); }
    const double* low() const { return low_.data(); }  ///< of pairs
    const double* size() const { return size_.data(); }
    /// Of terms that are not 0; null where all are so.
    const double* terms() const { return counted_ ? terms_.data() : nullptr; }
    double rows() const { return rows_; }
    double least() const { return least_; }  ///< at most the size of each term that is not 0

private:
    template <class Number> void add_any(const Number* x, std::span<const Index> rows);

    Columns columns_;
    bool pairs_ = false, counted_ = false;
    double rows_ = 0, least_ = 0;
    LaneVector<double> high_, low_, size_, terms_;
};

/// s + low becomes s + low + t but for what `low` rounds away.
template <class Row> POOLPROOF_INLINE void add_pair(const Row& t, Row& s, Row& low) {
    const Row sum = s + t, back = sum - s;  // two_sum
    low += (s - (sum - back)) + (t - back);
    s = sum;
}

}  // namespace poolproof::certified

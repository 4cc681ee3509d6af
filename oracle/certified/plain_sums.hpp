// SPDX-License-Identifier: Apache-2.0
// Sums of windows in the tensor's own numbers: off by a known part of what bounds allow, so that they tell of
// nearly all right answers that they are. The proof is "plain sums" in section 7 of docs/BOUNDS.md.
#pragma once

#include "oracle/certified/near_sums.hpp"

namespace poolproof::certified {

template <class Number> class PlainSums {
public:
    /// `in_pairs`: with what additions leave over, which takes longer and leaves less in doubt.
    explicit PlainSums(bool in_pairs) : in_pairs_(in_pairs) {}

    /// Memory of the layout's size; its rows are of so many windows.
    void lay_out(const RowLayout& layout, std::size_t windows);

    /// Prepares for windows that see `rows` rows, and of them `seen` columns each. `limits` are those of the
    /// layout's parts.
    void allow(const RowLayout& layout, std::span<const Limits> limits, std::size_t rows, const double* seen);

    /// The first row of windows, from `begin` on, that is not surely near in all its answers; `end` if none
    /// is. All must be what `allow` was last told of.
    std::size_t near_until(const SliceRows<Number>& slice, std::size_t begin, std::size_t end);

    /// What windows of a part are compared by, beside what each is allowed. `of_columns` of their columns'
    /// sizes is taken from that, and `of_sum` of their own.
    struct Comparison {
        Number divisor, of_columns, of_sum;
    };

private:
    bool allow(const RowPart& p, const Limits& l, std::size_t rows, const double* seen);

    bool in_pairs_;
    bool usable_ = false;
    Number least_ = 0;  ///< what terms must be, in size
    LaneVector<Number> sums_, lows_, sizes_;
    std::vector<Number> shares_;  ///< what a window may be off, relative to its terms' sizes
    std::vector<Comparison> comparisons_;
};

}  // namespace poolproof::certified

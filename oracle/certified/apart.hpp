// SPDX-License-Identifier: Apache-2.0
// Rows of windows of two or three columns, two apart, which layers have most: columns go from register to
// register, and are neither stored nor read again.
#pragma once

#include "oracle/certified/row_layout.hpp"

namespace poolproof::certified {

template <class Number> class Apart {
public:
    using Row = RowOf<Number>;
    using Mask = decltype(Row{} < Row{});

    /// For windows over so many rows.
    static bool suits(const RowLayout& layout, std::size_t rows) {
        if (layout.parts.size() != 1) return false;
        const RowPart& p = layout.parts.front();
        return (rows == 2 || rows == 3) && p.between == 2 && p.count > 1 && p.step == 1 &&
               ((p.taps == 3 && (p.first == 0 || p.first == -1)) || (p.taps == 2 && p.first == 0));
    }

    /// Of a layout that suits.
    explicit Apart(const RowLayout& layout)
        : taps_(layout.parts.front().taps),
          origin_(layout.parts.front().first + taps_ - 2),
          windows_(layout.parts.front().count) {
        const std::size_t last = (windows_ - 1) / lanes_here * lanes_here;
        for (std::size_t lane = 0; lane < lanes_here; ++lane) {
            const std::size_t column = static_cast<std::size_t>(origin_) + 2 * (last + lane);
            first_[lane] = column < layout.columns.count ? -1 : 0;
            second_[lane] = column + 1 < layout.columns.count ? -1 : 0;
            counted_[lane] = last + lane < windows_ ? -1 : 0;
        }
    }

    /// `use(rows, taps)`, both of which the compiler is to know.
    template <class Use> POOLPROOF_INLINE bool as_known(std::size_t rows, Use use) const {
        constexpr std::integral_constant<int, 2> two;
        constexpr std::integral_constant<int, 3> three;
        if (taps_ == 2) return rows == 2 ? use(two, two) : use(three, two);
        return rows == 2 ? use(two, three) : use(three, three);
    }

    /// Calls `use(k, before, first, second, is_last)` for the columns of windows k, k + 1, ..: of three each,
    /// or of the latter two.
    ///
    /// `find(column, to)` is to find columns from one on, less than `lanes_beyond` past the last. `Some` are
    /// columns, with functions `take_apart`, `take_before` and `take_first`, and `keep` for those that are
    /// there; `none` is what padding is.
    template <int taps, class Some, class Find, class Use>
    POOLPROOF_INLINE void for_each(const Some& none, Find find, Use use) const {
        Some before = none, a, b, first, second;
        if (taps == 3 && origin_ > 0) {
            find(Index{0}, a);
            take_first(a, before);
        }
        const auto step = [&](std::size_t k, auto is_last) POOLPROOF_INLINE_LAMBDA {
            const Index column = origin_ + 2 * static_cast<Index>(k);
            find(column, a);
            find(column + static_cast<Index>(lanes_here), b);
            take_apart(a, b, first, second);
            if constexpr (is_last) {
                keep(first_, first);
                keep(second_, second);
            }
            if constexpr (taps == 3) {
                take_before(before, second, a);
                before = second;
            }
            use(k, a, first, second, is_last);
        };
        std::size_t k = 0;
        for (; k + lanes_here < windows_; k += lanes_here) step(k, std::false_type());
        step(k, std::true_type());
    }

    /// Of what `use` found of the last windows keeps what belongs to one.
    POOLPROOF_INLINE void count(Row& flags) const { flags = (Row)((Mask)flags & counted_); }

private:
    static constexpr std::size_t lanes_here = lanes_of<Number>;

    Index taps_, origin_;  ///< the latter: where the first window's last two columns begin
    std::size_t windows_;
    Mask first_, second_, counted_;  ///< of the last vectors: columns that are there, and windows
};

}  // namespace poolproof::certified

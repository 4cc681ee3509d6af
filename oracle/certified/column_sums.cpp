// SPDX-License-Identifier: Apache-2.0
#include "oracle/certified/column_sums.hpp"

#include <cmath>

namespace poolproof::certified {

namespace {

/// The sums of eight columns.
struct EightColumns {
    Lanes high, low, size;
};

/// Eight columns' sums over rows that begin at these cells of `x`; `count` of them, or as many as there are
/// if that is 0.
template <int count, bool pairs, class Number>
POOLPROOF_INLINE void add_columns(const Number* x, const Index* rows, std::size_t n, EightColumns& s,
                                  Lanes& least) {
    const auto add = [&](Index row) POOLPROOF_INLINE_LAMBDA {
        Lanes t, size;
        load_row(x + row, t);
        take_size(t, size);
        least = size < least ? size : least;
        s.size += size;
        if constexpr (pairs)
            add_pair(t, s.high, s.low);
        else
            s.high += t;
    };
    load_row(x + rows[0], s.high);
    take_size(s.high, s.size);
    least = s.size < least ? s.size : least;
    s.low = Lanes{};
    if constexpr (count > 0)
        repeat<count - 1>([&](auto k) POOLPROOF_INLINE_LAMBDA { add(rows[k + 1]); });
    else
        for (std::size_t k = 1; k < n; ++k) add(rows[k]);
}

/// Where columns' sums go.
struct SumsAt {
    double *high, *low, *size;
};

/// Sums rows by columns, and returns the size of the least term. A NaN is none.
template <int count, bool pairs, class Number>
POOLPROOF_INLINE double add_rows_of(const Number* x, std::span<const Index> given, const Columns& c,
                                    const SumsAt& sums) {
    const ColumnPlaces places(c, Lanes{}, lanes);
    const SumsAt to = sums;
    Index few[count > 0 ? count : 1];
    for (std::size_t k = 0; k < count; ++k) few[k] = given[k];
    const Index* const rows = count > 0 ? few : given.data();
    Lanes least_of_a = Lanes{} + HUGE_VAL, least_of_b = least_of_a;
    EightColumns a, b;
    for (std::size_t k = 0; k < c.count; k += 2 * lanes) {
        add_columns<count, pairs>(x + k, rows, given.size(), a, least_of_a);
        if (k + lanes < c.count)
            add_columns<count, pairs>(x + k + lanes, rows, given.size(), b, least_of_b);
        else
            b = EightColumns{};
        places.store(to.high, k, a.high, b.high);
        places.store(to.size, k, a.size, b.size);
        if constexpr (pairs) places.store(to.low, k, a.low, b.low);
    }
    return least(least_of_a < least_of_b ? least_of_a : least_of_b);
}

/// The numbers of rows that layers have go through loops of their own.
template <bool pairs, class Number>
POOLPROOF_INLINE double add_rows(const Number* x, std::span<const Index> rows, const Columns& c,
                                 const SumsAt& to) {
    switch (rows.size()) {
        case 1: return add_rows_of<1, pairs>(x, rows, c, to);
        case 2: return add_rows_of<2, pairs>(x, rows, c, to);
        case 3: return add_rows_of<3, pairs>(x, rows, c, to);
        default: return add_rows_of<0, pairs>(x, rows, c, to);
    }
}

/// Counts, column by column, the terms that are not 0, and returns the least one's size.
template <class Number>
POOLPROOF_INLINE double count_rows(const Number* x, std::span<const Index> rows, const Columns& c,
                                   double* terms) {
    const ColumnPlaces places(c, Lanes{}, lanes);
    const Lanes zero{}, one = zero + 1;
    Lanes smallest = zero + HUGE_VAL;
    const auto count = [&](std::size_t column, Lanes& to) POOLPROOF_INLINE_LAMBDA {
        to = zero;
        for (const Index row : rows) {
            Lanes t, size;
            load_row(x + row + column, t);
            take_size(t, size);
            to += size == 0 ? zero : one;
            size = size == 0 ? zero + HUGE_VAL : size;
            smallest = size < smallest ? size : smallest;
        }
    };
    Lanes a, b;
    for (std::size_t k = 0; k < c.count; k += 2 * lanes) {
        count(k, a);
        if (k + lanes < c.count)
            count(k + lanes, b);
        else
            b = zero;
        places.store(terms, k, a, b);
    }
    return least(smallest);
}

#define POOLPROOF_ROWS(name, Number, pairs)                                                      \
    POOLPROOF_CLONES double name(const Number* x, std::span<const Index> rows, const Columns& c, \
                                 const SumsAt& to) {                                             \
        return add_rows<pairs>(x, rows, c, to);                                                  \
    }
POOLPROOF_ROWS(add_pairs, double, true)
POOLPROOF_ROWS(add_singly, double, false)
POOLPROOF_ROWS(add_singly, float, false)

POOLPROOF_CLONES double count(const double* x, std::span<const Index> rows, const Columns& c, double* terms) {
    return count_rows(x, rows, c, terms);
}
POOLPROOF_CLONES double count(const float* x, std::span<const Index> rows, const Columns& c, double* terms) {
    return count_rows(x, rows, c, terms);
}

}  // namespace

void ColumnSums::lay_out(const Columns& columns, std::size_t room, bool pairs) {
    columns_ = columns;
    pairs_ = pairs;
    for (auto* v : {&high_, &size_, &terms_, &low_}) v->assign(room, 0);
}

template <class Number> void ColumnSums::add_any(const Number* x, std::span<const Index> rows) {
    rows_ = static_cast<double>(rows.size());
    counted_ = rows.empty();
    least_ = HUGE_VAL;
    if (rows.empty()) {
        for (auto* v : {&high_, &low_, &size_, &terms_}) std::fill(v->begin(), v->end(), 0.0);
        return;
    }
    const SumsAt to{high_.data(), low_.data(), size_.data()};
    if constexpr (sizeof(Number) == sizeof(double))
        least_ = pairs_ ? add_pairs(x, rows, columns_, to) : add_singly(x, rows, columns_, to);
    else
        least_ = add_singly(x, rows, columns_, to);
    counted_ = least_ == 0;
    if (counted_) least_ = count(x, rows, columns_, terms_.data());
    for (auto* v : {&high_, &size_, &low_, &terms_}) columns_.clear_end(v->data(), lanes, 0.0);
}
void ColumnSums::add(const double* x, std::span<const Index> rows) { add_any(x, rows); }
void ColumnSums::add(const float* x, std::span<const Index> rows) { add_any(x, rows); }

}  // namespace poolproof::certified

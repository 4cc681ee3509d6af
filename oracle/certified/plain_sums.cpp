// SPDX-License-Identifier: Apache-2.0
#include "oracle/certified/plain_sums.hpp"

#include "oracle/certified/apart.hpp"

namespace poolproof::certified {

namespace {

/// What terms and sums are between, and what divisors are up to, so that their products with either half of
/// a number are exact.
template <class Number> struct Provable;
template <> struct Provable<double> {
    static constexpr double least = 0x1p-300, most = 0x1p300, divisor = 0x1p26, unit = 0x1p-53;
};
template <> struct Provable<float> {
    static constexpr double least = 0x1p-40, most = 0x1p50, divisor = 0x1p12, unit = 0x1p-24;
};
constexpr std::size_t most_additions = 256, most_in_pairs = 32;

/// What relative errors of the comparison itself may add up to, and in units what the product y D leaves.
constexpr double nearly = 0x1p-13, of_product = 0x1p-10;

/// Sums of columns, or of windows; `low` is what additions leave over, where sums are in pairs.
template <bool pairs, class Row> struct Sums {
    Row sum{}, low{}, size{};

    POOLPROOF_INLINE void add(const Row& t) {
        if constexpr (pairs)
            add_pair(t, sum, low);
        else
            sum += t;
    }
};

template <bool pairs, class Row>
POOLPROOF_INLINE void take_apart(const Sums<pairs, Row>& a, const Sums<pairs, Row>& b, Sums<pairs, Row>& even,
                                 Sums<pairs, Row>& odd) {
    certified::take_apart(a.sum, b.sum, even.sum, odd.sum);
    certified::take_apart(a.size, b.size, even.size, odd.size);
    if constexpr (pairs) certified::take_apart(a.low, b.low, even.low, odd.low);
}
template <bool pairs, class Row>
POOLPROOF_INLINE void take_before(const Sums<pairs, Row>& before, const Sums<pairs, Row>& of,
                                  Sums<pairs, Row>& to) {
    certified::take_before(before.sum, of.sum, to.sum);
    certified::take_before(before.size, of.size, to.size);
    if constexpr (pairs) certified::take_before(before.low, of.low, to.low);
}
template <bool pairs, class Row>
POOLPROOF_INLINE void take_first(const Sums<pairs, Row>& of, Sums<pairs, Row>& to) {
    certified::take_first(of.sum, to.sum);
    certified::take_first(of.size, to.size);
    if constexpr (pairs) certified::take_first(of.low, to.low);
}
template <bool pairs, class Row, class Mask>
POOLPROOF_INLINE void keep(const Mask& there, Sums<pairs, Row>& s) {
    s.sum = (Row)((Mask)s.sum & there);
    s.size = (Row)((Mask)s.size & there);
    if constexpr (pairs) s.low = (Row)((Mask)s.low & there);
}

/// The smallest terms, and the largest sums of sizes; NaN may be missing from both. Of columns whose terms
/// are so many that the compiler knows the smallest product stands for the smallest terms, as one operation
/// does for several: it is 0 if a term is, and bounds the sum of their sizes.
template <class Row> struct Extent {
    Row least = Row{} + static_cast<std::remove_reference_t<decltype(Row{}[0])>>(HUGE_VAL), most{};
};

/// Some rows' columns; `count` of them, or as many as there are if that is 0.
template <int count, bool pairs, class Number, class Row>
POOLPROOF_INLINE void add_columns(const Number* x, const Index* rows, std::size_t n, Sums<pairs, Row>& s,
                                  Extent<Row>& e) {
    Row size, product;
    load_whole(x + rows[0], s.sum);
    take_size(s.sum, s.size);
    product = s.size;
    s.low = Row{};
    const auto add = [&](Index row) POOLPROOF_INLINE_LAMBDA {
        Row t;
        load_whole(x + row, t);
        take_size(t, size);
        if constexpr (count > 0)
            product *= size;
        else
            product = size < product ? size : product;
        s.size += size;
        s.add(t);
    };
    if constexpr (count > 0)
        repeat<count - 1>([&](auto k) POOLPROOF_INLINE_LAMBDA { add(rows[k + 1]); });
    else
        for (std::size_t k = 1; k < n; ++k) add(rows[k]);
    e.least = product < e.least ? product : e.least;
    e.most = s.size > e.most ? s.size : e.most;
}

/// Not 0 where what is provable does not go so far.
template <class Row, class Number>
POOLPROOF_INLINE void take_beyond(const Extent<Row>& e, Number least, Row& to) {
    const Row zero{}, one = zero + 1;
    to = e.least < least ? one : zero;
    to += e.most > static_cast<Number>(Provable<Number>::most) ? one : zero;
}

/// Where columns' sums are.
template <class Number> struct SumsAt { Number *sums, *lows, *sizes; };

/// Sums rows by columns; whether no term is below `least` and no column's size above what is provable.
template <int count, bool pairs, class Number>
POOLPROOF_INLINE bool add_rows_of(const Number* x, std::span<const Index> given, const Columns& columns,
                                  const SumsAt<Number>& sums_at, Number least) {
    using Row = RowOf<Number>;
    const Columns c = columns;  // not to be read again after what is stored
    const SumsAt<Number> to = sums_at;
    constexpr std::size_t lanes_here = lanes_of<Number>;
    const ColumnPlaces places(c, Row{}, lanes_here);
    Index few[count > 0 ? count : 1];
    for (std::size_t k = 0; k < count; ++k) few[k] = given[k];
    const Index* const rows = count > 0 ? few : given.data();
    Extent<Row> e;
    for (std::size_t k = 0; k < c.count; k += 2 * lanes_here) {
        Sums<pairs, Row> a, b;
        add_columns<count>(x + k, rows, given.size(), a, e);
        if (k + lanes_here < c.count)
            add_columns<count>(x + k + lanes_here, rows, given.size(), b, e);
        else
            b = Sums<pairs, Row>();
        places.store(to.sums, k, a.sum, b.sum);
        places.store(to.sizes, k, a.size, b.size);
        if constexpr (pairs) places.store(to.lows, k, a.low, b.low);
    }
    c.clear_end(to.sums, lanes_here, Number{0});
    c.clear_end(to.sizes, lanes_here, Number{0});
    if constexpr (pairs) c.clear_end(to.lows, lanes_here, Number{0});
    Row beyond;
    take_beyond(e, least, beyond);
    return !any(beyond);
}

/// The numbers of rows that layers have go through loops of their own.
template <bool pairs, class Number>
POOLPROOF_INLINE bool add_rows(const Number* x, std::span<const Index> rows, const Columns& c,
                               const SumsAt<Number>& to, Number least) {
    switch (rows.size()) {
        case 2: return add_rows_of<2, pairs>(x, rows, c, to, least);
        case 3: return add_rows_of<3, pairs>(x, rows, c, to, least);
        default: return add_rows_of<0, pairs>(x, rows, c, to, least);
    }
}

template <bool pairs, class Number, class Row>
POOLPROOF_INLINE void load_sums(const SumsAt<Number>& from, std::size_t place, Sums<pairs, Row>& to) {
    load_whole(from.sums + place, to.sum);
    load_whole(from.sizes + place, to.size);
    if constexpr (pairs) load_whole(from.lows + place, to.low);
}

/// Adds a column to a window, and its size to those of the window's columns.
template <bool pairs, class Row>
POOLPROOF_INLINE void add_sums(const Sums<pairs, Row>& t, Sums<pairs, Row>& s, Row& columns) {
    Row size;
    s.add(t.sum);
    s.size += t.size;
    if constexpr (pairs) {
        s.low += t.low;
    } else {
        take_size(t.sum, size);
        columns += size;
    }
}

/// 0 for windows whose answers are surely near.
template <bool pairs, class Number, class Row>
POOLPROOF_INLINE void take_far(const Sums<pairs, Row>& s, const Row& columns, const Number* answers,
                               const Number* shares, const typename PlainSums<Number>::Comparison& by,
                               Row& to) {
    const Row zero{}, one = zero + 1;
    Row answer, share, upper, off, size;
    load_whole(answers, answer);
    load_whole(shares, share);
    take_upper(answer, upper);
    off = (s.sum - upper * by.divisor) - (answer - upper) * by.divisor;
    if constexpr (pairs) {
        off += s.low;
        take_size(off, off);
        to = off <= s.size * share ? zero : one;
    } else {
        take_size(off, off);
        take_size(s.sum, size);
        to = off + size * by.of_sum <= s.size * share - columns * by.of_columns ? zero : one;
    }
}

/// Whether all windows of a part are near. `count`: how many columns they see, if the compiler is to know.
template <int count, bool pairs, class Number>
POOLPROOF_INLINE bool near_windows_of(const RowPart& p, const SumsAt<Number>& sums_at, const Number* shares,
                                      const Number* answers,
                                      const typename PlainSums<Number>::Comparison& compared_by) {
    using Row = RowOf<Number>;
    const SumsAt<Number> from = sums_at;
    const typename PlainSums<Number>::Comparison by = compared_by;
    constexpr std::size_t lanes_here = lanes_of<Number>;
    std::size_t few[count > 0 ? count : 1];
    for (std::size_t k = 0; k < count; ++k) few[k] = p.places[k];
    const std::size_t* const at = count > 0 ? few : p.places.data();
    const std::size_t taps = p.places.size(), windows = p.count;
    Row far{};
    const auto compare = [&](std::size_t k) POOLPROOF_INLINE_LAMBDA {
        Sums<pairs, Row> s, t;
        Row columns;
        load_sums(from, at[0] + k, s);
        take_size(s.sum, columns);
        const auto add = [&](std::size_t place) POOLPROOF_INLINE_LAMBDA {
            load_sums(from, place + k, t);
            add_sums(t, s, columns);
        };
        if constexpr (count > 0)
            repeat<count - 1>([&](auto n) POOLPROOF_INLINE_LAMBDA { add(at[n + 1]); });
        else
            for (std::size_t n = 1; n < taps; ++n) add(at[n]);
        take_far(s, columns, answers + k, shares + k, by, t.sum);
        far += t.sum;
    };
    if (windows < lanes_here) {
        compare(0);
        Number in_doubt = 0;
        for (std::size_t lane = 0; lane < windows; ++lane) in_doubt += far[lane];
        return in_doubt == 0;
    }
    for (std::size_t k = 0; k < windows; k += lanes_here)
        compare(std::min(k, windows - lanes_here));  // the last ones, some of them twice
    return !any(far);
}

template <bool pairs, class Number>
POOLPROOF_INLINE bool near_windows(const RowPart& p, const SumsAt<Number>& from, const Number* shares,
                                   const Number* answers, const typename PlainSums<Number>::Comparison& by) {
    switch (p.places.size()) {
        case 2: return near_windows_of<2, pairs>(p, from, shares, answers, by);
        case 3: return near_windows_of<3, pairs>(p, from, shares, answers, by);
        default: return near_windows_of<0, pairs>(p, from, shares, answers, by);
    }
}

/// Whether all windows of a row are near, over `count` rows of cells.
template <int count, int taps, bool pairs, class Number>
POOLPROOF_INLINE bool near_row_of(const Number* x, const Index* rows, const Apart<Number>& windows,
                                  const Number* shares, const Number* answers,
                                  const typename PlainSums<Number>::Comparison& compared_by, Number least) {
    using Row = RowOf<Number>;
    using Columns = Sums<pairs, Row>;
    const typename PlainSums<Number>::Comparison by = compared_by;
    Index few[count];
    for (std::size_t k = 0; k < count; ++k) few[k] = rows[k];
    Extent<Row> e;
    Row far{};
    windows.template for_each<taps>(
        Columns(),
        [&](Index column, Columns& to)
            POOLPROOF_INLINE_LAMBDA { add_columns<count>(x + column, few, count, to, e); },
        [&](std::size_t k, const Columns& before, const Columns& first, const Columns& second, auto is_last)
            POOLPROOF_INLINE_LAMBDA {
                Columns s = taps == 3 ? before : first;
                Row sizes, flags;
                take_size(s.sum, sizes);
                if constexpr (taps == 3) add_sums(first, s, sizes);
                add_sums(second, s, sizes);
                take_far(s, sizes, answers + k, shares + k, by, flags);
                if constexpr (is_last) windows.count(flags);
                far += flags;
            });
    Row beyond;
    take_beyond(e, least, beyond);
    return !any(far + beyond);
}

/// What rows of windows are compared by.
template <class Number> struct By {
    const typename PlainSums<Number>::Comparison* parts;
    const Number* shares;
    Number least;
};

template <bool pairs, class Number>
POOLPROOF_INLINE std::size_t near_rows(const SliceRows<Number>& slice, const SumsAt<Number>& room,
                                       const By<Number>& by, std::size_t begin, std::size_t end) {
    const std::vector<RowPart>& parts = slice.layout.parts;
    const std::size_t count = slice.walk.outer[begin].rows;
    if (Apart<Number>::suits(slice.layout, count)) {
        const Apart<Number> windows(slice.layout);
        for (std::size_t o = begin; o < end; ++o) {
            slice.reading(o);
            const bool near = windows.as_known(count, [&](auto rows, auto taps) POOLPROOF_INLINE_LAMBDA {
                return near_row_of<rows, taps, pairs>(slice.cells, slice.rows(o).data(), windows, by.shares,
                                                      slice.answers_of(o), *by.parts, by.least);
            });
            if (!near) return o;
        }
        return end;
    }
    for (std::size_t o = begin; o < end; ++o) {
        slice.reading(o);
        if (!add_rows<pairs>(slice.cells, slice.rows(o), slice.layout.columns, room, by.least)) return o;
        for (std::size_t k = 0; k < parts.size(); ++k) {
            const std::size_t first = parts[k].begin;
            if (!near_windows<pairs>(parts[k], room, by.shares + first, slice.answers_of(o) + first,
                                     by.parts[k]))
                return o;
        }
    }
    return end;
}

#define POOLPROOF_PLAIN(name, Number, pairs)                                                      \
    POOLPROOF_CLONES std::size_t name(const SliceRows<Number>& slice, const SumsAt<Number>& room, \
                                      const By<Number>& by, std::size_t begin, std::size_t end) { \
        return near_rows<pairs>(slice, room, by, begin, end);                                     \
    }
POOLPROOF_PLAIN(near_plain, double, false)
POOLPROOF_PLAIN(near_plain, float, false)
POOLPROOF_PLAIN(near_in_pairs, double, true)
POOLPROOF_PLAIN(near_in_pairs, float, true)

/// Additions of a sum's terms but the last, which has a sum that is known.
double before_last(std::size_t terms) { return terms > 2 ? static_cast<double>(terms - 2) : 0; }

}  // namespace

template <class Number> void PlainSums<Number>::lay_out(const RowLayout& layout, std::size_t windows) {
    for (auto* v : {&sums_, &lows_, &sizes_}) v->assign(v != &lows_ || in_pairs_ ? layout.room : 0, 0);
    shares_.resize(windows + lanes_of<Number>);
    comparisons_.resize(layout.parts.size());
}

template <class Number>
void PlainSums<Number>::allow(const RowLayout& layout, std::span<const Limits> limits, std::size_t rows,
                              const double* seen) {
    using P = Provable<Number>;
    double least = P::least;
    usable_ = rows > 0;
    for (std::size_t k = 0; k < limits.size() && usable_; ++k) {
        const RowPart& p = layout.parts[k];
        const Limits& l = limits[k];
        const std::size_t taps = p.places.size();
        const double more = in_pairs_ ? 0 : before_last(rows);
        for (std::size_t w = p.begin; w < p.begin + p.count; ++w) {
            const double roundings = seen[w] * static_cast<double>(rows) - 1 + l.scaling;
            shares_[w] = static_cast<Number>((roundings * l.per_rounding - (more + of_product) * P::unit) *
                                             (1 - nearly));
        }
        const double of_columns = (rows > 1 ? 1 : 0) + before_last(taps), of_sum = taps > 1 ? 1 : 0;
        comparisons_[k] = {static_cast<Number>(l.divisor),
                           static_cast<Number>(of_columns * P::unit * (1 + nearly)),
                           static_cast<Number>(of_sum * P::unit)};
        least = std::max(least, l.least * (1 + nearly));
        usable_ = p.stride == 1 && taps > 0 && rows + taps <= (in_pairs_ ? most_in_pairs : most_additions) &&
                  l.least < P::most && std::fabs(l.divisor) <= P::divisor;
    }
    least_ = static_cast<Number>(rows == 2 || rows == 3 ? std::pow(least, rows) : least);
}

template <class Number>
std::size_t PlainSums<Number>::near_until(const SliceRows<Number>& slice, std::size_t begin,
                                          std::size_t end) {
    if (!usable_) return begin;
    const SumsAt<Number> room{sums_.data(), lows_.data(), sizes_.data()};
    const By<Number> by{comparisons_.data(), shares_.data(), least_};
    return in_pairs_ ? near_in_pairs(slice, room, by, begin, end) : near_plain(slice, room, by, begin, end);
}

template class PlainSums<double>;
template class PlainSums<float>;

}  // namespace poolproof::certified

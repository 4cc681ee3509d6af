// SPDX-License-Identifier: Apache-2.0
// The transpose of a mean over windows that begin one stride after the other, by planes: the last windows
// that have begun before a register of inputs are summed for all of it, and each input takes its sum. See
// cells_levels.hpp. No include guard.

template <class S> using Places = typename Register<typename Strided<S>::Place>::Vector;

template <class V, class Y> POOLPROOF_CELLS void put_sums_past(const V& sums, Y* to) {
    if constexpr (std::is_same_v<V, Doubles>) {
        typename Few<Y>::Vector v{};
        narrow<Y>(sums, v);
        put_past(v, to);
    } else {
        put_past(sums, to);
    }
}

/// The sum of `terms` elements that end with x[i], or of `few` if that is not -1; 0 of none.
template <int few, class S, class V> POOLPROOF_CELLS void sum_back(const S* x, Index terms, V& to) {
    if constexpr (few >= 0) terms = few;
    V one;
    to = V{};
    if (terms == 0) return;
    load_full(x - (terms - 1), to);
    for (Index j = terms - 1; j-- > 0;) {
        load_full(x - j, one);
        to += one;
    }
}

/// A row of shares x, with -0, which adds nothing to anything, before and behind them, becomes the first n
/// inputs, which are at least a register. Of p, `apart` is the stride, if not 0, and `few` the terms, if not
/// -1.
template <bool past, int apart, int few, class S, class Y>
POOLPROOF_CELLS void spread_row(const Strided<S> p, const S* x, Y* y, Index n) {
    constexpr Index width = Register<S>::width;
    const Index stride = apart == 0 ? p.stride : apart;
    typename Register<S>::Vector all, less;
    const auto sum = [&](Index at, Index shift) POOLPROOF_CELLS_LAMBDA {
        sum_back<few>(x + at + shift, p.terms, all);
        sum_back<few - (few > 0 ? 1 : 0)>(x + at, p.terms - 1, less);
    };
    const auto put = [&](const typename Strided<S>::Place* places, Index i) POOLPROOF_CELLS_LAMBDA {
        typename Register<S>::Vector out{};
        if constexpr (apart == 1) {
            out = all;
        } else {
            Places<S> place;
            load_full(places, place);
            placed(all, less, place, out);
        }
        if constexpr (past)
            put_sums_past(out, y + i);
        else
            store(out, y + i);
    };
    Index i = 0;
    if (p.together != nullptr)
        for (Index at = p.before / stride; i + stride * width <= n; at += width) {
            sum(at, p.shift);
            for (Index j = 0; j < stride; ++j, i += width) put(p.together + j * width, i);
        }
    for (; i < n; i += width) {
        i = std::min(i, n - width);  // some again
        sum((i + p.before) / stride, 0);
        put(p.alone + (i + p.before) % stride * width, i);
    }
}

template <int count, class S> POOLPROOF_CELLS void sum_few_shares(const S* x, S* y, Index n) {
    typename Register<S>::Vector sum, one;
    for (Index i = 0; i < n; i += Register<S>::width) {
        load_full(x + i, sum);
        for (Index r = 1; r < count; ++r) {
            load_full(x + r * n + i, one);
            sum += one;
        }
        store_full(sum, y + i);
    }
}

/// The sum of `count` rows of n elements, of which some more are read and written. y is not one of them.
template <class S> POOLPROOF_CELLS void sum_shares(const S* x, Index count, S* y, Index n) {
    switch (count) {
        case 1: return sum_few_shares<1>(x, y, n);
        case 2: return sum_few_shares<2>(x, y, n);
        case 3: return sum_few_shares<3>(x, y, n);
        default: return sum_rows(x, count, n, y, n);
    }
}

/// Rows of shares, and where the inputs go.
template <class S, class Y> struct Rows {
    const S* of[Strided<S>::rows];
    Index count;
    Sink<Y>& sink;
    Index extent;
};

template <bool past, int apart, int few, class S, class Y>
POOLPROOF_CELLS void spread_rows(const Strided<S>& p, Rows<S, Y>& rows) {
    const Index covered = p.covered, rest = rows.extent - covered;
    for (Index r = 0; r < rows.count; ++r) {
        Y* y = rows.sink.next();
        spread_row<past, apart, few>(p, rows.of[r], y, covered);
        if (rest > 0) std::fill_n(y + covered, rest, Y{0});
    }
}

template <bool past, int apart, class S, class Y>
POOLPROOF_CELLS void spread_rows(const Strided<S>& p, Rows<S, Y>& rows) {
    switch (p.terms) {
        case 1: return spread_rows<past, apart, 1>(p, rows);
        case 2: return spread_rows<past, apart, 2>(p, rows);
        case 3: return spread_rows<past, apart, 3>(p, rows);
        default: return spread_rows<past, apart, -1>(p, rows);
    }
}

/// The same, made for what it is called with.
template <bool past, class S, class Y>
POOLPROOF_CELLS void spread_rows(const Strided<S>& p, Rows<S, Y>& rows) {
    switch (p.stride) {
        case 1: return spread_rows<past, 1>(p, rows);
        case 2: return spread_rows<past, 2>(p, rows);
        default: return spread_rows<past, 0>(p, rows);
    }
}

template <class Y, class S> POOLPROOF_CELLS_KERNEL void spread_strided(const Spread<Y, S>& s) {
    const Strided<S>& p = s.strided;
    const Line& h = s.height;
    const Index n = s.width.out(), extent = s.width.extent;
    const bool past = s.writing == Writing::past && whole_lines(s.y, extent) && p.covered == extent;
    Sink<Y> sink(s.y, extent, past ? Writing::near : s.writing);
    Rows<S, Y> rows{{}, 0, sink, extent};
    for (Index done = 0; done < h.out(); done += rows.count) {
        rows.count = std::min(p.rows, h.out() - done);
        for (Index r = 0; r < rows.count; ++r) {
            const Window& over = h.windows[extent_of(done + r)];
            const Window& before = h.windows[extent_of(done + std::max<Index>(r, 1) - 1)];
            if (r > 0 && over.first == before.first && over.count == before.count) {
                rows.of[r] = rows.of[r - 1];
                continue;
            }
            S* row = p.waiting + r * p.pitch;
            rows.of[r] = row;
            sum_shares(s.x + over.first * n, over.count, row, n);
            for (Index j = 1; j < p.terms; ++j) row[-j] = row[n + j - 1] = -S{0};
        }
        past ? spread_rows<true>(p, rows) : spread_rows<false>(p, rows);
    }
    sink.finish();
}

// SPDX-License-Identifier: Apache-2.0
// Maxima by planes whose windows begin one stride after the other along rows. See cells_levels.hpp. No
// include guard.

/// Where no element is a NaN, and but for which of several zeros it is. `sum` is a NaN where one was; else
/// only where there were infinities of both signs.
template <class V> struct Greatest {
    static constexpr bool adds = false;
    V sum{};

    POOLPROOF_CELLS void first(const V& cells) { sum += cells; }
    POOLPROOF_CELLS void across(V& best, const V& one) {
        sum += one;
        best = one > best ? one : best;
    }
    POOLPROOF_CELLS void along(V& best, const V& one) const { best = one > best ? one : best; }
};

/// By the rule, along one row.
template <Nan nan, class V> struct BestOfRow {
    static constexpr bool adds = false;

    POOLPROOF_CELLS void first(const V& /*cells*/) const {}
    POOLPROOF_CELLS void across(V& /*best*/, const V& /*one*/) const {}
    POOLPROOF_CELLS void along(V& best, const V& one) const { take<nan>(best, one); }
};

/// Whether the sign of something is set in what the columns of register v are made of.
template <class T, class P>
POOLPROOF_CELLS bool any_signed(const Columns<P>& c, const T* const* rows, Index count, Index v) {
    constexpr Index width = Register<T>::width;
    typename Register<P>::Vector all{}, one{};
    for (Index r = 0; r < count; ++r)
        for (Index q = 0; q < c.stride; ++q) {
            load_full(reinterpret_cast<const P*>(rows[r] + c.parts[v].begin + q * width), one);
            all |= one;
        }
    return any_signed(all);
}

/// The maxima of register v, as one after the other.
template <Nan nan, class T, class P, int... q>
POOLPROOF_CELLS void best_by_rule(const Columns<P>& c, const T* const* rows, Index count, Index v,
                                  typename Register<T>::Vector& best,
                                  std::integer_sequence<int, q...> /*phases*/) {
    using Row = BestOfRow<nan, typename Register<T>::Vector>;
    using Over = OverRows<Row, 0, T, P, q...>;
    for (Index r = 0; r < count; ++r) {
        typename Over::V now[Over::stride]{}, next[Over::stride]{}, one{};
        const Over over{c, rows + r, 1};
        Row row;
        over.columns(v, row, now);
        over.columns(v + 1, row, next);
        over.windows(now, next, row, one);
        if (r == 0)
            best = one;
        else
            take<nan>(best, one);
    }
}

template <Index stride, class T, class P>
POOLPROOF_CELLS_KERNEL [[gnu::noinline]] void best_by_rule(Nan nan, const Columns<P>& c, const T* const* rows,
                                                           Index count, Index v,
                                                           typename Register<T>::Vector& best) {
    switch (nan) {
        case Nan::first: return best_by_rule<Nan::first>(c, rows, count, v, best, Strides<stride>());
        case Nan::last: return best_by_rule<Nan::last>(c, rows, count, v, best, Strides<stride>());
        case Nan::ignore: break;
    }
    best_by_rule<Nan::ignore>(c, rows, count, v, best, Strides<stride>());
}

template <class T, class P> struct Maxima {
    using V = typename Register<T>::Vector;
    using Reduce = Greatest<V>;

    const Nan nan;

    POOLPROOF_CELLS void row(Index /*output*/) const {}

    template <class Over>
    POOLPROOF_CELLS void settle(const Over& over, Index v, const Reduce& now, const Reduce& next,
                                V& best) const {
        const V sum = now.sum + next.sum;
        // Where no sign is set, the first zero of any window is +0, in the first column.
        if (any_nan(sum) || (any_zero(best) && any_signed<T, P>(over.c, over.rows, over.count, v)))
            [[unlikely]]
            best_by_rule<Over::stride, T>(nan, over.c, over.rows, over.count, v, best);
    }
};

template <class T, class P> POOLPROOF_CELLS_KERNEL void max_phased(const MaxPhased<T, P>& m) {
    by_columns(m.plane, Maxima<T, P>{m.nan});
}

// SPDX-License-Identifier: Apache-2.0
// Maxima of planes whose rows are in a few registers, and their positions: the best of each column first, and
// of equals along the row that which is first in the plane. See cells_levels.hpp. No include guard.

/// Maxima and positions, as registers of T, of what windows have in a register of each of r.
template <class T, class P, int... r> struct ShortWinners {
    using V = typename Register<T>::Vector;
    using At = typename Register<P>::Vector;

    V best[sizeof...(r)], at[sizeof...(r)];

    /// Those of columns, if none is a NaN; else false.
    POOLPROOF_CELLS bool find(const ShortInputs<T, P, r...>& of, const ShortWindows<T>& w, const At* lanes) {
        V sums[sizeof...(r)]{}, sum{}, one{};
        At rows[sizeof...(r)]{};
        (load_full(w.x + r * of.width, best[r]), ...);
        ((sums[r] = best[r]), ...);
        of.other_rows(w, [&](Index apart) POOLPROOF_CELLS_LAMBDA {
            const T* x = w.x + apart;
            const At here = static_cast<P>(apart) - At{};
            ((load_full(x + r * of.width, one), sums[r] += one, rows[r] = one > best[r] ? here : rows[r],
              best[r] = one > best[r] ? one : best[r]),
             ...);
        });
        const auto base = static_cast<P>(w.first);
        ((at[r] = reinterpret_cast<V>(rows[r] + lanes[r] + base), sum += sums[r]), ...);
        return !any_nan(sum);
    }

    /// Those of register k of outputs, but for which of several zeros it is.
    POOLPROOF_CELLS void along(const ShortInputs<T, P, r...>& of, Index terms, Index k, V& made,
                               At& made_at) const {
        const P* places = of.s.places + k * terms * of.width;
        const At none = std::numeric_limits<P>::max() - At{};
        V one{}, greatest{}, place_at{};
        At place{}, first = none;
        for (Index t = 0; t < terms; ++t) {
            load_full(places + t * of.width, place);
            picked(best[r]..., place, one);
            if (t == 0)
                greatest = one;
            else
                greatest = one > greatest ? one : greatest;
        }
        for (Index t = 0; t < terms; ++t) {
            load_full(places + t * of.width, place);
            picked(best[r]..., place, one);
            picked(at[r]..., place, place_at);
            const At here = one == greatest ? reinterpret_cast<At>(place_at) : none;
            first = here < first ? here : first;
        }
        made = greatest;
        made_at = first;
    }
};

/// With as many registers of outputs in a row as there are k, or any if there are none.
template <class T, class P, int... r, int... k>
POOLPROOF_CELLS_KERNEL void find_by_rows(const MaxShort<T, P>& given,
                                         std::integer_sequence<int, r...> /*of inputs*/,
                                         std::integer_sequence<int, k...> /*of outputs*/) {
    using Winners = ShortWinners<T, P, r...>;
    constexpr Index width = Register<T>::width;
    const ShortInputs<T, P, r...> of(given.rows);
    const Nan nan = given.nan;
    const RowMade<T, k...> outputs{of.s.out};
    const Index terms = of.s.terms, out = of.s.out;
    typename Winners::At lanes[sizeof...(r)]{};
    for (Index i = 0; i < Index{sizeof...(r)} * width; ++i) lanes[i / width][i % width] = static_cast<P>(i);
    P* next = given.at;
    of.by_rows([&](const ShortWindows<T>& w, T* y) POOLPROOF_CELLS_LAMBDA {
        Winners found;
        const bool certain = found.find(of, w, lanes);
        P* at = next;
        next += out;
        outputs.put(y, 1, [&](Index i, typename Winners::V& made) POOLPROOF_CELLS_LAMBDA {
            typename Winners::At made_at{};
            if (certain) found.along(of, terms, i, made, made_at);
            if (!certain || zeros_differ(of, w, made)) [[unlikely]]
                by_rule(nan, of, w, i, made, made_at);
            store_first(made_at, out - i * width, at + i * width);
        });
    });
}

template <class T, class P> POOLPROOF_CELLS_KERNEL void find_short(const MaxShort<T, P>& m) {
    with_registers(
        m.rows, [&](auto inputs, auto outputs) POOLPROOF_CELLS_LAMBDA { find_by_rows(m, inputs, outputs); });
}

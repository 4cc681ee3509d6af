// SPDX-License-Identifier: Apache-2.0
// Maxima of planes whose rows are in a few registers: each output of a row finds its inputs by tables. See
// cells_levels.hpp. No include guard.

/// Whether the sign of something is set in rows of windows, or in what follows a row in its registers.
template <class T, class P, int... r>
POOLPROOF_CELLS bool any_signed(const ShortInputs<T, P, r...>& of, const ShortWindows<T>& w) {
    typename Register<P>::Vector all{}, one{};
    for (Index i = 0; i < w.slabs; ++i)
        for (Index j = 0; j < w.rows; ++j) {
            const P* x = reinterpret_cast<const P*>(w.x + i * of.slab + j * of.s.extent);
            ((load_full(x + r * of.width, one), all |= one), ...);
        }
    return any_signed(all);
}

/// The maxima of register k, as one after the other.
template <Nan nan, class T, class P, int... r>
POOLPROOF_CELLS void short_by_rule(const ShortInputs<T, P, r...>& of, const ShortWindows<T>& w, Index k,
                                   typename Register<T>::Vector& best) {
    typename Register<T>::Vector row[sizeof...(r)]{}, one{};
    typename Register<P>::Vector place{};
    for (Index i = 0; i < w.slabs; ++i)
        for (Index j = 0; j < w.rows; ++j) {
            (load_full(w.x + i * of.slab + j * of.s.extent + r * of.width, row[r]), ...);
            for (Index t = 0; t < of.s.terms; ++t) {
                load_full(of.s.places + (k * of.s.terms + t) * of.width, place);
                picked(row[r]..., place, one);
                if (i + j + t == 0)
                    best = one;
                else
                    take<nan>(best, one);
            }
        }
}

template <class T, class P, int... r>
POOLPROOF_CELLS_KERNEL [[gnu::noinline]] void short_by_rule(Nan nan, const ShortInputs<T, P, r...>& of,
                                                            const ShortWindows<T>& w, Index k,
                                                            typename Register<T>::Vector& best) {
    switch (nan) {
        case Nan::first: return short_by_rule<Nan::first>(of, w, k, best);
        case Nan::last: return short_by_rule<Nan::last>(of, w, k, best);
        case Nan::ignore: break;
    }
    short_by_rule<Nan::ignore>(of, w, k, best);
}

/// So many taps are in a row of a window, if `few` is not 0; with as many registers of outputs in a row as
/// there are k, or any if there are none.
template <int few, class T, class P, int... r, int... k>
POOLPROOF_CELLS_KERNEL void max_by_rows(const MaxShort<T, P>& given,
                                        std::integer_sequence<int, r...> /*of inputs*/,
                                        std::integer_sequence<int, k...> /*of outputs*/) {
    using V = typename Register<T>::Vector;
    constexpr Index width = Register<T>::width;
    const ShortInputs<T, P, r...> of(given.rows);
    const Nan nan = given.nan;
    const RowMade<T, k...> outputs{of.s.out};
    const Index terms = few == 0 ? of.s.terms : few;
    of.by_rows([&](const ShortWindows<T>& w, T* y) POOLPROOF_CELLS_LAMBDA {
        // NaNs where there are some; else only of infinities of both signs.
        V best[sizeof...(r)]{}, sums[sizeof...(r)]{}, one{};
        (load_full(w.x + r * width, best[r]), ...);
        ((sums[r] = best[r]), ...);
        const auto take_row = [&](const T* x) POOLPROOF_CELLS_LAMBDA {
            ((load_full(x + r * width, one), sums[r] += one, best[r] = one > best[r] ? one : best[r]), ...);
        };
        for (Index j = 1; j < w.rows; ++j) take_row(w.x + j * of.s.extent);
        for (Index i = 1; i < w.slabs; ++i)
            for (Index j = 0; j < w.rows; ++j) take_row(w.x + i * of.slab + j * of.s.extent);
        V sum{};
        ((sum += sums[r]), ...);
        const bool nans = any_nan(sum);
        outputs.put(y, 1, [&](Index i, V& made) POOLPROOF_CELLS_LAMBDA {
            typename Register<P>::Vector place{};
            for (Index t = 0; t < terms; ++t) {
                load_full(of.s.places + (i * terms + t) * width, place);
                picked(best[r]..., place, one);
                if (t == 0)
                    made = one;
                else
                    made = one > made ? one : made;
            }
            // Where no sign is set, the first zero of any window is +0.
            if (nans || (any_zero(made) && any_signed(of, w))) [[unlikely]]
                short_by_rule(nan, of, w, i, made);
        });
    });
}

template <class T, class P> POOLPROOF_CELLS_KERNEL void max_short(const MaxShort<T, P>& m) {
    with_registers(m.rows, [&](auto inputs, auto outputs) POOLPROOF_CELLS_LAMBDA {
        switch (m.rows.terms) {
            case 2: return max_by_rows<2>(m, inputs, outputs);
            case 3: return max_by_rows<3>(m, inputs, outputs);
            default: return max_by_rows<0>(m, inputs, outputs);
        }
    });
}

// SPDX-License-Identifier: Apache-2.0
// Maxima of planes whose rows are in a few registers: each output of a row finds its inputs by tables. See
// cells_levels.hpp. No include guard.

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
        of.other_rows(w, [&](Index apart) POOLPROOF_CELLS_LAMBDA {
            const T* x = w.x + apart;
            ((load_full(x + r * width, one), sums[r] += one, best[r] = one > best[r] ? one : best[r]), ...);
        });
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
            if (nans || zeros_differ(of, w, made)) [[unlikely]]
                by_rule(nan, of, w, i, made, place);
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

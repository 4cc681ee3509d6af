// SPDX-License-Identifier: Apache-2.0
// Maxima of windows over short rows where it matters which comes first; see cells_levels.hpp. No include
// guard.

/// Whether some of these maxima are zeros that may be of either sign: where no sign is set in rows of
/// windows, or in what follows a row in its registers, the first zero of any window is +0.
template <class T, class P, int... r>
POOLPROOF_CELLS bool zeros_differ(const ShortInputs<T, P, r...>& of, const ShortWindows<T>& w,
                                  const typename Register<T>::Vector& best) {
    if (!any_zero(best)) return false;
    typename Register<P>::Vector all{}, one{};
    const auto look = [&](Index apart) POOLPROOF_CELLS_LAMBDA {
        const P* x = reinterpret_cast<const P*>(w.x + apart);
        ((load_full(x + r * of.width, one), all |= one), ...);
    };
    look(0);
    of.other_rows(w, look);
    return any_signed(all);
}

/// The maxima of register k of outputs and their positions, as one after the other.
template <Nan nan, class T, class P, int... r>
POOLPROOF_CELLS void by_rule(const ShortInputs<T, P, r...>& of, const ShortWindows<T>& w, Index k,
                             typename Register<T>::Vector& best, typename Register<P>::Vector& at) {
    typename Register<T>::Vector row[sizeof...(r)]{}, one{};
    typename Register<P>::Vector place{};
    const auto take_row = [&](Index apart) POOLPROOF_CELLS_LAMBDA {
        (load_full(w.x + apart + r * of.width, row[r]), ...);
        for (Index t = 0; t < of.s.terms; ++t) {
            load_full(of.s.places + (k * of.s.terms + t) * of.width, place);
            picked(row[r]..., place, one);
            place += static_cast<P>(w.first + apart);
            if (apart + t == 0) {
                best = one;
                at = place;
            } else {
                take<nan>(best, at, one, place);
            }
        }
    };
    take_row(0);
    of.other_rows(w, take_row);
}

template <class T, class P, int... r>
POOLPROOF_CELLS_KERNEL [[gnu::noinline]] void by_rule(Nan nan, const ShortInputs<T, P, r...>& of,
                                                      const ShortWindows<T>& w, Index k,
                                                      typename Register<T>::Vector& best,
                                                      typename Register<P>::Vector& at) {
    switch (nan) {
        case Nan::first: return by_rule<Nan::first>(of, w, k, best, at);
        case Nan::last: return by_rule<Nan::last>(of, w, k, best, at);
        case Nan::ignore: break;
    }
    by_rule<Nan::ignore>(of, w, k, best, at);
}

// SPDX-License-Identifier: Apache-2.0
// The transpose of a mean by planes all shares of which are in a few registers: each input finds its own by
// tables. See cells_levels.hpp. No include guard.

template <class T, class P, int... r>
POOLPROOF_CELLS void spread_known(const SpreadFew<T, P>& s, std::integer_sequence<int, r...> /*registers*/) {
    constexpr Index width = Register<T>::width, registers = sizeof...(r);
    using V = typename Register<T>::Vector;
    using At = typename Register<P>::Vector;
    const Readable<T> planes(s.x, s.planes, s.outputs, registers * width, s.spare);
    Sink<T> sink(s.y, s.inputs, s.stream);
    V divisors[registers]{}, beyond[registers]{};
    At at[registers]{};
    (load_full(s.divisors + r * width, divisors[r]), ...);
    (load_full(s.beyond + r * width, beyond[r]), ...);
    (load_full(s.shares + r * width, at[r]), ...);
    for (Index plane = 0; plane < s.planes; ++plane) {
        V shares[registers]{};
        const T* x = planes.row(plane);
        (load_full(x + r * width, shares[r]), ...);
        if (s.times)
            ((shares[r] *= divisors[r]), ...);
        else
            ((shares[r] /= divisors[r]), ...);
        ((shares[r] = at[r] < static_cast<P>(s.outputs) ? shares[r] : beyond[r]), ...);
        T* y = sink.next();
        const P* places = s.places;
        for (Index i = 0; i < s.inputs; i += width) {
            V sum{}, one{};
            At place{};
            load_full(places, place);
            picked(shares[r]..., place, sum);
            places += width;
            for (Index t = 1; t < s.terms; ++t, places += width) {
                load_full(places, place);
                picked(shares[r]..., place, one);
                sum += one;
            }
            store_first(sum, s.inputs - i, y + i);
        }
    }
    sink.finish();
}

template <class T, class P> POOLPROOF_CELLS_KERNEL void spread_few(const SpreadFew<T, P>& s) {
    switch (s.registers) {
        case 1: return spread_known(s, std::make_integer_sequence<int, 1>());
        case 2: return spread_known(s, std::make_integer_sequence<int, 2>());
        case 3: return spread_known(s, std::make_integer_sequence<int, 3>());
        default: return spread_known(s, std::make_integer_sequence<int, 4>());
    }
}

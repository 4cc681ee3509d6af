// SPDX-License-Identifier: Apache-2.0
// Means by planes whose windows begin one stride after the other along rows. See cells_levels.hpp. No include
// guard.

template <class V> struct Sum {
    static constexpr bool adds = true;

    POOLPROOF_CELLS void first(const V& /*cells*/) {}
    POOLPROOF_CELLS void across(V& sum, const V& one) const { sum += one; }
    POOLPROOF_CELLS void along(V& sum, const V& one) const { sum += one; }
};

template <class T, class P> struct Means {
    static constexpr Index width = Register<T>::width;
    using V = typename Register<T>::Vector;
    using Reduce = Sum<V>;

    const MeanPhased<T, P>& m;
    T known = 0;  ///< the scale that the divisors are of
    bool times = false;

    POOLPROOF_CELLS void row(Index o) {
        const T scale = m.heights[o] * m.scale;
        if (scale == known) return;
        known = scale;
        const Index out = m.plane.columns.out;
        for (Index i = 0; i < m.plane.columns.registers * width; ++i)
            m.divisors[i] = i < out ? m.widths[i] * scale : T{1};
        times = invert_all<T>(m.divisors, out);
    }

    template <class Over>
    POOLPROOF_CELLS void settle(const Over& /*over*/, Index v, const Reduce& /*now*/, const Reduce& /*next*/,
                                V& sum) const {
        V divisor{};
        load_full(m.divisors + v * width, divisor);
        sum = times ? sum * divisor : sum / divisor;
    }
};

template <class T, class P> POOLPROOF_CELLS_KERNEL void mean_phased(const MeanPhased<T, P>& m) {
    by_columns(m.plane, Means<T, P>{m});
}

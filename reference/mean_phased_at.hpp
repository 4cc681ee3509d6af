// SPDX-License-Identifier: Apache-2.0
// Means by planes whose windows begin one stride after the other along rows. See cells_levels.hpp. No include
// guard.

template <class V> struct Sum {
    static constexpr bool adds = true;

    POOLPROOF_CELLS void first(const V& /*cells*/) {}
    POOLPROOF_CELLS void across(V& sum, const V& one) const { sum += one; }
    POOLPROOF_CELLS void begin(const V& one, V& sum) const { sum = one; }
    POOLPROOF_CELLS void along(V& sum, const V& one) const { sum += one; }
};

template <Index few, class T, class P, int... q>
POOLPROOF_CELLS void mean_by_columns(const MeanPhased<T, P>& m, std::integer_sequence<int, q...> phases) {
    constexpr Index stride = sizeof...(q), width = Register<T>::width;
    using V = typename Register<T>::Vector;
    const Columns<P> c = m.columns;  // which nothing that is written can be part of
    const Line& h = m.height;
    const Readable<T> inputs(m.x, h.extent, c.extent, stride * width, m.spare);
    Sink<T> sink(m.y, c.out, m.stream);
    const T* rows[Columns<P>::most_kernel];
    T known = 0;  // the scale that the divisors are of
    bool times = false;
    Index asked = 0;
    for (Index o = 0; o < h.out(); ++o) {
        const Window& w = h.windows[extent_of(o)];
        for (Index r = 0; r < w.count; ++r) rows[r] = inputs.row(w.first + r);
        if (const T scale = m.heights[o] * m.scale; scale != known) {
            known = scale;
            for (Index i = 0; i < c.registers * width; ++i)
                m.divisors[i] = i < c.out ? m.widths[i] * scale : T{1};
            times = invert_all<T>(m.divisors, c.out);
        }
        const Index past = w.first + (w.count - 1) * h.step + 1;
        const Index each = std::max<Index>(0, past - asked) * c.extent / c.registers;
        T* y = sink.next();
        over_rows<few, Sum<V>>(c, rows, w.count, m.x + asked * c.extent, each, phases,
                               [&](Index v, const Sum<V>&, const Sum<V>&, V& sum) POOLPROOF_CELLS_LAMBDA {
                                   V divisor{};
                                   load_full(m.divisors + v * width, divisor);
                                   sum = times ? sum * divisor : sum / divisor;
                                   store_first(sum, c.out - v * width, y + v * width);
                               });
        asked = std::max(asked, past);
    }
    sink.finish();
}

/// For windows that have columns.
template <class T, class P> POOLPROOF_CELLS_KERNEL void mean_phased(const MeanPhased<T, P>& m) {
    const Index kernel = m.columns.kernel;
    switch (m.columns.stride) {
        case 1: return mean_by_columns<0>(m, Strides<1>());
        case 2:
            return kernel == 2   ? mean_by_columns<2>(m, Strides<2>())
                   : kernel == 3 ? mean_by_columns<3>(m, Strides<2>())
                                 : mean_by_columns<0>(m, Strides<2>());
        case 3:
            return kernel == 3 ? mean_by_columns<3>(m, Strides<3>()) : mean_by_columns<0>(m, Strides<3>());
        default: return mean_by_columns<0>(m, Strides<4>());
    }
}

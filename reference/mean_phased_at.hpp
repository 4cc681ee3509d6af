// SPDX-License-Identifier: Apache-2.0
// Means by planes whose windows begin one stride after the other along rows: registers of rows are summed,
// and each tap of a register of windows is picked from them. See cells_levels.hpp. No include guard.

template <Index few, class T, class P, int... q>
POOLPROOF_CELLS void mean_by_phases(const MeanPhased<T, P>& m, std::integer_sequence<int, q...> /*phases*/) {
    constexpr Index stride = sizeof...(q), width = Register<T>::width;
    using V = typename Register<T>::Vector;
    using At = typename Register<P>::Vector;
    const Phases<P> p = m.phases;  // which nothing that is written can be part of
    const Index kernel = few == 0 ? p.kernel : few;
    const Line& h = m.height;
    const Readable<T> inputs(m.x, h.extent, p.extent, stride * width, m.spare);
    Sink<T> sink(m.y, p.out, m.stream);
    const T* rows[Phases<P>::most_kernel];
    T known = 0;  // the scale that the divisors are of
    bool times = false;
    Index asked = 0;
    for (Index o = 0; o < h.out(); ++o) {
        const Window& w = h.windows[extent_of(o)];
        for (Index r = 0; r < w.count; ++r) rows[r] = inputs.row(w.first + r);
        if (const T scale = m.heights[o] * m.scale; scale != known) {
            known = scale;
            for (Index i = 0; i < p.registers * width; ++i)
                m.divisors[i] = i < p.out ? m.widths[i] * scale : T{1};
            times = invert_all<T>(m.divisors, p.out);
        }
        T* y = sink.next();
        for (Index v = 0; v < p.registers; ++v) {
            const typename Phases<P>::Taken& from = p.taken[v];
            V sum = -V{}, one{}, divisor{};
            At place{}, least{}, most{};
            if (from.limits != nullptr) {
                load_full(from.limits, least);
                load_full(from.limits + width, most);
            }
            for (Index r = std::max<Index>(0, asked - w.first); r < w.count; ++r)
                prefetch(rows[r] + from.begins[0], stride * width * Index{sizeof(T)});
            const P* places = from.places;
            for (Index t = 0; t < kernel; t += stride, places += stride * width) {
                const Index begin = from.begins[t / stride];
                V cells[stride]{};
                if (w.count > 0) (load_full(rows[0] + begin + q * width, cells[q]), ...);
                const auto add = [&](const T* row, V& cell) POOLPROOF_CELLS_LAMBDA {
                    load_full(row, one);
                    cell += one;
                };
                for (Index r = 1; r < w.count; ++r) (add(rows[r] + begin + q * width, cells[q]), ...);
                const auto tap = [&](Index i) POOLPROOF_CELLS_LAMBDA {
                    if (t + i >= kernel) return;
                    load_full(places + i * width, place);
                    picked(cells[q]..., place, one);
                    if (from.limits != nullptr) {
                        const At at = At{} + static_cast<P>(t + i);
                        one = at < least ? -V{} : one;
                        one = at > most ? -V{} : one;
                    }
                    sum += one;
                };
                (tap(q), ...);
            }
            load_full(m.divisors + v * width, divisor);
            sum = times ? sum * divisor : sum / divisor;
            store_first(sum, p.out - v * width, y + v * width);
        }
        asked = std::max(asked, w.first + w.count);
    }
    sink.finish();
}

/// For windows that are `phased`, more than one apart.
template <class T, class P> POOLPROOF_CELLS_KERNEL void mean_phased(const MeanPhased<T, P>& m) {
    const Index kernel = m.phases.kernel;
    switch (m.phases.stride) {
        case 2:
            return kernel == 2   ? mean_by_phases<2>(m, Strides<2>())
                   : kernel == 3 ? mean_by_phases<3>(m, Strides<2>())
                                 : mean_by_phases<0>(m, Strides<2>());
        case 3: return kernel == 3 ? mean_by_phases<3>(m, Strides<3>()) : mean_by_phases<0>(m, Strides<3>());
        default: return mean_by_phases<0>(m, Strides<4>());
    }
}

// SPDX-License-Identifier: Apache-2.0
// The transpose of a mean by planes whose windows begin one stride after the other along rows, at most two of
// which share an input: from shares to inputs in registers. See cells_levels.hpp. No include guard.

/// Rows of inputs that are all made of the same rows of shares. `known` is how many those are, `few` the taps
/// along rows, if not 0, and q are the phases.
template <int reach, Index few, Index known, class T, class P, int... q> struct SpreadRows {
    static constexpr Index stride = sizeof...(q), width = Register<T>::width;
    using V = typename Register<T>::Vector;
    using At = typename Register<P>::Vector;

    const Phases<P>& p;
    const Index covered;  ///< inputs of a row, before those which windows do not reach
    const T* x;
    const Index count;  ///< rows of shares
    T* y;
    const Index alike;  ///< rows of inputs

    /// -0, which adds nothing to anything, where windows are not.
    POOLPROOF_CELLS void shares(Index v, bool whole, V& sum) const {
        V one{};
        sum = -V{};
        if (!whole && v >= p.registers) return;
        load_full(x + v * width, sum);
        for (Index r = 1; r < (known == 0 ? count : known); ++r) {
            load_full(x + r * p.out + v * width, one);
            sum += one;
        }
        if (whole || (v + 1) * width <= p.out) return;
        At most{};
        load_full(p.taken[v].limits + width, most);
        sum = most < 0 ? -V{} : sum;
    }

    POOLPROOF_CELLS void part(Index phase, const V& before, const V& now, V& to) const {
        const Index kernel = few == 0 ? p.kernel : few;
        to = phase < kernel ? now : V{};
        if constexpr (reach > 1) {
            if (phase + stride >= kernel) return;
            V late{};
            later<1>(before, now, late, std::make_integer_sequence<int, static_cast<int>(width)>());
            to += late;
        }
    }

    template <bool whole> POOLPROOF_CELLS void put(Index v, V& before, const At (&places)[stride]) const {
        const Index begin = v * width * stride - p.before, from = whole ? begin : std::max<Index>(begin, 0);
        V now{}, parts[stride]{}, out{};
        shares(v, whole, now);
        (part(q, before, now, parts[q]), ...);
        before = now;
        const auto one = [&](Index k, const At& place) POOLPROOF_CELLS_LAMBDA {
            if constexpr (stride == 1 && whole)
                out = parts[0];
            else
                picked(parts[q]..., place, out);
            T* to = y + from + k * width;
            for (Index r = 0; r < alike; ++r, to += p.extent)
                if constexpr (whole)
                    store_full(out, to);
                else
                    store_first(out, covered - from - k * width, to);
        };
        (one(q, places[q]), ...);
    }

    POOLPROOF_CELLS void row() const {
        At places[stride];
        V before = -V{};
        Index v = 0;
        (load_full((p.before == 0 ? p.joined : p.first_joined) + q * width, places[q]), ...);
        if (p.before > 0) put<false>(v++, before, places);
        (load_full(p.joined + q * width, places[q]), ...);
        const Index whole = std::min(p.out / width, (covered + p.before) / (stride * width));
        for (; v < whole; ++v) put<true>(v, before, places);
        for (; v < p.joints; ++v) put<false>(v, before, places);
        for (Index r = 0; r < alike && covered < p.extent; ++r)
            std::fill_n(y + r * p.extent + covered, p.extent - covered, T{0});
    }
};

template <int reach, Index few, class T, class P, int... q>
POOLPROOF_CELLS void spread_by_phases(const SpreadPhased<T, P>& s,
                                      std::integer_sequence<int, q...> /*phases*/) {
    const Phases<P> p = s.phases;  // which nothing that is written can be part of
    const Index covered = std::min(p.extent, (p.out - 1) * p.stride + p.kernel - p.before);
    const Line& h = s.height;
    constexpr Index most_alike = 4;
    Sink<T> sink(s.y, p.extent, s.stream, most_alike);
    for (Index r = 0, alike = 1; r < h.out(); r += alike) {
        const Window& over = h.windows[extent_of(r)];
        for (alike = 1; alike < most_alike && r + alike < h.out(); ++alike) {
            const Window& next = h.windows[extent_of(r + alike)];
            if (next.first != over.first || next.count != over.count) break;
        }
        T* y = sink.next(alike);
        const T* x = s.x + over.first * p.out;
        switch (over.count) {
            case 0: std::fill_n(y, alike * p.extent, T{0}); break;
            case 1: SpreadRows<reach, few, 1, T, P, q...>{p, covered, x, 1, y, alike}.row(); break;
            case 2: SpreadRows<reach, few, 2, T, P, q...>{p, covered, x, 2, y, alike}.row(); break;
            default: SpreadRows<reach, few, 0, T, P, q...>{p, covered, x, over.count, y, alike}.row();
        }
    }
    sink.finish();
}

/// For windows that are `phased`.
template <class T, class P> POOLPROOF_CELLS_KERNEL void spread_phased(const SpreadPhased<T, P>& s) {
    const Index kernel = s.phases.kernel;
    const bool apart = kernel <= s.phases.stride;
    switch (s.phases.stride) {
        case 1: return spread_by_phases<2, 2>(s, Strides<1>());
        case 2:
            return kernel == 2   ? spread_by_phases<1, 2>(s, Strides<2>())
                   : kernel == 3 ? spread_by_phases<2, 3>(s, Strides<2>())
                                 : spread_by_phases<2, 0>(s, Strides<2>());
        case 3:
            return apart ? spread_by_phases<1, 0>(s, Strides<3>()) : spread_by_phases<2, 0>(s, Strides<3>());
        default: return spread_by_phases<1, 0>(s, Strides<4>());
    }
}

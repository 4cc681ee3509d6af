// SPDX-License-Identifier: Apache-2.0
// Maxima by planes and the positions of their winners, from register to register. See cells_levels.hpp. No
// include guard.

/// The first n positions of a register, as others.
template <class P, class To> POOLPROOF_CELLS void store_positions(const P& at, Index n, To* to) {
    if constexpr (sizeof(at[0]) == sizeof(To)) {
        store_first(at, n, to);
    } else {
        constexpr Index half = Register<Index>::width;
        Few<std::int32_t>::Vector some[2];
        std::memcpy(some, &at, sizeof(some));
        for (Index k = 0; k < 2; ++k)
            store_first(__builtin_convertvector(some[k], Register<Index>::Vector), n - k * half,
                        to + k * half);
    }
}

/// A row of windows and their winners' positions.
template <Index few, Index known, Index shared, class T, class P, int... q>
struct Found : RowOfWindows<few, known, shared, T, P, q...> {
    using Base = RowOfWindows<few, known, shared, T, P, q...>;
    using Base::begin, Base::first, Base::p, Base::stride, Base::width;
    using typename Base::At;
    using typename Base::V;

    POOLPROOF_CELLS Found(const Rows<T, P>& r, const Phases<P>& phases, Index o, const Readable<T>& inputs)
        : Base(r, phases, o, inputs) {}

    template <bool whole, class To>
    POOLPROOF_CELLS void put(Index v, const P* taps, const At& lanes, T* y, To* at) const {
        V best{};
        At winner{};
        Base::template winners<whole>(v, taps, static_cast<P>(p.extent), best, winner);
        winner += lanes;
        winner += static_cast<P>(first * p.extent + begin(v));
        const Index n = whole ? width : p.out - v * width;
        store_first(best, n, y + v * width);
        store_positions(winner, n, at + v * width);
    }

    template <class To> POOLPROOF_CELLS void row(T* y, To* at) const {
        At lanes{};
        for (Index i = 0; i < width; ++i) lanes[i] = static_cast<P>(i * stride);
        const P* taps = p.inner < p.past_inner ? p.taken[p.inner].places : nullptr;
        for (Index v = 0; v < p.inner; ++v) put<false>(v, nullptr, lanes, y, at);
        for (Index v = p.inner; v < p.past_inner; ++v) put<true>(v, taps, lanes, y, at);
        for (Index v = p.past_inner; v < p.registers; ++v) put<false>(v, nullptr, lanes, y, at);
    }
};

template <Index few, class T, class P, class At, int... q, class... Patterns>
POOLPROOF_CELLS_KERNEL void find_by_phases(const FindPhased<T, P, At>& f,
                                           std::integer_sequence<int, q...> /*phases*/,
                                           Patterns... /*of which rows may be*/) {
    const Phases<P> p = f.rows.phases;  // which nothing that is written can be part of
    const Line& h = f.rows.height;
    const Readable<T> inputs(f.rows.x, h.extent, p.extent, p.stride * Register<T>::width, f.rows.spare);
    Sink<T> values(f.y, p.out, f.writing);
    Sink<At> positions(f.indices, p.out, f.writing);
    Overlaps overlaps(h);
    for (Index o = 0; o < h.out(); ++o) {
        overlaps.go(o);
        T* y = values.next();
        At* at = positions.next();
        with_pattern<Patterns...>(overlaps, [&](auto pattern) POOLPROOF_CELLS_LAMBDA {
            using Is = decltype(pattern);
            Found<few, Is::known, Is::shared, T, P, q...>(f.rows, p, o, inputs).row(y, at);
        });
    }
    values.finish();
    positions.finish();
}

/// For windows that are `found_by_phases`.
template <class T, class P, class At> POOLPROOF_CELLS_KERNEL void find_phased(const FindPhased<T, P, At>& f) {
    const Index kernel = f.rows.phases.kernel;
    switch (f.rows.phases.stride) {
        case 1:
            return kernel == 2   ? find_by_phases<2>(f, Strides<1>(), Pairs(), PairsOfNext())
                   : kernel == 3 ? find_by_phases<3>(f, Strides<1>(), ThreesOfNext())
                                 : find_by_phases<0>(f, Strides<1>());
        case 2:
            return kernel == 2   ? find_by_phases<2>(f, Strides<2>(), Pairs())
                   : kernel == 3 ? find_by_phases<3>(f, Strides<2>(), Linked())
                   : kernel == 5 ? find_by_phases<5>(f, Strides<2>(), Linked(), Pairs())
                   : kernel == 7 ? find_by_phases<7>(f, Strides<2>(), Linked(), Pairs())
                                 : find_by_phases<0>(f, Strides<2>());
        case 3:
            return kernel == 3   ? find_by_phases<3>(f, Strides<3>(), Threes())
                   : kernel == 7 ? find_by_phases<7>(f, Strides<3>())
                                 : find_by_phases<0>(f, Strides<3>());
        default: return find_by_phases<0>(f, Strides<4>(), Apart());
    }
}

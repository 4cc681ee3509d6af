// SPDX-License-Identifier: Apache-2.0
// The gradient of a maximum by planes, from register to register. See cells_levels.hpp. No include guard.

/// What one row of windows adds to the gradient: a register of them is reduced, and its cotangents given to
/// their winners, before the next. Inputs that later rows of windows see too wait in `pending`. An input may
/// be in `reach` windows next to each other.
template <int reach, Index few, Index known, Index shared, class T, class P, int... q>
struct Pulled : RowOfWindows<few, known, shared, T, P, q...> {
    using Base = RowOfWindows<few, known, shared, T, P, q...>;
    using Base::begin, Base::begins, Base::ends, Base::rows;
    using Base::first, Base::p, Base::ring, Base::seen, Base::stride, Base::width;
    using typename Base::At;
    using typename Base::V;

    double* const pending;
    const T* const dy;
    T* const dx;  ///< of row `first`

    POOLPROOF_CELLS Pulled(const PullPhased<T, P>& g, const Phases<P>& phases, Index o,
                           const Readable<T>& inputs, const Readable<T>& cotangents, T* to)
        : Base(g.rows, phases, o, inputs), pending(g.pending), dy(cotangents.row(o)), dx(to) {}

    /// Whether inputs of row j that are in so many windows of a row are summed in double though they are not
    /// doubles: of two the sum is the same.
    POOLPROOF_CELLS bool widened(Index j, int each) const {
        if (sizeof(T) == sizeof(double)) return false;
        return each * (known == 0 ? seen[j] : begins(j) && ends(j) ? 1 : 2) > 2;
    }

    /// Of a register of windows.
    struct Winners {
        At at{};
        V dy{};
    };

    template <bool whole> POOLPROOF_CELLS void winners(Index v, const P* taps, Winners& w) const {
        V best{};
        Base::template winners<whole>(v, taps, row_apart<P>, best, w.at);
        prefetch(dy + v * width, width * Index{sizeof(T)});
        load_full(dy + v * width, w.dy);
    }

    /// Of the windows, so many before those, what inputs of phase `phase` get of row j.
    template <int u> POOLPROOF_CELLS void won(const Winners& before, const Winners& now, P tap, V& to) const {
        constexpr std::make_integer_sequence<int, static_cast<int>(width)> lanes;
        At at = now.at;
        V c = now.dy;
        if constexpr (u > 0) {
            later<u>(before.at, now.at, at, lanes);
            later<u>(before.dy, now.dy, c, lanes);
        }
        to = at == tap ? c : V{};
    }

    /// How many of those an input of the phase may really have.
    static constexpr int reach_of(int phase) {
        return few == 0 ? reach
                        : (static_cast<int>(few) - phase + static_cast<int>(stride) - 1) /
                              static_cast<int>(stride);
    }

    template <int phase, int... u>
    POOLPROOF_CELLS void sum(Index j, Index v, const Winners& before, const Winners& now, V& to,
                             std::integer_sequence<int, u...> /*windows*/) const {
        constexpr int most = sizeof...(u);
        if constexpr (most == 0) {
            to = V{};
            return;
        }
        V terms[most + 1]{};
        (won<u>(before, now, static_cast<P>(j * row_apart<P> + phase + u * stride), terms[u]), ...);
        double* waits = pending + ((((first + j) & (ring - 1)) * p.joints + v) * stride + phase) * width;
        // From +0 on and from the first window to the last, as elsewhere.
        if (!widened(j, most)) {
            T* own = reinterpret_cast<T*>(waits);
            to = V{};
            if (!begins(j)) load_full(own, to);
            ((to += terms[most - 1 - u]), ...);
            if (!ends(j)) store_full(to, own);
            return;
        }
        Doubles low{}, high{}, wide{};
        if (!begins(j)) {
            load_full(waits, low);
            load_full(waits + doubles, high);
        }
        const auto add = [&](const V& term) POOLPROOF_CELLS_LAMBDA {
            widen_half<0>(term, wide);
            low += wide;
            widen_half<1>(term, wide);
            high += wide;
        };
        (add(terms[most - 1 - u]), ...);
        if (ends(j)) return narrow_both(low, high, to);
        store_full(low, waits);
        store_full(high, waits + doubles);
    }

    /// The inputs of register v of each phase.
    template <bool whole>
    POOLPROOF_CELLS void pull(Index v, const Winners& before, const Winners& now,
                              const At (&places)[stride]) const {
        const Index from = whole ? begin(v) : std::max<Index>(begin(v), 0);
        T* to = dx + from;
        for (Index j = 0; j < rows(); ++j, to += p.extent) {
            V parts[stride]{}, out{};
            (sum<q>(j, v, before, now, parts[q], std::make_integer_sequence<int, reach_of(q)>()), ...);
            if (!ends(j)) continue;
            const auto put = [&](Index k, const At& place) POOLPROOF_CELLS_LAMBDA {
                if constexpr (stride == 1 && whole)
                    out = parts[0];
                else
                    picked(parts[q]..., place, out);
                if constexpr (whole)
                    store_full(out, to + k * width);
                else
                    store_first(out, p.extent - from - k * width, to + k * width);
            };
            (put(q, places[q]), ...);
        }
    }

    POOLPROOF_CELLS void places_of(const P* joined, At (&places)[stride]) const {
        (load_full(joined + q * width, places[q]), ...);
    }

    POOLPROOF_CELLS void cut(Index v, Winners& before) const {
        Winners now{};
        At places[stride];
        places_of(v == 0 ? p.first_joined : p.joined, places);
        if (v < p.registers)
            winners<false>(v, nullptr, now);
        else
            now.at += Phases<P>::nowhere;
        pull<false>(v, before, now, places);
        before = now;
    }

    POOLPROOF_CELLS void row() const {
        Winners before{};
        before.at += Phases<P>::nowhere;
        for (Index v = 0; v < p.inner; ++v) cut(v, before);
        if (p.inner < p.past_inner) {
            const P* taps = p.taken[p.inner].places;
            At places[stride];
            places_of(p.joined, places);
            for (Index v = p.inner; v < p.past_inner; ++v) {
                Winners now{};
                winners<true>(v, taps, now);
                pull<true>(v, before, now, places);
                before = now;
            }
        }
        for (Index v = p.past_inner; v < p.joints; ++v) cut(v, before);
    }
};

template <int reach, Index few, class T, class P, int... q, class... Patterns>
POOLPROOF_CELLS_KERNEL void pull_by_phases(const PullPhased<T, P>& g,
                                           std::integer_sequence<int, q...> /*phases*/,
                                           Patterns... /*of which rows may be*/) {
    constexpr Index width = Register<T>::width;
    const Phases<P> p = g.rows.phases;  // which nothing that is written can be part of
    const Line& h = g.rows.height;
    const Readable<T> inputs(g.rows.x, h.extent, p.extent, p.stride * width, g.rows.spare);
    const Readable<T> cotangents(g.dy, h.out(), p.out, p.registers * width, g.spare_dy);
    Sink<T> sink(g.dx, p.extent, g.writing, h.kernel);
    Overlaps overlaps(h);
    Index done = 0;  // rows
    const auto zeros = [&](Index past) POOLPROOF_CELLS_LAMBDA {
        for (; done < past; ++done) std::fill_n(sink.next(), p.extent, T{0});
    };
    for (Index o = 0; o < h.out(); ++o) {
        const Index first = h.windows[extent_of(o)].first;
        zeros(first);
        overlaps.go(o);
        T* dx = sink.next(overlaps.ended - done) - (done - first) * p.extent;
        done = overlaps.ended;
        with_pattern<Patterns...>(overlaps, [&](auto pattern) POOLPROOF_CELLS_LAMBDA {
            using Is = decltype(pattern);
            Pulled<reach, few, Is::known, Is::shared, T, P, q...>(g, p, o, inputs, cotangents, dx).row();
        });
    }
    zeros(h.extent);
    sink.finish();
}

/// For windows that are `phased`.
template <class T, class P> POOLPROOF_CELLS_KERNEL void pull_phased(const PullPhased<T, P>& g) {
    const Index kernel = g.rows.phases.kernel, stride = g.rows.phases.stride;
    const bool apart = kernel <= stride;
    switch (stride) {
        case 1: return pull_by_phases<2, 2>(g, Strides<1>());
        case 2:
            return kernel == 2   ? pull_by_phases<1, 2>(g, Strides<2>(), Pairs(), Linked(), Apart())
                   : kernel == 3 ? pull_by_phases<2, 3>(g, Strides<2>(), Pairs(), Linked())
                   : apart       ? pull_by_phases<1, 0>(g, Strides<2>())
                                 : pull_by_phases<2, 0>(g, Strides<2>());
        case 3:
            return kernel == 3 ? pull_by_phases<1, 3>(g, Strides<3>(), Pairs(), Threes())
                   : apart     ? pull_by_phases<1, 0>(g, Strides<3>(), Pairs(), Apart())
                               : pull_by_phases<2, 0>(g, Strides<3>());
        default: return pull_by_phases<1, 0>(g, Strides<4>(), Apart());
    }
}

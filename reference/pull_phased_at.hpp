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

    /// Whether rows that are known ask each tap if it is the winner: of few that is less than to number them.
    static constexpr bool may_ask = POOLPROOF_CELLS_BYTES == 64 && few > 0 && few <= 3;
    static constexpr bool asks = may_ask && known > 0;

    /// Of a register of windows, which tap is the winner, and the cotangents;
    struct Named {
        At at = At{} + Phases<P>::nowhere;
        V dy{};
    };

    /// or what each tap gets.
    struct Asked {
        V won[asks ? few * known : 1]{};
    };

    using Winners = std::conditional_t<asks, Asked, Named>;

    template <bool whole> POOLPROOF_CELLS void winners(Index v, const P* taps, Named& w) const {
        V best{};
        prefetch(dy + v * width, width * Index{sizeof(T)});
        load_full(dy + v * width, w.dy);
        Base::template winners<whole, !may_ask>(v, taps, row_apart<P>, best, w.at);
    }

    static constexpr P number(Index j, Index t) { return static_cast<P>(j * row_apart<P> + t); }

    template <bool whole> POOLPROOF_CELLS void winners(Index v, const P* taps, Asked& w) const {
        constexpr Index all = few * known;
        const typename Phases<P>::Taken& taken = p.taken[v];
        V cells[all]{}, rows_best[known]{}, best{}, sum{}, left{};
        At least{}, most = At{} + static_cast<P>(few - 1), place{};
        for (Index j = 0; j < known; ++j) {
            if (begins(j)) prefetch(this->x[j] + begin(v), stride * width * Index{sizeof(T)});
            for (Index t = 0; t < few; t += stride) {
                const T* from = this->x[j] + (whole ? begin(v) + t : taken.begins[t / stride]);
                const P* places = whole ? taps : taken.places + t * width;
                V some[stride]{};
                (load_full(from + q * width, some[q]), ...);
                const auto one = [&](Index i) POOLPROOF_CELLS_LAMBDA {
                    if (t + i >= few) return;
                    load_full(places + i * width, place);
                    picked(some[q]..., place, cells[j * few + t + i]);
                };
                (one(q), ...);
            }
        }
        for (Index j = 0; j < known; ++j) {
            V row = cells[j * few], total = row;
            for (Index t = 1; t < few; ++t) {
                const V& cell = cells[j * few + t];
                row = cell > row ? cell : row;
                total += cell;
            }
            rows_best[j] = row;
            sum += total;
            if (j == 0)
                best = row;
            else
                best = row > best ? row : best;
        }
        if (!whole) {
            load_full(taken.limits, least);
            load_full(taken.limits + width, most);
        }
        prefetch(dy + v * width, width * Index{sizeof(T)});
        load_full(dy + v * width, left);
        // NaNs where there are some; else only of infinities of both signs.
        if (any_nan(sum)) [[unlikely]] {
            // Copies, so that nothing else is kept in memory.
            V asked[all], answers[all];
            const At limits[] = {least, most};
            const V c = left;
            for (Index i = 0; i < all; ++i) asked[i] = cells[i];
            answer_by_rule(asked, limits, c, answers);
            for (Index i = 0; i < all; ++i) w.won[i] = answers[i];
            return;
        }
        Mask<T> own[few]{};
        for (Index t = 0; t < few; ++t) {
            all_of(own[t]);
            if (!whole) keep_between(least, At{} + static_cast<P>(t), most, own[t]);
        }
        // The last row, and the last tap of each, has what the others leave.
        for (Index j = 0; j < known; ++j) {
            Mask<T> is{};
            all_of(is);
            V here = left;
            if (j + 1 < known) {
                keep_equal(rows_best[j], best, is);
                move_out(is, left, here);
            }
            for (Index t = 0; t < few; ++t) {
                if (whole && t + 1 == few) {
                    w.won[j * few + t] = here;
                    continue;
                }
                is = own[t];
                keep_equal(cells[j * few + t], rows_best[j], is);
                move_out(is, here, w.won[j * few + t]);
            }
        }
    }

    POOLPROOF_CELLS_KERNEL [[gnu::noinline]] static void answer_by_rule(const V* cells, const At* limits,
                                                                        const V& c, V* won) {
        V best{};
        At at{}, tap{};
        for (Index i = 0; i < few * known; ++i) {
            tap = At{} + static_cast<P>(i % few);
            tap = tap < limits[0] ? limits[0] : tap;
            tap = tap > limits[1] ? limits[1] : tap;
            tap += number(i / few, 0);
            if (i == 0) {
                best = cells[0];
                at = tap;
            } else {
                take<Nan::first>(best, at, cells[i], tap);
            }
        }
        for (Index i = 0; i < few * known; ++i) won[i] = at == At{} + number(i / few, i % few) ? c : V{};
    }

    /// Of the windows, so many before those, what tap t of row j gets.
    template <int u>
    POOLPROOF_CELLS void won(const Named& before, const Named& now, Index j, Index t, V& to) const {
        At at = now.at;
        V c = now.dy;
        if constexpr (u > 0) {
            later<u>(before.at, now.at, at, lanes());
            later<u>(before.dy, now.dy, c, lanes());
        }
        to = at == number(j, t) ? c : V{};
    }

    template <int u>
    POOLPROOF_CELLS void won(const Asked& before, const Asked& now, Index j, Index t, V& to) const {
        const Index i = j * few + t;
        if constexpr (u == 0)
            to = now.won[i];
        else
            later<u>(before.won[i], now.won[i], to, lanes());
    }

    static constexpr auto lanes() { return std::make_integer_sequence<int, static_cast<int>(width)>(); }

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
        (won<u>(before, now, j, phase + u * stride, terms[u]), ...);
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
        if (v < p.registers) winners<false>(v, nullptr, now);
        pull<false>(v, before, now, places);
        before = now;
    }

    POOLPROOF_CELLS void row() const {
        Winners before{};
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

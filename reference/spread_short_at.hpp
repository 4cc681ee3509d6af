// SPDX-License-Identifier: Apache-2.0
// The transpose of a mean by planes whose rows of shares are in a few registers: each input of a row finds
// its own by tables. See cells_levels.hpp. No include guard.

/// So many windows are over an input of a row, if `few` is not 0, and a register of a row of shares is for
/// each of r.
template <int few, class T, class P, int... r> struct ShortShares {
    static constexpr Index width = Register<T>::width, row = Index{sizeof...(r)} * width;
    using V = typename Register<T>::Vector;
    using At = typename Register<P>::Vector;

    const SpreadShort<T, P> s;  // which stores cannot change
    const Readable<T> cotangents;
    V beyond[sizeof...(r)];
    At numbers[sizeof...(r)];

    POOLPROOF_CELLS explicit ShortShares(const SpreadShort<T, P>& given)
        : s(given), cotangents(s.x, s.planes * s.rows, s.out, row, s.spare) {
        (load_full(s.beyond + r * width, beyond[r]), ...);
        (load_full(s.numbers + r * width, numbers[r]), ...);
    }

    POOLPROOF_CELLS Index terms() const { return few == 0 ? s.terms : few; }

    /// Register i of a row.
    POOLPROOF_CELLS void share(const T* x, const T* by, Index i, V& to) const {
        V divisor{};
        load_full(x + i * width, to);
        load_full(by + i * width, divisor);
        if (s.times)
            to *= divisor;
        else
            to /= divisor;
        to = numbers[i] < static_cast<P>(s.out) ? to : beyond[i];
    }

    POOLPROOF_CELLS void load_row(const T* held, V* to) const { (load_full(held + r * width, to[r]), ...); }

    /// Adds those of a row of shares to register k of inputs, or begins it with them.
    template <bool begins> POOLPROOF_CELLS void add(const V* shares, Index k, V& sum) const {
        V one{};
        At place{};
        for (Index t = 0; t < terms(); ++t) {
            load_full(s.places + (k * terms() + t) * width, place);
            picked(shares[r]..., place, one);
            if (begins && t == 0)
                sum = one;
            else
                sum += one;
        }
    }
};

/// `across` is whether rows of shares are summed before each input finds its own.
template <int few, bool across, class T, class P, int... r, int... k>
POOLPROOF_CELLS_KERNEL void spread_by_rows(const SpreadShort<T, P>& given,
                                           std::integer_sequence<int, r...> /*of shares*/,
                                           std::integer_sequence<int, k...> /*of inputs*/) {
    using Shares = ShortShares<few, T, P, r...>;
    using V = typename Shares::V;
    constexpr Index width = Shares::width, row = Shares::row;
    const Shares of(given);
    const SpreadShort<T, P>& s = of.s;
    const RowMade<T, k...> inputs{s.extent};
    Sink<T> sink(s.y, s.extent, s.writing, s.most_alike);
    const bool streams = s.writing == Writing::past;
    for (Index plane = 0; plane < s.planes; ++plane) {
        T* made = s.held;
        const T* by = s.divisors;
        for (Index o = plane * s.rows; o < (plane + 1) * s.rows; ++o, made += row, by += s.pitch) {
            const T* x = of.cotangents.row(o);
            const auto share = [&](Index i) POOLPROOF_CELLS_LAMBDA {
                V one{};
                of.share(x, by, i, one);
                store_full(one, made + i * width);
            };
            (share(r), ...);
        }
        for (const AlikeRows* rows = s.alike; rows != s.past_alike; ++rows) {
            const Index windows = rows->windows, count = rows->count;
            const T* held = s.held + rows->first * row;
            T* y = streams ? sink.next(count) : sink.there(count);
            V shares[sizeof...(r)]{}, one{};
            if (windows > 0) of.load_row(held, shares);
            if constexpr (across)
                for (Index w = 1; w < windows; ++w)
                    ((load_full(held + w * row + r * width, one), shares[r] += one), ...);
            inputs.put(y, count, [&](Index i, V& sum) POOLPROOF_CELLS_LAMBDA {
                of.template add<true>(shares, i, sum);
                if constexpr (!across)
                    for (Index w = 1; w < windows; ++w) {
                        V more[sizeof...(r)]{};
                        of.load_row(held + w * row, more);
                        of.template add<false>(more, i, sum);
                    }
            });
        }
    }
    sink.finish();
}

/// The same, of planes that are rows.
template <int few, class T, class P, int... r, int... k>
POOLPROOF_CELLS_KERNEL void spread_rows_alone(const SpreadShort<T, P>& given,
                                              std::integer_sequence<int, r...> /*of shares*/,
                                              std::integer_sequence<int, k...> /*of inputs*/) {
    using Shares = ShortShares<few, T, P, r...>;
    using V = typename Shares::V;
    const Shares of(given);
    const SpreadShort<T, P>& s = of.s;
    const RowMade<T, k...> inputs{s.extent};
    Sink<T> sink(s.y, s.extent, s.writing);
    const bool streams = s.writing == Writing::past;
    for (Index plane = 0; plane < s.planes; ++plane) {
        V shares[sizeof...(r)]{};
        const T* x = of.cotangents.row(plane);
        (of.share(x, s.divisors, r, shares[r]), ...);
        T* y = streams ? sink.next() : sink.there();
        inputs.put(y, 1,
                   [&](Index i, V& sum) POOLPROOF_CELLS_LAMBDA { of.template add<true>(shares, i, sum); });
    }
    sink.finish();
}

template <class T, class P, class Shares, class Inputs>
POOLPROOF_CELLS void spread_short(const SpreadShort<T, P>& s, Shares shares, Inputs inputs) {
    if (s.alone) {
        switch (s.terms) {
            case 1: return spread_rows_alone<1>(s, shares, inputs);
            case 4: return spread_rows_alone<4>(s, shares, inputs);
            default: return spread_rows_alone<0>(s, shares, inputs);
        }
    }
    if (s.each) return spread_by_rows<2, false>(s, shares, inputs);
    switch (s.terms) {
        case 1: return spread_by_rows<1, true>(s, shares, inputs);
        case 2: return spread_by_rows<2, true>(s, shares, inputs);
        default: return spread_by_rows<0, true>(s, shares, inputs);
    }
}

template <class T, class P> POOLPROOF_CELLS_KERNEL void spread_short(const SpreadShort<T, P>& s) {
    using One = std::integer_sequence<int, 0>;
    using Two = std::integer_sequence<int, 0, 1>;
    using Four = std::integer_sequence<int, 0, 1, 2, 3>;
    using Any = std::integer_sequence<int>;
    constexpr Index width = Register<T>::width;
    const Index inputs = (s.extent + width - 1) / width;
    if (s.registers == 1 && inputs == 1) return spread_short(s, One(), One());
    if (s.registers == 1 && inputs == 2) return spread_short(s, One(), Two());
    if (s.registers == 1 && inputs == 4) return spread_short(s, One(), Four());
    if (s.registers == 1) return spread_short(s, One(), Any());
    if (s.registers == 2 && inputs == 2) return spread_short(s, Two(), Two());
    if (s.registers == 2 && inputs == 4) return spread_short(s, Two(), Four());
    if (s.registers == 2) return spread_short(s, Two(), Any());
    spread_short(s, Four(), Any());
}

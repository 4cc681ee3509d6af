// SPDX-License-Identifier: Apache-2.0
// Means of planes whose rows are in a few registers: each output of a row finds its inputs by tables. See
// cells_levels.hpp. No include guard.

/// So many taps are in a row of a window, if `few` is not 0, and a register of a row of inputs is for each of
/// r.
template <int few, class T, class P, int... r> struct ShortMeans {
    static constexpr Index width = Register<T>::width;
    using V = typename Register<T>::Vector;
    using At = typename Register<P>::Vector;

    const MeanShort<T, P> m;  // which stores cannot change
    const ShortInputs<T, P, r...> of;

    POOLPROOF_CELLS explicit ShortMeans(const MeanShort<T, P>& given) : m(given), of(given.rows) {}

    POOLPROOF_CELLS Index terms() const { return few == 0 ? of.s.terms : few; }

    /// The sum of row j of each slab.
    POOLPROOF_CELLS void load_row(const ShortWindows<T>& w, Index j, V* to) const {
        const T* x = w.x + j * of.s.extent;
        V one{};
        (load_full(x + r * width, to[r]), ...);
        for (Index i = 1; i < w.slabs; ++i)
            ((load_full(x + i * of.slab + r * width, one), to[r] += one), ...);
    }

    /// Adds those of a row to register k of outputs, or begins it with them.
    template <bool begins> POOLPROOF_CELLS void add(const V* row, Index k, V& sum) const {
        V one{};
        At place{};
        for (Index t = 0; t < terms(); ++t) {
            load_full(of.s.places + (k * terms() + t) * width, place);
            picked(row[r]..., place, one);
            if (begins && t == 0)
                sum = one;
            else
                sum = place < 0 ? sum : sum + one;
        }
    }

    /// Of register k of outputs.
    POOLPROOF_CELLS void divide(const ShortWindows<T>& w, Index k, V& sum) const {
        V divisor{};
        load_full(m.by + w.row * m.pitch + k * width, divisor);
        divisor *= m.scales[w.outer];
        if (m.times)
            sum *= divisor;
        else
            sum /= divisor;
    }
};

/// `across` is whether rows are summed before each output finds its own. With as many registers of outputs in
/// a row as there are k, or any if there are none.
template <int few, bool across, class T, class P, int... r, int... k>
POOLPROOF_CELLS_KERNEL void mean_by_rows(const MeanShort<T, P>& given,
                                         std::integer_sequence<int, r...> /*of inputs*/,
                                         std::integer_sequence<int, k...> /*of outputs*/) {
    using Means = ShortMeans<few, T, P, r...>;
    using V = typename Means::V;
    const Means means(given);
    const RowMade<T, k...> outputs{means.of.s.out};
    means.of.by_rows([&](const ShortWindows<T>& w, T* y) POOLPROOF_CELLS_LAMBDA {
        V row[sizeof...(r)]{}, more[sizeof...(r)]{};
        means.load_row(w, 0, row);
        if constexpr (across)
            for (Index j = 1; j < w.rows; ++j) {
                means.load_row(w, j, more);
                ((row[r] += more[r]), ...);
            }
        outputs.put(y, 1, [&](Index i, V& mean) POOLPROOF_CELLS_LAMBDA {
            means.template add<true>(row, i, mean);
            if constexpr (!across)
                for (Index j = 1; j < w.rows; ++j) {
                    means.load_row(w, j, more);
                    means.template add<false>(more, i, mean);
                }
            means.divide(w, i, mean);
        });
    });
}

template <class T, class P> POOLPROOF_CELLS_KERNEL void mean_short(const MeanShort<T, P>& m) {
    with_registers(m.rows, [&](auto inputs, auto outputs) POOLPROOF_CELLS_LAMBDA {
        if (m.each) return mean_by_rows<0, false>(m, inputs, outputs);
        switch (m.rows.terms) {
            case 2: return mean_by_rows<2, true>(m, inputs, outputs);
            case 3: return mean_by_rows<3, true>(m, inputs, outputs);
            default: return mean_by_rows<0, true>(m, inputs, outputs);
        }
    });
}

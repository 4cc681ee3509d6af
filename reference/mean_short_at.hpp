// SPDX-License-Identifier: Apache-2.0
// Means of planes whose rows are in a few registers: each output of a row finds its inputs by tables. See
// cells_levels.hpp. No include guard.

/// So many taps are in a row of a window, if `few` is not 0, and a register of a row of inputs is for each of
/// r.
template <int few, class T, class P, int... r> struct ShortMeans {
    static constexpr Index width = Register<T>::width;
    using V = typename Register<T>::Vector;
    using At = typename Register<P>::Vector;

    const MeanShort<T, P> s;  // which stores cannot change
    const Readable<T> inputs;

    POOLPROOF_CELLS explicit ShortMeans(const MeanShort<T, P>& given)
        : s(given),
          inputs(s.x, s.blocks * s.outer.extent * s.height.extent, s.extent,
                 s.past_rows * s.extent + Index{sizeof...(r)} * width, s.spare) {}

    POOLPROOF_CELLS Index terms() const { return few == 0 ? s.terms : few; }

    /// The sum of rows of slabs, the first of which is at x.
    POOLPROOF_CELLS void load_row(const T* x, Index slabs, Index slab, V* to) const {
        V one{};
        (load_full(x + r * width, to[r]), ...);
        for (Index i = 1; i < slabs; ++i) ((load_full(x + i * slab + r * width, one), to[r] += one), ...);
    }

    /// Adds those of a row to register k of outputs, or begins it with them.
    template <bool begins> POOLPROOF_CELLS void add(const V* row, Index k, V& sum) const {
        V one{};
        At place{};
        for (Index t = 0; t < terms(); ++t) {
            load_full(s.places + (k * terms() + t) * width, place);
            picked(row[r]..., place, one);
            if (begins && t == 0)
                sum = one;
            else
                sum = place < 0 ? sum : sum + one;
        }
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
    constexpr Index width = Means::width;
    const Means of(given);
    const MeanShort<T, P>& s = of.s;
    const RowMade<T, k...> outputs{s.out};
    Sink<T> sink(s.y, s.out, s.stream);
    T* next = s.y;
    const Window *const first = s.height.windows.data(), *const last = first + s.height.windows.size();
    const Index slab = s.height.extent * s.extent;
    const Index share = (slab + s.height.out() - 1) / s.height.out();  // of a slab, for each row of outputs
    const auto plane = [&](Index top, Index slabs, T scale) POOLPROOF_CELLS_LAMBDA {
        const T* by = s.by;
        std::uintptr_t ahead = address_of(of.inputs.row(top)) + asked_ahead;
        for (const Window* w = first; w != last; ++w, by += s.pitch) {
            const T* x = of.inputs.row(top + w->first);
            const Index rows = w->count;
            T* y = s.stream ? sink.next() : std::exchange(next, next + s.out);
            for (Index i = 0; i < slabs; ++i)
                prefetch_at(ahead + bytes_of<T>(i * slab), share * static_cast<Index>(sizeof(T)));
            ahead += bytes_of<T>(share);
            V row[sizeof...(r)]{}, more[sizeof...(r)]{};
            of.load_row(x, slabs, slab, row);
            if constexpr (across)
                for (Index i = 1; i < rows; ++i) {
                    of.load_row(x + i * s.extent, slabs, slab, more);
                    ((row[r] += more[r]), ...);
                }
            outputs.put(y, 1, [&](Index i, V& mean) POOLPROOF_CELLS_LAMBDA {
                of.template add<true>(row, i, mean);
                if constexpr (!across)
                    for (Index j = 1; j < rows; ++j) {
                        of.load_row(x + j * s.extent, slabs, slab, more);
                        of.template add<false>(more, i, mean);
                    }
                V divisor{};
                load_full(by + i * width, divisor);
                divisor *= scale;
                if (s.times)
                    mean *= divisor;
                else
                    mean /= divisor;
            });
        }
    };
    for (Index block = 0; block < s.blocks; ++block)
        for (Index o = 0; o < s.outer.out(); ++o) {
            const Window& over = s.outer.windows[extent_of(o)];
            plane((block * s.outer.extent + over.first) * s.height.extent, over.count, s.scales[o]);
        }
    if (s.stream) sink.finish();
}

template <class T, class P, class Inputs, class Outputs>
POOLPROOF_CELLS void mean_of_few(const MeanShort<T, P>& s, Inputs inputs, Outputs outputs) {
    if (s.each) return mean_by_rows<0, false>(s, inputs, outputs);
    switch (s.terms) {
        case 2: return mean_by_rows<2, true>(s, inputs, outputs);
        case 3: return mean_by_rows<3, true>(s, inputs, outputs);
        default: return mean_by_rows<0, true>(s, inputs, outputs);
    }
}

template <class T, class P> POOLPROOF_CELLS_KERNEL void mean_short(const MeanShort<T, P>& s) {
    using One = std::integer_sequence<int, 0>;
    using Two = std::integer_sequence<int, 0, 1>;
    using Four = std::integer_sequence<int, 0, 1, 2, 3>;
    using Any = std::integer_sequence<int>;
    const bool alone = s.out <= Register<T>::width;
    switch (s.registers) {
        case 1: return alone ? mean_of_few(s, One(), One()) : mean_of_few(s, One(), Any());
        case 2: return alone ? mean_of_few(s, Two(), One()) : mean_of_few(s, Two(), Any());
        default: return mean_of_few(s, Four(), Any());
    }
}

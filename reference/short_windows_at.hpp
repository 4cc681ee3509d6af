// SPDX-License-Identifier: Apache-2.0
// Windows over rows that are in a few registers, row by row; see cells_levels.hpp. No include guard.

/// A row of windows, over `rows` rows from x on of each of `slabs` slabs: row `row` of those that the outer
/// window `outer` has.
template <class T> struct ShortWindows {
    const T* x;
    Index first;  ///< its position in the block
    Index slabs, rows;
    Index outer, row;
};

/// Their inputs, rows of which are in a register for each of r.
template <class T, class P, int... r> struct ShortInputs {
    static constexpr Index width = Register<T>::width;
    using V = typename Register<T>::Vector;
    using At = typename Register<P>::Vector;

    const ShortRows<T, P> s;  // which stores cannot change
    const Readable<T> inputs;
    const Index slab;

    POOLPROOF_CELLS explicit ShortInputs(const ShortRows<T, P>& given)
        : s(given),
          inputs(s.x, s.blocks * s.outer.extent * s.height.extent, s.extent,
                 reach() <= s.follows ? 0 : reach(), s.spare),
          slab(s.height.extent * s.extent) {}

    /// How many elements are read from the first of a window's row on.
    POOLPROOF_CELLS Index reach() const { return s.past_rows * s.extent + Index{sizeof...(r)} * width; }

    /// Calls f(how far it is from the first) for each row of a window but that, in order.
    template <class F> POOLPROOF_CELLS void other_rows(const ShortWindows<T>& w, const F& f) const {
        for (Index j = 1; j < w.rows; ++j) f(j * s.extent);
        for (Index i = 1; i < w.slabs; ++i)
            for (Index j = 0; j < w.rows; ++j) f(i * slab + j * s.extent);
    }

    /// Calls make(windows, y) for each row of windows, in order, and asks for what follows.
    template <class Make> POOLPROOF_CELLS void by_rows(const Make& make) const {
        Sink<T> sink(s.y, s.out, s.writing);
        const bool streams = s.writing == Writing::past;
        const Window *const first = s.height.windows.data(), *const last = first + s.height.windows.size();
        const Index n = s.extent, rows = s.height.out();
        // So few lines are asked for at once; else each row of outputs asks for its share.
        constexpr Index few_bytes = 2 << 10;
        const bool at_once = s.outer.kernel == 1 && slab * static_cast<Index>(sizeof(T)) <= few_bytes;
        const Index share = at_once ? slab : (slab + rows - 1) / rows;  // of a slab
        const auto ask = [&](std::uintptr_t ahead, Index slabs) POOLPROOF_CELLS_LAMBDA {
            for (Index i = 0; i < slabs; ++i) {
                const std::uintptr_t at = ahead + bytes_of<T>(i * slab);
                prefetch_at(at, share * static_cast<Index>(sizeof(T)));
                if (s.also != nullptr)
                    prefetch_at(at - address_of(s.x) + address_of(s.also),
                                share * static_cast<Index>(sizeof(T)));
            }
        };
        const auto plane = [&](Index block, Index above, Index slabs, Index outer) POOLPROOF_CELLS_LAMBDA {
            const Index top = block * s.outer.extent * s.height.extent + above, limit = inputs.tail - top;
            const T *const x = inputs.x + top * n, *const spare = inputs.spare;
            const Index spared = limit * n;
            std::uintptr_t ahead = address_of(inputs.row(top)) + asked_ahead;
            if (at_once) ask(ahead, slabs);
            for (const Window* w = first; w != last; ++w) {
                const Index at = w->first * n;
                const ShortWindows<T> row{w->first < limit ? x + at : spare + (at - spared),
                                          above * n + at,
                                          slabs,
                                          w->count,
                                          outer,
                                          w - first};
                T* y = streams ? sink.next() : sink.there();
                if (!at_once) ask(ahead, slabs);
                ahead += bytes_of<T>(share);
                make(row, y);
            }
        };
        for (Index block = 0; block < s.blocks; ++block)
            for (Index o = 0; o < s.outer.out(); ++o) {
                const Window& over = s.outer.windows[extent_of(o)];
                plane(block, over.first * s.height.extent, over.count, o);
            }
        sink.finish();
    }
};

/// Calls f(inputs, outputs) with how many registers there are of a row of each, any number of outputs' where
/// there are none.
template <class T, class P, class F> POOLPROOF_CELLS void with_registers(const ShortRows<T, P>& s, F f) {
    using One = std::integer_sequence<int, 0>;
    using Two = std::integer_sequence<int, 0, 1>;
    using Four = std::integer_sequence<int, 0, 1, 2, 3>;
    using Any = std::integer_sequence<int>;
    const bool alone = s.out <= Register<T>::width;
    switch (s.registers) {
        case 1: return alone ? f(One(), One()) : f(One(), Any());
        case 2: return alone ? f(Two(), One()) : f(Two(), Any());
        default: return f(Four(), Any());
    }
}

// SPDX-License-Identifier: Apache-2.0
// Windows that are reduced across rows to columns, and along those; see cells_levels.hpp. No include guard.

/// Some rows of inputs, and a row of windows over all of them. `few` is the kernel if not 0, q are the
/// phases; Reduce says what is done to two values across and along.
template <class Reduce, Index few, class T, class P, int... q> struct OverRows {
    static constexpr Index stride = sizeof...(q), width = Register<T>::width;
    static constexpr Index most = std::min<Index>(Columns<P>::most_kernel, Columns<P>::most_strides* stride);
    using V = typename Register<T>::Vector;
    using At = typename Register<P>::Vector;

    const Columns<P>& c;
    const T* const* rows;
    const Index count;

    POOLPROOF_CELLS Index kernel() const { return few == 0 ? c.kernel : few; }

    /// Those of register v of each phase. Where there are none is -0, which adds nothing, if that is what
    /// `reduce` does.
    POOLPROOF_CELLS void columns(Index v, Reduce& reduce, V (&to)[stride]) const {
        const typename Columns<P>::Part& part = c.parts[v];
        V cells[stride]{}, one{};
        if (count > 0) (load_full(rows[0] + part.begin + q * width, cells[q]), ...);
        (reduce.first(cells[q]), ...);
        const auto add = [&](const T* from, V& cell) POOLPROOF_CELLS_LAMBDA {
            load_full(from, one);
            reduce.across(cell, one);
        };
        for (Index r = 1; r < count; ++r) (add(rows[r] + part.begin + q * width, cells[q]), ...);
        if (stride == 1 && part.bounds == nullptr) {
            to[0] = cells[0];
            return;
        }
        At place{};
        const auto pick = [&](Index phase) POOLPROOF_CELLS_LAMBDA {
            load_full(part.places + phase * width, place);
            picked(cells[q]..., place, to[phase]);
        };
        (pick(q), ...);
        if constexpr (Reduce::adds) {
            if (part.bounds == nullptr) return;
            At least{}, last{};
            load_full(part.bounds, least);
            load_full(part.bounds + width, last);
            const auto stop = [&](Index phase) POOLPROOF_CELLS_LAMBDA {
                const At at = At{} + static_cast<P>(phase);
                to[phase] = at < least ? -V{} : to[phase];
                to[phase] = at > last ? -V{} : to[phase];
            };
            (stop(q), ...);
        }
    }

    /// Their tap t, from the columns of this register and the next.
    template <int t> POOLPROOF_CELLS void tap(const V (&now)[stride], const V (&next)[stride], V& to) const {
        constexpr int phase = t % static_cast<int>(stride), u = t / static_cast<int>(stride);
        if constexpr (u == 0)
            to = now[phase];
        else
            later<static_cast<int>(width) - u>(now[phase], next[phase], to,
                                               std::make_integer_sequence<int, static_cast<int>(width)>());
    }

    template <int... t>
    POOLPROOF_CELLS void along(const V (&now)[stride], const V (&next)[stride], Reduce& reduce, V& to,
                               std::integer_sequence<int, t...> /*taps*/) const {
        V one{};
        const auto add = [&](Index i) POOLPROOF_CELLS_LAMBDA {
            if (i == 0)
                to = one;
            else
                reduce.along(to, one);
        };
        ((t < kernel() ? (tap<t>(now, next, one), add(t)) : void()), ...);
    }

    POOLPROOF_CELLS void windows(const V (&now)[stride], const V (&next)[stride], Reduce& reduce,
                                 V& to) const {
        along(now, next, reduce, to,
              std::make_integer_sequence<int, static_cast<int>(few == 0 ? most : few)>());
    }
};

/// A plane, row of windows by row. For each, work.row(o) is called, and then for every register of them, in
/// order, work.settle(over, v, now, next, windows), where `now` and `next` have reduced its columns and those
/// after them. Asks for what follows the rows as it follows them.
template <Index few, class T, class P, class Work, int... q>
POOLPROOF_CELLS void along_columns(const ByColumns<T, P>& m, Work& work,
                                   std::integer_sequence<int, q...> /*phases*/) {
    using Reduce = typename Work::Reduce;
    using Over = OverRows<Reduce, few, T, P, q...>;
    using V = typename Over::V;
    constexpr Index stride = Over::stride, width = Over::width;
    const Columns<P> c = m.columns;  // which nothing that is written can be part of
    const Line& h = m.height;
    const Readable<T> inputs(m.x, h.extent, c.extent, stride * width, m.spare);
    Sink<T> sink(m.y, c.out, m.writing);
    const T* rows[Columns<P>::most_kernel];
    Index asked = 0;  // rows
    for (Index o = 0; o < h.out(); ++o) {
        const Window& w = h.windows[extent_of(o)];
        for (Index r = 0; r < w.count; ++r) rows[r] = inputs.row(w.first + r * h.step);
        work.row(o);
        const Index past = w.first + (w.count - 1) * h.step + 1;
        const Index each = std::max<Index>(0, past - asked) * c.extent / c.registers;
        const T* ask = m.x + asked * c.extent;
        T* y = sink.next();
        const Over over{c, rows, w.count};
        const bool reaches = over.kernel() > stride;
        Reduce now_seen, seen;
        V now[stride]{}, next[stride]{}, all{};
        over.columns(0, seen, now);
        for (Index v = 0; v < c.registers; ++v) {
            prefetch(ask + v * each, each * Index{sizeof(T)});
            now_seen = seen;
            seen = Reduce();
            if (reaches || v + 1 < c.registers) over.columns(v + 1, seen, next);
            over.windows(now, next, now_seen, all);
            work.settle(over, v, now_seen, seen, all);
            store_first(all, c.out - v * width, y + v * width);
            ((now[q] = next[q]), ...);
        }
        asked = std::max(asked, past);
    }
    sink.finish();
}

/// The same, for windows that have columns.
template <class T, class P, class Work> POOLPROOF_CELLS void by_columns(const ByColumns<T, P>& m, Work work) {
    const Index kernel = m.columns.kernel;
    switch (m.columns.stride) {
        case 1: return along_columns<0>(m, work, Strides<1>());
        case 2:
            return kernel == 2   ? along_columns<2>(m, work, Strides<2>())
                   : kernel == 3 ? along_columns<3>(m, work, Strides<2>())
                                 : along_columns<0>(m, work, Strides<2>());
        case 3:
            return kernel == 3 ? along_columns<3>(m, work, Strides<3>())
                               : along_columns<0>(m, work, Strides<3>());
        default: return along_columns<0>(m, work, Strides<4>());
    }
}

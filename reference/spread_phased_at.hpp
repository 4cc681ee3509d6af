// SPDX-License-Identifier: Apache-2.0
// The transpose of a mean by planes whose windows begin one stride after the other along rows, at most two of
// which share an input: from shares to inputs in registers. See cells_levels.hpp. No include guard.

/// The windows that an input of a phase is in, which are next to each other: how many, up to two, and which
/// is the first, counted from one that is the same for all phases.
struct Terms {
    Index count = 0, begin = 0;
};

/// Of windows that are `kernel` wide, the first of which begins `before` before the line.
struct Taps {
    Index stride, kernel, before;

    /// That window, for the first inputs of a line.
    constexpr Index first() const { return -((kernel - 1 - before) / stride); }

    /// Input m stride + phase is tap phase + before - d stride of window m + d.
    constexpr Terms of(Index phase) const {
        Terms t;
        for (Index d = 2; d >= 0; --d) {
            const Index tap = phase + before - (first() + d) * stride;
            if (tap >= 0 && tap < kernel) t = {t.count + 1, d};
        }
        return t;
    }
};

/// Rows of inputs that are all made of the same rows of shares. `known` is how many those are and `few` the
/// kernel, if not 0, `cut` then what is cut off from the first window; q are the phases of inputs, from the
/// first of a row on.
template <Index known, Index few, Index cut, class T, int... q> struct SpreadRows {
    static constexpr Index stride = sizeof...(q), width = Register<T>::width;
    using V = typename Register<T>::Vector;
    using P = Position<T>;
    using At = typename Register<P>::Vector;

    const Index out, extent;
    const Index covered;  ///< inputs of a row, before those which windows do not reach
    const Index first;    ///< of those windows, for the first inputs
    const Terms (&terms)[stride];
    const bool reached;  ///< whether any is in others than the first
    const T* x;
    const Index count;  ///< rows of shares
    T* y;
    const Index alike;  ///< rows of inputs

    /// Those of windows from `from` on. -0, which adds nothing to anything, where windows are not.
    POOLPROOF_CELLS void shares(Index from, bool whole, V& sum) const {
        V one{};
        sum = -V{};
        if (!whole && from >= out) return;
        load_full(x + from, sum);
        for (Index r = 1; r < (known == 0 ? count : known); ++r) {
            load_full(x + r * out + from, one);
            sum += one;
        }
        if (whole) return;
        At at{};
        for (Index i = 0; i < width; ++i) at[i] = static_cast<P>(i);
        at += static_cast<P>(from);
        sum = at < 0 ? -V{} : sum;
        sum = at >= static_cast<P>(out) ? -V{} : sum;
    }

    static constexpr Taps taps{stride, few, cut};

    POOLPROOF_CELLS bool reaches() const {
        return few == 0 ? reached : ((taps.of(q).begin + taps.of(q).count > 1) || ...);
    }

    template <int phase> POOLPROOF_CELLS void part(const V& now, const V& late, const V& last, V& to) const {
        constexpr Terms known_terms = taps.of(phase);
        const Terms& in = few == 0 ? terms[phase] : known_terms;
        if (in.count == 0) {
            to = V{};
            return;
        }
        to = in.begin == 0 ? now : in.begin == 1 ? late : last;
        if (in.count > 1) to += in.begin == 0 ? late : last;
    }

    /// Register v of each phase.
    template <bool whole> POOLPROOF_CELLS void put(Index v, V& now) const {
        constexpr int lanes = width;
        V next{}, late{}, last{}, parts[stride]{}, inputs{};
        if (reaches()) {
            shares((v + 1) * width + first, whole, next);
            later<lanes - 1>(now, next, late, std::make_integer_sequence<int, lanes>());
            later<lanes - 2>(now, next, last, std::make_integer_sequence<int, lanes>());
        } else if (v > 0) {
            shares(v * width + first, whole, now);
        }
        (part<q>(now, late, last, parts[q]), ...);
        now = next;
        const auto one = [&](Index k) POOLPROOF_CELLS_LAMBDA {
            At place{};
            for (Index i = 0; i < width; ++i)
                place[i] = static_cast<P>((k * width + i) % stride * width + (k * width + i) / stride);
            if constexpr (stride == 1)
                inputs = parts[0];
            else
                picked(parts[q]..., place, inputs);
            const Index from = (v * stride + k) * width;
            T* to = y + from;
            for (Index r = 0; r < alike; ++r, to += extent)
                if constexpr (whole)
                    store_full(inputs, to);
                else
                    store_first(inputs, covered - from, to);
        };
        (one(q), ...);
    }

    POOLPROOF_CELLS void row() const {
        const Index size = stride * width, registers = (covered + size - 1) / size;
        const Index whole = std::min(covered / size, (out - first) / width - (reaches() ? 1 : 0));
        V now{};
        shares(first, false, now);
        Index v = 0;
        for (; v < whole; ++v) put<true>(v, now);
        for (; v < registers; ++v) put<false>(v, now);
        for (Index r = 0; r < alike && covered < extent; ++r)
            std::fill_n(y + r * extent + covered, extent - covered, T{0});
    }
};

template <Index few, Index cut, class T, int... q>
POOLPROOF_CELLS_KERNEL void spread_by_phases(const SpreadPhased<T>& s,
                                             std::integer_sequence<int, q...> /*phases*/) {
    constexpr Index stride = sizeof...(q);
    const Line &h = s.height, &l = s.width;
    const Index out = l.out(), extent = l.extent;
    const Index covered = std::min(extent, (out - 1) * stride + l.kernel - s.before);
    const Taps taps{stride, l.kernel, s.before};
    const Terms terms[stride] = {taps.of(q)...};
    const bool reaches = ((terms[q].begin + terms[q].count > 1) || ...);
    const Index most_alike = s.apart ? 1 : 4;
    Sink<T> sink(s.y, extent, s.writing, most_alike);
    for (Index r = 0, alike = 1; r < h.out(); r += alike) {
        const Window& over = h.windows[extent_of(r)];
        for (alike = 1; alike < most_alike && r + alike < h.out(); ++alike) {
            const Window& next = h.windows[extent_of(r + alike)];
            if (next.first != over.first || next.count != over.count) break;
        }
        prefetch_at(s.follows + static_cast<std::uintptr_t>(r * s.each) * sizeof(T),
                    alike * s.each * Index{sizeof(T)});
        T* y = sink.next(alike);
        const T* x = s.x + over.first * out;
        const auto rows = [&](auto known) POOLPROOF_CELLS_LAMBDA {
            SpreadRows<known, few, cut, T, q...>{out, extent,     covered, taps.first(), terms, reaches,
                                                 x,   over.count, y,       alike}
                .row();
        };
        switch (over.count) {
            case 0: std::fill_n(y, alike * extent, T{0}); break;
            case 1: rows(std::integral_constant<Index, 1>()); break;
            case 2: rows(std::integral_constant<Index, 2>()); break;
            default: rows(std::integral_constant<Index, 0>());
        }
    }
    sink.finish();
}

/// For windows that are `phased`.
template <class T> POOLPROOF_CELLS_KERNEL void spread_phased(const SpreadPhased<T>& s) {
    const Index kernel = s.width.kernel;
    switch (s.width.stride) {
        case 1: return spread_by_phases<0, 0>(s, Strides<1>());
        case 2:
            return kernel == 2 && s.before == 0   ? spread_by_phases<2, 0>(s, Strides<2>())
                   : kernel == 3 && s.before == 0 ? spread_by_phases<3, 0>(s, Strides<2>())
                   : kernel == 3 && s.before == 1 ? spread_by_phases<3, 1>(s, Strides<2>())
                                                  : spread_by_phases<0, 0>(s, Strides<2>());
        case 3:
            return kernel == 3 && s.before == 0   ? spread_by_phases<3, 0>(s, Strides<3>())
                   : kernel == 3 && s.before == 1 ? spread_by_phases<3, 1>(s, Strides<3>())
                                                  : spread_by_phases<0, 0>(s, Strides<3>());
        default: return spread_by_phases<0, 0>(s, Strides<4>());
    }
}

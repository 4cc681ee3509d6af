// SPDX-License-Identifier: Apache-2.0
// The transpose of a mean over windows three wide and two apart; see cells_levels.hpp. No include guard.

/// A row of shares x, with one -0, which adds nothing to anything, before and behind them, becomes one of
/// `extent` inputs. The first window begins `before` it, 0 or 1.
template <Index before, class S, class Y>
POOLPROOF_CELLS void spread_pairs(const S* __restrict x, Y* __restrict y, Index extent) {
    for (Index i = 0; i < extent / 2; ++i) {
        y[2 * i] = static_cast<Y>(before == 0 ? x[i] + x[i - 1] : x[i]);
        y[2 * i + 1] = static_cast<Y>(before == 0 ? x[i] : x[i + 1] + x[i]);
    }
    if (extent % 2 != 0) {
        const Index i = extent / 2;
        y[2 * i] = static_cast<Y>(before == 0 ? x[i] + x[i - 1] : x[i]);
    }
}

/// The lower or the upper halves of two registers, element by element.
template <int half, class V, int... k>
POOLPROOF_CELLS void zip(const V& even, const V& odd, V& to, std::integer_sequence<int, k...> /*places*/) {
    constexpr int n = sizeof...(k);
    to = __builtin_shufflevector(even, odd, (half * n / 2 + k / 2 + (k % 2 == 0 ? 0 : n))...);
}

/// The same for whole lines, past the caches.
template <Index before, class T> POOLPROOF_CELLS void spread_pairs_past(const T* x, T* y, Index extent) {
    using V = typename Register<T>::Vector;
    constexpr Index width = Register<T>::width;
    constexpr std::make_integer_sequence<int, width> places;
    for (Index i = 0; 2 * i < extent; i += width) {
        V one, next, both, out;
        load_full(x + i, one);
        load_full(x + i + (before == 0 ? -1 : 1), next);
        both = one + next;
        const V &even = before == 0 ? both : one, &odd = before == 0 ? one : both;
        zip<0>(even, odd, out, places);
        put_past(out, y + 2 * i);
        if (2 * i + width == extent) break;
        zip<1>(even, odd, out, places);
        put_past(out, y + 2 * i + width);
    }
}

template <Index before, class Y, class S> POOLPROOF_CELLS void spread_pairs(const Spread<Y, S>& s) {
    const Index n = s.width.out(), extent = s.width.extent;
    const bool past = std::is_same_v<Y, S> && s.stream && whole_lines(s.y, extent);
    Sink<Y> sink(s.y, extent, s.stream && !past);
    for (Index done = 0; done < s.height.out(); done += waiting_rows) {
        const Index rows = std::min(waiting_rows, s.height.out() - done);
        S* first = s.waiting + waiting_room;
        for (Index r = 0; r < rows; ++r) {
            const Window& h = s.height.windows[extent_of(done + r)];
            S* row = first + r * waiting_pitch(n);
            row[-1] = row[n] = -S{0};
            sum_rows(s.x + h.first * n, h.count, n, row, n);
        }
        for (Index r = 0; r < rows; ++r) {
            const S* row = first + r * waiting_pitch(n);
            if constexpr (std::is_same_v<Y, S>)
                if (past) {
                    spread_pairs_past<before>(row, sink.next(), extent);
                    continue;
                }
            spread_pairs<before>(row, sink.next(), extent);
        }
    }
    sink.finish();
}

template <class Y, class S> POOLPROOF_CELLS_KERNEL void spread_in_pairs(const Spread<Y, S>& s) {
    pairs(s.width) == 0 ? spread_pairs<0>(s) : spread_pairs<1>(s);
}

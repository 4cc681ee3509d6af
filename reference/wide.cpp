// SPDX-License-Identifier: Apache-2.0
#include "reference/wide.hpp"

#include "reference/lanes.hpp"
#include "reference/level.hpp"
#include "reference/memory.hpp"

#include <utility>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace poolproof::reference {

#if defined(__x86_64__) && defined(__GNUC__)

// Each function has the attribute: g++ takes vectors apart before it inlines, as the function's own target
// asks.
#define POOLPROOF_CELLS [[gnu::target("avx512f,avx512vl,avx512dq,avx512bw"), gnu::always_inline]] inline

namespace {

template <class T> using Wide = Lanes<T, 64>;

/// Elements first, first + step, .. of two vectors one after the other.
template <std::size_t first, std::size_t step, class V, std::size_t... j>
POOLPROOF_CELLS void pick(const V& low, const V& high, V& to, std::index_sequence<j...> /*all*/) {
    to = __builtin_shufflevector(low, high, (first + step * j)...);
}

template <class T, class V> POOLPROOF_CELLS void split(const T* from, V& even, V& odd) {
    using W = Wide<T>;
    const V low = *reinterpret_cast<const typename W::Unaligned*>(from);
    const V high = *reinterpret_cast<const typename W::Unaligned*>(from + W::width);
    pick<0, 2>(low, high, even, std::make_index_sequence<W::width>());
    pick<1, 2>(low, high, odd, std::make_index_sequence<W::width>());
}

/// Calls f(i, a, b, c) for vectors of windows, from window i on, and asks for what follows.
template <class T, class F> POOLPROOF_CELLS Index in_threes(const T* x, Index n, const F& f) {
    using V = typename Wide<T>::Vector;
    constexpr Index lanes = Wide<T>::width;
    if (n < lanes) return 0;
    V a, b, c;
    split(x, a, b);
    for (Index i = 0;; i += lanes) {
        prefetch(x + 2 * i, 128);
        const T* behind = x + 2 * (i + lanes);
        const bool last = i + 2 * lanes > n;
        V next_a = a, next_b = b;
        if (last)
            next_a[0] = *behind;
        else
            split(behind, next_a, next_b);
        pick<1, 1>(a, next_a, c, std::make_index_sequence<Wide<T>::width>());
        f(i, a, b, c);
        if (last) return i + lanes;
        a = next_a;
        b = next_b;
    }
}

#include "reference/take_at.hpp"

template <class V> POOLPROOF_CELLS bool any_unordered(const V& a, const V& b) {
    if constexpr (sizeof(a[0]) == sizeof(double))
        return _mm512_cmp_pd_mask(a, b, _CMP_UNORD_Q) != 0;
    else
        return _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q) != 0;
}

template <Nan nan, class T> struct Maximum {
    T* y;

    template <class V> POOLPROOF_CELLS void operator()(Index i, V a, const V& b, const V& c) const {
        // Taking the greater keeps a NaN in `a`.
        if (nan == Nan::ignore || any_unordered(b, c)) [[unlikely]] {
            take<nan>(a, b);
            take<nan>(a, c);
        } else {
            a = b > a ? b : a;
            a = c > a ? c : a;
        }
        *reinterpret_cast<typename Wide<T>::Unaligned*>(y + i) = a;
    }
};

template <bool times, class S, class T> struct MeanOf {
    const S* d;
    T* y;

    template <class V> POOLPROOF_CELLS void operator()(Index i, const V& a, const V& b, const V& c) const {
        using Narrow = Lanes<T, Wide<S>::width * sizeof(T)>;
        const V by = *reinterpret_cast<const typename Wide<S>::Unaligned*>(d + i);
        const V mean = times ? (a + b + c) * by : (a + b + c) / by;
        *reinterpret_cast<typename Narrow::Unaligned*>(y + i) =
            __builtin_convertvector(mean, typename Narrow::Vector);
    }
};

template <Nan nan, class T>
[[gnu::target("avx512f,avx512vl,avx512dq,avx512bw")]] Index maxima(const T* x, T* y, Index n) {
    return in_threes(x, n, Maximum<nan, T>{y});
}

template <bool times, class S, class T>
[[gnu::target("avx512f,avx512vl,avx512dq,avx512bw")]] Index means(const S* x, const S* d, T* y, Index n) {
    return in_threes(x, n, MeanOf<times, S, T>{d, y});
}

}  // namespace

template <class T> Index wide_maxima(Nan nan, const T* x, T* y, Index n) {
    if (level() != Level::avx512) return 0;
    switch (nan) {
        case Nan::first: return maxima<Nan::first>(x, y, n);
        case Nan::last: return maxima<Nan::last>(x, y, n);
        case Nan::ignore: break;
    }
    return maxima<Nan::ignore>(x, y, n);
}

template <class S, class T> Index wide_means(const S* x, const S* d, bool times, T* y, Index n) {
    if (level() != Level::avx512) return 0;
    return times ? means<true>(x, d, y, n) : means<false>(x, d, y, n);
}

#else

template <class T> Index wide_maxima(Nan, const T*, T*, Index) { return 0; }
template <class S, class T> Index wide_means(const S*, const S*, bool, T*, Index) { return 0; }

#endif

template Index wide_maxima(Nan, const float*, float*, Index);
template Index wide_maxima(Nan, const double*, double*, Index);
template Index wide_means(const float*, const float*, bool, float*, Index);
template Index wide_means(const double*, const double*, bool, float*, Index);
template Index wide_means(const double*, const double*, bool, double*, Index);

}  // namespace poolproof::reference

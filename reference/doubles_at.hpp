// SPDX-License-Identifier: Apache-2.0
// Registers of sums, and rows of floats or doubles as such; see cells_levels.hpp. No include guard.

template <class X> using Register = Lanes<X, POOLPROOF_CELLS_BYTES>;
inline constexpr Index doubles = Register<double>::width;
using Doubles = Register<double>::Vector;
using Floats = Register<float>::Vector;

/// As many of something else as there are doubles in a register.
template <class X> using Few = Lanes<X, doubles * sizeof(X)>;

template <class X, class V> POOLPROOF_CELLS void load_full(const X* from, V& to) {
    to = *reinterpret_cast<const typename Register<X>::Unaligned*>(from);
}

template <class X, class V> POOLPROOF_CELLS void store_full(const V& from, X* to) {
    *reinterpret_cast<typename Register<X>::Unaligned*>(to) = from;
}

/// The first n, which may be more than there are or fewer than none.
template <class X, class V> POOLPROOF_CELLS void store_first(const V& from, Index n, X* to) {
    constexpr Index width = Register<X>::width;
    if (n >= width) return store_full(from, to);
    if (n <= 0) return;
#if POOLPROOF_CELLS_BYTES == 64
    const auto some = static_cast<__mmask16>((1U << n) - 1);
    if constexpr (sizeof(X) == sizeof(double))
        _mm512_mask_storeu_pd(to, static_cast<__mmask8>(some), reinterpret_cast<__m512d>(from));
    else
        _mm512_mask_storeu_ps(to, some, reinterpret_cast<__m512>(from));
#else
    std::memcpy(to, &from, static_cast<std::size_t>(n) * sizeof(X));
#endif
}

/// The first n, fewer than there are, in place of the first of `to`.
template <class X, class V> POOLPROOF_CELLS void load_first(const X* from, Index n, V& to) {
#if POOLPROOF_CELLS_BYTES == 64
    const auto some = static_cast<__mmask16>((1U << n) - 1);
    if constexpr (sizeof(X) == sizeof(double))
        to = reinterpret_cast<V>(
            _mm512_mask_loadu_pd(reinterpret_cast<__m512d>(to), static_cast<__mmask8>(some), from));
    else
        to = reinterpret_cast<V>(_mm512_mask_loadu_ps(reinterpret_cast<__m512>(to), some, from));
#else
    std::memcpy(&to, from, static_cast<std::size_t>(n) * sizeof(X));
#endif
}

template <class X> POOLPROOF_CELLS void load_few(const X* from, typename Few<X>::Vector& to) {
    to = *reinterpret_cast<const typename Few<X>::Unaligned*>(from);
}

template <class X> POOLPROOF_CELLS void store_few(const typename Few<X>::Vector& from, X* to) {
    *reinterpret_cast<typename Few<X>::Unaligned*>(to) = from;
}

template <class V> POOLPROOF_CELLS void widen(const V& from, Doubles& to) {
    if constexpr (sizeof(V) == sizeof(Doubles)) {
        to = from;
    } else {
        // g++ 12 makes many instructions of a conversion of vectors where the machine has one.
#if POOLPROOF_CELLS_BYTES == 64
        to = _mm512_maskz_cvtps_pd(0xff, from);
#elif POOLPROOF_CELLS_BYTES == 32
        to = _mm256_cvtps_pd(from);
#else
        for (Index i = 0; i < doubles; ++i) to[i] = static_cast<double>(from[i]);
#endif
    }
}

template <class X> POOLPROOF_CELLS void load(const X* from, Doubles& to) {
    typename Few<X>::Vector v;
    load_few(from, v);
    widen(v, to);
}

template <class Y> POOLPROOF_CELLS void narrow(const Doubles& from, typename Few<Y>::Vector& to) {
    if constexpr (sizeof(Y) == sizeof(double)) {
        to = from;
    } else {
#if POOLPROOF_CELLS_BYTES == 64
        to = _mm512_maskz_cvtpd_ps(0xff, from);
#elif POOLPROOF_CELLS_BYTES == 32
        to = _mm256_cvtpd_ps(from);
#else
        for (Index i = 0; i < doubles; ++i) to[i] = static_cast<Y>(from[i]);
#endif
    }
}

template <class Y> POOLPROOF_CELLS void store(const Doubles& from, Y* to) {
    typename Few<Y>::Vector v{};
    narrow<Y>(from, v);
    store_few(v, to);
}

POOLPROOF_CELLS void load(const float* from, Floats& to) { load_full(from, to); }
POOLPROOF_CELLS void store(const Floats& from, float* to) { store_full(from, to); }

/// The lower half of a register of floats, or the upper.
template <int half> POOLPROOF_CELLS void widen_half(const Floats& from, Doubles& to) {
#if POOLPROOF_CELLS_BYTES == 64
    to = _mm512_maskz_cvtps_pd(0xff, _mm512_maskz_extractf32x8_ps(0xff, from, half));
#elif POOLPROOF_CELLS_BYTES == 32
    to = _mm256_cvtps_pd(_mm256_extractf128_ps(from, half));
#else
    for (Index i = 0; i < doubles; ++i) to[i] = static_cast<double>(from[half * doubles + i]);
#endif
}

POOLPROOF_CELLS void narrow_both(const Doubles& low, const Doubles& high, Floats& to) {
#if POOLPROOF_CELLS_BYTES == 64
    const __m512 lower = _mm512_castps256_ps512(_mm512_maskz_cvtpd_ps(0xff, low));
    to = _mm512_maskz_insertf32x8(0xffff, lower, _mm512_maskz_cvtpd_ps(0xff, high), 1);
#elif POOLPROOF_CELLS_BYTES == 32
    to = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(low)), _mm256_cvtpd_ps(high), 1);
#else
    for (Index i = 0; i < doubles; ++i) to[i] = static_cast<float>(low[i]);
    for (Index i = 0; i < doubles; ++i) to[doubles + i] = static_cast<float>(high[i]);
#endif
}

template <int half> POOLPROOF_CELLS void widen_half(const Doubles& from, Doubles& to) { to = from; }
POOLPROOF_CELLS void narrow_both(const Doubles& low, const Doubles& /*high*/, Doubles& to) { to = low; }

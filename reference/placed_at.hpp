// SPDX-License-Identifier: Apache-2.0
// Elements of registers in another order, by a table; see cells_levels.hpp. No include guard.

/// to[i] = that of a at place[i].
template <class V, class P> POOLPROOF_CELLS void placed(const V& a, const P& place, V& to) {
#if POOLPROOF_CELLS_BYTES == 64
    const auto at = reinterpret_cast<__m512i>(place);
    if constexpr (sizeof(a[0]) == sizeof(double))
        to = _mm512_maskz_permutexvar_pd(0xff, at, a);
    else
        to = _mm512_maskz_permutexvar_ps(0xffff, at, a);
#elif POOLPROOF_CELLS_BYTES == 32
    const auto at = reinterpret_cast<__m256i>(place);
    if constexpr (sizeof(a[0]) == sizeof(double)) {
        // As halves of doubles.
        const __m256i low = _mm256_add_epi64(at, at), high = _mm256_slli_epi64(low, 32);
        const __m256i halves = _mm256_or_si256(_mm256_or_si256(low, high), _mm256_set1_epi64x(1LL << 32));
        to = reinterpret_cast<V>(_mm256_permutevar8x32_ps(reinterpret_cast<__m256>(a), halves));
    } else {
        to = _mm256_permutevar8x32_ps(a, at);
    }
#else
    V from = a;
    for (Index i = 0; i < static_cast<Index>(sizeof(a) / sizeof(a[0])); ++i) to[i] = from[place[i]];
#endif
}

/// to[i] = those of a and then those of b, at place[i].
template <class V, class P> POOLPROOF_CELLS void placed(const V& a, const V& b, const P& place, V& to) {
#if POOLPROOF_CELLS_BYTES == 64
    if constexpr (sizeof(a[0]) == sizeof(double))
        to = _mm512_permutex2var_pd(a, reinterpret_cast<__m512i>(place), b);
    else
        to = _mm512_permutex2var_ps(a, reinterpret_cast<__m512i>(place), b);
#elif POOLPROOF_CELLS_BYTES == 32
    const auto at = reinterpret_cast<__m256i>(place);
    if constexpr (sizeof(a[0]) == sizeof(double)) {
        V of_a{}, of_b{};
        placed(a, place, of_a);
        placed(b, place, of_b);
        to = _mm256_blendv_pd(of_a, of_b, reinterpret_cast<__m256d>(_mm256_slli_epi64(at, 61)));
    } else {
        to = _mm256_blendv_ps(_mm256_permutevar8x32_ps(a, at), _mm256_permutevar8x32_ps(b, at),
                              reinterpret_cast<__m256>(_mm256_slli_epi32(at, 28)));
    }
#else
    constexpr Index width = sizeof(a) / sizeof(a[0]);
    std::remove_cvref_t<decltype(a[0])> both[2 * width];
    store_full(a, both);
    store_full(b, both + width);
    for (Index i = 0; i < width; ++i) to[i] = both[place[i]];
#endif
}

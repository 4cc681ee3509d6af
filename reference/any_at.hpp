// SPDX-License-Identifier: Apache-2.0
// Whether some element of a register is like that; see cells_levels.hpp. No include guard.

/// A NaN.
template <class V> POOLPROOF_CELLS bool any_nan(const V& v) {
#if POOLPROOF_CELLS_BYTES == 64
    if constexpr (sizeof(v[0]) == 8)
        return _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q) != 0;
    else
        return _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q) != 0;
#elif POOLPROOF_CELLS_BYTES == 32
    if constexpr (sizeof(v[0]) == 8)
        return _mm256_movemask_pd(_mm256_cmp_pd(v, v, _CMP_UNORD_Q)) != 0;
    else
        return _mm256_movemask_ps(_mm256_cmp_ps(v, v, _CMP_UNORD_Q)) != 0;
#else
    bool any = false;
    for (std::size_t i = 0; i < sizeof(v) / sizeof(v[0]); ++i) any |= v[i] != v[i];
    return any;
#endif
}

/// A zero of either sign.
template <class V> POOLPROOF_CELLS bool any_zero(const V& v) {
#if POOLPROOF_CELLS_BYTES == 64
    if constexpr (sizeof(v[0]) == 8)
        return _mm512_cmp_pd_mask(v, V{}, _CMP_EQ_OQ) != 0;
    else
        return _mm512_cmp_ps_mask(v, V{}, _CMP_EQ_OQ) != 0;
#elif POOLPROOF_CELLS_BYTES == 32
    if constexpr (sizeof(v[0]) == 8)
        return _mm256_movemask_pd(_mm256_cmp_pd(v, V{}, _CMP_EQ_OQ)) != 0;
    else
        return _mm256_movemask_ps(_mm256_cmp_ps(v, V{}, _CMP_EQ_OQ)) != 0;
#else
    bool any = false;
    for (std::size_t i = 0; i < sizeof(v) / sizeof(v[0]); ++i) any |= v[i] == 0;
    return any;
#endif
}

/// Of the bits of floats or doubles, those of one whose sign is set.
template <class V> POOLPROOF_CELLS bool any_signed(const V& v) {
#if POOLPROOF_CELLS_BYTES == 64
    if constexpr (sizeof(v[0]) == 8)
        return _mm512_movepi64_mask(reinterpret_cast<__m512i>(v)) != 0;
    else
        return _mm512_movepi32_mask(reinterpret_cast<__m512i>(v)) != 0;
#elif POOLPROOF_CELLS_BYTES == 32
    if constexpr (sizeof(v[0]) == 8)
        return _mm256_movemask_pd(reinterpret_cast<__m256d>(v)) != 0;
    else
        return _mm256_movemask_ps(reinterpret_cast<__m256>(v)) != 0;
#else
    bool any = false;
    for (std::size_t i = 0; i < sizeof(v) / sizeof(v[0]); ++i) any |= v[i] < 0;
    return any;
#endif
}

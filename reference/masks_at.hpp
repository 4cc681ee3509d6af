// SPDX-License-Identifier: Apache-2.0
// Some lanes of a register; see cells_levels.hpp. No include guard.

#if POOLPROOF_CELLS_BYTES == 64

/// Of a register of T.
template <class T> using Mask = std::conditional_t<sizeof(T) == 8, __mmask8, __mmask16>;

template <class M> POOLPROOF_CELLS void all_of(M& lanes) { lanes = static_cast<M>(-1); }

/// Of these lanes those where a equals b.
template <class V, class M> POOLPROOF_CELLS void keep_equal(const V& a, const V& b, M& lanes) {
    if constexpr (sizeof(a[0]) == 8)
        lanes = _mm512_mask_cmp_pd_mask(lanes, a, b, _CMP_EQ_OQ);
    else
        lanes = _mm512_mask_cmp_ps_mask(lanes, a, b, _CMP_EQ_OQ);
}

/// Of these lanes those where a position lies between two.
template <class P, class M>
POOLPROOF_CELLS void keep_between(const P& least, const P& at, const P& most, M& lanes) {
    const auto i = reinterpret_cast<__m512i>(at);
    if constexpr (sizeof(at[0]) == 8) {
        lanes = _mm512_mask_cmple_epi64_mask(lanes, reinterpret_cast<__m512i>(least), i);
        lanes = _mm512_mask_cmple_epi64_mask(lanes, i, reinterpret_cast<__m512i>(most));
    } else {
        lanes = _mm512_mask_cmple_epi32_mask(lanes, reinterpret_cast<__m512i>(least), i);
        lanes = _mm512_mask_cmple_epi32_mask(lanes, i, reinterpret_cast<__m512i>(most));
    }
}

/// Moves them to where there are zeros, and leaves zeros.
template <class V, class M> POOLPROOF_CELLS void move_out(const M& lanes, V& from, V& to) {
    if constexpr (sizeof(from[0]) == 8) {
        to = _mm512_maskz_mov_pd(lanes, from);
        from = _mm512_mask_mov_pd(from, lanes, V{});
    } else {
        to = _mm512_maskz_mov_ps(lanes, from);
        from = _mm512_mask_mov_ps(from, lanes, V{});
    }
}

#else

// Elsewhere there are none.
template <class T> struct Mask;

#endif

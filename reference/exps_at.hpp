// SPDX-License-Identifier: Apache-2.0
// Exponentials in registers; see cells_levels.hpp. No include guard.

#include "reference/doubles_at.hpp"

using Words = Lanes<std::uint64_t, sizeof(Doubles)>::Vector;

/// to[i] = roots[at[i] mod 16], as words.
POOLPROOF_CELLS void look_up(const Words& at, Words& to) {
#if POOLPROOF_CELLS_BYTES == 64
    // g++ 12 makes a gather of it, though all fit into two registers.
    to = reinterpret_cast<Words>(_mm512_permutex2var_epi64(
        _mm512_loadu_si512(roots), reinterpret_cast<__m512i>(at), _mm512_loadu_si512(roots + doubles)));
#else
    for (Index i = 0; i < doubles; ++i) to[i] = roots[at[i] & (root_count - 1)];
#endif
}

POOLPROOF_CELLS void look_up(std::uint64_t at, std::uint64_t& to) { to = roots[at & (root_count - 1)]; }

/// For |t| <= 700: 2^(k/16) e^r with |r| <= ln 2 / 32, and e^r by the polynomial that is nearest to it,
/// within 2^-56 of its size, or for float 2^-37. V is of doubles, or one; W of as many words. `size` becomes
/// that of the greatest |t| so far, as words that are ordered as what they are of, NaN last.
template <class T, class V, class W> POOLPROOF_CELLS void exp_of(V t, V& y, W& size) {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    constexpr double shift = 0x1.8p52;  // what is added to it is rounded to a whole number, in its last bits
    const V shifted = t * (root_count / ln2) + shift;
    const V k = shifted - shift;
    const V r = (t - k * (ln2_high / root_count)) - k * (ln2_low / root_count), r2 = r * r;
    V p;
    if constexpr (sizeof(T) > sizeof(float))
        p = (0x1.0000000000005p-1 + r * 0x1.555555548f869p-3) +
            r2 * ((0x1.555555545eb57p-5 + r * 0x1.11123aafebcb0p-7) + r2 * 0x1.6c185de50e2b8p-10);
    else
        p = (0x1.fffffffd42b53p-2 + r * 0x1.55571d6cd5912p-3) + r2 * 0x1.555769a5d46fbp-5;
    W root, bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    look_up(bits, root);
    root += bits << 48;
    V power;
    std::memcpy(&power, &root, sizeof power);
    y = power + power * (r + r2 * p);
    std::memcpy(&bits, &t, sizeof bits);
    bits &= ~sign;
    size = bits > size ? bits : size;
}

/// As many registers as `n` fills.
template <class T> POOLPROOF_CELLS void whole_exps(const T* x, double beta, double* y, Index n, Words& size) {
    for (Index i = 0; i + doubles <= n; i += doubles) {
        Doubles t, e;
        load(x + i, t);
        exp_of<T>(t * beta, e, size);
        store(e, y + i);
    }
}

template <class T>
POOLPROOF_CELLS_KERNEL void exps(const T* x, double beta, double limit, double* y, Index n, bool& within) {
    constexpr Index piece = 128;
    Words sizes{};
    for (; n >= piece; x += piece, y += piece, n -= piece) {
        prefetch(x, piece * static_cast<Index>(sizeof(T)));
        whole_exps(x, beta, y, piece, sizes);
    }
    whole_exps(x, beta, y, n, sizes);
    std::uint64_t size = 0;
    for (Index i = n / doubles * doubles; i < n; ++i) exp_of<T>(static_cast<double>(x[i]) * beta, y[i], size);
    for (Index i = 0; i < doubles; ++i) size = std::max(size, sizes[i]);
    within = size <= std::bit_cast<std::uint64_t>(limit);
}

// SPDX-License-Identifier: Apache-2.0
// Exponentials in registers; see cells_levels.hpp. No include guard.

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

/// Of |beta x| <= 700: 2^(k/16) e^r with |r| <= ln 2 / 32, and e^r by the polynomial that is nearest to it,
/// within 2^-56 of its size, or for float 2^-37.
template <class T> struct Exp {
    static constexpr T filler = 0;

    double beta;
    Words
        size{};  ///< of the greatest |beta x| so far, as words that are ordered as what they are of, NaN last

    template <Index some> POOLPROOF_CELLS void of(Doubles (&x)[some]) {
        constexpr std::uint64_t sign = std::uint64_t{1} << 63;
        constexpr double shift =
            0x1.8p52;  // what is added to it is rounded to a whole number, in its last bits
        Doubles shifted[some], r[some], r2[some], p[some], power[some];
        for (Index i = 0; i < some; ++i) {
            x[i] = x[i] * beta;
            shifted[i] = x[i] * (root_count / ln2) + shift;
        }
        for (Index i = 0; i < some; ++i) {
            const Doubles k = shifted[i] - shift;
            r[i] = (x[i] - k * (ln2_high / root_count)) - k * (ln2_low / root_count);
        }
        for (Index i = 0; i < some; ++i) {
            const auto bits = reinterpret_cast<Words>(shifted[i]),
                       own = reinterpret_cast<Words>(x[i]) & ~sign;
            Words root;
            look_up(bits, root);
            power[i] = reinterpret_cast<Doubles>(root + (bits << 48));
            size = own > size ? own : size;
        }
        for (Index i = 0; i < some; ++i) {
            r2[i] = r[i] * r[i];
            if constexpr (sizeof(T) > sizeof(float))
                p[i] = (0x1.0000000000005p-1 + r[i] * 0x1.555555548f869p-3) +
                       r2[i] * ((0x1.555555545eb57p-5 + r[i] * 0x1.11123aafebcb0p-7) +
                                r2[i] * 0x1.6c185de50e2b8p-10);
            else
                p[i] = (0x1.fffffffd42b53p-2 + r[i] * 0x1.55571d6cd5912p-3) + r2[i] * 0x1.555769a5d46fbp-5;
        }
        for (Index i = 0; i < some; ++i) x[i] = power[i] + power[i] * (r[i] + r2[i] * p[i]);
    }

    POOLPROOF_CELLS bool within(double limit) const {
        std::uint64_t most = 0;
        for (Index i = 0; i < doubles; ++i) most = std::max(most, size[i]);
        return most <= std::bit_cast<std::uint64_t>(limit);
    }
};

template <class T>
POOLPROOF_CELLS_KERNEL void exps(const T* x, double beta, double limit, double* y, Index n, bool& within) {
    Exp<T> exp{beta};
    each(exp, x, y, n);
    within = exp.within(limit);
}

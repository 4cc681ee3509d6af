// SPDX-License-Identifier: Apache-2.0
// Logarithms in registers; see cells_levels.hpp. No include guard.

/// For normal positive s: 2^k (1 + f) with 1 + f between the roots of 1/2 and of 2, and log(1 + f) by q = f /
/// (2 + f), of which it is 2 atanh. The coefficients are those of FreeBSD's e_log.c. Divided by beta, or
/// multiplied by its inverse.
template <bool times> struct Log {
    static constexpr double filler = 100;  // far from 1

    double by;
    Lanes<std::int64_t, sizeof(Doubles)>::Vector near{};  ///< -1 where one was near_one

    template <Index some> POOLPROOF_CELLS void of(Doubles (&s)[some]) {
        constexpr std::uint64_t root = 0x3fe6a09e667f3bcd, bias = 1024, whole = 0x4330000000000000;
        Doubles k[some], f[some], q[some], z[some], w[some], even[some], odd[some];
        for (Index i = 0; i < some; ++i) {
            const auto bits = reinterpret_cast<Words>(s[i]);
            near |= (s[i] > near_one_above) & (s[i] < near_one_below);
            const Words power = (bits - root + (bias << 52)) >> 52;
            k[i] = reinterpret_cast<Doubles>(power | whole) - (0x1p52 + bias);
            f[i] = reinterpret_cast<Doubles>(bits - ((power - bias) << 52)) - 1.0;
        }
        for (Index i = 0; i < some; ++i) q[i] = f[i] / (2.0 + f[i]);
        for (Index i = 0; i < some; ++i) {
            z[i] = q[i] * q[i];
            w[i] = z[i] * z[i];
        }
        for (Index i = 0; i < some; ++i)
            even[i] = w[i] * (3.999999999940941908e-01 +
                              w[i] * (2.222219843214978396e-01 + w[i] * 1.531383769920937332e-01));
        for (Index i = 0; i < some; ++i)
            odd[i] = z[i] * (6.666666666666735130e-01 +
                             w[i] * (2.857142874366239149e-01 +
                                     w[i] * (1.818357216161805012e-01 + w[i] * 1.479819860511658591e-01)));
        for (Index i = 0; i < some; ++i) {
            const Doubles half = 0.5 * f[i] * f[i];
            const Doubles log =
                k[i] * ln2_high - ((half - (q[i] * (half + (even[i] + odd[i])) + k[i] * ln2_low)) - f[i]);
            s[i] = times ? log * by : log / by;
        }
    }
};

template <bool times, class T> POOLPROOF_CELLS bool logs(const double* s, double by, T* y, Index n) {
    Log<times> log{by};
    each(log, s, y, n);
    return any_signed(log.near);
}

template <class T>
POOLPROOF_CELLS_KERNEL void logs(const double* s, double beta, T* y, Index n, bool& any_near_one) {
    const double inverse = 1 / beta;
    any_near_one = std::isnormal(inverse) ? logs<true>(s, inverse, y, n) : logs<false>(s, beta, y, n);
}

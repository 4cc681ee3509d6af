// SPDX-License-Identifier: Apache-2.0
// Exponentials and logarithms with proved errors, in two stages: one that is quick, and one that is fine. No
// library function is trusted; the proofs are in section 7 of docs/BOUNDS.md.
#pragma once

#include "oracle/certified/clones.hpp"
#include "oracle/certified/double_double.hpp"

#include <bit>
#include <cstdint>

namespace poolproof::certified {

/// The greatest size of an exponent.
inline constexpr double most_exponent = 600;

/// 2^(j/256) in two ways: the first part with 26 bits, or as a pair.
inline constexpr int root_count = 256;
struct Roots {
    double first[root_count], rest[root_count];
    Pair whole[root_count];
};
const Roots& roots();

/// The number nearest to `v` among the multiples of a step of `magic / 1.5`, where |v| is below a quarter of
/// that.
inline double snapped(double v, double magic) { return (v + magic) - magic; }

/// An exponent less a multiple k of (log 2) / 256, but for the last part of that.
struct Reduced {
    double k;
    Pair r;
    std::size_t root;  ///< k modulo 256
    double power;      ///< the rest of 2^(k/256)
};
POOLPROOF_INLINE Reduced reduced(const Pair& a) {
    constexpr double whole = 0x1.8p52;
    const double shifted = a.high * 0x1.71547652b82fep+8 + whole;  // 256 / log 2
    const double k = shifted - whole;
    const auto bits = std::bit_cast<std::uint64_t>(shifted);
    // k times the first two parts of (log 2) / 256, of 33 bits each, is exact, and so is the difference.
    const double above = a.high - k * 0x1.62e42ffp-9;
    return {k, two_sum(above, k * 0x1.718432a2p-43), static_cast<std::size_t>(bits & (root_count - 1)),
            std::bit_cast<double>((bits >> 8 << 52) + (std::uint64_t{1023} << 52))};
}

/// e^a but for 2^-69 of itself, for |a| up to `most_exponent`.
POOLPROOF_INLINE Pair quick_exp(const Pair& a, const Roots& table) {
    const Reduced of = reduced(a);
    const Pair& r = of.r;
    const double r1 = snapped(r.high, 0x1.8p16);  // a multiple of 2^-36
    const double r2 = (r.high - r1) + (r.low + (a.low - of.k * 0x1.3c7673007e5edp-77));
    const double x = r1 + r2;
    const double tail =
        r2 + x * x * (0.5 + x * (1.0 / 6 + x * (1.0 / 24 + x * (1.0 / 120 + x * (1.0 / 720)))));
    const double first = table.first[of.root], rest = table.rest[of.root];
    const Pair s = fast_two_sum(first, first * r1);  // an exact product
    const double low = s.low + (rest + (first * tail + rest * (r1 + tail)));
    const Pair e = fast_two_sum(s.high, low);
    return {e.high * of.power, e.low * of.power};
}

/// e^a but for 3 * 2^-53 of itself, for |a| up to `most_exponent`: in one double, and without a table.
POOLPROOF_INLINE double plain_exp(const Pair& a) {
    constexpr double whole = 0x1.8p52;
    const double shifted = a.high * 0x1.71547652b82fep+0 + whole;  // 1 / log 2
    const double k = shifted - whole;
    const double above = a.high - k * 0x1.62e42feep-1;  // exact: a product of 32 and 10 bits
    const double r = above - (k * 0x1.a39ef35793c76p-33 - a.low);
    const double square = r * r, fourth = square * square;  // a short chain, for many side by side
    const double low = 0.5 + r * (1.0 / 6) + square * (1.0 / 24 + r * (1.0 / 120));
    const double middle = 1.0 / 720 + r * (1.0 / 5040) + square * (1.0 / 40320 + r * (1.0 / 362880));
    const double high =
        1.0 / 3628800 + r * (1.0 / 39916800) + square * (1.0 / 479001600 + r * (1.0 / 6227020800));
    const double series = low + fourth * (middle + fourth * high);
    const double power =
        std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) << 52) + (std::uint64_t{1023} << 52));
    return (1 + (r + square * series)) * power;
}

/// e^a but for 2^-94 of itself, for |a| up to `most_exponent`.
Pair fine_exp(const Pair& a);

/// The stages, each with the relative error of its exponentials; a logarithm's is absolute, for sums within
/// e^+-most_exponent, and 2^-100 of its size beside.
struct Quick {
    static constexpr double error = 0x1p-69, log_error = 0x1p-68;
    static Pair exp(const Pair& a) { return quick_exp(a, roots()); }
};
struct Fine {
    static constexpr double error = 0x1p-94, log_error = 0x1p-93;
    static Pair exp(const Pair& a) { return fine_exp(a); }
};

/// What has to be added to y where e^-y s is e, which is nearly 1; NaN where it is not.
inline Pair log_correction(const Pair& s, const Pair& e) {
    const Pair p = s * e;
    const double off = p.high - 1;
    const Pair w = two_sum(off, p.low);
    if (!(std::fabs(w.high) < 0x1p-40)) return {NAN, NAN};
    return {w.high, w.low - 0.5 * w.high * w.high};
}

/// The logarithm of a positive pair; NaN where the library's is not good enough to begin with.
template <class Stage> Pair log(const Pair& s) {
    const double y = std::log(s.high);
    if (!(std::fabs(y) <= most_exponent)) return {NAN, NAN};
    const Pair w = log_correction(s, Stage::exp({-y, 0}));
    const Pair r = two_sum(y, w.high);
    return fast_two_sum(r.high, r.low + w.low);
}

}  // namespace poolproof::certified

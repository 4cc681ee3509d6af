// SPDX-License-Identifier: Apache-2.0
// Arithmetic as implementations have it, for attacks on the permitted sets: each operation rounded once to a
// format, to nearest with ties to even. A double holds two more bits than twice the precision of the narrower
// formats, so that rounding its results of + - * / once more is the same as rounding the exact ones.
#pragma once

#include <poolproof/format.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace poolproof::honest {

using Rng = std::mt19937_64;

inline Index below(Rng& rng, Index n) { return static_cast<Index>(rng() % static_cast<std::uint64_t>(n)); }
inline bool one_in(Rng& rng, Index n) { return below(rng, n) == 0; }

/// The nearest value of the format: infinity from half a step past the largest on.
template <class Real> Real rounded(Format f, Real x) {
    if (x == 0 || !std::isfinite(x)) return x;
    int e = 0;
    std::frexp(x, &e);  // 2^(e-1) <= |x| < 2^e
    const int unit = std::max(e - precision(f), min_exponent(f));
    const Real r = std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
    const Real beyond = std::ldexp(Real(1), max_exponent(f)) * 2;  // infinite for the format of Real itself
    return std::abs(r) >= beyond ? std::copysign(std::numeric_limits<Real>::infinity(), x) : r;
}

inline double decoded(Format f, Bits b) {
    const int fraction = precision(f) - 1;
    const double s = is_negative(f, b) ? -1 : 1;
    if (is_nan(f, b)) return std::numeric_limits<double>::quiet_NaN();
    if (is_infinite(f, b)) return s * std::numeric_limits<double>::infinity();
    const auto biased = static_cast<int>(magnitude(f, b) >> fraction);
    const Bits low = magnitude(f, b) & ((Bits{1} << fraction) - 1);
    const Bits significand = biased == 0 ? low : low | Bits{1} << fraction;
    return s * std::ldexp(static_cast<double>(significand), min_exponent(f) + std::max(biased - 1, 0));
}

/// The pattern of a value that is the format's already.
template <class Real> Bits encoded(Format f, Real x) {
    if (std::isnan(x)) return quiet_nan_bits(f);
    const Bits s = std::signbit(x) ? sign_bit(f) : 0;
    if (std::isinf(x)) return infinity_bits(f) | s;
    if (x == 0) return s;
    int e = 0;
    std::frexp(x, &e);
    const int unit = std::max(e - precision(f), min_exponent(f));
    const auto significand = static_cast<Bits>(std::ldexp(std::abs(x), -unit));
    return (static_cast<Bits>(unit - min_exponent(f)) << (precision(f) - 1)) + significand + s;
}

/// A number of a format of ours; with `flushes`, subnormal operands and results are 0.
template <Format F, bool flushes = false> struct Rounded {
    double v = 0;

    Rounded() = default;
    explicit Rounded(double x) : v(round(x)) {}

    static constexpr int bits = precision(F);
    static double round(double x) {
        if (flushes && std::abs(x) < std::ldexp(1.0, min_normal_exponent(F))) return 0;
        if constexpr (F == Format::f64) return x;
        if constexpr (F == Format::f32) return static_cast<double>(static_cast<float>(x));
        return rounded(F, x);
    }

    friend Rounded operator+(Rounded a, Rounded b) { return Rounded(a.v + b.v); }
    friend Rounded operator-(Rounded a, Rounded b) { return Rounded(a.v - b.v); }
    friend Rounded operator*(Rounded a, Rounded b) { return Rounded(a.v * b.v); }
    friend Rounded operator/(Rounded a, Rounded b) { return Rounded(a.v / b.v); }
    friend bool operator<(Rounded a, Rounded b) { return a.v < b.v; }

    friend Rounded fma(Rounded a, Rounded b, Rounded c) {
        if constexpr (F == Format::f64) {
            return Rounded(std::fma(a.v, b.v, c.v));
        } else {
            // The product is exact in double; the sum is rounded to odd, and then once more.
            const double p = a.v * b.v, s = p + c.v;
            if (!std::isfinite(s)) return Rounded(s);
            const double t = s - p, rest = (p - (s - t)) + (c.v - t);
            std::uint64_t pattern = 0;
            std::memcpy(&pattern, &s, sizeof s);
            const bool exact = std::fpclassify(rest) == FP_ZERO;
            if (exact || (pattern & 1) != 0) return Rounded(s);
            return Rounded(std::nextafter(s, std::copysign(std::numeric_limits<double>::infinity(), rest)));
        }
    }

    friend Rounded exp(Rounded a) { return Rounded(std::exp(a.v)); }
    friend Rounded log(Rounded a) { return Rounded(std::log(a.v)); }

    /// So many steps further from zero, in steps of its own binade.
    Rounded stepped(int steps) const {
        if (!std::isfinite(v)) return *this;
        int e = std::numeric_limits<int>::min() / 2;
        if (std::fpclassify(v) != FP_ZERO) std::frexp(v, &e);
        const Rounded r(v + std::ldexp(steps, std::max(e - bits, min_exponent(F))));
        return r.v < 0 && v >= 0 ? Rounded(0) : r;
    }

    long double value() const { return static_cast<long double>(v); }
};

/// An accumulator wider than every format of ours.
struct Wide {
    long double v = 0;

    Wide() = default;
    explicit Wide(double x) : v(x) {}
    static Wide of(long double x) {
        Wide w;
        w.v = x;
        return w;
    }

    friend Wide operator+(Wide a, Wide b) { return of(a.v + b.v); }
    friend Wide operator-(Wide a, Wide b) { return of(a.v - b.v); }
    friend Wide operator*(Wide a, Wide b) { return of(a.v * b.v); }
    friend Wide operator/(Wide a, Wide b) { return of(a.v / b.v); }
    friend bool operator<(Wide a, Wide b) { return a.v < b.v; }
    friend Wide fma(Wide a, Wide b, Wide c) { return of(std::fma(a.v, b.v, c.v)); }
    friend Wide exp(Wide a) { return of(std::exp(a.v)); }
    friend Wide log(Wide a) { return of(std::log(a.v)); }
    Wide stepped(int /*steps*/) const { return *this; }
    long double value() const { return v; }
};

/// The answer's pattern: an accumulator's value rounded once.
template <class T> Bits answer(Format f, T x) {
    if (f == Format::f64) return encoded(f, static_cast<double>(x.value()));
    return encoded(f, rounded(f, x.value()));
}

}  // namespace poolproof::honest

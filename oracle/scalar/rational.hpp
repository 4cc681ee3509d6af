// SPDX-License-Identifier: Apache-2.0
// The exact scalars: integers and rationals of any size, from Boost.Multiprecision over GMP.
#pragma once

#include <poolproof/format.hpp>

#include <boost/multiprecision/gmp.hpp>

#include <string>

namespace poolproof {

using Integer = boost::multiprecision::number<boost::multiprecision::gmp_int, boost::multiprecision::et_off>;
using Rational =
    boost::multiprecision::number<boost::multiprecision::gmp_rational, boost::multiprecision::et_off>;

inline int sign(const Rational& q) { return q.sign(); }
inline int sign(const Integer& n) { return n.sign(); }

/// 2^e, also for negative e. Requires |e| far below what memory holds.
inline Rational power_of_two(Index e) {
    Integer p(1);
    mpz_mul_2exp(p.backend().data(), p.backend().data(), static_cast<mp_bitcnt_t>(e < 0 ? -e : e));
    return e < 0 ? Rational(Integer(1), p) : Rational(p);
}

inline Integer numerator_of(const Rational& q) { return boost::multiprecision::numerator(q); }
inline Integer denominator_of(const Rational& q) { return boost::multiprecision::denominator(q); }

/// The number of bits of |n|; 0 for 0.
inline Index bit_length(const Integer& n) {
    return n.is_zero() ? 0 : static_cast<Index>(mpz_sizeinbase(n.backend().data(), 2));
}

/// The e with 2^e <= |q| < 2^(e+1). Requires q != 0.
inline Index exponent_of(const Rational& q) {
    const Index e = bit_length(numerator_of(q)) - bit_length(denominator_of(q));
    return abs(q) < power_of_two(e) ? e - 1 : e;
}

inline Integer floor_of(const Rational& q) {
    Integer n;
    mpz_fdiv_q(n.backend().data(), mpq_numref(q.backend().data()), mpq_denref(q.backend().data()));
    return n;
}

/// A finite floating pattern as a signed whole number of steps of 2^exponent.
struct Decoded {
    std::int64_t steps;
    Index exponent;
};

inline Decoded decoded(Format f, Bits b) {
    const Bits m = magnitude(f, b);
    const int fraction = precision(f) - 1;
    const auto biased = static_cast<int>(m >> fraction);
    const Bits tail = m & ((Bits{1} << fraction) - 1);
    const auto steps = static_cast<std::int64_t>(biased == 0 ? tail : tail | Bits{1} << fraction);
    return {is_negative(f, b) ? -steps : steps, min_exponent(f) + (biased == 0 ? 0 : biased - 1)};
}

/// The value of a finite pattern.
inline Rational rational_value(Format f, Bits b) {
    if (is_integer(f)) return f == Format::u8 ? Rational(b) : Rational(integer_value(f, b));
    const Decoded d = decoded(f, b);
    return Rational(d.steps) * power_of_two(d.exponent);
}

inline std::string text(const Rational& q) { return q.str(); }

}  // namespace poolproof

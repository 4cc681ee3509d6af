// SPDX-License-Identifier: Apache-2.0
// Numbers written straight into their formats' fields, with integer arithmetic alone.
#pragma once

#include <poolproof/format.hpp>

#include <bit>

namespace poolproof::generate {

/// The value 2^exponent times 1.fraction, `fraction` having precision - 1 bits. Requires a normal exponent.
constexpr Bits float_bits(Format f, bool negative, int exponent, Bits fraction) {
    const Bits field = static_cast<Bits>(exponent) + static_cast<Bits>(max_exponent(f));
    return (negative ? sign_bit(f) : 0) | field << (precision(f) - 1) | fraction;
}

/// The whole number n, which the format must hold exactly. Negative numbers wrap in u8.
constexpr Bits integer_bits(Format f, Index n) {
    if (is_integer(f))
        return width(f) == 64 ? static_cast<Bits>(n) : static_cast<Bits>(n) & ((Bits{1} << width(f)) - 1);
    if (n == 0) return 0;
    const Bits m = static_cast<Bits>(n < 0 ? -n : n);
    const int exponent = static_cast<int>(std::bit_width(m)) - 1;
    // Rotated, the bits below the leading one stand at the top.
    const Bits fraction = std::rotr(m, exponent) >> (65 - precision(f));
    return float_bits(f, n < 0, exponent, fraction);
}

/// The unbiased exponent of a pattern; subnormals and zeros have the smallest normal one.
constexpr int exponent(Format f, Bits b) {
    const int field = static_cast<int>(magnitude(f, b) >> (precision(f) - 1));
    return (field == 0 ? 1 : field) - max_exponent(f);
}

constexpr bool is_subnormal(Format f, Bits b) {
    return !is_integer(f) && magnitude(f, b) != 0 && magnitude(f, b) >> (precision(f) - 1) == 0;
}

}  // namespace poolproof::generate

// SPDX-License-Identifier: Apache-2.0
#include "backends/values.hpp"

#include <cmath>

namespace poolproof::backends {

namespace {

double widened_narrow(Format f, Bits b) {
    const int fraction = precision(f) - 1;
    const auto biased = static_cast<int>(magnitude(f, b) >> fraction);
    const Bits hidden = biased == 0 ? 0 : Bits{1} << fraction;
    const Bits significand = (b & ((Bits{1} << fraction) - 1)) | hidden;
    return std::ldexp(static_cast<double>(significand), (biased == 0 ? 0 : biased - 1) + min_exponent(f));
}

/// Of a finite x, without its sign.
Bits narrowed_magnitude(Format f, double x) {
    const Bits b = magnitude(Format::f64, std::bit_cast<Bits>(x));
    const auto biased = static_cast<int>(b >> 52);
    if (biased == 0) return 0;  // a subnormal double is far below every narrow format
    const int exponent = biased - max_exponent(Format::f64);
    const int scale = exponent < min_normal_exponent(f) ? min_normal_exponent(f) : exponent;
    const int dropped = 53 - precision(f) + scale - exponent;
    if (dropped > 54) return 0;
    const Bits significand = (b & ((Bits{1} << 52) - 1)) | Bits{1} << 52;
    const Bits kept = significand >> dropped;
    const Bits rest = significand & ((Bits{1} << dropped) - 1), half = Bits{1} << (dropped - 1);
    const Bits up = rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0;
    // A carry out of the significand moves on to the exponent, as it should.
    const Bits r = (static_cast<Bits>(scale - min_normal_exponent(f)) << (precision(f) - 1)) + kept + up;
    return scale > max_exponent(f) || r > infinity_bits(f) ? infinity_bits(f) : r;
}

}  // namespace

double widened(Format f, Bits b) {
    if (is_integer(f)) return static_cast<double>(integer_value(f, b));
    if (f == Format::f64) return std::bit_cast<double>(b);
    if (f == Format::f32) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(b)));
    const double size = is_nan(f, b)        ? std::bit_cast<double>(quiet_nan_bits(Format::f64))
                        : is_infinite(f, b) ? std::bit_cast<double>(infinity_bits(Format::f64))
                                            : widened_narrow(f, b);
    return is_negative(f, b) ? -size : size;
}

Bits narrowed(Format f, double x) {
    if (f == Format::f64) return std::bit_cast<Bits>(x);
    if (f == Format::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(x));
    const Bits sign = std::signbit(x) ? sign_bit(f) : 0;
    if (std::isnan(x)) return sign | quiet_nan_bits(f);
    if (std::isinf(x)) return sign | infinity_bits(f);
    return sign | narrowed_magnitude(f, x);
}

}  // namespace poolproof::backends

// SPDX-License-Identifier: Apache-2.0
#include "oracle/expect/rounding.hpp"

#include <algorithm>

namespace poolproof {

namespace {

enum class Direction { nearest, toward_zero, away };

/// The magnitude pattern of |q| rounded on its format's grid. Steps are counted from zero, so that a carry
/// into the next binade, or into infinity, is the carry of an integer.
Bits magnitude_of(Format f, const Rational& size, Direction direction) {
    if (size.is_zero()) return 0;
    const Index e = std::max<Index>(exponent_of(size), min_normal_exponent(f));
    if (e > max_exponent(f)) return direction == Direction::toward_zero ? largest_bits(f) : infinity_bits(f);
    const Index unit = e - (precision(f) - 1);
    const Rational steps = size * power_of_two(-unit);
    Integer n = floor_of(steps);
    const Rational rest = steps - Rational(n);
    const int half = rest.compare(Rational(1, 2));
    const bool up = direction == Direction::away      ? !rest.is_zero()
                    : direction == Direction::nearest ? half > 0 || (half == 0 && (n & 1) != 0)
                                                      : false;
    if (up) ++n;
    const Bits below = static_cast<Bits>(e - min_normal_exponent(f)) << (precision(f) - 1);
    return below + n.convert_to<Bits>();
}

Bits rounded(Format f, const Rational& q, Direction direction) {
    return magnitude_of(f, abs(q), direction) | (sign(q) < 0 ? sign_bit(f) : 0);
}

/// The value halfway between a pattern and the one above it; past the largest finite, where infinity begins.
Rational halfway_above(Format f, Bits b) {
    const auto value = [&](Bits pattern) {
        if (!is_infinite(f, pattern)) return rational_value(f, pattern);
        const Rational beyond = power_of_two(max_exponent(f) + 1);
        return is_negative(f, pattern) ? Rational(-beyond) : beyond;
    };
    std::int64_t above = ordinal(f, b) + 1;
    if (above == -1) above = 0;  // from the least negative number to zero, past -0
    return (value(b) + value(bits_at(f, above))) / 2;
}

}  // namespace

Bits nearest(Format f, const Rational& q) { return rounded(f, q, Direction::nearest); }
Bits at_most(Format f, const Rational& q) {
    return rounded(f, q, sign(q) < 0 ? Direction::away : Direction::toward_zero);
}
Bits at_least(Format f, const Rational& q) {
    return rounded(f, q, sign(q) < 0 ? Direction::toward_zero : Direction::away);
}

std::pair<Bits, Bits> nearest(Format f, const Real& a) {
    for (const int bits : {100, 400, 2600}) {
        const auto [low, high] = enclose(a, bits);
        const Bits from = nearest(f, low), to = nearest(f, high);
        const bool one = from == to || (is_zero(f, from) && is_zero(f, to));
        if (one) return {to, to};
        if (steps_between(f, from, to) > 2) continue;
        const Rational halfway = halfway_above(f, from);
        if (halfway < low || halfway > high) continue;
        const auto side = compare(a, Real(halfway));
        if (!side) continue;
        const Bits b = *side == 0 ? nearest(f, halfway) : *side < 0 ? from : to;
        return {b, b};
    }
    const auto [low, high] = enclose(a, 2600);
    return {nearest(f, low), nearest(f, high)};
}

Integer rounded_mean(const Rational& q, IntegerMean rule) {
    const Integer below = floor_of(q);
    const Rational rest = q - Rational(below);
    if (rest.is_zero()) return below;
    const int half = rest.compare(Rational(1, 2));
    const Integer above = below + 1;
    switch (rule) {
        case IntegerMean::floor: return below;
        case IntegerMean::half_even: return half > 0 || (half == 0 && (below & 1) != 0) ? above : below;
        case IntegerMean::half_away: return half > 0 || (half == 0 && sign(q) > 0) ? above : below;
        case IntegerMean::toward_zero:
        case IntegerMean::open: break;
    }
    return sign(q) < 0 ? above : below;
}

std::optional<Bits> integer_pattern(Format f, const Integer& n) {
    const Integer least = numerator_of(rational_value(f, is_signed(f) ? sign_bit(f) : 0));
    const Integer beyond = least + (Integer(1) << static_cast<unsigned>(width(f)));
    if (n < least || n >= beyond) return std::nullopt;
    const Integer wrapped = sign(n) < 0 ? Integer(n + (Integer(1) << static_cast<unsigned>(width(f)))) : n;
    return wrapped.convert_to<Bits>();
}

}  // namespace poolproof

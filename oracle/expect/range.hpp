// SPDX-License-Identifier: Apache-2.0
// From the two ends of a range, each rounded to a pattern, to what is permitted there.
#pragma once

#include <poolproof/expected.hpp>

#include <optional>

namespace poolproof {

/// The ends of all that honest implementations may return, and what was true of them before they were
/// rounded.
struct RoundedEnds {
    Bits low = 0, high = 0;
    bool low_is_negative = false, high_is_positive = false;
    bool reaches_top = false, reaches_bottom = false;  ///< where a rounding to nearest gives an infinity
    bool overflow = false, minus_overflow = false;     ///< of an intermediate sum [BOver]
    bool vacuous = false;
    bool plus_zero = true, minus_zero = true;  ///< the signs that a zero may have
};

/// Nothing where the range would be empty.
inline std::optional<Permitted> permitted_between(Format f, RoundedEnds e, Subnormals subnormals) {
    const Bits least_normal = Bits{1} << (precision(f) - 1);
    if (subnormals == Subnormals::may_flush) {
        if (!e.low_is_negative && magnitude(f, e.low) <= least_normal) e.low = 0;
        if (!e.high_is_positive && magnitude(f, e.high) <= least_normal) e.high = 0;
    }
    Permitted p;
    p.vacuous = e.vacuous;
    p.infinity = e.overflow || e.reaches_top;
    p.minus_infinity = e.minus_overflow || e.reaches_bottom;
    p.nan = e.overflow && e.minus_overflow;
    if (e.low == infinity_bits(f) || e.high == (infinity_bits(f) | sign_bit(f)))
        return p;  // past the top, or the bottom
    if (is_infinite(f, e.high)) e.high = largest_bits(f);
    if (is_infinite(f, e.low)) e.low = largest_bits(f) | sign_bit(f);
    if (is_zero(f, e.low)) e.low = e.minus_zero ? sign_bit(f) : 0;
    if (is_zero(f, e.high)) e.high = e.plus_zero ? 0 : sign_bit(f);
    if (ordinal(f, e.low) > ordinal(f, e.high)) return std::nullopt;
    p.range = true;
    p.lowest = e.low;
    p.highest = e.high;
    return p;
}

/// What a correctly rounded value may be that lies between these two patterns: past the top it is the
/// infinity.
inline Permitted rounded_between(Format f, Bits low, Bits high) {
    Permitted p = Permitted::between(low, high);
    p.infinity = high == infinity_bits(f);
    p.minus_infinity = low == (infinity_bits(f) | sign_bit(f));
    p.range = low != infinity_bits(f) && high != (infinity_bits(f) | sign_bit(f));
    if (!p.range) p.lowest = p.highest = 0;
    if (p.range && p.infinity) p.highest = largest_bits(f);
    if (p.range && p.minus_infinity) p.lowest = largest_bits(f) | sign_bit(f);
    return p;
}

}  // namespace poolproof

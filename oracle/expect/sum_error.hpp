// SPDX-License-Identifier: Apache-2.0
// The bound of a sum as one formula, whatever it is evaluated in: intervals that decide, or doubles that are
// known to be near enough.
#pragma once

#include <poolproof/format.hpp>

namespace poolproof {

/// How many bits finer than the format a wider accumulator is at least: x87's 64 bits against 53.
inline constexpr int finer_by = 11;

/// What rounding may do to a sum of so many terms that are not 0, each scaled in so many roundings, relative
/// to the sum of the scaled terms' sizes [BSum], [BScale]. `growth(u, n)` is (1 + u)^n - 1 from above.
template <class N> N sum_factor(const N& u, Index terms, Index roundings) {
    // A compensated sum of three is off by 2u and a term of second order, wherever it stands [BComp].
    const N compensation = N(Index{terms > 2 ? 3 : 0}) * u * u;
    const N of_sum = growth(u + compensation, N(terms - 1));
    const N scaled = growth(u, N(roundings));
    return of_sum + scaled + of_sum * scaled;
}

/// The error of such a sum: `brought` is what its terms bring along, underflow included.
template <class N> N sum_error(const N& factor, const N& size, const N& brought) {
    return factor * size + brought + factor * brought;
}

/// Whether a format holds the whole number `size`, given with the number of its trailing zero bits.
constexpr bool holds_whole(Format f, Index bit_length, Index trailing_zeros) {
    return bit_length - trailing_zeros <= precision(f);
}

/// A scaling's roundings: none by a power of two; a division, or a rounded reciprocal and a product; and two
/// more in place of one where the divisor itself is rounded, since 1 / (1 - u) < (1 + u)^2 [BScale].
constexpr Index scaling_roundings(Format f, Index bit_length, Index trailing_zeros) {
    if (bit_length == trailing_zeros + 1) return 0;
    return holds_whole(f, bit_length, trailing_zeros) ? 2 : 4;
}

/// The roundings and scalings of a divisor, from those of the factors it is the product of.
struct ScaleCount {
    Index axis_by_axis = 0, factors = 0, scalings = 0;

    constexpr void add_factor(Format f, Index bit_length, Index trailing_zeros) {
        axis_by_axis += scaling_roundings(f, bit_length, trailing_zeros);
        if (bit_length != 1) ++scalings;
        ++factors;
    }
    /// Of the whole divisor, whose bits are given; not 1 or -1.
    constexpr Index roundings(Format f, Index bit_length, Index trailing_zeros) const {
        const Index whole = scaling_roundings(f, bit_length, trailing_zeros);
        // A product of factors that is itself rounded once per factor.
        const Index rounded = holds_whole(f, bit_length, trailing_zeros) ? 0 : 2 * factors;
        return (axis_by_axis > whole ? axis_by_axis : whole) + rounded;
    }
    constexpr Index least_scalings() const { return scalings > 1 ? scalings : 1; }
};

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// The number formats as bit patterns: their layout, their order, their edges. No arithmetic lives here.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace poolproof {

/// Sizes, positions and counts; signed, so that a coordinate left of the input is an ordinary number.
using Index = std::int64_t;

/// One element as its bit pattern, zero-extended; integers in two's complement of their own width.
using Bits = std::uint64_t;

enum class Format : std::uint8_t { f64, f32, f16, bf16, i8, u8, i32, i64 };

inline constexpr std::array<std::string_view, 8> format_names{"f64", "f32", "f16", "bf16",
                                                              "i8",  "u8",  "i32", "i64"};

constexpr std::string_view name(Format f) { return format_names[static_cast<std::size_t>(f)]; }

constexpr bool is_integer(Format f) { return f >= Format::i8; }

constexpr int width(Format f) {
    constexpr std::array<int, 8> bits{64, 32, 16, 16, 8, 8, 32, 64};
    return bits[static_cast<std::size_t>(f)];
}

constexpr Index bytes(Format f) { return width(f) / 8; }

constexpr bool is_signed(Format f) { return f != Format::u8; }

/// Significand bits with the hidden one (53 for f64). Floating formats only, as all that follows.
constexpr int precision(Format f) {
    constexpr std::array<int, 4> bits{53, 24, 11, 8};
    return bits[static_cast<std::size_t>(f)];
}

/// The largest e with 2^e finite.
constexpr int max_exponent(Format f) {
    constexpr std::array<int, 4> e{1023, 127, 15, 127};
    return e[static_cast<std::size_t>(f)];
}

constexpr int min_normal_exponent(Format f) { return 1 - max_exponent(f); }

/// The exponent of the smallest subnormal, which is the grid every finite value lies on.
constexpr int min_exponent(Format f) { return min_normal_exponent(f) - (precision(f) - 1); }

constexpr Bits sign_bit(Format f) { return Bits{1} << (width(f) - 1); }
constexpr Bits infinity_bits(Format f) {
    return ((Bits{1} << (width(f) - precision(f))) - 1) << (precision(f) - 1);
}
constexpr Bits largest_bits(Format f) { return infinity_bits(f) - 1; }
constexpr Bits quiet_nan_bits(Format f) { return infinity_bits(f) | Bits{1} << (precision(f) - 2); }

constexpr Bits magnitude(Format f, Bits b) { return b & (sign_bit(f) - 1); }
constexpr bool is_negative(Format f, Bits b) { return (b & sign_bit(f)) != 0; }
constexpr bool is_nan(Format f, Bits b) { return !is_integer(f) && magnitude(f, b) > infinity_bits(f); }
constexpr bool is_infinite(Format f, Bits b) { return !is_integer(f) && magnitude(f, b) == infinity_bits(f); }
constexpr bool is_zero(Format f, Bits b) { return is_integer(f) ? b == 0 : magnitude(f, b) == 0; }

/// Sign-extends an integer pattern. Requires an integer format.
constexpr std::int64_t integer_value(Format f, Bits b) {
    if (width(f) == 64 || !is_signed(f)) return static_cast<std::int64_t>(b);
    const int shift = 64 - width(f);
    return static_cast<std::int64_t>(b << shift) >> shift;
}

/// Where a non-NaN pattern sits on its format's number line. For floats -0 is the step just below +0;
/// infinities are the outermost steps.
constexpr std::int64_t ordinal(Format f, Bits b) {
    if (is_integer(f)) return integer_value(f, b);
    const auto m = static_cast<std::int64_t>(magnitude(f, b));
    return is_negative(f, b) ? -1 - m : m;
}

/// How many steps the number line takes from `low` up to `high`, neither of them NaN; `low` is not above
/// `high`.
constexpr std::uint64_t steps_between(Format f, Bits low, Bits high) {
    return static_cast<std::uint64_t>(ordinal(f, high)) - static_cast<std::uint64_t>(ordinal(f, low));
}

/// The pattern at an ordinal of a floating format; the inverse of `ordinal`.
constexpr Bits bits_at(Format f, std::int64_t ordinal) {
    return ordinal >= 0 ? static_cast<Bits>(ordinal) : static_cast<Bits>(-1 - ordinal) | sign_bit(f);
}

std::optional<Format> format_named(std::string_view name);

}  // namespace poolproof

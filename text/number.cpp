// SPDX-License-Identifier: Apache-2.0
// Numbers between text and patterns, each rounded once or not at all.
#include "text/json.hpp"

#include <poolproof/text.hpp>

#include <algorithm>
#include <charconv>

namespace poolproof {
namespace {

/// The pattern of +-m * 2^e; nothing if the format does not hold it exactly.
std::optional<Bits> float_pattern(Format f, bool negative, std::uint64_t m, std::int64_t e) {
    const Bits sign = negative ? sign_bit(f) : 0;
    if (m == 0) return sign;
    const int zeros = std::countr_zero(m);
    m >>= zeros;
    e += zeros;
    const int length = 64 - std::countl_zero(m);
    const std::int64_t top = e + length - 1;
    if (length > precision(f) || top > max_exponent(f) || e < min_exponent(f)) return std::nullopt;
    if (top < min_normal_exponent(f)) return sign | m << (e - min_exponent(f));
    const auto field = static_cast<Bits>(top - min_normal_exponent(f));  // the hidden bit adds one
    return sign | ((field << (precision(f) - 1)) + (m << (precision(f) - length)));
}

std::optional<Bits> integer_pattern(Format f, bool negative, std::uint64_t m) {
    const int size = is_signed(f) ? width(f) - 1 : width(f);
    const std::uint64_t most = (std::uint64_t{1} << size) - 1;
    if (m > most + (negative ? 1 : 0) || (negative && m != 0 && !is_signed(f))) return std::nullopt;
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - width(f));
    return (negative ? ~m + 1 : m) & all;
}

/// 0.d1d2.. * 10^point, neither the first digit nor the last one zero; without digits it is zero. Requires a
/// JSON number. The point saturates far beyond every format.
struct Decimal {
    explicit Decimal(std::string_view text) {
        constexpr std::int64_t far = std::int64_t{1} << 40;
        negative = text[0] == '-';
        if (negative) text.remove_prefix(1);
        if (const std::size_t e = text.find_first_of("eE"); e != text.npos) {
            std::string_view exponent = text.substr(e + 1);
            const bool below = exponent[0] == '-';
            if (below || exponent[0] == '+') exponent.remove_prefix(1);
            for (const char c : exponent) point = std::min(far, point * 10 + (c - '0'));
            if (below) point = -point;
            text = text.substr(0, e);
        }
        const std::size_t dot = std::min(text.find('.'), text.size());
        point += static_cast<std::int64_t>(dot);
        digits = text.substr(0, dot);
        if (dot < text.size()) digits += text.substr(dot + 1);
        const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size());
        point -= static_cast<std::int64_t>(first);
        digits.erase(0, first);
        digits.erase(digits.find_last_not_of('0') + 1);
    }

    bool negative = false;
    std::string digits;
    std::int64_t point = 0;
};

/// The sign of |x| - value.
int compared(const Decimal& x, double value) {
    std::array<char, 1100> buffer;  // a double has at most 767 digits
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                   std::chars_format::scientific, 1000);
    const Decimal y(std::string_view(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data())));
    if (x.point != y.point) return x.point < y.point ? -1 : 1;
    return x.digits.compare(y.digits);
}

/// The decimal rounded to 11 or 8 bits, by way of its nearest double. Both lie on the same side of every
/// midpoint unless the double is one; then the digits decide.
std::optional<Bits> narrowed(Format f, const Decimal& x, double value) {
    const auto bits = std::bit_cast<Bits>(value) & (sign_bit(Format::f64) - 1);
    const Bits field = std::max<Bits>(bits >> 52, 1);
    const Bits m = (bits & ((Bits{1} << 52) - 1)) | (bits >> 52 != 0 ? Bits{1} << 52 : 0);
    const int e = static_cast<int>(field) - 1075;
    const int top = e + 63 - std::countl_zero(m | 1);
    const int shift = std::max(top - precision(f) + 1, min_exponent(f)) - e;
    if (shift <= 0) return float_pattern(f, x.negative, m, e);
    if (shift > 54) return float_pattern(f, x.negative, 0, 0);
    const Bits half = Bits{1} << (shift - 1), rest = m & (2 * half - 1), kept = m >> shift;
    int side = rest < half ? -1 : rest > half ? 1 : compared(x, value < 0 ? -value : value);
    if (side == 0) side = kept % 2 == 0 ? -1 : 1;
    return float_pattern(f, x.negative, kept + (side > 0 ? 1 : 0), e + shift);
}

template <class Float> std::optional<Float> nearest_float(const Decimal& x, std::string_view text) {
    Float value = 0;
    if (x.point < -400 || x.digits.empty()) return x.negative ? -value : value;
    if (x.point > 400) return std::nullopt;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec == std::errc::result_out_of_range) {
        if (x.point > 0) return std::nullopt;
        value = x.negative ? -Float{0} : Float{0};
    }
    if (value - value != 0) return std::nullopt;
    return value;
}

/// m * 2^e with m odd, or 0.
struct Dyadic {
    std::uint64_t m = 0;
    std::int64_t e = 0;
};

/// The decimal exponent behind a `p`, saturated; nothing if it is malformed.
std::optional<std::int64_t> binary_exponent(std::string_view text) {
    const bool below = !text.empty() && text[0] == '-';
    if (below || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
    if (text.empty()) return std::nullopt;
    std::int64_t e = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        e = std::min(std::int64_t{1} << 40, e * 10 + (c - '0'));
    }
    return below ? -e : e;
}

/// What follows `0x`; nothing if it is malformed or longer than 64 significant bits.
std::optional<Dyadic> hex_significand(std::string_view text) {
    Dyadic out;
    if (const std::size_t p = text.find_first_of("pP"); p != text.npos) {
        const std::optional<std::int64_t> e = binary_exponent(text.substr(p + 1));
        if (!e) return std::nullopt;
        out.e = *e;
        text = text.substr(0, p);
    }
    bool any = false, point = false;
    std::int64_t pending = 0;  // zero bits seen since the last one bit
    for (const char c : text) {
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        const int digit = text::hex_digit(c);
        if (digit < 0) return std::nullopt;
        any = true;
        if (point) out.e -= 4;
        pending += 4;
        if (digit == 0) continue;
        const int zeros = std::countr_zero(static_cast<unsigned>(digit));
        const std::int64_t shift = pending - zeros;
        if (out.m != 0 && shift > std::countl_zero(out.m)) return std::nullopt;
        out.m = (out.m != 0 ? out.m << shift : 0) | static_cast<unsigned>(digit >> zeros);
        pending = zeros;
    }
    if (!any) return std::nullopt;
    out.e += pending;
    return out;
}

bool is_decimal_integer(std::string_view text) {
    if (!text.empty() && text[0] == '-') text.remove_prefix(1);
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

std::optional<Bits> integer_pattern(Format f, const Decimal& x) {
    const auto count = static_cast<std::int64_t>(x.digits.size());
    if (count == 0) return Bits{0};
    if (x.point < count || x.point > 19) return std::nullopt;
    std::uint64_t m = 0;  // 19 digits fit
    for (std::int64_t i = 0; i < x.point; ++i) {
        const int digit = i < count ? x.digits[static_cast<std::size_t>(i)] - '0' : 0;
        m = m * 10 + static_cast<std::uint64_t>(digit);
    }
    return integer_pattern(f, x.negative, m);
}

}  // namespace

std::string hex_float(Format f, Bits b) {
    if (is_integer(f)) return std::to_string(integer_value(f, b));
    if (is_nan(f, b)) return "nan";
    std::string out = is_negative(f, b) ? "-" : "";
    if (is_infinite(f, b)) return out + "inf";
    if (is_zero(f, b)) return out + "0x0p+0";
    const Bits m = magnitude(f, b), field = m >> (precision(f) - 1);
    int e = field != 0 ? static_cast<int>(field) - 1 + min_normal_exponent(f) : min_exponent(f);
    Bits rest = field != 0 ? m << (65 - precision(f)) : 0;  // the fraction, from the top bit down
    if (field == 0) {
        const int zeros = std::countl_zero(m);
        e += 63 - zeros;
        rest = zeros < 63 ? m << (zeros + 1) : 0;
    }
    out += rest != 0 ? "0x1." : "0x1";
    for (; rest != 0; rest <<= 4) out += "0123456789abcdef"[rest >> 60];
    out += e < 0 ? "p" : "p+";
    return out + std::to_string(e);
}

std::optional<Bits> rounded_number(Format f, std::string_view text) {
    if (text.empty() || text::number_length(text) != text.size()) return std::nullopt;
    const Decimal x(text);
    if (is_integer(f)) return integer_pattern(f, x);
    if (f == Format::f32) {
        const std::optional<float> value = nearest_float<float>(x, text);
        return value ? std::optional<Bits>(std::bit_cast<std::uint32_t>(*value)) : std::nullopt;
    }
    const std::optional<double> value = nearest_float<double>(x, text);
    if (!value) return std::nullopt;
    return f == Format::f64 ? std::bit_cast<Bits>(*value) : narrowed(f, x, *value);
}

std::optional<Bits> exact_number(Format f, std::string_view text) {
    if (is_integer(f) && is_decimal_integer(text)) return integer_pattern(f, Decimal(text));
    if (!is_integer(f)) {
        if (text == "nan") return quiet_nan_bits(f);
        if (text == "inf") return infinity_bits(f);
        if (text == "-inf") return infinity_bits(f) | sign_bit(f);
    }
    const bool negative = !text.empty() && text[0] == '-';
    if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
    if (text.size() < 3 || text[0] != '0' || (text[1] != 'x' && text[1] != 'X')) return std::nullopt;
    const std::optional<Dyadic> x = hex_significand(text.substr(2));
    if (!x) return std::nullopt;
    if (!is_integer(f)) return float_pattern(f, negative, x->m, x->e);
    if (x->m == 0) return Bits{0};
    if (x->e < 0 || x->e > std::countl_zero(x->m)) return std::nullopt;
    return integer_pattern(f, negative, x->m << x->e);
}

}  // namespace poolproof

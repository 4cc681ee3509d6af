// SPDX-License-Identifier: Apache-2.0
#include <poolproof/text.hpp>

#include <array>

namespace poolproof {

namespace {

constexpr std::uint8_t delete_sign = 0x7F;

bool is_control(std::uint8_t b) { return (b < ' ' && b != '\n' && b != '\t') || b == delete_sign; }

/// U+0080 to U+009F in UTF-8, which terminals obey as well.
bool is_high_control(std::uint8_t b, std::uint8_t after) {
    return b == 0xC2 && after >= 0x80 && after < 0xA0;
}

void append_escaped(std::string& out, std::uint8_t b) {
    constexpr std::string_view digits = "0123456789abcdef";
    out += "\\x";
    out += digits[b >> 4];
    out += digits[b & 15];
}

}  // namespace

std::string printable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t k = 0; k < text.size(); ++k) {
        const auto b = static_cast<std::uint8_t>(text[k]);
        const auto after = k + 1 < text.size() ? static_cast<std::uint8_t>(text[k + 1]) : std::uint8_t{0};
        if (is_high_control(b, after)) {
            append_escaped(out, after);
            ++k;
        } else if (is_control(b)) {
            append_escaped(out, b);
        } else {
            out += text[k];
        }
    }
    return out;
}

}  // namespace poolproof

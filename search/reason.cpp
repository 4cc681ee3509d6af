// SPDX-License-Identifier: Apache-2.0
#include "search/reason.hpp"

#include <poolproof/search.hpp>

#include <array>
#include <cctype>

namespace poolproof {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Past the number that begins at `at`; `at` itself where none does.
std::size_t past_number(const std::string& s, std::size_t at) {
    std::size_t end = at;
    if (s[end] == '-' || s[end] == '+') ++end;
    if (end == s.size() || !is_digit(s[end])) return at;
    const bool hexadecimal = s.compare(end, 2, "0x") == 0;
    for (end += hexadecimal ? 2 : 0; end < s.size(); ++end) {
        const char c = s[end];
        if (is_digit(c) || (hexadecimal && std::isxdigit(static_cast<unsigned char>(c)) != 0)) continue;
        const bool fraction = c == '.' && end + 1 < s.size() && is_digit(s[end + 1]);
        if (!fraction) break;
    }
    return end;
}

/// Whether the text ends in a `#` and then nothing but what stands between the numbers of a list, of which it
/// is cut free.
bool continues_list(std::string& text) {
    const std::size_t last = text.find_last_not_of(" ,x*");
    if (last == std::string::npos || text[last] != '#') return false;
    text.resize(last + 1);
    return true;
}

}  // namespace

std::string without_numbers(const std::string& s) {
    std::string r;
    for (std::size_t k = 0; k < s.size();) {
        const std::size_t end = past_number(s, k);
        if (end == k) {
            r += s[k++];
            continue;
        }
        if (!continues_list(r)) r += '#';
        k = end;
    }
    return r;
}

std::string search::reason(const Observation& o, const Verdict& v) {
    static constexpr std::array<const char*, 5> kinds{"answered", "declined", "rejected", "failed", "broke"};
    constexpr std::size_t longest = 120;  // a report may follow, which tells runs apart and not faults
    std::string r;
    if (v.outcome == Outcome::broke)
        r = "broke: " + v.why.substr(0, v.why.find("; "));  // what follows is how it was looked into
    else if (o.kind != Observation::Kind::answered)
        r = std::string(kinds[static_cast<std::size_t>(o.kind)]) + ": " + o.why;
    r = without_numbers(r.substr(0, r.find('\n')));
    return r.substr(0, longest);
}

}  // namespace poolproof

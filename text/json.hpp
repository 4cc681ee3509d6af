// SPDX-License-Identifier: Apache-2.0
// A strict JSON reader. Our own because cases need what common ones blur: a repeated key is rejected, -0
// keeps its sign and a long number its digits. Numbers therefore stay text until someone knows their format.
#pragma once

#include <poolproof/rejection.hpp>

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace poolproof::text {

inline constexpr int max_depth = 32;

/// One value of a document. Its text lies in the line it was read from, or in the document if it had escapes.
class Json {
public:
    enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

    Kind kind() const { return kind_; }
    bool is(Kind k) const { return kind_ == k; }
    bool truth() const { return truth_; }            ///< of a boolean
    std::string_view text() const { return text_; }  ///< a number as written, a string's characters

    /// The elements of an array, or the values of an object in the order of `names`; empty for all else.
    const std::vector<Json>& items() const;
    const std::vector<std::string_view>& names() const;

    /// The value of an object's field; null if it has none.
    const Json* find(std::string_view name) const;

private:
    friend class Parser;
    struct Children;
    struct Release {
        void operator()(Children* c) const;
    };

    Kind kind_ = Kind::null;
    bool truth_ = false;
    std::string_view text_;
    std::unique_ptr<Children, Release> children_;
};

/// A line's value and the strings that had to be decoded. Requires the line to outlive it.
struct Document {
    Json root;
    std::list<std::string> decoded;
};

/// Reads one complete JSON value. Rejected, with the byte's offset: anything RFC 8259 does not allow,
/// repeated keys, text that is not UTF-8, lone surrogates, more than `max_depth` levels, and text after the
/// value.
Checked<Document> parse(std::string_view line);

/// The length of the JSON number that `s` begins with; 0 if it begins with none.
std::size_t number_length(std::string_view s);

/// The value of a hex digit of either case; -1 for anything else.
constexpr int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// The length of the UTF-8 sequence that `s` begins with; 0 if it is malformed or `s` is empty.
std::size_t utf8_length(std::string_view s);

}  // namespace poolproof::text

// SPDX-License-Identifier: Apache-2.0
// The few pieces that every writer of JSON here shares.
#pragma once

#include <poolproof/text.hpp>

#include <string>

namespace poolproof::text {

/// The items' texts with commas between them.
template <class Range, class Text> std::string joined(const Range& items, Text text) {
    std::string out;
    bool first = true;
    for (const auto& item : items) {
        if (!first) out += ',';
        first = false;
        out += text(item);
    }
    return out;
}

template <class Range, class Text> std::string list(const Range& items, Text text) {
    return "[" + joined(items, text) + "]";
}

/// A pattern as JSON: a number for integer formats, else a string.
inline std::string element(Format f, Bits b) {
    return is_integer(f) ? hex_float(f, b) : '"' + hex_float(f, b) + '"';
}

}  // namespace poolproof::text

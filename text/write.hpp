// SPDX-License-Identifier: Apache-2.0
// The few pieces that every writer of JSON here shares.
#pragma once

#include <poolproof/text.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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

/// Where tensors go that a message carries beside its JSON.
using Body = std::vector<std::uint8_t>;

/// As `write_tensor` and `write_case`; with a body the tensors' bytes go there, each at a multiple of 8, and
/// the JSON says where.
std::string tensor_text(const Tensor& t, TensorForm form, Body* body);
std::string case_text(const Case& c, TensorForm form, Body* body);

/// Fields of an object in the order they are added.
class ObjectWriter {
public:
    ObjectWriter() {
        out_.reserve(usual_length);
        out_ = '{';
    }
    void add(std::string_view name, std::string_view value) {
        out_ += out_.size() > 1 ? ",\"" : "\"";
        out_ += name;
        out_ += "\":";
        out_ += value;
    }
    void add_string(std::string_view name, std::string_view value) { add(name, json_string(value)); }
    bool empty() const { return out_.size() == 1; }
    /// The object, which ends the writing.
    std::string text() { return std::move(out_ += '}'); }

private:
    static constexpr std::size_t usual_length = 240;
    std::string out_;
};

/// The choices that are made, as an object.
std::string policy_text(const Choices& choices);

}  // namespace poolproof::text

// SPDX-License-Identifier: Apache-2.0
// NumPy's array files, version 1.0: little-endian and in C order. bf16, which NumPy does not have, is its bit
// patterns as u2.
#include "text/write.hpp"

#include <poolproof/text.hpp>

#include <algorithm>

namespace poolproof {

namespace {

constexpr std::string_view magic = "\x93NUMPY\x01";
constexpr std::size_t before_header = 10;

std::string_view descriptor(Format f) {
    switch (f) {
        case Format::f64: return "<f8";
        case Format::f32: return "<f4";
        case Format::f16: return "<f2";
        case Format::bf16: return "<u2";
        case Format::i8: return "|i1";
        case Format::u8: return "|u1";
        case Format::i32: return "<i4";
        case Format::i64: break;
    }
    return "<i8";
}

Rejection refused(std::string field, std::string reason) {
    return {"npy." + field, std::move(reason), "write it with numpy.save, in C order and little-endian"};
}

/// What follows a key of the header up to the end of its value, or nothing.
std::optional<std::string_view> value_of(std::string_view header, std::string_view key, std::string_view open,
                                         char close) {
    std::size_t at = header.find(key);
    if (at == std::string_view::npos) return std::nullopt;
    at = header.find_first_not_of(" :", at + key.size());
    if (at == std::string_view::npos || header.substr(at, open.size()) != open) return std::nullopt;
    const std::size_t end = header.find(close, at + open.size());
    if (end == std::string_view::npos) return std::nullopt;
    return header.substr(at + open.size(), end - at - open.size());
}

std::optional<Shape> shape_of(std::string_view text) {
    Shape shape;
    Index n = 0;
    bool digits = false;
    for (const char c : std::string(text) + ",") {
        if (c >= '0' && c <= '9') {
            n = n * 10 + (c - '0');
            digits = true;
            if (n > max_elements) return std::nullopt;
        } else if (c == ',') {
            if (digits) shape.push_back(n);
            n = 0;
            digits = false;
        } else if (c != ' ') {
            return std::nullopt;
        }
    }
    return shape;
}

}  // namespace

std::string write_npy(const Tensor& t) {
    std::string header = "{'descr': '" + std::string(descriptor(t.format)) +
                         "', 'fortran_order': False, 'shape': (" +
                         text::joined(t.shape, [](Index i) { return std::to_string(i); }) +
                         (t.shape.size() == 1 ? ",), }" : "), }");
    header.append(63 - (before_header + header.size()) % 64, ' ');
    header += '\n';
    std::string out(magic);
    out += '\0';
    out += static_cast<char>(header.size() & 255);
    out += static_cast<char>(header.size() >> 8);
    out += header;
    out.append(reinterpret_cast<const char*>(t.data.data()), t.data.size());
    return out;
}

Checked<Tensor> read_npy(std::string_view bytes, Format format) {
    if (bytes.size() < before_header || bytes.substr(0, 6) != magic.substr(0, 6))
        return refused("magic", "this is not an array file");
    if (bytes[6] != 1) return refused("version", "found " + std::to_string(bytes[6]) + ", expected 1");
    const auto byte = [&](std::size_t k) {
        return static_cast<std::size_t>(static_cast<unsigned char>(bytes[k]));
    };
    const std::size_t header_bytes = byte(8) | byte(9) << 8;
    if (bytes.size() - before_header < header_bytes) return refused("header", "the file ends within it");
    const std::string_view header = bytes.substr(before_header, header_bytes);
    const std::string_view data = bytes.substr(before_header + header_bytes);
    const auto type = value_of(header, "'descr'", "'", '\'');
    if (type != descriptor(format))
        return refused("descr", "found " + std::string(type.value_or("nothing")) + ", expected " +
                                    std::string(descriptor(format)) + " for " + std::string(name(format)));
    if (header.find("'fortran_order': False") == std::string_view::npos)
        return refused("fortran_order", "expected False");
    const auto list = value_of(header, "'shape'", "(", ')');
    const auto shape = list ? shape_of(*list) : std::nullopt;
    const auto size = shape ? valid_size(*shape) : std::nullopt;
    if (!size) return refused("shape", "it cannot be read, or is beyond the limits");
    const auto expected = static_cast<std::size_t>(*size * poolproof::bytes(format));
    if (data.size() != expected)
        return refused(
            "data", "found " + std::to_string(data.size()) + " bytes, expected " + std::to_string(expected));
    Tensor t(format, *shape);
    std::copy(data.begin(), data.end(), t.data.begin());
    return t;
}

}  // namespace poolproof

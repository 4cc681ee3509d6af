// SPDX-License-Identifier: Apache-2.0
#include "text/tensor_reader.hpp"

#include <poolproof/text.hpp>

#include <array>

namespace poolproof::text {
namespace {

constexpr Index max_body_offset = Index{1} << 40;

std::optional<Bits> element(const Json& value, Format format) {
    if (value.is(Json::Kind::string)) return exact_number(format, value.text());
    if (value.is(Json::Kind::number)) return rounded_number(format, value.text());
    return std::nullopt;
}

enum class Wanted : std::uint8_t { any, finite };

void reject_element(const Json& value, std::string path, Format format, Wanted wanted, Reading& reading) {
    const bool finite = wanted == Wanted::finite;
    const std::string dtype(name(format));
    std::string expected, remedy;
    if (is_integer(format)) {
        expected = "a whole number that " + dtype + " holds";
        remedy = "write an integer, or choose a wider dtype";
    } else if (value.is(Json::Kind::number)) {
        expected = "a number that " + dtype + " can round to";
        remedy = finite ? "write a smaller number" : "write a smaller number, \"inf\" or \"-inf\"";
    } else {
        expected =
            "a hex float that " + dtype + " holds exactly" + (finite ? "" : ", \"inf\", \"-inf\" or \"nan\"");
        remedy = "write a hex float such as \"0x1.8p+0\", or a JSON number to have it rounded";
    }
    reading.reject(std::move(path), "found " + shown(value) + ", expected " + expected, std::move(remedy));
}

bool length_fits(const std::string& path, std::size_t found, Index expected, const char* unit,
                 Reading& reading) {
    if (static_cast<Index>(found) == expected) return true;
    reading.reject(path,
                   "found " + std::to_string(found) + " " + unit + ", expected " + std::to_string(expected),
                   "make the data fill the shape exactly");
    return false;
}

Tensor from_data(const Json& data, const std::string& path, Format format, Shape shape, Index size,
                 Reading& reading) {
    if (!data.is(Json::Kind::array)) {
        reading.reject(path, "found " + shown(data) + ", expected a list of values",
                       "write the values in brackets");
        return {};
    }
    const std::vector<Json>& items = data.items();
    if (!length_fits(path, items.size(), size, "values", reading)) return {};
    Tensor tensor(format, std::move(shape));
    for (Index i = 0; i < size; ++i) {
        const Json& item = items[static_cast<std::size_t>(i)];
        const std::optional<Bits> bits = element(item, format);
        if (!bits) {
            reject_element(item, path + "[" + std::to_string(i) + "]", format, Wanted::any, reading);
            return {};
        }
        tensor.set(i, *bits);
    }
    return tensor;
}

Tensor from_bits(const Json& bits, const std::string& path, Format format, Shape shape, Index size,
                 Reading& reading) {
    if (!bits.is(Json::Kind::string)) {
        reading.reject(path, "found " + shown(bits) + ", expected a string of hex digits",
                       "write the little-endian bytes in hex");
        return {};
    }
    const std::string_view digits = bits.text();
    if (!length_fits(path, digits.size(), 2 * bytes(format) * size, "hex digits", reading)) return {};
    static constexpr auto values = [] {
        std::array<std::int16_t, 256> all{};
        for (std::size_t c = 0; c < all.size(); ++c)
            all[c] = static_cast<std::int16_t>(hex_digit(static_cast<char>(c)));
        return all;
    }();
    const auto value = [&](std::size_t i) { return values[static_cast<unsigned char>(digits[i])]; };
    Tensor tensor(format, std::move(shape));
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        const int high = value(i), low = value(i + 1);
        if ((high | low) < 0) {
            const std::size_t at = high < 0 ? i : i + 1;
            reading.reject(path,
                           "found " + shown(digits.substr(at, 1)) + " at position " + std::to_string(at) +
                               ", expected a hex digit",
                           "write the little-endian bytes in hex");
            return {};
        }
        tensor.data[i / 2] = static_cast<std::uint8_t>(high << 4 | low);
    }
    return tensor;
}

/// The bytes of a tensor that lies in the message's body.
Tensor from_body(Fields& fields, std::string_view body, Format format, Shape shape, Index size,
                 Reading& reading) {
    const auto at = fields.integer("at", max_body_offset), length = fields.integer("size", max_body_offset);
    if (!at || !length || reading.failed()) {
        reading.reject(fields.path("at"), "has no place in the body", "write at and size");
        return {};
    }
    if (!length_fits(fields.path("size"), static_cast<std::size_t>(*length), bytes(format) * size, "bytes",
                     reading))
        return {};
    const auto begin = static_cast<std::uint64_t>(*at), n = static_cast<std::uint64_t>(*length);
    if (*at < 0 || begin > body.size() || n > body.size() - begin) {
        reading.reject(fields.path("at"),
                       "found " + std::to_string(*at) + " and size " + std::to_string(*length) +
                           ", expected a place in the body of " + std::to_string(body.size()) + " bytes",
                       "point into the message's own body");
        return {};
    }
    Tensor tensor(format, std::move(shape));
    if (n > 0) std::memcpy(tensor.data.data(), body.data() + begin, n);
    return tensor;
}

}  // namespace

std::string shown(const Shape& shape) {
    std::string out = "[";
    for (const Index extent : shape) out += (out.size() > 1 ? "," : "") + std::to_string(extent);
    return out + "]";
}

std::optional<Index> checked_size(const std::string& path, const Shape& shape, Reading& reading) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] >= 0) continue;
        reading.reject(path + "[" + std::to_string(i) + "]",
                       "found " + std::to_string(shape[i]) + ", expected 0 or more", "write the axis's size");
        return std::nullopt;
    }
    const std::optional<Index> size = valid_size(shape);
    if (size) return size;
    if (shape.size() > static_cast<std::size_t>(max_rank))
        reading.reject(
            path,
            "found rank " + std::to_string(shape.size()) + ", expected at most " + std::to_string(max_rank),
            "write fewer axes");
    else
        reading.reject(path,
                       "found " + shown(shape) + ", expected at most " + std::to_string(max_elements) +
                           " elements, an empty axis counted as 1",
                       "write a smaller shape");
    return std::nullopt;
}

std::optional<Bits> number_at(const Json& value, const std::string& path, Format format, Reading& reading) {
    const std::optional<Bits> bits = element(value, format);
    if (!bits) reject_element(value, path, format, Wanted::finite, reading);
    return bits;
}

Tensor tensor_at(const Json& json, const std::string& path, Format format, Reading& reading, Dtype dtype) {
    Fields fields(json, path, reading);
    if (const auto named = fields.choice("dtype", format_names)) {
        const Format own = static_cast<Format>(*named);
        if (own != format && dtype == Dtype::of_case) {
            reading.reject(
                fields.path("dtype"),
                "found " + shown(name(own)) + ", expected the case's dtype " + std::string(name(format)),
                "write the case's \"dtype\", which defaults to f64, and leave the tensor's out");
        }
        format = own;
    }
    fields.required("shape", "write the size of every axis");
    const Shape shape = fields.integers("shape").value_or(Shape{});
    const Json* data = fields.find("data");
    const Json* bits = fields.find("bits");
    const bool attached = reading.body && fields.find("at") != nullptr && data == nullptr && bits == nullptr;
    if (attached) fields.find("size");
    if (dtype == Dtype::of_case) fields.close();
    if (!attached && (data == nullptr) == (bits == nullptr)) {
        reading.reject(path, data == nullptr ? "has neither data nor bits" : "has both data and bits",
                       "write exactly one of the two");
    }
    if (reading.failed()) return {};
    const std::optional<Index> size = checked_size(fields.path("shape"), shape, reading);
    if (!size) return {};
    if (attached) return from_body(fields, *reading.body, format, shape, *size, reading);
    return data != nullptr ? from_data(*data, fields.path("data"), format, shape, *size, reading)
                           : from_bits(*bits, fields.path("bits"), format, shape, *size, reading);
}

}  // namespace poolproof::text

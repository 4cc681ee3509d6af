// SPDX-License-Identifier: Apache-2.0
#include "text/fields.hpp"

#include <poolproof/text.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace poolproof::text {

void Reading::reject(std::string field, std::string reason, std::string remedy) {
    if (!rejection) rejection = Rejection{std::move(field), std::move(reason), std::move(remedy)};
}

namespace {

constexpr std::size_t shown_limit = 40, usual_fields = 20;

std::string clipped(std::string_view number) {
    return std::string(number.substr(0, shown_limit)) + (number.size() > shown_limit ? "..." : "");
}

/// A number of a few digits and nothing else, which most are.
std::optional<Index> short_integer(const Json& value, Index limit) {
    const std::string_view text = value.text();
    if (!value.is(Json::Kind::number) || text.size() > 9) return std::nullopt;
    Index number = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        number = 10 * number + (c - '0');
    }
    return number <= limit ? std::optional(number) : std::nullopt;
}

/// Whether a number, whole or not, is larger in size than the limit.
bool is_beyond(std::string_view number, Index limit) {
    const std::optional<Bits> bits = rounded_number(Format::f64, number);
    return !bits || std::abs(std::bit_cast<double>(*bits)) > static_cast<double>(limit);
}

}  // namespace

std::string shown(std::string_view value) {
    if (value.size() <= shown_limit) return json_string(value);
    std::size_t end = shown_limit;
    while (end > shown_limit - 4 && (static_cast<unsigned char>(value[end]) & 0xC0) == 0x80) --end;
    return json_string(value.substr(0, end)) + "...";
}

std::string shown(const Json& value) {
    const std::string count = std::to_string(value.items().size());
    switch (value.kind()) {
        case Json::Kind::null: return "null";
        case Json::Kind::boolean: return value.truth() ? "true" : "false";
        case Json::Kind::number: return clipped(value.text());
        case Json::Kind::string: return shown(value.text());
        case Json::Kind::array: return "a list of length " + count;
        case Json::Kind::object: return "an object of " + count + " fields";
    }
    return {};
}

std::string listed(std::span<const std::string_view> names) {
    std::string out;
    for (const std::string_view name : names) {
        if (!out.empty()) out += ", ";
        out += name;
    }
    return out;
}

Fields::Fields(const Json& json, std::string path, Reading& reading)
    : json_(json), path_(std::move(path)), reading_(reading) {
    known_.reserve(usual_fields);
    if (json.is(Json::Kind::object)) return;
    reading.reject(path_.empty() ? "json" : path_, "found " + shown(json) + ", expected an object",
                   "write fields in braces");
}

std::string Fields::path(std::string_view name) const {
    return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
}

const Json* Fields::find(std::string_view name) {
    known_.push_back(name);
    return json_.find(name);
}

const Json* Fields::required(std::string_view name, std::string_view remedy) {
    const Json* value = find(name);
    if (value == nullptr) reading_.reject(path(name), "missing", std::string(remedy));
    return value;
}

const Json* Fields::typed(std::string_view name, Json::Kind kind, const char* expected) {
    const Json* value = find(name);
    if (value == nullptr || value->is(kind)) return value;
    std::string remedy = value->is(Json::Kind::null) ? "leave the field out where it has no value"
                                                     : "write " + std::string(expected);
    reading_.reject(path(name), "found " + shown(*value) + ", expected " + expected, std::move(remedy));
    return nullptr;
}

std::optional<bool> Fields::boolean(std::string_view name) {
    const Json* value = typed(name, Json::Kind::boolean, "true or false");
    return value != nullptr ? std::optional(value->truth()) : std::nullopt;
}

std::optional<std::string> Fields::string(std::string_view name) {
    const Json* value = typed(name, Json::Kind::string, "a string");
    return value != nullptr ? std::optional(std::string(value->text())) : std::nullopt;
}

std::optional<double> Fields::number(std::string_view name) {
    const Json* value = typed(name, Json::Kind::number, "a number");
    if (value == nullptr) return std::nullopt;
    const std::optional<Bits> bits = rounded_number(Format::f64, value->text());
    if (bits) return std::bit_cast<double>(*bits);
    reading_.reject(path(name), "found " + shown(*value) + ", expected a number that a double holds",
                    "write a smaller number");
    return std::nullopt;
}

std::optional<Index> Fields::integer(std::string_view name, Index limit) {
    const Json* value = find(name);
    if (value == nullptr) return std::nullopt;
    const auto short_way = short_integer(*value, limit);
    return short_way ? short_way : integer_at(*value, path(name), reading_, limit);
}

std::optional<std::vector<Index>> Fields::integers(std::string_view name, Index limit) {
    const Json* list = typed(name, Json::Kind::array, "a list of integers");
    if (list == nullptr) return std::nullopt;
    std::vector<Index> values;
    values.reserve(list->items().size());
    for (const Json& item : list->items()) {
        if (const auto short_way = short_integer(item, limit)) {
            values.push_back(*short_way);
            continue;
        }
        const std::string place = path(name) + "[" + std::to_string(values.size()) + "]";
        const std::optional<Index> value = integer_at(item, place, reading_, limit);
        if (!value) return std::nullopt;
        values.push_back(*value);
    }
    return values;
}

std::optional<std::size_t> Fields::choice(std::string_view name, std::span<const std::string_view> values) {
    const Json* value = typed(name, Json::Kind::string, "a string");
    if (value == nullptr) return std::nullopt;
    const auto hit = std::find(values.begin(), values.end(), value->text());
    if (hit != values.end()) return static_cast<std::size_t>(hit - values.begin());
    const auto near = nearest(value->text(), values);
    reading_.reject(path(name), "found " + shown(*value) + ", expected one of " + listed(values),
                    near ? "did you mean " + json_string(*near) + "?" : "write one of them");
    return std::nullopt;
}

void Fields::close() {
    for (const std::string_view name : json_.names()) {
        if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
        std::vector<std::string_view> known;
        for (const std::string_view one : known_)
            if (std::find(known.begin(), known.end(), one) == known.end()) known.push_back(one);
        const auto near = nearest(name, known);
        const std::string remedy = near ? "did you mean " + json_string(*near) + "?" : "remove it";
        std::string label = shown(name);
        if (!name.empty()) label.erase(std::remove(label.begin(), label.end(), '"'), label.end());
        reading_.reject(path(label), "unknown field; known here are " + listed(known), remedy);
        return;
    }
}

std::optional<Index> integer_at(const Json& value, const std::string& path, Reading& reading, Index limit) {
    if (value.is(Json::Kind::number)) {
        const std::optional<Bits> bits = rounded_number(Format::i64, value.text());
        const Index number = bits ? integer_value(Format::i64, *bits) : 0;
        if (bits && -limit <= number && number <= limit) return number;
        if (bits || is_beyond(value.text(), limit)) {
            const bool negative = value.text().front() == '-';
            reading.reject(
                path,
                "found " + shown(value) + ", expected at " +
                    (negative ? "least " + std::to_string(-limit) : "most " + std::to_string(limit)),
                std::string("write a ") + (negative ? "larger" : "smaller") + " number");
            return std::nullopt;
        }
    }
    const std::string range = "-" + std::to_string(limit) + " to " + std::to_string(limit);
    reading.reject(path, "found " + shown(value) + ", expected an integer from " + range,
                   value.is(Json::Kind::string) ? "write the number without quotes" : "write a whole number");
    return std::nullopt;
}

}  // namespace poolproof::text

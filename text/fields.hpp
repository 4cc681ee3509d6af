// SPDX-License-Identifier: Apache-2.0
// Reading the fields of a JSON object by name; rejections say where, what was seen and what was expected.
//
//     Reading reading;
//     Fields f(document.root, "", reading);
//     const auto kernel = f.integers("kernel");   // nothing: absent, or wrong and noted in `reading`
//     f.close();                                  // whatever was not asked for is unknown
//     if (reading.rejection) return *reading.rejection;
#pragma once

#include "text/json.hpp"

#include <poolproof/text.hpp>

#include <poolproof/format.hpp>

#include <optional>
#include <span>

namespace poolproof::text {

/// What a pass over a document came to: the first rejection stays, later ones follow from it.
struct Reading {
    std::optional<Rejection> rejection;
    std::optional<std::string_view> body;  ///< the bytes that tensors may point into

    void reject(std::string field, std::string reason, std::string remedy);
    bool failed() const { return rejection.has_value(); }
};

inline constexpr Index max_integer = (Index{1} << 31) - 1;

/// The fields of one object. Every accessor marks its field as known and returns nothing if the field is
/// absent, or if it is wrong, which `reading` then says. `null` is wrong everywhere. Requires the object,
/// `reading` and the names asked for to outlive it.
class Fields {
public:
    /// `path` is the object's own place, empty for a whole line. Anything but an object is a rejection.
    Fields(const Json& json, std::string path, Reading& reading);

    const Json* find(std::string_view name);

    /// As `find`; an absent field is a rejection, and `remedy` says what to write.
    const Json* required(std::string_view name, std::string_view remedy);

    std::optional<bool> boolean(std::string_view name);
    std::optional<std::string> string(std::string_view name);
    std::optional<double> number(std::string_view name);

    /// A whole number of at most `limit` in size.
    std::optional<Index> integer(std::string_view name, Index limit = max_integer);
    std::optional<std::vector<Index>> integers(std::string_view name, Index limit = max_integer);

    /// The position in `values` of the string that the field holds.
    std::optional<std::size_t> choice(std::string_view name, std::span<const std::string_view> values);

    /// The place of a field: `attrs.kernel`.
    std::string path(std::string_view name) const;

    /// Rejects a field that nobody asked for, naming the nearest known one. Not for messages, which may grow.
    void close();

private:
    const Json* typed(std::string_view name, Json::Kind kind, const char* expected);

    const Json& json_;
    std::string path_;
    Reading& reading_;
    std::vector<std::string_view> known_;
};

/// The accessors' rules for a value at a place of its own, such as an element of a list.
std::optional<Index> integer_at(const Json& value, const std::string& path, Reading& reading,
                                Index limit = max_integer);

/// A value as rejections show it: cut to some forty characters, lists and objects by their size.
std::string shown(const Json& value);
std::string shown(std::string_view value);

/// `a, b, c`.
std::string listed(std::span<const std::string_view> names);

}  // namespace poolproof::text

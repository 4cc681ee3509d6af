// SPDX-License-Identifier: Apache-2.0
// A function in one's own C++ program under the oracle: its values as numbers, and how it fares on generated
// cases. For GoogleTest there is `gtest.hpp`, for RapidCheck `rapidcheck.hpp`, for libFuzzer `fuzz.hpp`.
#pragma once

#include <poolproof/case.hpp>
#include <poolproof/observation.hpp>
#include <poolproof/rejection.hpp>
#include <poolproof/search.hpp>

#include <concepts>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace poolproof {

/// The numbers that are some format's elements as they stand. The 16-bit formats have none: read their bits.
template <class T>
concept Element = std::same_as<T, double> || std::same_as<T, float> || std::same_as<T, std::int8_t> ||
    std::same_as<T, std::uint8_t> || std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>;

template <Element T> constexpr Format format_of() {
    if (std::is_same_v<T, double>) return Format::f64;
    if (std::is_same_v<T, float>) return Format::f32;
    if (std::is_same_v<T, std::int8_t>) return Format::i8;
    if (std::is_same_v<T, std::uint8_t>) return Format::u8;
    return std::is_same_v<T, std::int32_t> ? Format::i32 : Format::i64;
}

/// A tensor's elements, row by row. Requires that T is its format's.
template <Element T> std::vector<T> values(const Tensor& t) {
    std::vector<T> r(static_cast<std::size_t>(t.size()));
    if (!r.empty()) std::memcpy(r.data(), t.data.data(), t.data.size());
    return r;
}

/// Requires as many values as the shape has elements.
template <Element T> Tensor tensor(Shape shape, const std::vector<T>& values) {
    Tensor t(format_of<T>(), std::move(shape));
    if (!values.empty()) std::memcpy(t.data.data(), values.data(), t.data.size());
    return t;
}

/// What a kernel gives back: `y` (forward), `dy` (jvp) or `dx` (vjp); that it does not do such cases; or that
/// the case is invalid.
inline Observation answer(std::string output, Tensor t) {
    Observation o;
    o.outputs.emplace_back(std::move(output), std::move(t));
    return o;
}
inline Observation declined(std::string why) { return {Observation::Kind::declined, {}, std::move(why)}; }
inline Observation rejected(std::string why) { return {Observation::Kind::rejected, {}, std::move(why)}; }

/// What is wrong with a kernel's answer to a case, for people, the case included, which can be pasted back to
/// `poolproof replay`; nothing if nothing is, or if it was declined. The kernel gets the case with every
/// default written out. What it throws counts as `failed`.
std::optional<std::string> complaint(const Answers& kernel, const Case& c);

/// How a kernel fared on generated cases.
struct Conformity {
    std::vector<Bucket> buckets;  ///< what failed, one entry per fault, each with its smallest case
    Index judged = 0, failed = 0;

    /// For people: each bucket with what is wrong in its smallest case.
    std::string text() const;
};

/// Judges a kernel on the first cases of a request, every default written out. A rejection if the request has
/// no case.
Checked<Conformity> conformity(const Answers& kernel, const Request& request = {},
                               std::uint64_t cases = 1000);

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// Bad input as a value: what was wrong, where, and what to do about it.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace poolproof {

/// Our report of bad input. `field` is a path such as `attrs.kernel[1]`; `reason` names the value seen and
/// what was expected; `remedy` says what to write instead.
struct Rejection {
    std::string field, reason, remedy;
};

/// One line for people: field, reason and remedy.
std::string message(const Rejection& r);

/// A value, or the rejection that stands in its place.
template <class T> class Checked {
public:
    Checked(T value) : held_(std::move(value)) {}                  // NOLINT: a value is a checked value
    Checked(Rejection rejection) : held_(std::move(rejection)) {}  // NOLINT: so is a rejection

    explicit operator bool() const { return held_.index() == 0; }
    T& operator*() { return std::get<0>(held_); }
    const T& operator*() const { return std::get<0>(held_); }
    T* operator->() { return &std::get<0>(held_); }
    const T* operator->() const { return &std::get<0>(held_); }
    const Rejection& rejection() const { return std::get<1>(held_); }

private:
    std::variant<T, Rejection> held_;
};

}  // namespace poolproof

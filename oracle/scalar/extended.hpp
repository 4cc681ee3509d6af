// SPDX-License-Identifier: Apache-2.0
// A scalar with the infinities, NaN, and "open" for a value that no clause decides. The clauses about special
// values are these operators: any NaN gives NaN [Nan], infinities follow the extended reals [Inf], and zero
// carries the signs it may have [Zero].
#pragma once

#include "oracle/scalar/concepts.hpp"

#include <utility>

namespace poolproof {

/// `undetermined` is a finite derivative whose value hangs on which of several ties an implementation takes.
enum class Kind : std::uint8_t { minus_infinity, finite, infinity, nan, open, undetermined };

/// The signs that a zero may have, as a set.
enum : std::uint8_t { plus_zero = 1, minus_zero = 2, either_zero = 3 };

template <class S> struct Extended {
    Kind kind = Kind::finite;
    S value{Index{0}};
    std::uint8_t zeros = either_zero;  ///< of a finite zero only

    Extended() = default;
    explicit Extended(S v, std::uint8_t z = either_zero) : value(std::move(v)), zeros(z) {}
    explicit Extended(Index n) : value(S(n)) {}
    explicit Extended(Kind k) : kind(k) {}

    bool is_finite() const { return kind == Kind::finite; }
    bool is_surely_finite() const { return kind == Kind::finite || kind == Kind::undetermined; }
    bool is_infinite() const { return kind == Kind::infinity || kind == Kind::minus_infinity; }

    friend Extended operator+(const Extended& a, const Extended& b) {
        if (a.is_finite() && b.is_finite()) return Extended(a.value + b.value);
        if (a.kind == Kind::nan || b.kind == Kind::nan) return Extended(Kind::nan);
        if (a.kind == Kind::open || b.kind == Kind::open) return Extended(Kind::open);
        if (a.is_infinite() && b.is_infinite() && a.kind != b.kind) return Extended(Kind::nan);
        return a.is_infinite() || (!b.is_infinite() && a.kind == Kind::undetermined) ? a : b;
    }

    /// The product with a number that is not 0, whose sign is given.
    Extended scaled(const S& factor, int factor_sign) const {
        if (is_finite()) return Extended(value * factor);
        if (!is_infinite() || factor_sign > 0) return *this;
        return Extended(kind == Kind::infinity ? Kind::minus_infinity : Kind::infinity);
    }

    friend Extended exp(const Extended& a) requires Analytic<S> {
        using std::exp;
        if (a.is_finite()) return Extended(exp(a.value));
        return a.kind == Kind::minus_infinity ? Extended(Index{0}) : a;
    }

    /// Of what an `exp` or a sum of them gave: not negative.
    friend Extended log(const Extended& a) requires Analytic<S> {
        using std::log;
        if (!a.is_finite()) return a;
        return is_exactly_zero(a.value) ? Extended(Kind::minus_infinity) : Extended(log(a.value));
    }
};

/// The sign of a - b on the extended line, or nothing where a NaN, an open value or the scalar leaves it
/// undecided.
template <Ordered S> std::optional<int> compare(const Extended<S>& a, const Extended<S>& b) {
    if (a.is_finite() && b.is_finite()) return compare(a.value, b.value);
    if (a.kind > Kind::infinity || b.kind > Kind::infinity) return std::nullopt;
    return static_cast<int>(a.kind) - static_cast<int>(b.kind);
}

}  // namespace poolproof

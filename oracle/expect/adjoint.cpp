// SPDX-License-Identifier: Apache-2.0
// Adjointness of two answers, in exact arithmetic: no truth is needed, only how wide the permitted sets are.
#include "oracle/scalar/dyadic.hpp"

#include <poolproof/expected.hpp>

namespace poolproof {

namespace {

struct Paired {
    Dyadic sum, slack;
};

Dyadic absolute(const Dyadic& a) { return compare(a, Dyadic(0)).value_or(0) < 0 ? Dyadic(0) - a : a; }

/// How far a permitted value may be from the truth: the width of the range, and a step at either end, between
/// which and the range the truth may lie.
std::optional<Dyadic> reach(const Permitted& p, Format f) {
    if (!p.range || p.open || p.nan || p.infinity || p.minus_infinity) return std::nullopt;
    const Bits low = bits_at(f, ordinal(f, p.lowest) - 1), high = bits_at(f, ordinal(f, p.highest) + 1);
    if (is_infinite(f, low) || is_infinite(f, high)) return std::nullopt;
    return dyadic_value(f, high) - dyadic_value(f, low);
}

std::optional<Paired> paired(const Directed& d) {
    Paired r;
    const Format f = d.answer.format;
    for (Index i = 0; i < d.answer.size(); ++i) {
        const Bits weight = d.against[i], value = d.answer[i];
        if (is_zero(f, weight)) continue;
        const auto width = reach(d.expected.values[static_cast<std::size_t>(i)], f);
        const bool finite =
            !is_nan(f, weight) && !is_infinite(f, weight) && !is_nan(f, value) && !is_infinite(f, value);
        if (!width || !finite) return std::nullopt;
        const Dyadic w = dyadic_value(f, weight);
        r.sum = r.sum + w * dyadic_value(f, value);
        r.slack = r.slack + absolute(w) * *width;
    }
    return r;
}

}  // namespace

// [BAdjoint]
Decision adjoint(const Directed& pushed, const Directed& pulled) {
    const auto one = paired(pushed), other = paired(pulled);
    if (!one || !other) return Decision::undecided;
    const auto excess = compare(absolute(one->sum - other->sum), one->slack + other->slack);
    return excess.value_or(0) > 0 ? Decision::refused : Decision::permitted;
}

}  // namespace poolproof

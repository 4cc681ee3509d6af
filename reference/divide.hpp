// SPDX-License-Identifier: Apache-2.0
// Division by what many are divided by.
#pragma once

#include <bit>
#include <cstdint>

namespace poolproof::reference {

/// Whether multiplying by 1 / d serves for a result of type Y: where it is rounded again, or where 1 / d is
/// exact.
template <class Y, class S> bool inverts(S d) {
    constexpr std::uint64_t mantissa = (std::uint64_t{1} << 52) - 1;
    return sizeof(Y) < sizeof(S) || (std::bit_cast<std::uint64_t>(double{d}) & mantissa) == 0;
}

/// Puts their inverses in place of n divisors, if that serves for all of them; gives whether it does.
template <class Y, class S> [[gnu::always_inline]] inline bool invert_all(S* d, std::int64_t n) {
    bool all = true;
    for (std::int64_t i = 0; i < n; ++i) all = all && inverts<Y>(d[i]);
    for (std::int64_t i = 0; all && i < n; ++i) d[i] = 1 / d[i];
    return all;
}

/// x divided by d, or multiplied where d is the inverse.
template <bool times, class S> [[gnu::always_inline]] inline S settled(S x, S d) {
    if constexpr (times)
        return x * d;
    else
        return x / d;
}

}  // namespace poolproof::reference

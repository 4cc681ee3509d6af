// SPDX-License-Identifier: Apache-2.0
#include "generate/values.hpp"

#include "generate/patterns.hpp"

#include <algorithm>
#include <cstring>

namespace poolproof::generate {

namespace {

Bits sign(Format f, Draws& draws) { return draws.coin() ? sign_bit(f) : 0; }

/// A random significand, every other time one of few bits, so that sums are now and then exact.
Bits fraction(Format f, Draws& draws) {
    const int length = precision(f) - 1;
    if (!draws.coin()) return draws.bits(length);
    return draws.bits(std::min(length, 3)) << (length - std::min(length, 3));
}

Bits between_exponents(Format f, int low, int high, Draws& draws) {
    const Bits s = sign(f, draws);
    const Index e = draws.between(low, high);
    return s | float_bits(f, false, static_cast<int>(e), fraction(f, draws));
}

Bits ordinary(Format f, Draws& draws) {
    if (!is_integer(f)) return between_exponents(f, -3, 3, draws);
    return draws.bits(width(f));
}

Bits few(Format f, Draws& draws) { return integer_bits(f, draws.between(is_signed(f) ? -3 : 0, 3)); }

/// From the whole range of the format, subnormals included.
Bits anywhere(Format f, Draws& draws) {
    if (is_integer(f)) return draws.bits(static_cast<int>(draws.between(1, width(f))));
    const Bits s = sign(f, draws);
    const Index field = draws.between(0, Index{2} * max_exponent(f));
    return s | static_cast<Bits>(field) << (precision(f) - 1) | fraction(f, draws);
}

Bits edge(Format f, Draws& draws) {
    if (is_integer(f)) {
        const Bits most = sign_bit(f) - 1;
        const Bits all = sign_bit(f) | most;
        return draws.one_of({most, sign_bit(f), all, Bits{0}, Bits{1}, most - 1, sign_bit(f) + 1});
    }
    const Bits s = sign(f, draws);
    const Bits normal = Bits{1} << (precision(f) - 1);
    const Bits one = integer_bits(f, 1);
    return s |
           draws.one_of({largest_bits(f), largest_bits(f) - 1, normal, normal - 1, normal + 1, Bits{1},
                         Bits{2}, Bits{0}, one, one + 1, one - 1, float_bits(f, false, max_exponent(f), 0)});
}

Bits special(Format f, Draws& draws) {
    return draws.one_of({quiet_nan_bits(f), infinity_bits(f), infinity_bits(f) | sign_bit(f)});
}

/// 1, and what is half a unit beside it or just off that: sums of these lie on and next to rounding ties.
Bits halfway(Format f, Draws& draws) {
    const int p = precision(f);
    const Bits half = float_bits(f, false, -p, 0);
    return draws.one_of({integer_bits(f, 1), integer_bits(f, 1), half, half, half + 1, half - 1,
                         float_bits(f, false, 1 - p, 0), half | sign_bit(f)});
}

template <class Element> void store(Tensor& t, Index i, Bits b) {
    const auto element = static_cast<Element>(b);
    std::memcpy(t.data.data() + static_cast<std::size_t>(i) * sizeof element, &element, sizeof element);
}

/// `t.set(i, b)`, with a copy of a fixed size in each branch, which is much faster.
void put(Tensor& t, Index i, Bits b) {
    switch (bytes(t.format)) {
        case 1: return store<std::uint8_t>(t, i, b);
        case 2: return store<std::uint16_t>(t, i, b);
        case 4: return store<std::uint32_t>(t, i, b);
        default: return store<std::uint64_t>(t, i, b);
    }
}

template <class Draw> void each(Tensor& t, Draws& draws, const Draw& draw) {
    const Index n = t.size();
    for (Index i = 0; i < n; ++i) put(t, i, draw(t.format, draws));
}

void fill_same(Tensor& t, Bits b) {
    const Index n = t.size();
    for (Index i = 0; i < n; ++i) put(t, i, b);
}

/// All different, as far as the format goes.
void fill_ramp(Tensor& t, Draws& draws) {
    const Index n = t.size();
    const Index most = is_integer(t.format) ? 127 : Index{1} << std::min(precision(t.format), 16);
    const Index low = is_signed(t.format) && draws.coin() ? -std::min(n, most) / 2 : 0;
    std::vector<Index> numbers;
    for (Index i = 0; i < n; ++i) numbers.push_back(low + i % most);
    if (!draws.one_in(4)) draws.shuffle(numbers);
    for (Index i = 0; i < n; ++i) put(t, i, integer_bits(t.format, numbers[static_cast<std::size_t>(i)]));
}

void fill_negative(Tensor& t, Draws& draws) {
    const bool whole = is_integer(t.format) || draws.coin();
    each(t, draws, [&](Format f, Draws& d) {
        return whole ? integer_bits(f, -d.between(1, 9)) : ordinary(f, d) | sign_bit(f);
    });
}

void fill_near_ties(Tensor& t, Draws& draws) {
    if (is_integer(t.format)) {
        // Of any length, so that wide ones are past what a float or a double tells apart.
        const int most = width(t.format) - 1, least = draws.coin() ? 2 : most - most / 6;
        const int length = static_cast<int>(draws.between(least, most));
        const Bits base = draws.bits(length) | Bits{1} << (length - 1);
        const Bits flip = is_signed(t.format) && draws.coin() ? ~Bits{0} : 0;
        const Bits mask = sign_bit(t.format) | (sign_bit(t.format) - 1);
        return each(t, draws, [&](Format, Draws& d) { return ((base - d.below(3)) ^ flip) & mask; });
    }
    const Bits base = between_exponents(t.format, -3, 3, draws);
    const bool opposite = draws.one_in(3);
    each(t, draws, [&](Format f, Draws& d) {
        const Bits b = bits_at(f, ordinal(f, base) + d.between(-1, 1));
        return opposite ? b ^ sign(f, d) : b;
    });
}

/// Of one sign and so large that a few of them overflow a sum, though not its mean.
void fill_brink(Tensor& t, Draws& draws) {
    const Format f = t.format;
    const bool down = is_signed(f) && draws.coin();
    if (is_integer(f)) {
        const Bits most = is_signed(f) ? sign_bit(f) - 1 : 255;
        return each(t, draws, [&](Format, Draws& d) {
            const Bits b = most - d.bits(width(f) - 4);
            return down ? (sign_bit(f) | (sign_bit(f) - 1)) - b : b;
        });
    }
    const int spread = static_cast<int>(draws.between(0, 3));
    each(t, draws, [&](Format, Draws& d) {
        const int e = max_exponent(f) - static_cast<int>(d.between(0, spread));
        return float_bits(f, down, e, fraction(f, d));
    });
}

/// Neighbours x and -x, and now and then something much smaller that is all that remains of a sum.
void fill_cancelling(Tensor& t, Draws& draws) {
    const Format f = t.format;
    const Index n = t.size();
    const int high = static_cast<int>(draws.between(0, is_integer(f) ? 0 : max_exponent(f)));
    for (Index i = 0; i < n; ++i) {
        if (is_integer(f)) {
            put(t, i, i % 2 == 0 ? few(f, draws) : integer_bits(f, -integer_value(f, t[i - 1])));
        } else if (i % 2 == 1) {
            put(t, i, t[i - 1] ^ sign_bit(f));
        } else if (draws.one_in(3)) {
            const int low = std::max(high - precision(f) - 3, min_normal_exponent(f));
            put(t, i++, between_exponents(f, low, std::max(low, high - 2), draws));
            if (i < n) put(t, i, between_exponents(f, low, std::max(low, high - 2), draws));
        } else {
            put(t, i, between_exponents(f, high, high, draws));
        }
    }
}

/// One to three NaNs or infinities, or neighbours of opposite signs, among ordinary numbers; or nothing else.
void fill_special(Tensor& t, Draws& draws) {
    const Format f = t.format;
    const Index n = t.size();
    const Bits inf = infinity_bits(f), minus_inf = inf | sign_bit(f);
    const auto kind = draws.weighted({2, 5, 3, 6, 4});
    if (kind == 0) {
        const Bits only = special(f, draws);
        return fill_same(t, only);
    }
    switch (draws.weighted({6, 6, 1, 1, 1})) {
        case 0: each(t, draws, few); break;
        case 1: each(t, draws, ordinary); break;
        case 2: each(t, draws, edge); break;
        case 3: each(t, draws, anywhere); break;
        default: each(t, draws, sign); break;
    }
    if (n == 0) return;
    const Index at = draws.between(0, n - 1);
    switch (kind) {
        case 1:
            put(t, at, quiet_nan_bits(f));
            return draws.coin() ? put(t, (at + 1) % n, quiet_nan_bits(f)) : void();
        case 2: return put(t, at, draws.coin() ? inf : minus_inf);
        case 3: {
            const Bits first = draws.coin() ? inf : minus_inf;
            put(t, at, first);
            return put(t, (at + 1) % n, first ^ sign_bit(f));
        }
        default: break;
    }
    const Index count = draws.between(1, 3);
    for (Index k = 0; k < count; ++k) {
        const Bits b = special(f, draws);
        put(t, draws.between(0, n - 1), b);
    }
}

/// Infinities at so many places that windows of one sign lie beside those of the other.
void fill_infinities(Tensor& t, Draws& draws) {
    const auto one_in = static_cast<std::uint32_t>(draws.between(1, 4));
    each(t, draws,
         [&](Format f, Draws& d) { return d.one_in(one_in) ? infinity_bits(f) | sign(f, d) : few(f, d); });
}

void fill_impulse(Tensor& t, Draws& draws) {
    const Index n = t.size();
    if (n == 0) return;
    const Index at = draws.between(0, n - 1);
    switch (draws.weighted({4, 4, 1, 1})) {
        case 0: return put(t, at, integer_bits(t.format, 1));
        case 1: return put(t, at, few(t.format, draws));
        case 2: return put(t, at, edge(t.format, draws));
        default:
            return put(t, at, is_integer(t.format) ? ordinary(t.format, draws) : special(t.format, draws));
    }
}

}  // namespace

Values drawn_values(Draws& draws, Format format, bool moderate) {
    // In the order of the enumeration.
    static constexpr std::uint32_t usual[values_count] = {3, 4, 10, 8, 6, 4, 14, 6, 4,
                                                          5, 7, 5,  3, 3, 3, 20, 2};
    static constexpr std::uint32_t tame[values_count] = {3, 4, 12, 8, 6, 4, 20, 4, 3,
                                                         2, 3, 2,  2, 1, 3, 16, 2};
    static constexpr std::uint32_t whole[values_count] = {3, 4, 16, 8, 8, 4, 14, 12, 0,
                                                          8, 6, 8,  0, 8, 0, 0,  0};
    return static_cast<Values>(draws.weighted(is_integer(format) ? whole : moderate ? tame : usual));
}

void fill(Tensor& t, Values values, Draws& draws) {
    if (is_integer(t.format) && (values >= Values::signed_zeros || values == Values::halfway))
        values = Values::few_integers;
    switch (values) {
        case Values::constant: {
            switch (draws.weighted({4, 4, 1, 1})) {
                case 0: return fill_same(t, few(t.format, draws));
                case 1: return fill_same(t, ordinary(t.format, draws));
                case 2: return fill_same(t, edge(t.format, draws));
                default: return fill_same(t, anywhere(t.format, draws));
            }
        }
        case Values::ones: return fill_same(t, integer_bits(t.format, 1));
        case Values::few_integers: return each(t, draws, few);
        case Values::ramp: return fill_ramp(t, draws);
        case Values::all_negative: return fill_negative(t, draws);
        case Values::impulse: return fill_impulse(t, draws);
        case Values::ordinary: return each(t, draws, ordinary);
        case Values::near_ties: return fill_near_ties(t, draws);
        case Values::halfway: return each(t, draws, halfway);
        case Values::spread: return each(t, draws, anywhere);
        case Values::cancellation: return fill_cancelling(t, draws);
        case Values::edges: return each(t, draws, edge);
        case Values::subnormals:
            if (is_integer(t.format))
                return each(t, draws, [](Format f, Draws& d) { return integer_bits(f, d.between(90, 127)); });
            return each(t, draws, [](Format f, Draws& d) {
                return sign(f, d) | d.bits(static_cast<int>(d.between(1, precision(f) - 1)));
            });
        case Values::brink: return fill_brink(t, draws);
        case Values::signed_zeros: return each(t, draws, [](Format f, Draws& d) { return sign(f, d); });
        case Values::special: return fill_special(t, draws);
        case Values::infinities: return fill_infinities(t, draws);
    }
}

Bits drawn_beta(Format f, Draws& draws) {
    const Bits s = draws.one_in(3) ? sign_bit(f) : 0;
    switch (draws.weighted({8, 8, 12, 3, 3})) {
        case 0: return s | integer_bits(f, 1);
        case 1: return s | float_bits(f, false, static_cast<int>(draws.between(-6, 6)), 0);
        case 2: return s | magnitude(f, ordinary(f, draws));
        case 3: return s | float_bits(f, false, static_cast<int>(draws.between(7, max_exponent(f))), 0);
        default: return s | (draws.bits(precision(f) - 1) + 1);
    }
}

}  // namespace poolproof::generate

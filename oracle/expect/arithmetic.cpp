// SPDX-License-Identifier: Apache-2.0
#include "oracle/expect/arithmetic.hpp"

#include "oracle/expect/rounding.hpp"

#include <algorithm>
#include <stdexcept>

namespace poolproof {

namespace {

/// How much finer than the format a wider accumulator is at least: x87's 64 bits against 53.
constexpr int finer_by = 11;

bool is_power_of_two(const Integer& n) { return bit_length(n) > 0 && (abs(n) & (abs(n) - 1)) == 0; }

/// Whether a format holds n exactly.
bool holds(Format f, const Integer& n) {
    Integer odd = abs(n);
    while (!odd.is_zero() && (odd & 1) == 0) odd >>= 1;
    return bit_length(odd) <= precision(f);
}

/// A scaling's roundings: none by a power of two; a division, or a rounded reciprocal and a product; and two
/// more in place of one where the divisor itself is rounded, since 1 / (1 - u) < (1 + u)^2.
Index scaling_roundings(const Integer& divisor, Format f) {
    if (is_power_of_two(divisor)) return 0;
    return holds(f, divisor) ? 2 : 4;
}

/// Where a rounding to nearest gives infinity.
Rational overflow_threshold(Format f) {
    return rational_value(f, largest_bits(f)) + power_of_two(max_exponent(f) - precision(f));
}

Bits lower_of(Format f, Bits a, Bits b) { return ordinal(f, a) <= ordinal(f, b) ? a : b; }
Bits higher_of(Format f, Bits a, Bits b) { return ordinal(f, a) >= ordinal(f, b) ? a : b; }

}  // namespace

Arithmetic::Arithmetic(Format r, Accumulate kept, const Policy& p) : result(r), accumulator(r), policy(p) {
    if (kept == Accumulate::f32 && precision(r) < precision(Format::f32)) accumulator = Format::f32;
}

Interval growth(const Interval& u, const Interval& roundings) {
    return upper(exp(u * roundings) - Interval(Index{1}));  // 1 + u <= e^u
}

Span point(const Interval& exact) {
    Span s;
    s.on_grid = s.rounded = exact;
    return s;
}

Span hull(const Span& a, const Span& b) {
    Span s = a;
    s.on_grid = hull(a.on_grid, b.on_grid);
    s.rounded = hull(a.rounded, b.rounded);
    s.copied &= b.copied;
    s.overflow |= b.overflow;
    s.minus_overflow |= b.minus_overflow;
    s.vacuous |= b.vacuous;
    return s;
}

Scale Scale::by(const Rational& divisor, const std::vector<Integer>& factors, const Arithmetic& a) {
    Scale s;
    s.divisor = divisor;
    const Integer whole = numerator_of(divisor);
    if (abs(whole) == 1) return s;
    Index axis_by_axis = 0;
    for (const Integer& n : factors) {
        axis_by_axis += scaling_roundings(n, a.accumulator);
        if (n != 1) ++s.scalings;
    }
    s.roundings = std::max(axis_by_axis, scaling_roundings(whole, a.accumulator));
    // A product of factors that is itself rounded once per factor.
    if (!holds(a.accumulator, whole)) s.roundings += 2 * static_cast<Index>(factors.size());
    s.scalings = std::max<Index>(s.scalings, 1);
    return s;
}

void BoundedSum::add(const Interval& term, const Scale& scale, const Interval& relative,
                     const Interval& absolute, const Interval& swollen) {
    const Interval factor = Interval(Rational(1) / scale.divisor);
    const Interval scaled = term * factor;
    const Interval size = upper(abs(scaled));
    total_ = total_ + scaled;
    if (size.sign() == 0) return;
    size_ = size_ + size;
    const Interval unscaled =
        (poolproof::sign(scale.divisor) < 0 ? term * Interval(Index{-1}) : term) * swollen;
    const Interval largest_part =
        widened(unscaled * (Interval(Index{1}) + upper(relative)), absolute * swollen);
    positive_ = positive_ + upper(larger(largest_part, Interval(Index{0})));
    negative_ = negative_ + upper(larger(largest_part * Interval(Index{-1}), Interval(Index{0})));
    brought_ = brought_ + size * upper(relative) + upper(absolute);

    const Arithmetic& a = arithmetic_;
    const Interval half(Rational(1, 2));
    // A term that brings an error along is itself a product, and may underflow before it is scaled.
    const bool exact = relative.sign() == 0 && absolute.sign() == 0;
    const Interval products(scale.scalings + (exact ? 0 : 1));
    dust_ = dust_ + products * a.smallest_subnormal() * half;
    // A reciprocal may itself be subnormal, and is then rounded to the grid of the subnormals, or flushed.
    const Interval reciprocal = abs(factor);
    const bool small_reciprocal = possibly_less(reciprocal, a.smallest_normal());
    if (scale.roundings > 0 && small_reciprocal)
        dust_ = dust_ + upper(abs(term)) * a.smallest_subnormal() * half;
    if (a.policy.subnormals == Subnormals::may_flush) {
        // A subnormal input, each partial sum and each scaled term may become 0.
        brought_ = brought_ + (products + Interval(Index{1})) * a.smallest_normal();
        const Interval normal(power_of_two(min_normal_exponent(a.result)));
        if (possibly_less(abs(term), normal)) brought_ = brought_ + upper(abs(term));
        if (small_reciprocal) brought_ = brought_ + size;
    }
    ++terms_;
    scalings_ = std::max(scalings_, scale.scalings);
    roundings_ = std::max(roundings_, scale.roundings);
}

void BoundedSum::absorb(const BoundedSum& other) {
    total_ = total_ + other.total_;
    size_ = size_ + other.size_;
    positive_ = positive_ + other.positive_;
    negative_ = negative_ + other.negative_;
    brought_ = brought_ + other.brought_;
    dust_ = dust_ + other.dust_;
    terms_ += other.terms_;
    roundings_ = std::max(roundings_, other.roundings_);
    scalings_ = std::max(scalings_, other.scalings_);
}

Span BoundedSum::span() const {
    Span s;
    const Arithmetic& a = arithmetic_;
    const bool flushes = a.policy.subnormals == Subnormals::may_flush;
    s.copied = terms_ == 0 || (terms_ == 1 && scalings_ == 0 && !flushes && brought_.sign() == 0);
    if (terms_ == 0) return s;
    if (s.copied) {
        s.on_grid = s.rounded = total_;
        return s;
    }
    const auto error = [&](const Interval& finer) {
        const Interval u = a.unit_roundoff() * finer;
        // A compensated sum of three is off by 2u and a term of second order, wherever it stands [BComp].
        const Interval compensation = Interval(Index{terms_ > 2 ? 3 : 0}) * u * u;
        const Interval of_sum = growth(u + compensation, Interval(terms_ - 1));
        const Interval scaled = growth(u, Interval(roundings_));
        const Interval factor = of_sum + scaled + of_sum * scaled;
        const Interval brought = brought_ + dust_ * finer;
        return upper(factor * size_ + brought + factor * brought);
    };
    // In the accumulator each operation may be rounded twice, first in a wider one; in a wider one each is
    // rounded once, more finely.
    const Interval one(Index{1}), in_a_wider_one(power_of_two(-finer_by));
    const Interval e = error(one + in_a_wider_one);
    s.on_grid = widened(total_, e);
    s.rounded = a.wider() ? s.on_grid : widened(total_, error(in_a_wider_one));
    const Interval top(overflow_threshold(a.accumulator));
    const bool allowed = a.policy.intermediate_overflow == IntermediateOverflow::allowed;
    const Interval swelling = one + growth(a.unit_roundoff(), Interval(terms_ + roundings_ + 1));
    s.overflow = allowed && !surely_less(positive_ * swelling, top);
    s.minus_overflow = allowed && !surely_less(negative_ * swelling, top);
    s.vacuous = !possibly_less(e, size_);
    return s;
}

Interval storing(const Interval& values, const Arithmetic& a) {
    const Interval u(power_of_two(-precision(a.result)));
    const Interval half_step(power_of_two(min_exponent(a.result) - 1));
    const Interval last = upper(abs(values)) * u + half_step;
    const Interval flush(power_of_two(min_normal_exponent(a.result)));
    const bool may_flush = a.policy.subnormals == Subnormals::may_flush && possibly_less(abs(values), flush);
    return may_flush ? last + flush : last;
}

Interval fused_or_rounded(const Span& s, const Arithmetic& a) {
    const Interval all = hull(s.on_grid, s.rounded);
    return widened(all, storing(all, a));
}

namespace {

/// Where nothing is proved.
Permitted anything_goes(Format f) {
    Permitted p = Permitted::between(largest_bits(f) | sign_bit(f), largest_bits(f));
    p.nan = p.infinity = p.minus_infinity = p.vacuous = true;
    return p;
}

}  // namespace

Permitted permitted(Kind special) {
    switch (special) {
        case Kind::nan: return Permitted::any_nan();
        case Kind::infinity: return Permitted::with(&Permitted::infinity);
        case Kind::minus_infinity: return Permitted::with(&Permitted::minus_infinity);
        default: return Permitted::anything();
    }
}

Permitted permitted(const Span& s, const Arithmetic& a) {
    if (s.kind != Kind::finite) return permitted(s.kind);
    const Format f = a.result;
    const Index floor = min_exponent(f) - 64;
    const auto grid = s.on_grid.ends(floor);
    const auto rounded = s.rounded.ends(floor);
    if (!grid || !rounded) return anything_goes(f);
    Bits low = nearest(f, rounded->first), high = nearest(f, rounded->second);
    if (!a.wider()) {
        low = lower_of(f, low, at_least(f, grid->first));
        high = higher_of(f, high, at_most(f, grid->second));
    }
    if (a.policy.subnormals == Subnormals::may_flush) {
        if (sign(grid->first) >= 0 && magnitude(f, low) <= Bits{1} << (precision(f) - 1)) low = 0;
        if (sign(grid->second) <= 0 && magnitude(f, high) <= Bits{1} << (precision(f) - 1)) high = 0;
    }
    const Rational top = overflow_threshold(f);
    Permitted p;
    p.vacuous = s.vacuous;
    p.infinity = s.overflow || grid->second >= top;
    p.minus_infinity = s.minus_overflow || grid->first <= -top;
    p.nan = s.overflow && s.minus_overflow;
    if (low == infinity_bits(f) || high == (infinity_bits(f) | sign_bit(f)))
        return p;  // past the top, or the bottom
    if (is_infinite(f, high)) high = largest_bits(f);
    if (is_infinite(f, low)) low = largest_bits(f) | sign_bit(f);
    if (is_zero(f, low)) low = (s.zeros & minus_zero) != 0 ? sign_bit(f) : 0;
    if (is_zero(f, high)) high = (s.zeros & plus_zero) != 0 ? 0 : sign_bit(f);
    if (ordinal(f, low) > ordinal(f, high)) throw std::logic_error("an empty permitted set");
    p.range = true;
    p.lowest = low;
    p.highest = high;
    return p;
}

}  // namespace poolproof

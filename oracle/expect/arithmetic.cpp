// SPDX-License-Identifier: Apache-2.0
#include "oracle/expect/arithmetic.hpp"

#include "oracle/expect/range.hpp"
#include "oracle/expect/rounding.hpp"
#include "oracle/expect/sum_error.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

namespace poolproof {

namespace {

Index trailing_zeros(const Integer& n) {
    return n.is_zero() ? 0 : static_cast<Index>(mpz_scan1(n.backend().data(), 0));
}

/// In the accumulator each operation may be rounded twice, first in a wider one; in a wider one each is
/// rounded once, more finely. So much of a rounding of the accumulator that is.
Interval finer_once() { return Interval::power_of_two(-finer_by); }
Interval finer_twice() { return Interval(Index{1}) + finer_once(); }

/// What the roundings of a sum do, in the accumulator and in a wider one, and to the sums on the way.
struct SumRoundings {
    Interval factor, finer_factor, swelling;
};

const SumRoundings& roundings_of(Format accumulator, Index terms, Index roundings) {
    thread_local std::map<std::tuple<Format, Index, Index>, SumRoundings> known;
    constexpr std::size_t many = 4096;
    const std::tuple which(accumulator, terms, roundings);
    if (const auto found = known.find(which); found != known.end()) return found->second;
    if (known.size() >= many) known.clear();
    const WorkingPrecision scope(error_precision);
    const Interval u = Interval::power_of_two(-precision(accumulator));
    return known
        .try_emplace(which, SumRoundings{sum_factor(u * finer_twice(), terms, roundings),
                                         sum_factor(u * finer_once(), terms, roundings),
                                         Interval(Index{1}) + growth(u, Interval(terms + roundings + 1))})
        .first->second;
}

/// Where a rounding to nearest gives infinity.
Rational overflow_threshold(Format f) {
    return rational_value(f, largest_bits(f)) + power_of_two(max_exponent(f) - precision(f));
}

Bits lower_of(Format f, Bits a, Bits b) { return ordinal(f, a) <= ordinal(f, b) ? a : b; }
Bits higher_of(Format f, Bits a, Bits b) { return ordinal(f, a) >= ordinal(f, b) ? a : b; }

}  // namespace

namespace {

/// Whether few terms of a power series are as good as the function.
bool is_tiny(const Interval& x) {
    return x.sign().value_or(-1) >= 0 && surely_less(x, Interval::power_of_two(-16));
}

}  // namespace

Interval growth(const Interval& u, const Interval& roundings) {
    const Interval y = u * roundings, one(Index{1});  // 1 + u <= e^u
    if (!is_tiny(y)) return upper(exp(y) - one);
    // y + y^2 / 2! + .. + y^6 / 6! (1 + y / 7 + ..), and what is in brackets is at most 1 / (1 - y).
    Interval r = one / (one - y);
    for (Index k = 6; k > 1; --k) r = one + y / Interval(k) * r;
    return upper(y * r);
}

Interval log_of_more(const Interval& x) {
    const Interval one(Index{1});
    if (!is_tiny(x)) return upper(log(one + x));
    // x - x^2 / 2 + .. + x^7 / 7, which is more.
    Interval r = one / Interval(Index{7});
    for (Index k = 6; k > 0; --k) r = one / Interval(k) - x * r;
    return upper(x * r);
}

Interval log_of_less(const Interval& x) {
    const Interval one(Index{1}), zero(Index{0});
    if (!is_tiny(x)) return upper(surely_less(x, one) ? zero - log(one - x) : one / zero);
    // x + x^2 / 2 + .. + x^6 / 6 (1 + 6 x / 7 + ..), and what is in brackets is at most 1 / (1 - x).
    Interval r = one / (Interval(Index{6}) * (one - x));
    for (Index k = 5; k > 0; --k) r = one / Interval(k) + x * r;
    return upper(x * r);
}

Interval smaller(const Interval& a, const Interval& b) { return possibly_less(upper(a), upper(b)) ? a : b; }

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
    s.factor = Interval(Rational(1) / divisor);
    const Integer whole = numerator_of(divisor);
    if (abs(whole) == 1) return s;
    ScaleCount count;
    for (const Integer& n : factors) count.add_factor(a.accumulator, bit_length(n), trailing_zeros(n));
    s.roundings = count.roundings(a.accumulator, bit_length(whole), trailing_zeros(whole));
    s.scalings = count.least_scalings();
    s.small_reciprocal = possibly_less(abs(s.factor), a.smallest_normal());
    return s;
}

void BoundedSum::add(const Interval& term, const Scale& scale, const Interval& relative,
                     const Interval& absolute, const Interval& swollen) {
    const Interval scaled = term * scale.factor;
    const Interval size = upper(abs(scaled));
    total_ = total_ + scaled;
    if (size.sign() == 0) return;
    size_ = size_ + size;
    const Interval unscaled = (scale.factor.sign() == -1 ? term * Interval(Index{-1}) : term) * swollen;
    const Interval largest_part =
        widened(unscaled * (Interval(Index{1}) + upper(relative)), absolute * swollen);
    if (largest_part.sign() != -1) positive_ = positive_ + upper(larger(largest_part, Interval(Index{0})));
    if (largest_part.sign() != 1)
        negative_ = negative_ + upper(larger(largest_part * Interval(Index{-1}), Interval(Index{0})));

    const Arithmetic& a = arithmetic_;
    // A term that brings an error along is itself a product, and may underflow before it is scaled.
    const bool exact = relative.sign() == 0 && absolute.sign() == 0;
    if (!exact) brought_ = brought_ + size * upper(relative) + upper(absolute);
    const Index products = scale.scalings + (exact ? 0 : 1);
    products_ += products;
    // A reciprocal may itself be subnormal, and is then rounded to the grid of the subnormals, or flushed.
    if (scale.roundings > 0 && scale.small_reciprocal)
        dust_ = dust_ + upper(abs(term)) * a.smallest_subnormal() * Interval::power_of_two(-1);
    if (a.policy.subnormals == Subnormals::may_flush) {
        // A subnormal input, each partial sum and each scaled term may become 0.
        brought_ = brought_ + Interval(products + 1) * a.smallest_normal();
        if (possibly_less(abs(term), a.least_kept())) {
            const Interval most = upper(abs(term));
            brought_ = brought_ + (surely_less(a.least_kept(), most) ? a.least_kept() : most);
        }
        if (scale.small_reciprocal) brought_ = brought_ + size;
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
    products_ += other.products_;
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
    const auto& by = roundings_of(a.accumulator, terms_, roundings_);
    const Interval dust = dust_ + Interval(products_) * a.smallest_subnormal() * Interval::power_of_two(-1);
    const auto error = [&](const Interval& factor, const Interval& finer) {
        const WorkingPrecision scope(error_precision);
        return upper(sum_error(factor, size_, brought_ + dust * finer));
    };
    const Interval e = error(by.factor, finer_twice());
    s.on_grid = widened(total_, e);
    s.rounded = a.wider() ? s.on_grid : widened(total_, error(by.finer_factor, finer_once()));
    const bool allowed = a.policy.intermediate_overflow == IntermediateOverflow::allowed;
    if (allowed) {
        const Interval top(overflow_threshold(a.accumulator));
        s.overflow = !surely_less(positive_ * by.swelling, top);
        s.minus_overflow = !surely_less(negative_ * by.swelling, top);
    }
    s.vacuous = !possibly_less(e, size_);
    return s;
}

Interval storing(const Interval& values, const Arithmetic& a) {
    const Interval u = Interval::power_of_two(-precision(a.result));
    const Interval half_step = Interval::power_of_two(min_exponent(a.result) - 1);
    const Interval last = upper(abs(values)) * u + half_step;
    const Interval flush = Interval::power_of_two(min_normal_exponent(a.result));
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

bool may_meet_its_opposite(const Span& s) {
    return (s.kind == Kind::infinity && s.minus_overflow) || (s.kind == Kind::minus_infinity && s.overflow);
}

Permitted permitted(const Span& s, const Arithmetic& a) {
    if (s.kind != Kind::finite) {
        Permitted p = permitted(s.kind);
        p.nan |= may_meet_its_opposite(s);
        return p;
    }
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
    const Rational top = overflow_threshold(f);
    RoundedEnds ends;
    ends.low = low;
    ends.high = high;
    ends.low_is_negative = sign(grid->first) < 0;
    ends.high_is_positive = sign(grid->second) > 0;
    ends.reaches_top = grid->second >= top;
    ends.reaches_bottom = grid->first <= -top;
    ends.overflow = s.overflow;
    ends.minus_overflow = s.minus_overflow;
    ends.vacuous = s.vacuous;
    ends.plus_zero = (s.zeros & plus_zero) != 0;
    ends.minus_zero = (s.zeros & minus_zero) != 0;
    const auto p = permitted_between(f, ends, a.policy.subnormals);
    if (!p) throw std::logic_error("an empty permitted set");
    return *p;
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
#include "oracle/scalar/interval.hpp"

#include <algorithm>

namespace poolproof {

namespace {

/// Which end of `a` gives the extreme of a product or quotient: its upper one if `upper` says so.
const Float& end(const Float& lower, const Float& upper, bool is_upper) { return is_upper ? upper : lower; }

void multiply(Float& out, const Float& x, const Float& y, mpfr_rnd_t direction) {
    mpfr_mul(out.get(), x.get(), y.get(), direction);
    if (mpfr_nan_p(out.get())) mpfr_set_zero(out.get(), 1);  // 0 times an infinite end
}

/// A quotient by an end that is not 0; of two infinite ends, as far out as there is.
void divide(Float& out, const Float& x, const Float& y, mpfr_rnd_t direction) {
    mpfr_div(out.get(), x.get(), y.get(), direction);
    if (mpfr_nan_p(out.get())) mpfr_set_inf(out.get(), direction == MPFR_RNDU ? 1 : -1);
}

Rational rational_of(const Float& f) {
    Integer significand;
    const mpfr_exp_t e = mpfr_get_z_2exp(significand.backend().data(), f.get());
    return Rational(significand) * power_of_two(e);
}

/// The end as a rational, moved outward to a multiple of 2^floor_exponent where it is smaller than that.
Rational bounded_end(const Float& f, Index floor_exponent, mpfr_rnd_t direction) {
    if (mpfr_zero_p(f.get())) return 0;
    if (mpfr_get_exp(f.get()) > floor_exponent) return rational_of(f);
    const bool away = (mpfr_sgn(f.get()) > 0) == (direction == MPFR_RNDU);
    if (!away) return 0;
    return mpfr_sgn(f.get()) > 0 ? power_of_two(floor_exponent) : Rational(-power_of_two(floor_exponent));
}

}  // namespace

Interval::Interval(const Rational& q) : Interval(Blank()) {
    mpfr_set_q(lo_.get(), q.backend().data(), MPFR_RNDD);
    mpfr_set_q(hi_.get(), q.backend().data(), MPFR_RNDU);
}

Interval::Interval(Index n) : Interval(Blank()) {
    mpfr_set_sj(lo_.get(), n, MPFR_RNDD);
    mpfr_set_sj(hi_.get(), n, MPFR_RNDU);
}

Interval Interval::power_of_two(Index e) {
    Interval r = blank();
    mpfr_set_ui_2exp(r.lo_.get(), 1, e, MPFR_RNDD);
    mpfr_set_ui_2exp(r.hi_.get(), 1, e, MPFR_RNDU);
    return r;
}

Interval operator+(const Interval& a, const Interval& b) {
    Interval r = Interval::blank();
    mpfr_add(r.lo_.get(), a.lo_.get(), b.lo_.get(), MPFR_RNDD);
    mpfr_add(r.hi_.get(), a.hi_.get(), b.hi_.get(), MPFR_RNDU);
    return r;
}

Interval operator-(const Interval& a, const Interval& b) {
    Interval r = Interval::blank();
    mpfr_sub(r.lo_.get(), a.lo_.get(), b.hi_.get(), MPFR_RNDD);
    mpfr_sub(r.hi_.get(), a.hi_.get(), b.lo_.get(), MPFR_RNDU);
    return r;
}

Interval operator*(const Interval& a, const Interval& b) {
    Interval r = Interval::blank();
    const bool a_falls = mpfr_sgn(a.lo_.get())<0, a_rises = mpfr_sgn(a.hi_.get())> 0;
    const bool b_falls = mpfr_sgn(b.lo_.get())<0, b_rises = mpfr_sgn(b.hi_.get())> 0;
    if (a_falls && a_rises && b_falls && b_rises) {
        Float other(WorkingPrecision::current());
        multiply(r.lo_, a.lo_, b.hi_, MPFR_RNDD);
        multiply(other, a.hi_, b.lo_, MPFR_RNDD);
        mpfr_min(r.lo_.get(), r.lo_.get(), other.get(), MPFR_RNDD);
        multiply(r.hi_, a.lo_, b.lo_, MPFR_RNDU);
        multiply(other, a.hi_, b.hi_, MPFR_RNDU);
        mpfr_max(r.hi_.get(), r.hi_.get(), other.get(), MPFR_RNDU);
        return r;
    }
    // The least product is of b's lower end where a is positive, and of a's upper end where b is not.
    multiply(r.lo_, end(a.lo_, a.hi_, b_falls && (a_rises || !b_rises)),
             end(b.lo_, b.hi_, a_falls && (b_rises || !a_rises)), MPFR_RNDD);
    multiply(r.hi_, end(a.lo_, a.hi_, b_rises && (a_rises || !b_falls)),
             end(b.lo_, b.hi_, a_rises && (b_rises || !a_falls)), MPFR_RNDU);
    return r;
}

Interval operator/(const Interval& a, const Interval& b) {
    Interval r = Interval::blank();
    const int sign = b.sign().value_or(0);
    if (sign == 0) {
        mpfr_set_inf(r.lo_.get(), -1);
        mpfr_set_inf(r.hi_.get(), 1);
        return r;
    }
    const Float &least = sign > 0 ? a.lo_ : a.hi_, &most = sign > 0 ? a.hi_ : a.lo_;
    divide(r.lo_, least, end(b.lo_, b.hi_, mpfr_sgn(least.get()) >= 0), MPFR_RNDD);
    divide(r.hi_, most, end(b.lo_, b.hi_, mpfr_sgn(most.get()) < 0), MPFR_RNDU);
    return r;
}

Interval exp(const Interval& a) {
    Interval r = Interval::blank();
    const int inexact = mpfr_exp(r.lo_.get(), a.lo_.get(), MPFR_RNDD);
    if (a.is_point())
        r.set_upper_beside_lower(inexact);
    else
        mpfr_exp(r.hi_.get(), a.hi_.get(), MPFR_RNDU);
    return r;
}

Interval log(const Interval& a) {
    Interval r = Interval::blank();
    int inexact = 0;
    if (mpfr_sgn(a.lo_.get()) <= 0)
        mpfr_set_inf(r.lo_.get(), -1);
    else
        inexact = mpfr_log(r.lo_.get(), a.lo_.get(), MPFR_RNDD);
    if (a.is_point())
        r.set_upper_beside_lower(inexact);
    else
        mpfr_log(r.hi_.get(), a.hi_.get(), MPFR_RNDU);
    return r;
}

bool Interval::is_point() const { return mpfr_equal_p(lo_.get(), hi_.get()) != 0; }

void Interval::set_upper_beside_lower(int inexact) {
    mpfr_set(hi_.get(), lo_.get(), MPFR_RNDU);
    if (inexact != 0) mpfr_nextabove(hi_.get());
}

Interval larger(const Interval& a, const Interval& b) {
    Interval r = Interval::blank();
    mpfr_max(r.lo_.get(), a.lo_.get(), b.lo_.get(), MPFR_RNDD);
    mpfr_max(r.hi_.get(), a.hi_.get(), b.hi_.get(), MPFR_RNDU);
    return r;
}

Interval hull(const Interval& a, const Interval& b) {
    Interval r = Interval::blank();
    mpfr_min(r.lo_.get(), a.lo_.get(), b.lo_.get(), MPFR_RNDD);
    mpfr_max(r.hi_.get(), a.hi_.get(), b.hi_.get(), MPFR_RNDU);
    return r;
}

Interval abs(const Interval& a) {
    const auto s = a.sign();
    if (s == 1 || s == 0) return a;
    Interval r = Interval::blank();
    if (s == -1) {
        mpfr_neg(r.lo_.get(), a.hi_.get(), MPFR_RNDD);
        mpfr_neg(r.hi_.get(), a.lo_.get(), MPFR_RNDU);
        return r;
    }
    mpfr_set_zero(r.lo_.get(), 1);
    mpfr_neg(r.hi_.get(), a.lo_.get(), MPFR_RNDU);
    mpfr_max(r.hi_.get(), r.hi_.get(), a.hi_.get(), MPFR_RNDU);
    return r;
}

Interval upper(const Interval& a) {
    Interval r = Interval::blank();
    mpfr_set(r.lo_.get(), a.hi_.get(), MPFR_RNDD);
    mpfr_set(r.hi_.get(), a.hi_.get(), MPFR_RNDU);
    return r;
}

Interval lower(const Interval& a) {
    Interval r = Interval::blank();
    mpfr_set(r.lo_.get(), a.lo_.get(), MPFR_RNDD);
    mpfr_set(r.hi_.get(), a.lo_.get(), MPFR_RNDU);
    return r;
}

Interval widened(const Interval& a, const Interval& e) {
    const Interval size = upper(abs(e));
    return hull(a - size, a + size);
}

bool surely_less(const Interval& a, const Interval& b) { return mpfr_less_p(a.hi_.get(), b.lo_.get()) != 0; }
bool possibly_less(const Interval& a, const Interval& b) {
    return mpfr_less_p(a.lo_.get(), b.hi_.get()) != 0;
}

std::optional<Index> Interval::exponent() const {
    Index e = 0;
    for (const Float* end : {&lo_, &hi_}) {
        if (!mpfr_number_p(end->get())) return std::nullopt;
        if (!mpfr_zero_p(end->get())) e = std::max<Index>(e, mpfr_get_exp(end->get()));
    }
    return e;
}

std::optional<int> Interval::sign() const {
    if (mpfr_sgn(lo_.get()) > 0) return 1;
    if (mpfr_sgn(hi_.get()) < 0) return -1;
    if (mpfr_zero_p(lo_.get()) && mpfr_zero_p(hi_.get())) return 0;
    return std::nullopt;
}

bool Interval::contains(const Rational& q) const {
    return mpfr_cmp_q(lo_.get(), q.backend().data()) <= 0 && mpfr_cmp_q(hi_.get(), q.backend().data()) >= 0;
}

std::optional<std::pair<Rational, Rational>> Interval::ends(Index floor_exponent) const {
    if (!mpfr_number_p(lo_.get()) || !mpfr_number_p(hi_.get())) return std::nullopt;
    constexpr mpfr_exp_t sane = 1 << 20;  // an end of a million binary digits is as good as none
    if (!mpfr_zero_p(lo_.get()) && mpfr_get_exp(lo_.get()) > sane) return std::nullopt;
    if (!mpfr_zero_p(hi_.get()) && mpfr_get_exp(hi_.get()) > sane) return std::nullopt;
    return std::pair(bounded_end(lo_, floor_exponent, MPFR_RNDD),
                     bounded_end(hi_, floor_exponent, MPFR_RNDU));
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// Outward-rounded intervals over MPFR. The containment contract: whatever points the operands stand for, the
// result holds the exact result at those points.
#pragma once

#include "oracle/scalar/rational.hpp"

#define MPFR_USE_INTMAX_T
#include <mpfr.h>

#include <optional>
#include <utility>

namespace poolproof {

/// One end of an interval: an MPFR number that owns its memory, within itself up to the usual precisions.
class Float {
public:
    explicit Float(Index precision) { make(static_cast<mpfr_prec_t>(precision)); }
    Float(const Float& o) {
        make(mpfr_get_prec(o.f_));
        mpfr_set(f_, o.f_, MPFR_RNDN);
    }
    Float& operator=(const Float& o) {  // NOLINT(bugprone-unhandled-self-assignment): one precision
        if (mpfr_get_prec(f_) != mpfr_get_prec(o.f_)) {
            release();
            make(mpfr_get_prec(o.f_));
        }
        mpfr_set(f_, o.f_, MPFR_RNDN);
        return *this;
    }
    ~Float() { release(); }

    mpfr_ptr get() { return f_; }
    mpfr_srcptr get() const { return f_; }

private:
    static constexpr mpfr_prec_t most_within = 320;

    void make(mpfr_prec_t precision) {
        within_ = precision <= most_within;
        if (!within_) return mpfr_init2(f_, precision);
        mpfr_custom_init(limbs_, precision);
        mpfr_custom_init_set(f_, MPFR_NAN_KIND, 0, precision, limbs_);
    }
    void release() {
        if (!within_) mpfr_clear(f_);
    }

    mpfr_t f_;
    bool within_;
    mp_limb_t limbs_[most_within / (8 * sizeof(mp_limb_t))];
};

/// The precision in bits that new intervals of this thread are made with. A scope restores the former one.
class WorkingPrecision {
public:
    explicit WorkingPrecision(Index bits) : former_(std::exchange(current(), bits)) {}
    WorkingPrecision(const WorkingPrecision&) = delete;
    WorkingPrecision& operator=(const WorkingPrecision&) = delete;
    ~WorkingPrecision() { current() = former_; }

    static Index& current() {
        thread_local Index bits = 128;
        return bits;
    }

private:
    Index former_;
};

class Interval {
public:
    explicit Interval(const Rational& q = 0);
    explicit Interval(Index n);
    static Interval power_of_two(Index e);

    friend Interval operator+(const Interval& a, const Interval& b);
    friend Interval operator-(const Interval& a, const Interval& b);
    friend Interval operator*(const Interval& a, const Interval& b);
    /// The whole line where b may be 0.
    friend Interval operator/(const Interval& a, const Interval& b);
    friend Interval exp(const Interval& a);
    /// Requires that a holds a positive number; what is not positive is left out.
    friend Interval log(const Interval& a);
    /// The larger of each end.
    friend Interval larger(const Interval& a, const Interval& b);

    /// The smallest interval that holds both.
    friend Interval hull(const Interval& a, const Interval& b);
    friend Interval abs(const Interval& a);
    /// Its greatest point, and its least.
    friend Interval upper(const Interval& a);
    friend Interval lower(const Interval& a);
    /// The points no further from one of a's than the size of one of e's.
    friend Interval widened(const Interval& a, const Interval& e);

    /// Whether every point of a is less than every point of b; whether some point might be.
    friend bool surely_less(const Interval& a, const Interval& b);
    friend bool possibly_less(const Interval& a, const Interval& b);

    /// The e with 2^(e-1) <= |x| < 2^e for the largest end; 0 for a zero, nothing past what memory holds.
    std::optional<Index> exponent() const;

    /// -1, 0 or 1 where every point agrees.
    std::optional<int> sign() const;
    bool contains(const Rational& q) const;

    /// The ends as rationals, moved outward to multiples of 2^floor_exponent where they are smaller than
    /// that. Nothing if an end is infinite.
    std::optional<std::pair<Rational, Rational>> ends(Index floor_exponent) const;

    friend bool is_exactly_zero(const Interval& a) { return a.sign() == 0; }
    friend std::optional<int> compare(const Interval& a, const Interval& b) { return (a - b).sign(); }

private:
    bool is_point() const;
    /// The upper end of what one point's value has for its lower end, rounded if `inexact`: evaluated once.
    void set_upper_beside_lower(int inexact);

    struct Blank {};
    explicit Interval(Blank) : lo_(WorkingPrecision::current()), hi_(WorkingPrecision::current()) {}
    static Interval blank() { return Interval(Blank()); }
    Float lo_, hi_;
};

}  // namespace poolproof

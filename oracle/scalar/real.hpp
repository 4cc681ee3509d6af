// SPDX-License-Identifier: Apache-2.0
// An exact real number: what rationals become under exp, log and the four operations. It is kept as an
// expression
//     constant + sum of fractions of exponential sums + sum of rational multiples of atoms
// where an atom is a logarithm, or a product, quotient or exponential that fits no fraction. Any value can be
// enclosed as narrowly as asked. Sign and equality are decided outright wherever one smooth maximum is
// involved (see exp_sum.hpp; a logarithm is compared by exponentiating both sides); beyond that equal
// expressions are known to be equal, and otherwise refinement stops at 2^-1200 and says that it does not
// know.
#pragma once

#include "oracle/scalar/exp_sum.hpp"

#include <memory>

namespace poolproof {

struct Atom;

class Real {
public:
    Real(const Rational& q = 0) : constant_(q) {}  // NOLINT: every rational is a real
    explicit Real(Index n) : constant_(n) {}

    friend Real operator+(const Real& a, const Real& b);
    friend Real operator-(const Real& a, const Real& b) { return a + b * Real(Rational(-1)); }
    friend Real operator*(const Real& a, const Real& b);
    /// Requires b != 0.
    friend Real operator/(const Real& a, const Real& b);
    friend Real exp(const Real& a);
    /// Requires a > 0.
    friend Real log(const Real& a);

    /// At the working precision.
    Interval enclosure() const;

    /// -1, 0, 1, or nothing where neither proof nor 2^-1200 tells.
    friend std::optional<int> sign(const Real& a);

    /// The rational that it is; nothing where it is irrational, or not known to be rational.
    std::optional<Rational> rational() const;

    /// The same expression, and so the same number.
    friend bool operator==(const Real& a, const Real& b);

    std::size_t hash() const;

    /// Whether it is the rational 0, without asking further.
    friend bool is_exactly_zero(const Real& a) { return a.is_rational() && a.constant_.is_zero(); }
    /// Whether e to this power is a term of an exponential sum, never enclosed unless asked.
    friend bool is_symbolic_exponent(const Real& a) { return a.is_rational(); }
    friend std::optional<int> compare(const Real& a, const Real& b) {
        if (a.is_rational() && b.is_rational()) return a.constant_.compare(b.constant_);
        return sign(a - b);
    }

private:
    using AtomPtr = std::shared_ptr<const Atom>;
    struct Multiple {
        AtomPtr atom;
        Rational coefficient;
    };

    bool is_rational() const { return fractions_.empty() && atoms_.empty(); }
    /// As one fraction, where there are no atoms.
    std::optional<Fraction> as_fraction(std::size_t max_terms) const;
    std::optional<int> proved_sign() const;
    void add(const Fraction& f);
    void add(const Multiple& m);
    static Real of(const Fraction& f);
    static Real of(AtomPtr atom);
    static Real atom(int kind, const Real& a, const Real& b = Rational(0));

    Rational constant_;
    std::vector<Fraction> fractions_;  ///< denominators distinct and in order; no fraction rational
    std::vector<Multiple> atoms_;      ///< distinct, ordered by hash; coefficients not 0
};

/// A whole number within 1 of the value; 0 where no precision tells.
Rational whole_near(const Real& a);

/// Proofs by expanding a product of sums are tried up to this many terms.
inline constexpr std::size_t max_proof_terms = 100'000;

/// Two rationals around a real no further apart than 2^-bits of its size, or 2^-1200 where that is more; or
/// as near as refinement comes. Equal if and only if the number is known to be rational.
std::pair<Rational, Rational> enclose(const Real& a, int bits);

}  // namespace poolproof

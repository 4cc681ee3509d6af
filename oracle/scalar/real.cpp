// SPDX-License-Identifier: Apache-2.0
#include "oracle/scalar/real.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>

namespace poolproof {

namespace {

enum Kind : int { logarithm, exponential, product, quotient };

/// Precisions to try in turn: first while no proof has been tried, then up to where 2^-1200 of anything
/// shows.
constexpr std::array<Index, 3> quick_precisions{96, 256, 768};
constexpr std::array<Index, 3> patient_precisions{2560, 5120, 10240};

/// Beyond this a sum that is proved not to be 0 is still refined; each step doubles.
constexpr Index last_precision = Index{1} << 17;

std::size_t mixed(std::size_t seed, std::size_t value) {
    return seed ^ (value + 0x9e3779b97f4a7c15U + (seed << 6) + (seed >> 2));
}

std::size_t hash_of(const Rational& q) {
    const auto limbs = [](mpz_srcptr z) {
        std::size_t h = static_cast<std::size_t>(mpz_sgn(z) + 1);
        for (std::size_t k = 0; k < mpz_size(z); ++k)
            h = mixed(h, mpz_getlimbn(z, static_cast<mp_size_t>(k)));
        return h;
    };
    return mixed(limbs(mpq_numref(q.backend().data())), limbs(mpq_denref(q.backend().data())));
}

std::size_t hash_of(const ExpSum& s) {
    std::size_t h = s.terms().size();
    for (const auto& t : s.terms()) h = mixed(mixed(h, hash_of(t.exponent)), hash_of(t.coefficient));
    return h;
}

std::optional<int> refined_sign(const std::function<Interval()>& enclosure, Index from) {
    for (Index p = from; p <= last_precision; p *= 2) {
        const WorkingPrecision scope(p);
        if (const auto s = enclosure().sign()) return s;
    }
    return std::nullopt;
}

}  // namespace

/// A number that is no fraction of exponential sums, by how it came about.
struct Atom {
    Kind kind;
    Real a, b;
    std::size_t hash;

    Atom(Kind k, Real x, Real y)
        : kind(k),
          a(std::move(x)),
          b(std::move(y)),
          hash(mixed(mixed(static_cast<std::size_t>(k), a.hash()), b.hash())) {}

    Interval enclosure() const {
        if (cached_precision_ != WorkingPrecision::current()) {
            cached_ = fresh_enclosure();
            cached_precision_ = WorkingPrecision::current();
        }
        return cached_;
    }

    friend bool operator==(const Atom& x, const Atom& y) {
        return &x == &y || (x.hash == y.hash && x.kind == y.kind && x.a == y.a && x.b == y.b);
    }

private:
    Interval fresh_enclosure() const {
        switch (kind) {
            case logarithm: return log(a.enclosure());
            case exponential: return exp(a.enclosure());
            case product: return a.enclosure() * b.enclosure();
            case quotient: break;
        }
        return a.enclosure() / b.enclosure();
    }

    // A value used by many windows is enclosed once per precision. Reals do not cross threads.
    mutable Index cached_precision_ = 0;
    mutable Interval cached_{Index{0}};
};

void Real::add(const Fraction& f) {
    if (const auto q = f.rational()) {
        constant_ += *q;
        return;
    }
    const auto at = std::lower_bound(
        fractions_.begin(), fractions_.end(), f,
        [](const auto& x, const auto& y) { return order(x.denominator, y.denominator) < 0; });
    if (at == fractions_.end() || at->denominator != f.denominator) {
        fractions_.insert(at, f);
        return;
    }
    at->numerator = at->numerator + f.numerator;
    if (const auto q = at->rational()) {
        constant_ += *q;
        fractions_.erase(at);
    }
}

void Real::add(const Multiple& m) {
    auto at = std::lower_bound(atoms_.begin(), atoms_.end(), m,
                               [](const auto& x, const auto& y) { return x.atom->hash < y.atom->hash; });
    while (at != atoms_.end() && at->atom->hash == m.atom->hash && !(*at->atom == *m.atom)) ++at;
    if (at == atoms_.end() || at->atom->hash != m.atom->hash) {
        atoms_.insert(at, m);
        return;
    }
    at->coefficient += m.coefficient;
    if (at->coefficient.is_zero()) atoms_.erase(at);
}

Real Real::of(const Fraction& f) {
    Real r;
    r.add(f);
    return r;
}

Real Real::of(AtomPtr atom) {
    Real r;
    r.atoms_.push_back({std::move(atom), 1});
    return r;
}

Real Real::atom(int kind, const Real& a, const Real& b) {
    return of(std::make_shared<const Atom>(static_cast<Kind>(kind), a, b));
}

std::optional<Fraction> Real::as_fraction(std::size_t max_terms) const {
    if (!atoms_.empty()) return std::nullopt;
    if (constant_.is_zero() && fractions_.size() == 1) return fractions_.front();
    std::vector<Fraction> all = fractions_;
    if (!constant_.is_zero() || all.empty()) all.push_back({ExpSum(constant_, 0), ExpSum(1, 0)});
    return combined(all, max_terms);
}

Real operator+(const Real& a, const Real& b) {
    Real r = a;
    r.constant_ += b.constant_;
    for (const auto& f : b.fractions_) r.add(f);
    for (const auto& m : b.atoms_) r.add(m);
    return r;
}

Real operator*(const Real& a, const Real& b) {
    if (!a.is_rational() && b.is_rational()) return b * a;
    if (a.is_rational()) {
        if (a.constant_.is_zero()) return Rational(0);
        Real r = b;
        r.constant_ *= a.constant_;
        for (auto& f : r.fractions_) f.numerator = f.numerator.scaled(a.constant_, 0);
        for (auto& m : r.atoms_) m.coefficient *= a.constant_;
        return r;
    }
    const auto f = a.as_fraction(max_proof_terms);
    const auto g = b.as_fraction(max_proof_terms);
    if (f && g && f->numerator.terms().size() * g->numerator.terms().size() <= max_proof_terms &&
        f->denominator.terms().size() * g->denominator.terms().size() <= max_proof_terms)
        return Real::of(Fraction{f->numerator * g->numerator, f->denominator * g->denominator});
    return a.hash() <= b.hash() ? Real::atom(product, a, b) : Real::atom(product, b, a);
}

Real operator/(const Real& a, const Real& b) {
    if (b.is_rational()) return a * Real(Rational(1) / b.constant_);
    if (b.atoms_.empty())
        if (const auto f = b.as_fraction(max_proof_terms))
            return a * Real::of(fraction(f->denominator, f->numerator));
    if (a == b) return Rational(1);
    return Real::atom(quotient, a, b);
}

Real exp(const Real& a) {
    if (a.is_rational()) return Real::of(Fraction{ExpSum(1, a.constant_), ExpSum(1, 0)});
    // exp(c + log F) = e^c F: what a chain of smooth maxima of one sharpness is made of.
    if (a.fractions_.empty() && a.atoms_.size() == 1 && a.atoms_.front().coefficient == 1 &&
        a.atoms_.front().atom->kind == logarithm)
        return a.atoms_.front().atom->a * exp(Real(a.constant_));
    return Real::atom(exponential, a);
}

Real log(const Real& a) {
    if (const auto f = a.as_fraction(max_proof_terms)) {
        // log(e^m N / D) = m + log(N / D), with the logarithm's argument led by a plain coefficient.
        const Rational lead = f->numerator.terms().front().exponent;
        const Fraction rest{f->numerator.scaled(1, -lead), f->denominator};
        if (rest.rational() == Rational(1)) return lead;
        return Real(lead) + Real::atom(logarithm, Real::of(rest));
    }
    return Real::atom(logarithm, a);
}

Interval Real::enclosure() const {
    Interval sum(constant_);
    for (const auto& f : fractions_) sum = sum + f.enclosure();
    for (const auto& m : atoms_) sum = sum + Interval(m.coefficient) * m.atom->enclosure();
    return sum;
}

/// The sign where a proof exists: a fraction of exponential sums, or a logarithm of one against a rational or
/// against another logarithm with the opposite coefficient.
std::optional<int> Real::proved_sign() const {
    const auto sign_of = [](const ExpSum& s) {
        if (s.is_zero()) return std::optional(0);
        // Divided by its largest term, or a sum of e^(-10^300) and less would be enclosed with zero for ever.
        const ExpSum led = s.scaled(1, -s.terms().front().exponent);
        return refined_sign([&] { return led.enclosure(); }, 96);
    };
    if (atoms_.empty()) {
        const auto f = as_fraction(max_proof_terms);
        if (!f) return std::nullopt;
        const auto n = sign_of(f->numerator);
        const auto d = sign_of(f->denominator);
        return n && d ? std::optional(*n * *d) : std::nullopt;
    }
    const auto& first = atoms_.front();
    if (!fractions_.empty() || first.atom->kind != logarithm) return std::nullopt;
    if (atoms_.size() == 1) {  // k + c log F > 0 iff F > e^(-k/c), for c > 0
        const auto s = sign(first.atom->a - exp(Real(Rational(-constant_ / first.coefficient))));
        return s ? std::optional(*s * poolproof::sign(first.coefficient)) : std::nullopt;
    }
    const auto& second = atoms_.back();
    if (atoms_.size() != 2 || second.atom->kind != logarithm || first.coefficient != -second.coefficient)
        return std::nullopt;
    const auto s = sign(first.atom->a * exp(Real(Rational(constant_ / first.coefficient))) - second.atom->a);
    return s ? std::optional(*s * poolproof::sign(first.coefficient)) : std::nullopt;
}

std::optional<int> sign(const Real& a) {
    if (a.is_rational()) return poolproof::sign(a.constant_);
    for (const Index p : quick_precisions) {
        const WorkingPrecision scope(p);
        if (const auto s = a.enclosure().sign()) return s;
    }
    if (const auto s = a.proved_sign()) return s;
    for (const Index p : patient_precisions) {
        const WorkingPrecision scope(p);
        const Interval i = a.enclosure();
        if (const auto s = i.sign()) return s;
        const auto ends = i.ends(-1300);
        if (ends && ends->second - ends->first <= power_of_two(-1200)) return std::nullopt;
    }
    return std::nullopt;
}

namespace {

/// The rational with the smallest denominator in [low, high], by continued fractions. Requires low <= high.
Rational simplest_between(const Rational& low, const Rational& high) {
    const Integer whole = floor_of(low);
    if (low == Rational(whole)) return low;
    if (Rational(whole) + 1 <= high) return Rational(whole) + 1;
    return Rational(whole) + Rational(1) / simplest_between(Rational(1) / (high - Rational(whole)),
                                                            Rational(1) / (low - Rational(whole)));
}

}  // namespace

std::optional<Rational> Real::rational() const {
    if (is_rational()) return constant_;
    if (!atoms_.empty() || fractions_.size() == 1) return std::nullopt;
    constexpr std::size_t cheap_terms = 2048;
    if (const auto f = as_fraction(cheap_terms)) return f->rational();
    // Expanding many windows is dear. A rational that the sum could be has the size of the numbers it is made
    // of, far smaller than the next rational in so narrow an interval: only such a candidate is worth the
    // expansion.
    const WorkingPrecision scope(768);
    const auto ends = enclosure().ends(-1400);
    if (!ends) return std::nullopt;
    const Rational candidate = simplest_between(ends->first, ends->second);
    if (bit_length(denominator_of(candidate)) > 300) return std::nullopt;
    const auto f = as_fraction(max_proof_terms);
    return f ? f->rational() : std::nullopt;
}

bool operator==(const Real& a, const Real& b) {
    const auto same = [](const Real::Multiple& x, const Real::Multiple& y) {
        return x.coefficient == y.coefficient && *x.atom == *y.atom;
    };
    return a.constant_ == b.constant_ && a.fractions_ == b.fractions_ &&
           std::equal(a.atoms_.begin(), a.atoms_.end(), b.atoms_.begin(), b.atoms_.end(), same);
}

std::size_t Real::hash() const {
    std::size_t h = hash_of(constant_);
    for (const auto& f : fractions_) h = mixed(mixed(h, hash_of(f.numerator)), hash_of(f.denominator));
    for (const auto& m : atoms_) h = mixed(mixed(h, m.atom->hash), hash_of(m.coefficient));
    return h;
}

Rational whole_near(const Real& a) {
    for (Index p = 64; p <= last_precision; p *= 2) {
        const WorkingPrecision scope(p);
        const auto ends = a.enclosure().ends(-64);
        if (ends && ends->second - ends->first <= 1) return floor_of(ends->first);
    }
    return 0;
}

std::pair<Rational, Rational> enclose(const Real& a, int bits) {
    if (const auto q = a.rational()) return {*q, *q};
    std::optional<std::pair<Rational, Rational>> best;
    for (Index p = bits + 64; p <= last_precision; p *= 2) {
        const WorkingPrecision scope(p);
        const auto ends = a.enclosure().ends(-1210);
        if (!ends) continue;
        best = ends;
        const auto& [low, high] = *ends;
        const Rational width = high - low;
        const Rational size = std::min(Rational(abs(low)), Rational(abs(high)));
        if (width <= power_of_two(-1201) ||
            (poolproof::sign(low) == poolproof::sign(high) && width <= size * power_of_two(-bits)))
            break;
    }
    if (!best) throw std::logic_error("a value has no enclosure");
    return *best;
}

}  // namespace poolproof

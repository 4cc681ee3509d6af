// SPDX-License-Identifier: Apache-2.0
// What an honest implementation computes in, and what a sum of scaled terms may come to in it. The proofs are
// in docs/BOUNDS.md; each quantity here is named as there.
#pragma once

#include "oracle/scalar/extended.hpp"
#include "oracle/scalar/interval.hpp"

#include <poolproof/expected.hpp>

namespace poolproof {

/// The format that sums are kept in [BAcc].
struct Arithmetic {
    Format result;       ///< what the answer is rounded to
    Format accumulator;  ///< at least as wide; an implementation may use a wider one still
    Policy policy;

    Arithmetic(Format format, Accumulate kept, const Policy& choices)
        : result(format),
          accumulator(kept == Accumulate::f32 && precision(format) < precision(Format::f32) ? Format::f32
                                                                                            : format),
          policy(choices) {}

    bool wider() const { return accumulator != result; }
    Interval unit_roundoff() const { return Interval::power_of_two(-precision(accumulator)); }
    Interval smallest_subnormal() const { return Interval::power_of_two(min_exponent(accumulator)); }
    Interval smallest_normal() const { return Interval::power_of_two(min_normal_exponent(accumulator)); }
    /// Below this an operand may be taken for 0 where that is allowed.
    Interval least_kept() const { return Interval::power_of_two(min_normal_exponent(result)); }
};

/// What errors are computed in: they are bounds, and need not be as fine as the values.
inline constexpr Index error_precision = 128;

/// (1 + u)^n - 1 from above: what n roundings in a row can do to one term.
Interval growth(const Interval& u, const Interval& roundings);

/// What the bounds' formulas ask of a number beside: log(1 + x), and -log(1 - x), from above; infinite where
/// that has no value.
Interval log_of_more(const Interval& x);
Interval log_of_less(const Interval& x);
Interval smaller(const Interval& a, const Interval& b);
/// Whether some point may be less; there never is a doubt.
inline bool less(const Interval& a, const Interval& b, bool&) { return possibly_less(a, b); }

/// The values that honest implementations may return at one position. `on_grid` holds those computed in the
/// accumulator itself; `rounded` those that a wider one computes, before the last rounding to the result's
/// format.
struct Span {
    Kind kind = Kind::finite;
    std::uint8_t zeros = either_zero;
    Interval on_grid{Index{0}}, rounded{Index{0}};
    bool copied = false;  ///< no operation touched it: an element of the format already
    bool overflow = false,
         minus_overflow = false;  ///< an intermediate sum may pass the top, or the bottom [BOver]
    bool vacuous = false;         ///< the bound is as wide as its terms are large [BVac]
};

/// Whether an infinity may be added to one of the other sign, that finite terms overflowed to [BOver].
bool may_meet_its_opposite(const Span& s);

/// A span that is one exact value.
Span point(const Interval& exact);

/// What either of two ways to compute one value may come to. Requires finite ones.
Span hull(const Span& a, const Span& b);

/// How the terms of a sum are scaled: by 1 / divisor, in at most so many roundings [BScale].
struct Scale {
    Interval factor{Index{1}};  ///< 1 / divisor
    Index roundings = 0;
    Index scalings = 0;             ///< results that may be subnormal, per term
    bool small_reciprocal = false;  ///< the factor may itself be subnormal

    /// By one whole divisor, or axis by axis, whichever is worse.
    static Scale by(const Rational& divisor, const std::vector<Integer>& factors, const Arithmetic& a);
};

/// Collects a sum of scaled terms together with what bounds its error: the sizes of its terms, how many there
/// are, how often each is rounded [BSum].
class BoundedSum {
public:
    explicit BoundedSum(const Arithmetic& a) : arithmetic_(a) {}

    /// Adds the term, scaled. `relative` bounds the error that the term brings along, relative to its size,
    /// and `absolute` what it brings beyond that; an implementation may sum terms `swollen` times as large
    /// and scale later.
    void add(const Interval& term, const Scale& scale, const Interval& relative = Interval(Index{0}),
             const Interval& absolute = Interval(Index{0}), const Interval& swollen = Interval(Index{1}));

    /// Adds the terms of another sum, as one who goes on adding to it does; and an error beside them.
    void absorb(const BoundedSum& other);
    void bring(const Interval& error) { brought_ = brought_ + upper(error); }

    Span span() const;
    const Interval& exact() const { return total_; }
    bool empty() const { return terms_ == 0; }  ///< but for terms that are exactly 0

private:
    const Arithmetic& arithmetic_;
    Interval total_{Index{0}}, size_{Index{0}};         // of the scaled terms
    Interval positive_{Index{0}}, negative_{Index{0}};  // of the terms before scaling, signed as after
    Interval brought_{Index{0}};                        // errors that the terms bring along
    Interval dust_{Index{0}};                           // what subnormal reciprocals take
    Index products_ = 0;                                // that may be subnormal
    Index terms_ = 0, roundings_ = 0, scalings_ = 0;
};

/// What stands where a value is no finite number. Requires another kind than finite.
Permitted permitted(Kind special);

/// The patterns of a span. Throws where it is empty, which would be a defect of the oracle.
Permitted permitted(const Span& s, const Arithmetic& a);

/// What rounding these values to the result's format changes at most.
Interval storing(const Interval& values, const Arithmetic& a);

/// Every value a span may stand for inside a graph: fused, or rounded to the format in between.
Interval fused_or_rounded(const Span& s, const Arithmetic& a);

}  // namespace poolproof

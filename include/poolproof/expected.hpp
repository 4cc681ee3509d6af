// SPDX-License-Identifier: Apache-2.0
// What the clauses allow: the permitted patterns of every output value, and the exact answer behind them.
#pragma once

#include <poolproof/plan.hpp>

#include <functional>
#include <memory>
#include <span>

namespace poolproof {

/// What may stand at one output position: the finite patterns from `lowest` to `highest` in the order of
/// `ordinal` if `range`, any NaN if `nan`, the infinities if named; everything if `open`. Two patterns
/// compared are two integers. `vacuous`: the proved bound is as wide as the terms are large, so that being
/// inside says nothing.
struct Permitted {
    Bits lowest = 0, highest = 0;
    bool range = false, nan = false, infinity = false, minus_infinity = false, open = false, vacuous = false;

    static Permitted anything() { return with(&Permitted::open); }
    static Permitted any_nan() { return with(&Permitted::nan); }
    static Permitted exactly(Bits b) { return between(b, b); }
    static Permitted between(Bits low, Bits high) {
        Permitted p = with(&Permitted::range);
        p.lowest = low;
        p.highest = high;
        return p;
    }
    static Permitted with(bool Permitted::*flag) {
        Permitted p;
        p.*flag = true;
        return p;
    }

    friend bool operator==(const Permitted&, const Permitted&) = default;
};

/// Whether a pattern is one of the permitted ones: the whole of what judging a value is.
constexpr bool permits(const Permitted& p, Format f, Bits got) {
    if (p.open) return true;
    if (is_nan(f, got)) return p.nan;
    if (is_infinite(f, got)) return is_negative(f, got) ? p.minus_infinity : p.infinity;
    return p.range && ordinal(f, p.lowest) <= ordinal(f, got) && ordinal(f, got) <= ordinal(f, p.highest);
}

/// The positions that an index output may report, in ascending order; nothing means that no clause decides.
using PermittedIndices = std::optional<std::vector<Index>>;

enum class Decision : std::uint8_t { permitted, refused, undecided };

/// Of several parts: one that is refused refuses the whole, and one that is undecided leaves it so.
constexpr Decision both(Decision a, Decision b) {
    if (a == Decision::refused || b == Decision::refused) return Decision::refused;
    return a == Decision::undecided ? a : b;
}

/// A set that ties several values together: each value within its own range, and all of them decided at once.
struct Joint {
    std::string kind;                               ///< `any` or `convex`
    std::function<Decision(const Tensor&)> decide;  ///< of the whole answer
};

/// One output of a case: `y`, `dy`, `dx` or `indices`.
struct ExpectedOutput {
    std::string name;
    Format format = Format::f64;
    Shape shape;
    std::vector<Permitted> values;                  ///< of `y`, `dy`, `dx`
    std::vector<PermittedIndices> positions;        ///< of `indices`
    std::optional<Joint> joint{};                   ///< a further condition on all values together
    std::string clause{};                           ///< that decides these values
    std::function<std::string(Index)> clause_at{};  ///< the one that decides the value at a position, if told
    Index first = 0;                                ///< where in the answer the values, or positions, begin
};

struct Expected {
    std::vector<ExpectedOutput> outputs;
};

/// One exact value as text. A rational is `lower == upper`; an irrational lies strictly between them;
/// `special` is `nan`, `inf`, `-inf` or `open` and stands alone.
struct ExactValue {
    std::string lower, upper, special;
};

struct Exact {
    Shape shape;
    std::vector<ExactValue> values;
    std::optional<Shape> index_shape;
    std::vector<PermittedIndices> indices;
};

/// The exact answer. Irrational values are enclosed to 2^-bits of their size, or 2^-1200 where that is more.
Exact exact(const Plan& plan, const Case& c, int bits = 100);

/// The patterns an answer may show.
Expected expect(const Plan& plan, const Case& c);

/// A run of slices: the leading axes that every node of a plan acts on independently, as one axis.
struct Slices {
    Index first = 0, count = 0;
};
Index slice_count(const Plan& plan, const Case& c);

/// How many values each stage settled. `refined` counts those of the certified ones that the quick stage of
/// a smooth maximum left to finer exponentials.
struct Stages {
    Index screened = 0, certified = 0, refined = 0, exact = 0;
};

/// The part of `expect(plan, c)` that belongs to some slices, in memory for those alone. Equal to it pattern
/// by pattern, but computed in doubles with proved errors wherever they are enough; `stages`, if given, is
/// added to.
Expected expect(const Plan& plan, const Case& c, const Slices& slices, Stages* stages = nullptr);

/// The same by the exact oracle alone.
Expected exact_sets(const Plan& plan, const Case& c, const Slices& slices);

/// The sets of the values at these positions of the answer, ascending and within the slices.
std::vector<Permitted> permitted_at(const Plan& plan, const Case& c, const Slices& slices,
                                    const std::vector<Index>& positions, Stages* stages = nullptr);

/// Looks whether an answer's values in these slices are permitted, without finding what else is. Those that
/// are, and are neither open nor vacuous, are passed over; the positions of all others are added to
/// `doubtful`, ascending. False where there is no such short way. Requires an answer of the right format and
/// shape.
bool screen(const Plan& plan, const Case& c, const Slices& slices, const Tensor& answer,
            std::vector<Index>& doubtful);

/// One value of `exact(plan, c)`, by what decides it alone. Not for an index.
ExactValue exact_at(const Plan& plan, const Case& c, Index position, int bits = 100);

/// One direction of a derivative: its answer, the sets it was judged by, and what it is paired with.
struct Directed {
    const ExpectedOutput& expected;
    const Tensor& answer;
    const Tensor& against;
};

/// Whether <cotangent, dy> and <dx, tangent> are as near as the rounding that both answers' sets permit: as
/// two directions of one linear map must be. Needs the widths of the sets and not the truth. Undecided where
/// a value, or what it is paired with, is not finite. Requires answers of the right shape and format.
Decision adjoint(const Directed& pushed, const Directed& pulled);

/// Which part of the permitted error a finite pattern uses, in per cent rounded up: 0 for the exact value,
/// 100 for an end of the range. Nothing where there is no range, or the exact value is not known.
std::optional<Index> used_share(const Permitted& p, const ExactValue& exact, Format f, Bits got);

}  // namespace poolproof

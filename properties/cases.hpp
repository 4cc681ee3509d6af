// SPDX-License-Identifier: Apache-2.0
// What the laws share: small random cases, drawn so that their plan accepts them and nothing is discarded;
// their evaluation in any exact scalar; and windows found the slow way, by asking of every single tap where
// it falls.
#pragma once

#include "oracle/scalar/dyadic.hpp"
#include "oracle/scalar/extended.hpp"
#include "oracle/scalar/real.hpp"

#include <poolproof/plan.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

namespace poolproof {

/// For counterexamples: the line that `poolproof oracle` reads.
std::ostream& operator<<(std::ostream& out, const Case& c);
std::ostream& operator<<(std::ostream& out, const Tensor& t);

namespace laws {

/// A law calls this for each thing that makes a case interesting. A test in which one of them never came up
/// is vacuous and fails; how often each did is recorded with the test.
void seen(std::string_view what, bool here);

// Draws: inside a property only. They shrink towards `low`, the first element, no.
Index between(Index low, Index high);
bool either();
template <class T> const T& one_of(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(between(0, static_cast<Index>(list.size()) - 1))];
}

enum class Spread {
    tied,      ///< whole numbers from -2 to 2
    distinct,  ///< odd whole numbers, no two equal
    dyadic,    ///< quarters from -4 to 4
    doubles,   ///< any significand, exponents from -20 to 20
};

Tensor tensor(Shape shape, const std::vector<double>& values);
Tensor constant(Shape shape, double value);
Tensor some_tensor(const Shape& shape, Spread spread);

inline const std::vector<Op> max_ops{Op::max_pool, Op::adaptive_max_pool, Op::global_max_pool};
inline const std::vector<Op> average_ops{Op::avg_pool, Op::adaptive_avg_pool, Op::global_avg_pool};
inline const std::vector<Op> rational_ops{Op::max_pool, Op::adaptive_max_pool, Op::global_max_pool,
                                          Op::avg_pool, Op::adaptive_avg_pool, Op::global_avg_pool};
inline const std::vector<Op> smooth_ops{Op::smooth_max_pool};
inline const std::vector<Op> sliding_ops{Op::max_pool, Op::avg_pool, Op::smooth_max_pool};
inline const std::vector<Ties> decided_ties{Ties::first, Ties::last, Ties::all, Ties::split};
inline const std::vector<Ties> every_tie{Ties::first, Ties::last, Ties::all,
                                         Ties::split, Ties::any,  Ties::convex};

/// What kind of case a law is about.
struct Scope {
    std::vector<Op> ops;
    std::vector<Ties> ties = decided_ties;
    Spread spread = Spread::tied;
    Index min_rank = 1, max_rank = 3;
    Index leading = 0;          ///< least number of leading axes
    bool padding = true;        ///< else every tap of every window is a real cell
    bool divisor_rules = true;  ///< uncounted padding and divisor override
    bool small = false;         ///< at most a dozen cells a slice: what exact reals bear
    std::vector<MaxPadding> max_padding{MaxPadding::ignored, MaxPadding::zero};
};

/// A forward f64 case of profile torchlean, so under `empty_window: zero` and `oversized_kernel: one_window`.
Case some_case(const Scope& scope);

/// A graph of max, average and add nodes over the same; values and derivatives are rational. With `dyadic`
/// every node's output is a double as long as the input holds small whole numbers.
Case some_graph(const Scope& scope, bool dyadic = false);

Case as_jvp(Case c, Tensor tangent);
Case as_vjp(Case c, Tensor cotangent);

/// Requires a case that `plan` accepts.
Plan settled(const Case& c);
Shape output_shape(const Case& c);
/// Of a single op.
const PoolPlan& pool_of(const Plan& p);

// Evaluation by the spec. Instantiated for Dyadic, Rational, Interval and Real.
template <class S> std::vector<Extended<S>> evaluated(const Case& c);
/// The same where every value is finite.
template <class S> std::vector<S> finite(const Case& c);
std::vector<PermittedIndices> indices(Case c);

/// Equal, each to each, and proved to be. (`==` on reals compares expressions, which depend on the order of
/// sums.)
bool equal(const std::vector<Real>& a, const std::vector<Real>& b);

std::vector<Rational> numbers(const Tensor& t);
/// The nearest doubles. Requires values that are doubles.
Tensor tensor(Shape shape, const std::vector<Rational>& values);

/// Of the number. Requires a denominator that is a power of two where S is Dyadic.
template <class S> S exactly(const Rational& q) {
    if constexpr (std::same_as<S, Dyadic>)
        return {numerator_of(q), 1 - bit_length(denominator_of(q))};
    else
        return S(q);
}

template <class S> S dot(const std::vector<S>& a, const std::vector<Rational>& b) {
    S total(Index{0});
    for (std::size_t k = 0; k < b.size(); ++k) total = total + a[k] * exactly<S>(b[k]);
    return total;
}

/// What one output sees: the flat positions in the whole input, in window order; all taps; those that lie in
/// the padded input.
struct SlowWindow {
    std::vector<Index> cells;
    Index span = 0, clipped = 0;

    /// Taps of padding that take part, by the policy `divisor`.
    Index padding(const PoolPlan& p) const {
        return (p.policy.divisor == Divisor::kernel ? span : clipped) - static_cast<Index>(cells.size());
    }
};

/// One for each output of a single op, the leading slices included.
std::vector<SlowWindow> slow_windows(const Case& c);

/// Whether some window holds its maximum twice, by its real cells.
bool has_tie(const Case& c);
bool has_padding(const Case& c);
bool has_overlap(const Case& c);
bool has_empty_window(const Case& c);

}  // namespace laws
}  // namespace poolproof

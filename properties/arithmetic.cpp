// SPDX-License-Identifier: Apache-2.0
// The laws of arithmetic, one suite for every scalar: rings, fields, order, exp and log, each for the scalars
// that claim it. An archetype per concept offers only what the concept promises; what must not compile is
// asserted not to.
#include "oracle/scalar/dual.hpp"
#include "oracle/spec/reductions.hpp"
#include "properties/cases.hpp"

namespace poolproof {

namespace laws {
namespace {

// Archetypes
// ------------------------------------------------------------------------------------------------------------

// Every scalar that `Extended` carries is made from a whole number and knows its zero, and an analytic one is
// made from a rational; a concept adds to that.

struct RingArchetype {
    explicit RingArchetype(Index) {}
    friend RingArchetype operator+(const RingArchetype& a, const RingArchetype&) { return a; }
    friend RingArchetype operator*(const RingArchetype& a, const RingArchetype&) { return a; }
};

struct FieldArchetype {
    explicit FieldArchetype(Index) {}
    friend FieldArchetype operator+(const FieldArchetype& a, const FieldArchetype&) { return a; }
    friend FieldArchetype operator*(const FieldArchetype& a, const FieldArchetype&) { return a; }
    friend FieldArchetype operator/(const FieldArchetype& a, const FieldArchetype&) { return a; }
};

struct OrderedArchetype {
    explicit OrderedArchetype(Index) {}
    friend std::optional<int> compare(const OrderedArchetype&, const OrderedArchetype&) { return 0; }
    friend bool is_exactly_zero(const OrderedArchetype&) { return true; }
};

struct AnalyticArchetype {
    explicit AnalyticArchetype(Index) {}
    explicit AnalyticArchetype(const Rational&) {}
    friend AnalyticArchetype operator+(const AnalyticArchetype& a, const AnalyticArchetype&) { return a; }
    friend AnalyticArchetype operator*(const AnalyticArchetype& a, const AnalyticArchetype&) { return a; }
    friend AnalyticArchetype operator/(const AnalyticArchetype& a, const AnalyticArchetype&) { return a; }
    friend AnalyticArchetype exp(const AnalyticArchetype& a) { return a; }
    friend AnalyticArchetype log(const AnalyticArchetype& a) { return a; }
    friend bool is_exactly_zero(const AnalyticArchetype&) { return false; }
};

static_assert(Ring<RingArchetype> && !Field<RingArchetype> && !Ordered<RingArchetype>);
static_assert(Field<FieldArchetype> && !Analytic<FieldArchetype> && !Ordered<FieldArchetype>);
static_assert(Ordered<OrderedArchetype> && !Ring<OrderedArchetype>);
static_assert(Analytic<AnalyticArchetype> && !Ordered<AnalyticArchetype>);

template <class S> using Span = std::span<const Extended<S>>;

template <class S>
concept Averages = requires(Span<S> xs, S d) {
    spec::average<S>(xs, d, 1);
    spec::average_row<S>(2, d);
};
template <class S>
concept Smooths = requires(Span<S> xs, S d) {
    spec::smooth_max<S>(xs, d, 1, d);
    spec::smooth_max_row<S>(xs, d, d);
};
template <class S>
concept Maximizes = requires(Span<S> xs, PoolPlan p, spec::Window w) {
    spec::winners<S>(xs, p, w);
};

static_assert(!Field<Dyadic> && !Averages<Dyadic>, "an average has no dyadic value");
static_assert(!Analytic<Rational> && !Smooths<Rational>, "a smooth maximum has no rational value");
static_assert(!Averages<RingArchetype> && !Smooths<FieldArchetype> && !Maximizes<AnalyticArchetype>);
static_assert(Averages<FieldArchetype> && Smooths<AnalyticArchetype> && Maximizes<OrderedArchetype>);

static_assert(Ring<Dyadic> && Ordered<Dyadic>);
static_assert(Field<Rational> && Ordered<Rational>);
static_assert(Analytic<Interval> && Ordered<Interval>);
static_assert(Analytic<Real> && Ordered<Real>);
static_assert(Analytic<double> && Ordered<double>);
static_assert(Ring<Dual<Dyadic>> && Field<Dual<Rational>> && Analytic<Dual<Real>>);

TEST(Archetypes, OfferAllThatAnOperatorAsksOfTheConceptItNames) {
    const std::vector<Extended<FieldArchetype>> fields(2, Extended<FieldArchetype>(FieldArchetype(1)));
    EXPECT_TRUE(spec::average<FieldArchetype>(fields, FieldArchetype(2), 1).is_finite());
    EXPECT_EQ(spec::average_row<FieldArchetype>(2, FieldArchetype(2)).shares.size(), 2U);
    const std::vector<Extended<AnalyticArchetype>> analytic(
        2, Extended<AnalyticArchetype>(AnalyticArchetype(1)));
    EXPECT_TRUE(spec::smooth_max<AnalyticArchetype>(analytic, AnalyticArchetype(1), 1, AnalyticArchetype(0))
                    .is_finite());
    EXPECT_EQ(spec::smooth_max_row<AnalyticArchetype>(analytic, AnalyticArchetype(1), AnalyticArchetype(0))
                  .shares.size(),
              2U);
    const std::vector<Extended<OrderedArchetype>> ordered(2, Extended<OrderedArchetype>(OrderedArchetype(1)));
    const spec::Window window{{spec::axis_window(Axis{.extent = 2, .kernel = 2}, 0)}, {0, 1}};
    const auto won = spec::winners<OrderedArchetype>(ordered, PoolPlan{}, window);
    EXPECT_EQ(won.tied.size(), 2U);
    EXPECT_EQ(spec::max_row(won, Ties::split).shares.size(), 2U);
    const RingArchetype ring[] = {RingArchetype(1), RingArchetype(2)};
    EXPECT_NO_THROW(spec::sum(std::span<const RingArchetype>(ring)) * ring[0]);
}

// Elements
// ------------------------------------------------------------------------------------------------------------

Rational some_rational() {
    return *rc::gen::exec([] {
        const Index numerator = between(-20, 20);
        return Rational(numerator, between(1, 9));
    });
}

template <class S> struct Elements {
    static S some() { return S(some_rational()); }
};
template <> struct Elements<Dyadic> {
    static Dyadic some() {
        return exactly<Dyadic>(Rational(between(-20, 20)) * power_of_two(between(-4, 4)));
    }
};
template <> struct Elements<Real> {
    /// Also quotients of exponentials, which stay fractions of exponential sums under the four operations.
    static Real some() {
        const Rational q = some_rational();
        if (between(0, 2) == 0) return q;
        return (exp(Real(q)) + Real(some_rational())) / (Real(1) + exp(Real(Rational(between(-3, 3)))));
    }
};
template <> struct Elements<Interval> {
    static Interval some() {
        const Interval q(some_rational());
        return either() ? q : q + exp(Interval(Rational(1, 3)));
    }
};
template <class S> struct Elements<Dual<S>> {
    static Dual<S> some() { return {Elements<S>::some(), exactly<S>(between(-9, 9))}; }
};

/// Equal, and known to be; for intervals, that nothing tells them apart.
bool same(const Dyadic& a, const Dyadic& b) { return compare(a, b) == 0; }
bool same(const Rational& a, const Rational& b) { return a == b; }
bool same(const Real& a, const Real& b) { return compare(a, b) == 0; }
bool same(const Interval& a, const Interval& b) { return compare(a, b).value_or(0) == 0; }
template <class S> bool same(const Dual<S>& a, const Dual<S>& b) {
    return same(a.primal, b.primal) && same(a.tangent, b.tangent);
}

/// Whether dividing by it is defined.
bool invertible(const Interval& a) { return a.sign().value_or(0) != 0; }
bool invertible(const Rational& a) { return !a.is_zero(); }
bool invertible(const Real& a) { return sign(a) != 0; }
template <class S> bool invertible(const Dual<S>& a) { return invertible(a.primal); }

template <class Law> void holds(Law law) { EXPECT_TRUE(rc::check(law)); }

// Suites
// ------------------------------------------------------------------------------------------------------------

template <class S> class RingLaws : public ::testing::Test {};
using Rings = ::testing::Types<Dyadic, Rational, Interval, Real, Dual<Dyadic>, Dual<Rational>, Dual<Interval>,
                               Dual<Real>>;
TYPED_TEST_SUITE(RingLaws, Rings);

TYPED_TEST(RingLaws, SumsAndProductsCommuteAndAssociate) {
    using S = TypeParam;
    holds([] {
        const S a = Elements<S>::some(), b = Elements<S>::some(), c = Elements<S>::some();
        RC_ASSERT(same(a + b, b + a));
        RC_ASSERT(same(a * b, b * a));
        RC_ASSERT(same((a + b) + c, a + (b + c)));
        RC_ASSERT(same((a * b) * c, a * (b * c)));
        RC_ASSERT(same(a * (b + c), a * b + a * c));
    });
}

TYPED_TEST(RingLaws, ZeroOneAndMinusOneDoWhatTheyAreNamedFor) {
    using S = TypeParam;
    holds([] {
        const S a = Elements<S>::some(), zero(Index{0}), one(Index{1});
        RC_ASSERT(same(a + zero, a));
        RC_ASSERT(same(a * one, a));
        RC_ASSERT(same(a * zero, zero));
        RC_ASSERT(same(a + a * S(Index{-1}), zero));
    });
}

TYPED_TEST(RingLaws, WholeNumbersAddAndMultiplyAsTheyCount) {
    using S = TypeParam;
    holds([] {
        const Index m = between(-1000, 1000), n = between(-1000, 1000);
        RC_ASSERT(same(S(m) + S(n), S(m + n)));
        RC_ASSERT(same(S(m) * S(n), S(m * n)));
    });
}

template <class S> class FieldLaws : public ::testing::Test {};
using Fields = ::testing::Types<Rational, Interval, Real, Dual<Rational>, Dual<Interval>, Dual<Real>>;
TYPED_TEST_SUITE(FieldLaws, Fields);

TYPED_TEST(FieldLaws, QuotientsUndoProductsAndAddOverOneDivisor) {
    using S = TypeParam;
    holds([] {
        const S a = Elements<S>::some(), b = Elements<S>::some(), c = Elements<S>::some();
        seen("a divisor", invertible(b));
        if (!invertible(b)) return;
        RC_ASSERT(same((a / b) * b, a));
        RC_ASSERT(same((a * b) / b, a));
        RC_ASSERT(same(a / b + c / b, (a + c) / b));
        RC_ASSERT(same(b / b, S(Index{1})));
    });
}

template <class S> class OrderLaws : public ::testing::Test {};
using OrderedScalars = ::testing::Types<Dyadic, Rational, Interval, Real>;
TYPED_TEST_SUITE(OrderLaws, OrderedScalars);

/// What is not decided, which only intervals leave so, is not at odds with anything.
TYPED_TEST(OrderLaws, ComparisonIsATotalOrderThatSumsAndPositiveProductsKeep) {
    using S = TypeParam;
    constexpr bool exact = !std::same_as<S, Interval>;
    holds([] {
        const S a = Elements<S>::some(), b = Elements<S>::some(), c = Elements<S>::some();
        const auto ab = compare(a, b), ba = compare(b, a), bc = compare(b, c), ac = compare(a, c);
        if (exact) RC_ASSERT(ab && bc && ac && compare(a, a) == 0);
        RC_ASSERT(ab.has_value() == ba.has_value());
        if (!ab) return;
        RC_ASSERT(*ab == -*ba);
        seen("a chain of three", *ab == 1 && bc == 1);
        if (*ab == 1 && bc == 1) RC_ASSERT(ac == 1);
        RC_ASSERT(compare(a + c, b + c).value_or(*ab) == *ab);
        const auto side = compare(c, S(Index{0}));
        if (side) RC_ASSERT(compare(a * c, b * c).value_or(*ab * *side) == *ab * *side);
    });
}

template <class S> class AnalyticLaws : public ::testing::Test {};
using AnalyticScalars = ::testing::Types<Interval, Real, Dual<Interval>, Dual<Real>>;
TYPED_TEST_SUITE(AnalyticLaws, AnalyticScalars);

template <class S> struct Small {
    static S some() { return S(some_rational()); }
};
template <class S> struct Small<Dual<S>> {
    static Dual<S> some() { return {Small<S>::some(), Small<S>::some()}; }
};

TYPED_TEST(AnalyticLaws, ExpTurnsSumsIntoProductsAndLogUndoesIt) {
    using S = TypeParam;
    holds([] {
        const S a = Small<S>::some(), b = Small<S>::some(), one(Index{1}), zero(Index{0});
        RC_ASSERT(same(exp(a + b), exp(a) * exp(b)));
        RC_ASSERT(same(exp(zero), one));
        RC_ASSERT(same(log(one), zero));
        RC_ASSERT(same(log(exp(a)), a));
        const S positive = exp(a) + exp(b);
        RC_ASSERT(same(exp(log(positive)), positive));
        RC_ASSERT(same(log(positive * exp(b)), log(positive) + b));
    });
}

RC_GTEST_PROP(RealOrder, IsKeptByExpAndLog, ()) {
    const Real a = some_rational(), b = some_rational();
    const auto order = compare(a, b);
    RC_ASSERT(compare(exp(a), exp(b)) == order);
    RC_ASSERT(compare(log(exp(a) + Real(1)), log(exp(b) + Real(1))) == order);
    RC_ASSERT(compare(exp(a), Real(0)) == 1);
}

RC_GTEST_PROP(RealOrder, IsDecidedWhereTwoNumbersDifferByAnExponentialNoFormatHolds, ()) {
    const Real speck = exp(Real(Rational(-power_of_two(between(5, 1100)))));
    const Real a = Elements<Real>::some();
    RC_ASSERT(compare(a + speck, a) == 1);
    RC_ASSERT(compare(a, a + speck) == -1);
    RC_ASSERT(compare(a + speck, a + speck) == 0);
}

/// One expression in two scalars.
template <class S> S expression(const std::vector<Rational>& q) {
    const S a(q[0]), b(q[1]), c(q[2]);
    return (a * b + c * a) / (b * b + S(Index{1})) + c * S(Index{-1});
}

RC_GTEST_PROP(IntervalArithmetic, HoldsTheRationalResult, ()) {
    const WorkingPrecision scope(between(2, 40));
    const std::vector<Rational> q{some_rational(), some_rational(), some_rational()};
    RC_ASSERT(expression<Interval>(q).contains(expression<Rational>(q)));
}

RC_GTEST_PROP(IntervalArithmetic, HoldsTheRealResultOfExpAndLog, ()) {
    const Rational q = some_rational(), p = some_rational();
    const auto of = [&](auto number) {
        using S = decltype(number);
        return log(exp(S(q)) + exp(S(p))) * exp(S(p));
    };
    const Real exact = of(Real(0));
    const WorkingPrecision scope(between(4, 60));
    const auto ends = of(Interval(Index{0})).ends(-1300);
    if (!ends) return;
    RC_ASSERT(compare(Real(ends->first), exact).value() <= 0);
    RC_ASSERT(compare(exact, Real(ends->second)).value() <= 0);
}

RC_GTEST_PROP(IntervalArithmetic, LargerHoldsTheLargerOfTheNumbers, ()) {
    const WorkingPrecision scope(between(2, 20));
    const Rational p = some_rational(), q = some_rational();
    RC_ASSERT(larger(Interval(p), Interval(q)).contains(std::max(p, q)));
}

TEST(IntervalArithmetic, DivisionByWhatMayBeZeroIsTheWholeLine) {
    const Interval around_zero = exp(Interval(Rational(1, 3))) - exp(Interval(Rational(1, 3)));
    EXPECT_FALSE(around_zero.sign());
    EXPECT_FALSE((Interval(Index{1}) / around_zero).ends(-100));
}

/// x^2 + 1/x + exp(x) + log(x) at x, by a quotient of differences.
TEST(DualArithmetic, CarriesTheSlopeOfEachOperation) {
    EXPECT_TRUE(rc::check([] {
        const Rational x = abs(some_rational()) + Rational(1, 2), h = power_of_two(-40);
        const auto f = [](const auto& v) {
            using S = std::decay_t<decltype(v)>;
            return v * v + S(Index{1}) / v + exp(v) + log(v);
        };
        const Real slope = f(Dual<Real>(Real(x), Real(1))).tangent;
        const Real quotient = (f(Real(x + h)) - f(Real(Rational(x - h)))) / Real(Rational(2 * h));
        const Real gap = quotient - slope;
        const Real bound = power_of_two(-30);
        RC_ASSERT(compare(gap, bound) == -1);
        RC_ASSERT(compare(gap, Real(0) - bound) == 1);
    }));
}

}  // namespace
}  // namespace laws
}  // namespace poolproof

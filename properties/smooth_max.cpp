// SPDX-License-Identifier: Apache-2.0
// A smooth maximum of n terms, padded zeros among them, lies between their maximum and that plus log(n) /
// beta, the mirror image for beta < 0; it falls as beta grows on either side of 0; its weights are shares of
// one whole, sharpen to one winner and divide evenly among ties. Holds for both `smooth_padding` and both
// `divisor`, where a window has a term at all.
#include "properties/cases.hpp"

namespace poolproof::laws {
namespace {

const Scope scope{.ops = smooth_ops, .spread = Spread::tied, .max_rank = 2, .small = true};

Rational beta_of(const Case& c) { return rational_value(Format::f64, *c.attrs.beta); }
void set_beta(Case& c, double beta) { c.attrs.beta = std::bit_cast<Bits>(beta); }

/// The terms of each output: its cells, then its padded zeros.
struct Terms {
    std::vector<Index> cells;
    std::vector<Rational> values;  ///< as many or more
    Index padded = 0;

    Rational extreme(int beta_sign) const {
        return beta_sign > 0 ? *std::max_element(values.begin(), values.end())
                             : *std::min_element(values.begin(), values.end());
    }
    auto size() const { return static_cast<Index>(values.size()); }
};

std::vector<Terms> terms_of(const Case& c) {
    const Plan plan = settled(c);
    const PoolPlan& p = pool_of(plan);
    const auto x = numbers(c.input);
    std::vector<Terms> r;
    for (SlowWindow& w : slow_windows(c)) {
        Terms t;
        t.padded = p.policy.smooth_padding == SmoothPadding::zero ? w.padding(p) : 0;
        t.values.assign(static_cast<std::size_t>(t.padded), 0);
        for (const Index cell : w.cells) t.values.push_back(x[static_cast<std::size_t>(cell)]);
        t.cells = std::move(w.cells);
        r.push_back(std::move(t));
    }
    return r;
}

/// -1, 0 or 1; a comparison that is not decided fails the law.
int order(const Real& a, const Real& b) { return compare(a, b).value(); }

void check_bounds(const Case& c) {
    const Rational beta = beta_of(c);
    const auto y = finite<Real>(c);
    const auto terms = terms_of(c);
    for (std::size_t k = 0; k < y.size(); ++k) {
        if (terms[k].values.empty()) continue;
        const Real nearest_term = terms[k].extreme(sign(beta));
        const Real furthest = nearest_term + log(Real(terms[k].size())) * Real(Rational(1 / beta));
        const int from = order(y[k], nearest_term) * sign(beta), to = order(furthest, y[k]) * sign(beta);
        seen("a single term", terms[k].size() == 1);
        seen("several unequal terms", from > 0 && to > 0);
        seen("padded zeros", terms[k].padded > 0);
        seen("a negative beta", sign(beta) < 0);
        RC_ASSERT(from >= 0);
        RC_ASSERT(to >= 0);
        RC_ASSERT((from == 0) == (terms[k].size() == 1));
        const bool equal_terms =
            std::equal(terms[k].values.begin() + 1, terms[k].values.end(), terms[k].values.begin());
        RC_ASSERT((to == 0) == equal_terms);
    }
}

RC_GTEST_PROP(SmoothMax, LiesBetweenTheMaximumAndThatPlusLogNOverBetaS1SPad, ()) {
    check_bounds(some_case(scope));
}

RC_GTEST_PROP(SmoothMax, KeepsItsBoundsWhereNoExponentialFitsAnyFormatS1, ()) {
    Case c = some_case(scope);
    auto x = numbers(c.input);
    for (Rational& v : x) v *= power_of_two(1000);
    c.input = tensor(c.input.shape, x);
    set_beta(c, one_of(std::vector{0x1p300, -0x1p300, 0x1p-1010, -0x1p-1010}));
    check_bounds(c);
}

RC_GTEST_PROP(SmoothMax, FallsAsBetaGrowsOnEitherSideOfZeroS1, ()) {
    Case c = some_case(scope);
    const double side = either() ? 1 : -1;
    const Index low = between(1, 6), high = low + between(1, 6);
    set_beta(c, side * static_cast<double>(side > 0 ? low : high) / 4);
    const auto at_low = finite<Real>(c);
    set_beta(c, side * static_cast<double>(side > 0 ? high : low) / 4);
    const auto at_high = finite<Real>(c);
    const auto terms = terms_of(c);
    for (std::size_t k = 0; k < at_low.size(); ++k) {
        if (terms[k].values.empty()) continue;
        seen("a strict fall", terms[k].size() > 1);
        RC_ASSERT(order(at_low[k], at_high[k]) == (terms[k].size() > 1 ? 1 : 0));
    }
}

RC_GTEST_PROP(SmoothMax, OfTheNegatedInputUnderNegatedBetaIsNegatedS1, ()) {
    Case c = some_case(scope);
    const auto y = finite<Real>(c);
    auto x = numbers(c.input);
    for (Rational& v : x) v = -v;
    c.input = tensor(c.input.shape, x);
    c.attrs.beta = *c.attrs.beta ^ sign_bit(Format::f64);
    const auto mirrored = finite<Real>(c);
    for (std::size_t k = 0; k < y.size(); ++k) RC_ASSERT(order(mirrored[k], y[k] * Real(Rational(-1))) == 0);
}

RC_GTEST_PROP(SmoothMax, MovesWithItsInputWhereNoPaddingTakesPartS1, ()) {
    Case c = some_case({.ops = smooth_ops, .max_rank = 2, .padding = false, .small = true});
    const auto y = finite<Real>(c);
    auto x = numbers(c.input);
    const Rational shift = Rational(between(-9, 9)) / 4;
    for (Rational& v : x) v += shift;
    c.input = tensor(c.input.shape, x);
    const auto moved = finite<Real>(c);
    for (std::size_t k = 0; k < y.size(); ++k) RC_ASSERT(order(moved[k], y[k] + Real(shift)) == 0);
}

RC_GTEST_PROP(SmoothMax, WeightsSumToOneLessWhatPaddingTookSJvpSPad, ()) {
    const Case c = some_case(scope);
    const Real beta = beta_of(c);
    const auto total_weight = finite<Real>(as_jvp(c, constant(c.input.shape, 1)));
    const auto terms = terms_of(c);
    for (std::size_t k = 0; k < total_weight.size(); ++k) {
        if (terms[k].cells.empty()) {
            RC_ASSERT(is_exactly_zero(total_weight[k]));
            continue;
        }
        Real whole(Index{0});
        for (const Rational& v : terms[k].values) whole = whole + exp(beta * Real(v));
        const Real taken = Real(terms[k].padded) / whole;
        seen("a share that padding took", terms[k].padded > 0);
        RC_ASSERT(order(total_weight[k], Real(1) - taken) == 0);
        RC_ASSERT(total_weight[k].rational() == Rational(1) || terms[k].padded > 0);
    }
}

RC_GTEST_PROP(SmoothMax, PullsTheWeightOfEachTapToItsCellSJvp, ()) {
    const Case c = some_case(scope);
    const Real beta = beta_of(c);
    const auto x = numbers(c.input);
    const auto terms = terms_of(c);
    const auto k = static_cast<std::size_t>(between(0, static_cast<Index>(terms.size()) - 1));
    std::vector<double> one_hot(terms.size());
    one_hot[k] = 1;
    const auto weights = finite<Real>(as_vjp(c, tensor(output_shape(c), one_hot)));
    Real whole(Index{0});
    for (const Rational& v : terms[k].values) whole = whole + exp(beta * Real(v));
    std::vector<Real> expected(x.size());
    for (const Index cell : terms[k].cells) {
        const auto i = static_cast<std::size_t>(cell);
        expected[i] = exp(beta * Real(x[i])) / whole;
    }
    seen("a weight", !terms[k].cells.empty());
    for (std::size_t i = 0; i < x.size(); ++i) RC_ASSERT(order(weights[i], expected[i]) == 0);
}

RC_GTEST_PROP(SmoothMax, WeightsTendToOneWinnerAndToAnEvenSplitAtTiesSJvp, ()) {
    Case c = some_case(scope);
    set_beta(c, either() ? 0x1p20 : -0x1p20);
    const int direction = sign(beta_of(c));
    const auto x = numbers(c.input);
    const auto terms = terms_of(c);
    const auto k = static_cast<std::size_t>(between(0, static_cast<Index>(terms.size()) - 1));
    if (terms[k].values.empty()) return;
    std::vector<double> one_hot(terms.size());
    one_hot[k] = 1;
    const auto weights = finite<Real>(as_vjp(c, tensor(output_shape(c), one_hot)));
    const Rational winner = terms[k].extreme(direction);
    const auto tied = std::count(terms[k].values.begin(), terms[k].values.end(), winner);
    seen("one winner", tied == 1 && terms[k].size() > 1);
    seen("a tie", tied > 1);
    for (const Index cell : terms[k].cells) {
        const auto i = static_cast<std::size_t>(cell);
        const Real limit = x[i] == winner ? Rational(1) / static_cast<Index>(tied) : Rational(0);
        const Rational near = power_of_two(-1000);
        RC_ASSERT(order(weights[i], limit + Real(near)) < 0);
        RC_ASSERT(order(weights[i], limit - Real(near)) > 0);
    }
}

TEST(SmoothMax, SharesOfSeveralWindowsAddUpToExactlyOneSJvp) {
    Case c;
    c.op = Op::smooth_max_pool;
    c.attrs.kernel = {2};
    c.attrs.stride = {1};
    set_beta(c, 1);
    c.input = tensor({3}, std::vector<double>{0, 1, 2});
    const auto dx = finite<Real>(as_vjp(c, constant({2}, 1)));
    EXPECT_EQ(dx[1].rational(), Rational(1));
    EXPECT_FALSE(dx[0].rational());
}

}  // namespace
}  // namespace poolproof::laws

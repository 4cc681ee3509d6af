// SPDX-License-Identifier: Apache-2.0
// NaN, the infinities and the sign of zero. Any NaN makes an average or a smooth maximum NaN; infinities
// follow the extended reals; in a maximum a NaN is a policy, and so is which zero comes out; a derivative is
// open exactly where its window holds something that is not finite.
#include "properties/cases.hpp"

#include <limits>

namespace poolproof::laws {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

const std::vector<Op> all_ops{Op::max_pool,          Op::avg_pool,          Op::smooth_max_pool,
                              Op::adaptive_avg_pool, Op::adaptive_max_pool, Op::global_avg_pool,
                              Op::global_max_pool};

/// Puts some of these in place of some cells.
Case sprinkled(Case c, const std::vector<double>& specials) {
    const Index count = between(1, 3);
    for (Index k = 0; k < count; ++k)
        c.input.set(between(0, c.input.size() - 1), std::bit_cast<Bits>(one_of(specials)));
    return c;
}

struct Held {
    bool nan = false, plus = false, minus = false, finite = false;
};

Held held(const Case& c, const SlowWindow& w) {
    Held h;
    for (const Index cell : w.cells) {
        const double x = std::bit_cast<double>(c.input[cell]);
        h.nan |= std::isnan(x);
        h.plus |= x == infinity;
        h.minus |= x == -infinity;
        h.finite |= std::isfinite(x);
    }
    return h;
}

RC_GTEST_PROP(Average, OfANanIsNanAndInfinitiesFollowTheExtendedRealsNanInf, ()) {
    const Case c = sprinkled(some_case({.ops = average_ops}), {not_a_number, infinity, -infinity});
    const Plan plan = settled(c);
    const bool mirrored = pool_of(plan).divisor_override.value_or(1) < 0;
    const auto y = evaluated<Rational>(c);
    const auto windows = slow_windows(c);
    for (std::size_t k = 0; k < y.size(); ++k) {
        const Held h = held(c, windows[k]);
        seen("a NaN", h.nan);
        seen("both infinities", !h.nan && h.plus && h.minus);
        seen("one infinity", !h.nan && h.plus != h.minus);
        const Kind expected = h.nan || (h.plus && h.minus) ? Kind::nan
                              : h.plus  ? (mirrored ? Kind::minus_infinity : Kind::infinity)
                              : h.minus ? (mirrored ? Kind::infinity : Kind::minus_infinity)
                                        : Kind::finite;
        RC_ASSERT(y[k].kind == expected);
    }
}

/// For beta < 0, of the other infinity.
RC_GTEST_PROP(SmoothMax, OfInfinitiesIsWonByTheOneAndDeafToTheOtherNanInf, ()) {
    const Case c = sprinkled(some_case({.ops = smooth_ops, .max_rank = 2, .small = true}),
                             {not_a_number, infinity, -infinity});
    const bool mirrored = is_negative(Format::f64, *c.attrs.beta);
    const Plan plan = settled(c);
    const auto y = evaluated<Real>(c);
    const auto windows = slow_windows(c);
    for (std::size_t k = 0; k < y.size(); ++k) {
        const Held h = held(c, windows[k]);
        if (h.nan) {
            RC_ASSERT(y[k].kind == Kind::nan);
            continue;
        }
        const bool wins = mirrored ? h.minus : h.plus, silent = mirrored ? h.plus : h.minus;
        const bool zeros =
            c.policy.smooth_padding == SmoothPadding::zero && windows[k].padding(pool_of(plan)) > 0;
        seen("an infinity that wins", wins);
        seen("an infinity that adds nothing", silent && !wins && h.finite);
        seen("a window of nothing else", silent && !wins && !h.finite && !zeros);
        const Kind top = mirrored ? Kind::minus_infinity : Kind::infinity;
        const Kind bottom = mirrored ? Kind::infinity : Kind::minus_infinity;
        const Kind expected = wins ? top : silent && !h.finite && !zeros ? bottom : Kind::finite;
        RC_ASSERT(y[k].kind == expected);
    }
}

RC_GTEST_PROP(Maximum, OfNansIsWhatItsPolicySaysMNanMIdx, ()) {
    Case c = sprinkled(some_case({.ops = max_ops, .max_padding = {MaxPadding::ignored}}),
                       {not_a_number, not_a_number, infinity});
    c.policy.nan = one_of(std::vector{Nan::propagate, Nan::ignore, Nan::open});
    c.policy.nan_index = one_of(std::vector{NanIndex::first, NanIndex::last, NanIndex::open});
    Case lowered = c;  // an ignored NaN is as good as the lowest value, as long as something else is there
    for (Index k = 0; k < c.input.size(); ++k)
        if (is_nan(Format::f64, c.input[k])) lowered.input.set(k, std::bit_cast<Bits>(-infinity));
    const auto y = evaluated<Dyadic>(c), without = evaluated<Dyadic>(lowered);
    const auto positions = indices(c), positions_without = indices(lowered);
    const auto windows = slow_windows(c);
    const Index slice = c.input.size() / settled(c).output().leading;
    for (std::size_t k = 0; k < y.size(); ++k) {
        std::vector<Index> nans;
        for (const Index cell : windows[k].cells)
            if (is_nan(Format::f64, c.input[cell])) nans.push_back(cell % slice);
        const bool nothing_else = nans.size() == windows[k].cells.size() && !nans.empty();
        seen("a NaN", !nans.empty());
        seen("only NaNs", nothing_else);
        if (nans.empty() || (*c.policy.nan == Nan::ignore && !nothing_else)) {
            RC_ASSERT(y[k].kind == without[k].kind && compare(y[k].value, without[k].value) == 0);
            RC_ASSERT(positions[k] == positions_without[k]);
        } else if (*c.policy.nan == Nan::propagate) {
            RC_ASSERT(y[k].kind == Kind::nan);
            if (*c.policy.nan_index == NanIndex::open)
                RC_ASSERT(!positions[k]);
            else
                RC_ASSERT(positions[k] ==
                          std::vector{*c.policy.nan_index == NanIndex::first ? nans.front() : nans.back()});
        } else {
            RC_ASSERT(y[k].kind == Kind::open && !positions[k]);
        }
    }
}

RC_GTEST_PROP(Maximum, OfZerosHasTheSignsItsPolicyAllowsMZeroZero, ()) {
    Case c = some_case({.ops = max_ops, .max_padding = {MaxPadding::ignored}});
    for (Index k = 0; k < c.input.size(); ++k)  // from 1, 0 and -1 down by one, so that zeros often win
        c.input.set(k, std::bit_cast<Bits>(one_of(std::vector{-0.0, 0.0, -1.0})));
    c.policy.signed_zero = one_of(std::vector{SignedZero::either, SignedZero::first, SignedZero::positive});
    const auto y = evaluated<Dyadic>(c);
    const auto windows = slow_windows(c);
    for (std::size_t k = 0; k < y.size(); ++k) {
        unsigned signs = 0, first = 0;
        for (const Index cell : windows[k].cells) {
            const Bits x = c.input[cell];
            unsigned zero = 0;
            if (is_zero(Format::f64, x)) zero = is_negative(Format::f64, x) ? minus_zero : plus_zero;
            if (first == 0) first = zero;
            signs |= zero;
        }
        if (signs == 0) continue;
        seen("both zeros", signs == either_zero);
        RC_ASSERT(is_exactly_zero(y[k].value));
        const bool has_plus = (signs & plus_zero) != 0;
        switch (*c.policy.signed_zero) {
            case SignedZero::either: RC_ASSERT(y[k].zeros == signs); break;
            case SignedZero::first: RC_ASSERT(y[k].zeros == first); break;
            case SignedZero::positive: RC_ASSERT(y[k].zeros == (has_plus ? plus_zero : minus_zero)); break;
        }
    }
}

RC_GTEST_PROP(ZeroOfASum, MayHaveEitherSignZero, ()) {
    Case c = some_case({.ops = average_ops});
    for (Index k = 0; k < c.input.size(); ++k) c.input.set(k, std::bit_cast<Bits>(-0.0));
    for (const auto& v : evaluated<Rational>(c)) RC_ASSERT(v.value.is_zero() && v.zeros == either_zero);
}

/// Of every operator whose window holds a cell that is not finite, or to which comes a direction that is not.
RC_GTEST_PROP(Derivative, IsOpenExactlyWhereItsWindowIsNotFiniteDOpen, ()) {
    Case c = sprinkled(
        some_case({.ops = all_ops, .max_rank = 2, .small = true, .max_padding = {MaxPadding::ignored}}),
        {not_a_number, infinity, -infinity, 1.0});
    Tensor t = some_tensor(c.input.shape, Spread::tied), g = some_tensor(output_shape(c), Spread::tied);
    if (either()) t.set(between(0, t.size() - 1), std::bit_cast<Bits>(infinity));
    if (either()) g.set(between(0, g.size() - 1), std::bit_cast<Bits>(not_a_number));
    const auto dy = evaluated<Real>(as_jvp(c, t)), dx = evaluated<Real>(as_vjp(c, g));
    const auto windows = slow_windows(c);
    std::vector<bool> open_cells(dx.size(), false);
    const auto finite_at = [](const Tensor& x, Index k) {
        return std::isfinite(std::bit_cast<double>(x[k]));
    };
    for (std::size_t k = 0; k < dy.size(); ++k) {
        const auto& cells = windows[k].cells;
        const bool x_finite =
            std::all_of(cells.begin(), cells.end(), [&](Index i) { return finite_at(c.input, i); });
        const bool t_finite =
            std::all_of(cells.begin(), cells.end(), [&](Index i) { return finite_at(t, i); });
        RC_ASSERT((dy[k].kind == Kind::open) == !(x_finite && t_finite));
        if (x_finite && finite_at(g, static_cast<Index>(k))) continue;
        for (const Index i : cells) open_cells[static_cast<std::size_t>(i)] = true;
    }
    for (std::size_t k = 0; k < dx.size(); ++k) {
        seen("an open cell", open_cells[k]);
        seen("a finite cell beside it",
             !open_cells[k] && std::find(open_cells.begin(), open_cells.end(), true) != open_cells.end());
        RC_ASSERT((dx[k].kind == Kind::open) == open_cells[k]);
    }
}

}  // namespace
}  // namespace poolproof::laws

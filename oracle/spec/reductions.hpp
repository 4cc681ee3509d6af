// SPDX-License-Identifier: Apache-2.0
// How an output combines what it sees. A reduction is a formula on the gathered values; it never sees a
// position. The weights of its derivative are not written but read off: the same formula is evaluated on dual
// numbers. Only the maximum, which has no formula, turns its set of winners into weights by the policy for
// ties.
#pragma once

#include "oracle/scalar/dual.hpp"
#include "oracle/scalar/extended.hpp"
#include "oracle/scalar/real.hpp"
#include "oracle/spec/window.hpp"

#include <span>

namespace poolproof::spec {

/// The share of an input in an output's derivative; taps that are not listed have none.
template <class S> struct Weight {
    std::size_t tap;  ///< an index into `Window::taps`
    S share;
};

/// One row of the derivative. Where the policy leaves the choice among ties open, `shares` lists the
/// candidates, of which any one (or any convex combination) may hold the whole weight of 1, or padding may.
template <class S> struct Row {
    std::vector<Weight<S>> shares;
    bool chosen = true;
    bool padding_may_take_it = false;
};

/// The taps of padding that take part in a window: all of them, or those in the padded input [WClip].
inline Rational padding_taps(const PoolPlan& p, const Window& w) {
    return (p.policy.divisor == Divisor::kernel ? w.span() : w.clipped()) - w.cells();
}

/// The zeros that take part in a maximum for them [MPad].
inline Rational padding_zeros(const PoolPlan& p, const Window& w) {
    return p.policy.max_padding == MaxPadding::zero ? padding_taps(p, w) : Rational(0);
}

// Average
// ------------------------------------------------------------------------------------------------------------

/// What an average divides by; 0 only where there is no real cell [VDiv].
inline Rational divisor(const PoolPlan& p, const Window& w) {
    if (p.divisor_override) return Rational(*p.divisor_override);         // [VOver]
    if (!p.count_padding) return w.cells();                               // [VReal]
    return p.policy.divisor == Divisor::kernel ? w.span() : w.clipped();  // [VPad]
}

/// By halves, so that terms which are long themselves are not copied once per summand.
template <class T> T sum(std::span<const T> xs) {
    if (xs.empty()) return T(Index{0});
    if (xs.size() == 1) return xs.front();
    const std::size_t half = xs.size() / 2;
    return sum(xs.first(half)) + sum(xs.subspan(half));
}

/// The sum over the divisor [V1]. An open value leaves it open, whatever the infinities beside it.
template <Field S> Extended<S> average(std::span<const Extended<S>> xs, const S& divisor, int divisor_sign) {
    const auto holds = [&](Kind k) {
        return std::any_of(xs.begin(), xs.end(), [&](const auto& x) { return x.kind == k; });
    };
    if (holds(Kind::open) && !holds(Kind::nan)) return Extended<S>(Kind::open);
    return sum(xs).scaled(S(Index{1}) / divisor, divisor_sign);
}

template <Field S> Row<S> average_row(std::size_t taps, const S& divisor) {
    using Number = Dual<S, LinearForm<S>>;
    std::vector<Number> xs;
    for (std::size_t k = 0; k < taps; ++k) xs.push_back({S(Index{0}), {{{k, S(Index{1})}}}});
    Row<S> row;
    for (auto& [tap, share] : (sum(std::span<const Number>(xs)) / Number(divisor)).tangent.terms)
        row.shares.push_back({tap, std::move(share)});
    return row;
}

// Smooth maximum
// ------------------------------------------------------------------------------------------------------

/// A number to subtract from every exponent and add back after the logarithm, which changes nothing but the
/// size of what is computed on the way: 0 where exponentials are symbols, near the largest exponent where
/// they are enclosed.
template <class S> Rational exponent_shift(std::span<const Extended<S>>, const S&, const S&) { return 0; }

inline Rational exponent_shift(std::span<const Extended<Real>> xs, const Real& beta, const Real& padding) {
    std::vector<Real> exponents;
    if (!(padding == Real(Rational(0)))) exponents.emplace_back(Rational(0));
    for (const auto& x : xs)
        if (x.is_finite()) exponents.push_back(x.value * beta);
    if (std::all_of(exponents.begin(), exponents.end(),
                    [](const Real& e) { return is_symbolic_exponent(e); }))
        return 0;
    Rational largest = whole_near(exponents.front());
    for (const Real& e : exponents) largest = std::max(largest, whole_near(e));
    return largest;
}

/// log(sum of exp(beta x)) / beta, a padded cell counting as exp 0 [S1], [SPad].
template <Analytic S>
Extended<S> smooth_max(std::span<const Extended<S>> xs, const S& beta, int beta_sign, const S& padding) {
    using std::exp;
    const S shift(exponent_shift(xs, beta, padding));
    const Extended<S> down(S(Index{-1}) * shift);
    std::vector<Extended<S>> terms{Extended<S>(padding * exp(down.value))};
    for (const auto& x : xs) terms.push_back(exp(x.scaled(beta, beta_sign) + down));
    return (log(sum(std::span<const Extended<S>>(terms))) + Extended<S>(shift))
        .scaled(S(Index{1}) / beta, beta_sign);
}

/// The softmax weights, as the tangent of the formula above [SJvp].
template <Analytic S>
Row<S> smooth_max_row(std::span<const Extended<S>> xs, const S& beta, const S& padding) {
    using std::exp;
    using Number = Dual<S, LinearForm<S>>;
    const S down = S(Index{-1}) * S(exponent_shift(xs, beta, padding));
    const Number sharpness(beta);
    std::vector<Number> terms{Number(padding * exp(down))};
    for (std::size_t k = 0; k < xs.size(); ++k)
        terms.push_back(exp(Number(xs[k].value, {{{k, S(Index{1})}}}) * sharpness + Number(down)));
    Row<S> row;
    const Number total = sum(std::span<const Number>(terms));
    for (auto& [tap, share] : (log(total) / sharpness).tangent.terms)
        row.shares.push_back({tap, std::move(share)});
    return row;
}

// Maximum
// -------------------------------------------------------------------------------------------------------------

/// Everything there is to know about a maximum: its value, which taps attain it, and what part padding has in
/// that.
template <class S> struct Winners {
    Extended<S> value{Kind::open};
    std::vector<std::size_t> tied;  ///< indices into `Window::taps`, ascending
    Rational padding = 0;           ///< how many taps of padding tie with them
    bool padding_first = false, padding_last = false;
    bool decided = false;  ///< false where a NaN or an undecided comparison hides who wins
    std::vector<std::size_t> nans;
};

/// Whether the first (or last) tap of padding comes before (after) every one of the tied taps in window
/// order.
inline bool padding_leads(const Window& w, std::size_t tap, bool from_the_end) {
    // The tap's own place in the window, and the extreme place of padding, both as one place per axis.
    std::vector<Index> own(w.axes.size());
    auto rest = static_cast<Index>(tap);
    for (std::size_t k = w.axes.size(); k-- > 0; rest /= w.axes[k].count)
        own[k] = w.axes[k].before + rest % w.axes[k].count;
    const auto margin = [&](const AxisWindow& a) {
        return from_the_end ? a.clipped - a.before - a.count : a.before;
    };
    std::vector<Index> extreme(w.axes.size());
    bool corner_is_padding = false;
    for (std::size_t k = 0; k < w.axes.size(); ++k) {
        extreme[k] = from_the_end ? w.axes[k].clipped - 1 : 0;
        corner_is_padding |= margin(w.axes[k]) > 0;
    }
    // A real corner: step along the innermost axis that has padding at its other side.
    for (std::size_t k = w.axes.size(); !corner_is_padding && k-- > 0;) {
        const AxisWindow& a = w.axes[k];
        if (a.clipped == a.count) continue;
        extreme[k] = from_the_end ? a.before - 1 : a.before + a.count;
        corner_is_padding = true;
    }
    return from_the_end ? extreme > own : extreme < own;
}

/// -1, 0 or 1 like `compare`, with the two zeros apart under `signed_zero: positive` [MZero].
template <class S>
std::optional<int> compare_maxima(const Extended<S>& a, const Extended<S>& b, SignedZero rule) {
    const auto order = compare(a, b);
    if (rule != SignedZero::positive || order != 0 || !a.is_finite() || !is_exactly_zero(a.value))
        return order;
    if (a.zeros == either_zero || b.zeros == either_zero) return std::nullopt;
    return static_cast<int>(b.zeros) - static_cast<int>(a.zeros);
}

template <Ordered S> Winners<S> winners(std::span<const Extended<S>> xs, const PoolPlan& p, Window w) {
    if (p.policy.divisor == Divisor::kernel)
        for (AxisWindow& a : w.axes) a.clipped = a.span;
    const Rational padding = padding_zeros(p, w);
    Winners<S> r;
    for (std::size_t k = 0; k < xs.size(); ++k) {
        if (xs[k].kind == Kind::open) return r;
        if (xs[k].kind == Kind::nan) r.nans.push_back(k);
    }
    if (!r.nans.empty() && p.policy.nan == Nan::propagate) r.value = Extended<S>(Kind::nan);  // [MNan]
    if (!r.nans.empty() && p.policy.nan != Nan::ignore) return r;

    std::optional<Extended<S>> best;
    if (sign(padding) > 0) best = Extended<S>(S(Index{0}), plus_zero);
    bool padding_ties = best.has_value();
    for (std::size_t k = 0; k < xs.size(); ++k) {  // [M1]
        if (xs[k].kind == Kind::nan) continue;
        const auto order = best ? compare_maxima(xs[k], *best, p.policy.signed_zero) : std::optional(1);
        if (!order) {
            r.tied.clear();
            return r;
        }
        if (*order < 0) continue;
        if (*order > 0) {
            best = xs[k];
            r.tied.clear();
            padding_ties = false;
        }
        if (p.policy.signed_zero == SignedZero::either) best->zeros |= xs[k].zeros;
        r.tied.push_back(k);
    }
    if (!best) return r;
    r.decided = true;
    if (padding_ties) {
        r.padding = padding;
        r.padding_first = r.tied.empty() || padding_leads(w, r.tied.front(), false);
        r.padding_last = r.tied.empty() || padding_leads(w, r.tied.back(), true);
    }
    if (p.policy.signed_zero == SignedZero::first && !r.tied.empty() && !r.padding_first)
        best->zeros = xs[r.tied.front()].zeros;
    r.value = *best;
    return r;
}

/// Which of the tied taps take part in the derivative, and with what share [MTie]. At a tie this is a
/// convention, not mathematics. Requires decided winners.
template <class S> Row<S> max_row(const Winners<S>& w, Ties ties) {
    const S one(Index{1});
    Row<S> row;
    switch (ties) {
        case Ties::first:
            if (!w.padding_first) row.shares.push_back({w.tied.front(), one});
            break;
        case Ties::last:
            if (!w.padding_last) row.shares.push_back({w.tied.back(), one});
            break;
        case Ties::all:
            for (const std::size_t k : w.tied) row.shares.push_back({k, one});
            break;
        case Ties::split:
            for (const std::size_t k : w.tied) row.shares.push_back({k, one});
            if constexpr (Field<S>) {
                const Rational sharers = Rational(w.tied.size()) + w.padding;
                for (auto& s : row.shares) s.share = S(Rational(1) / sharers);
            }
            break;
        case Ties::any:
        case Ties::convex:
            for (const std::size_t k : w.tied) row.shares.push_back({k, one});
            row.padding_may_take_it = sign(w.padding) > 0;
            row.chosen = w.tied.size() + (row.padding_may_take_it ? 1U : 0U) <= 1;
            break;
    }
    return row;
}

/// The window's taps that its index output may report, or nothing where no clause decides [MIdx].
template <class S> std::optional<std::vector<std::size_t>> reported(const Winners<S>& w, const Policy& p) {
    if (!w.decided) {
        const bool by_nan = !w.nans.empty() && p.nan == Nan::propagate && p.nan_index != NanIndex::open;
        if (!by_nan) return std::nullopt;
        return std::vector{p.nan_index == NanIndex::first ? w.nans.front() : w.nans.back()};
    }
    switch (p.ties) {
        case Ties::last:
            if (w.padding_last) return std::nullopt;
            return std::vector{w.tied.back()};
        case Ties::any:
        case Ties::convex:
            if (sign(w.padding) > 0) return std::nullopt;
            return w.tied;
        default:
            if (w.padding_first) return std::nullopt;
            return std::vector{w.tied.front()};
    }
}

}  // namespace poolproof::spec

// SPDX-License-Identifier: Apache-2.0
// The permitted sets of smooth maxima and of sums of their weights times tangents: the ones that
// oracle/expect gives, or nothing. The proofs are in section 7 of docs/BOUNDS.md.
#pragma once

#include "oracle/certified/smooth_window.hpp"

namespace poolproof::certified {

/// A number that is known within a radius.
struct Known {
    Pair value;
    double radius;
};

/// A sum of weights times tangents or cotangents, and what its bound is made of.
struct WeightedSum {
    Pair total{};
    double off = 0;                ///< how far the total may be off
    double size = 0, brought = 0;  ///< of the terms' sizes, of the errors they bring along
    double swollen = 0;            ///< sizes at most, before weights are divided by their sum [BOver]
    double largest = 0;            ///< tangent
    Index terms = 0;
    bool open = false, doubt = false;

    /// Adds weight times t, which is not 0; `error` is relative to the weight's value in doubles.
    void add(const SmoothPlan& plan, const Pair& weight, double error, double t, const WeightError<Near>& w,
             double chained, double partition) {
        const Pair term = weight * t;
        const double size_of = std::fabs(term.high), t_size = std::fabs(t);
        total = total + term;
        off += size_of * (error + 0x1p-100) + (weight.high == 0 ? t_size * dust_size : 0);
        size += size_of;
        largest = std::max(largest, t_size);
        const double beside = w.absolute.v * t_size + chained;
        brought += size_of * w.relative.v + beside;
        swollen += (size_of * (1 + w.relative.v) + beside) * partition;
        ++terms;
        if (!plan.keeping.flushes) return;
        brought += 3 * plan.errors.normal.v;
        if (less(Near(size_of), plan.errors.flushed_input, doubt)) brought += size_of;
    }
};

/// `Rules` as for sums.
template <class Rules = Proved> class SmoothSets {
public:
    explicit SmoothSets(const SmoothPlan& plan) : plan_(plan), grid_{plan.keeping.result, 0} {}

    /// The value of a window whose sums are these, off by at most `error` [BSmooth].
    bool of_value(const SmoothExponents& window, const SmoothSums& s, const SmoothError<Near>& error,
                  Permitted& out) const {
        const Known y = value(window, s);
        const Keeping& k = plan_.keeping;
        if (k.exactly) return rounded(y, out);
        const double e = error.value.v * Rules::unit, relative = bound_error(window.count());
        const Known low = moved(y, -e, e * relative), high = moved(y, e, e * relative);
        const Place<Rules> low_place(grid_, low.value, low.radius),
            high_place(grid_, high.value, high.radius);
        if (!low_place.near() || !high_place.near() || !signs(low, high)) return false;
        bool doubt = false;
        RoundedEnds ends;
        ends.low = low_place.nearest();
        ends.high = high_place.nearest();
        ends.low_is_negative = low.value.high < 0;
        ends.high_is_positive = high.value.high > 0;
        ends.reaches_top = ends.high == infinity_bits(k.result);
        ends.reaches_bottom = ends.low == (infinity_bits(k.result) | sign_bit(k.result));
        const double log_n = plan_log(window.count());
        ends.vacuous = !less(error.value, Near((window.reach() + log_n) / plan_.errors.beta.v), doubt);
        return !doubt && between(ends, out);
    }

    /// A sum of weights times tangents [BWeights], [BSum].
    bool of_sum(const WeightedSum& s, Permitted& out) const {
        const Keeping& k = plan_.keeping;
        if (s.open) {
            out = Permitted::anything();
            return true;
        }
        if (s.doubt) return false;
        if (s.terms == 0) {
            out = Permitted::between(sign_bit(k.result), 0);
            return true;
        }
        if (!(s.largest < smooth_most) || s.largest < dust_size) return false;
        const auto n = static_cast<double>(s.terms);
        const Known total{kept(s.total), s.off + n * 0x1p-1000 + s.size * n * 0x1p-104};
        if (k.exactly) return rounded(total, out);
        if (!(s.size > s.largest * 0x1p-300) || s.size < 0x1p-300) return false;
        return bounded(s, total, out);
    }

private:
    static double plan_log(double count) { return log(Near(count)).v; }
    static Pair kept(const Pair& p) { return Rules::keeps_tail ? p : Pair{p.high, 0}; }

    /// y = x + log(s) / beta, where x is the value of the largest exponent.
    Known value(const SmoothExponents& window, const SmoothSums& s) const {
        const Pair part = s.log / Pair{plan_.beta, 0};
        const Pair y = Pair{window.top(), 0} + part;
        if (window.count() == 1) return {{window.top(), 0}, 0};
        return {kept(y), 1.01 * s.log_error / std::fabs(plan_.beta) +
                             (std::fabs(part.high) + std::fabs(y.high)) * 0x1p-99 + 0x1p-800};
    }

    static Known moved(const Known& y, double e, double radius) {
        const Pair far = two_sum(y.value.high, e);
        const double rest = far.low + y.value.low;
        return {two_sum(far.high, rest), y.radius + radius + std::fabs(rest) * 0x1p-52};
    }

    bool signs(const Known& low, const Known& high) const {
        return !plan_.keeping.flushes ||
               (std::fabs(low.value.high) > 2 * low.radius && std::fabs(high.value.high) > 2 * high.radius);
    }

    bool between(const RoundedEnds& ends, Permitted& out) const {
        const auto p = permitted_between(plan_.keeping.result, ends, plan_.keeping.policy.subnormals);
        if (p) out = *p;
        return p.has_value();
    }

    bool rounded(const Known& y, Permitted& out) const {
        const Format f = plan_.keeping.result;
        const Place<Rules> place(grid_, y.value, y.radius);
        if (!place.near()) return false;
        const Bits b = place.nearest();
        out = is_zero(f, b) ? Permitted::between(sign_bit(f), 0) : rounded_between(f, b, b);
        return true;
    }

    bool bounded(const WeightedSum& s, const Known& total, Permitted& out) const {
        const Keeping& k = plan_.keeping;
        const auto n = static_cast<double>(s.terms);
        const double u = double_power(-precision(k.accumulator)) * Rules::unit, relative = bound_error(n);
        const double dust = n * std::ldexp(1.0, min_exponent(k.accumulator));
        constexpr double fine = 1.0 / (1 << finer_by), coarse = 1 + fine;
        const auto error = [&](double finer) {
            const Near factor = sum_factor(Near(u * finer), s.terms, Index{2});
            return sum_error(factor, Near(s.size), Near(s.brought + dust * finer)).v;
        };
        const double e = error(coarse);
        const Known low = moved(total, -e, e * relative), high = moved(total, e, e * relative);
        RoundedEnds ends;
        if (!(e < smooth_most) || !signs(low, high) || near_top(s, low, high)) return false;
        const Place<Rules> low_place(grid_, low.value, low.radius),
            high_place(grid_, high.value, high.radius);
        if (!place_ends(low_place, high_place, k.wider(), ends)) return false;
        if (!k.wider()) {
            const double once = error(fine);
            if (!widen(moved(total, -once, once * relative), moved(total, once, once * relative), ends))
                return false;
        }
        ends.low_is_negative = low.value.high < 0;
        ends.high_is_positive = high.value.high > 0;
        bool doubt = false;
        ends.vacuous = !less(Near(e), Near(s.size), doubt);
        return !doubt && between(ends, out);
    }

    /// To what one who keeps a finer sum may round to.
    bool widen(const Known& low, const Known& high, RoundedEnds& ends) const {
        const Format f = plan_.keeping.result;
        const Place<Rules> below(grid_, low.value, low.radius), above(grid_, high.value, high.radius);
        if (!below.near() || !above.near()) return false;
        if (ordinal(f, below.nearest()) < ordinal(f, ends.low)) ends.low = below.nearest();
        if (ordinal(f, above.nearest()) > ordinal(f, ends.high)) ends.high = above.nearest();
        return true;
    }

    /// Whether the sum, or the answer, may come to where an infinity is.
    bool near_top(const WeightedSum& s, const Known& low, const Known& high) const {
        const Keeping& k = plan_.keeping;
        const double top = std::ldexp(1.0, std::min(max_exponent(k.result), 900));
        const double sum_top = std::ldexp(1.0, std::min(max_exponent(k.accumulator), 900));
        const double roundings = static_cast<double>(s.terms) + 3;
        const double swelling = 1 + growth(Near(double_power(-precision(k.accumulator))), Near(roundings)).v;
        const bool allowed = k.policy.intermediate_overflow == IntermediateOverflow::allowed;
        return !(-low.value.high < top) || !(high.value.high < top) ||
               (allowed && !(s.swollen * swelling < sum_top));
    }

    const SmoothPlan& plan_;
    Grid grid_;
};

}  // namespace poolproof::certified

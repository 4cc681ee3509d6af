// SPDX-License-Identifier: Apache-2.0
// The permitted set of a sum of scaled terms, by double-doubles: the one that oracle/expect gives in
// rationals and intervals, or nothing. The proof is section 7 of docs/BOUNDS.md.
#pragma once

#include "oracle/certified/near.hpp"
#include "oracle/certified/place.hpp"
#include "oracle/expect/range.hpp"
#include "oracle/expect/sum_error.hpp"

namespace poolproof::certified {

/// What the proofs rest on. Tests plant others.
struct Proved : TiesToEven {
    static constexpr double unit = 1;         ///< of the roundoff
    static constexpr double dust = 0.5;       ///< smallest subnormals per scaled term
    static constexpr bool keeps_tail = true;  ///< of a quotient
};

/// The terms of one sum, all multiplied by 2^scale.
struct Terms {
    ExactSum sum;
    double positive = 0, negative = 0;  ///< sizes of the terms of either sign
    ExactSum small;                     ///< of the sizes of those that may be flushed
    Index count = 0;                    ///< of terms that are not 0

    void add(double t) {
        if (t == 0) return;
        sum.add(t);
        positive += t > 0 ? t : 0;
        negative -= t < 0 ? t : 0;
        ++count;
    }
    double size() const { return positive + negative; }

    void scale(double by) {
        for (double* part :
             {&sum.high, &sum.low, &sum.lost, &positive, &negative, &small.high, &small.low, &small.lost})
            *part *= by;
    }
};

/// A divisor, a whole number of at most 26 bits, and what scaling by it costs [BScale].
struct Scaling {
    double divisor = 1;
    Index roundings = 0, scalings = 0;
};

/// How a plan keeps its sums, as `Arithmetic` of oracle/expect.
struct Keeping {
    Format result = Format::f64, accumulator = Format::f64;
    Policy policy;
    bool exactly = false;  ///< every answer is correctly rounded
    bool flushes = false;

    Keeping(Format f, Accumulate kept, const Policy& p, bool correctly_rounded)
        : result(f),
          accumulator(kept == Accumulate::f32 && !is_integer(f) && width(f) < width(Format::f32) ? Format::f32
                                                                                                 : f),
          policy(p),
          exactly(correctly_rounded),
          flushes(p.subnormals == Subnormals::may_flush && !exactly) {}

    bool wider() const { return accumulator != result; }
};

inline constexpr int scaled_up = 700, scaled_down = -300;

template <class Rules = Proved> class SumSets {
public:
    explicit SumSets(const Keeping& k) : keeping_(k) {}

    const Keeping& keeping() const { return keeping_; }

    /// The permitted set of sum / divisor, the terms multiplied by 2^scale; false where it is not certain.
    bool set(Terms terms, const Scaling& by, int scale, Permitted& out) const {
        if (empty(terms, out)) return true;
        if (!zoom(terms, scale)) return false;
        const Grid grid{keeping_.result, scale};
        const Pair sum = terms.sum.pair();
        if (keeping_.exactly) return rounded(terms, sum, by, grid, out);
        if (terms.count == 1 && by.scalings == 0 && !keeping_.flushes)
            return copied({sum.high * by.divisor, 0}, terms.sum.lost, grid, out);
        const auto n = static_cast<double>(terms.count);
        return bounded({quotient(terms, sum, by), terms.size() / std::fabs(by.divisor), by,
                        n * static_cast<double>(by.scalings)},
                       terms, grid, out);
    }

    /// The same where each term has its own divisor: `terms` holds the quotients, but for the sizes, which
    /// are those of the terms before they were scaled; `size` is that of the quotients, and `products` the
    /// number of scaled results.
    bool set_of_quotients(const Terms& terms, double size, const Scaling& most, double products, int scale,
                          Permitted& out) const {
        if (empty(terms, out)) return true;
        if (!(terms.size() < 0x1p900) || terms.size() < 0x1p-300) return false;
        const Grid grid{keeping_.result, scale};
        const Pair sum = terms.sum.pair();
        if (keeping_.exactly) return rounded(terms, sum, {}, grid, out);
        if (terms.count == 1 && most.scalings == 0 && !keeping_.flushes)
            return copied(sum, terms.sum.lost, grid, out);
        Scaling by = most;
        by.divisor = 1;
        return bounded({quotient(terms, sum, by), size, by, products}, terms, grid, out);
    }

private:
    using PlaceOf = Place<Rules>;

    bool empty(const Terms& terms, Permitted& out) const {
        if (terms.count == 0) out = Permitted::between(sign_bit(keeping_.result), 0);
        return terms.count == 0;
    }

    /// Brings what is small to where nothing underflows; false for what is too large, or too small after all
    /// was scaled down.
    static bool zoom(Terms& terms, int& scale) {
        const double size = terms.size();
        if (!(size < 0x1p900) || (scale < 0 && size < 0x1p-500)) return false;
        if (size >= 0x1p-300 || scale != 0) return true;
        terms.scale(double_power(scaled_up));
        scale = scaled_up;
        return true;
    }

    bool copied(const Pair& value, double lost, const Grid& grid, Permitted& out) const {
        out = Permitted::exactly(PlaceOf(grid, value, lost).nearest());
        return lost == 0;
    }

    /// sum / divisor, off by at most `radius`.
    struct Quotient {
        Pair value;
        double radius;
    };
    Quotient quotient(const Terms& terms, const Pair& sum, const Scaling& by) const {
        const double d = by.divisor, lost = terms.sum.lost * 1.01;
        if (d == 1) return {sum, lost};
        if (std::fabs(sum.high) < 0x1p-850) {  // all but cancelled
            const double q = sum.high / d;
            return {{q, 0}, sum.high == 0 ? lost : std::fabs(q) * 0x1p-50 + lost + 0x1p-1000};
        }
        const double q = sum.high / d;
        const double tail = Rules::keeps_tail ? (remainder(sum.high, q, d) + sum.low) / d : 0;
        return {fast_two_sum(q, tail), std::fabs(tail) * 0x1p-51 + lost + 0x1p-1000};
    }

    /// The value correctly rounded; a tie is decided by what the division leaves over, exactly.
    bool rounded(const Terms& terms, const Pair& sum, const Scaling& by, const Grid& grid,
                 Permitted& out) const {
        const double d = std::fabs(by.divisor);
        if (terms.sum.lost != 0 && sum.high == 0) return false;
        if (sum.high == 0) {
            out = Permitted::between(sign_bit(keeping_.result), 0);
            return true;
        }
        Bits b;
        if (d == 1) {
            const PlaceOf place(grid, {sum.high * by.divisor, sum.low * by.divisor}, terms.sum.lost * 1.01);
            if (!place.near()) return false;
            b = place.nearest();
        } else {
            const Quotient q = quotient(terms, sum, by);
            const PlaceOf place(grid, q.value, q.radius);
            if (place.near())
                b = place.nearest();
            else if (terms.sum.lost != 0 || !settled(sum, by, grid, q.value, b))
                return false;
        }
        if (is_infinite(keeping_.result, b)) return false;
        out = is_zero(keeping_.result, b) ? Permitted::between(sign_bit(keeping_.result), 0)
                                          : Permitted::exactly(b);
        return true;
    }

    /// Settles an exact sum whose quotient lies next to halfway between two patterns: sum - halfway * divisor
    /// is a difference of three doubles, each exact.
    bool settled(const Pair& sum, const Scaling& by, const Grid& grid, const Pair& near, Bits& b) const {
        if (std::fabs(sum.high) < 0x1p-800 || (sum.low != 0 && std::fabs(sum.low) < 0x1p-850)) return false;
        const Pair size = near.high < 0 ? Pair{-near.high, -near.low} : near;
        const int digits = precision(grid.format) - 1;
        int exponent = static_cast<int>(std::bit_cast<Bits>(size.high) >> 52) - 1023;
        if (std::bit_cast<Bits>(size.high) << 12 == 0 && size.low < 0) --exponent;
        exponent = exponent < grid.least_exponent() ? grid.least_exponent() : exponent;
        if (exponent > grid.greatest_exponent()) return false;
        const double step = double_power(exponent - digits);
        double below = std::floor(size.high / step);
        if (below * step == size.high && size.low < 0) below -= 1;
        const double d = std::fabs(by.divisor), base = below * step, halfway = base + 0.5 * step;
        const bool minus = sum.high < 0;
        const double high = minus ? -sum.high : sum.high, low = minus ? -sum.low : sum.low;
        // What is left above the halfway point: one remainder where that point is a double, else the
        // remainder above the pattern below it, less half a step.
        const bool is_double = halfway - base == 0.5 * step;
        const double rest =
            is_double ? remainder(high, halfway, d) : remainder(high, base, d) - d * (0.5 * step);
        const Pair left = two_sum(rest, low);
        const double order = left.high != 0 ? left.high : left.low;
        const Bits whole = (static_cast<Bits>(exponent - grid.least_exponent()) << digits) +
                           static_cast<Bits>(static_cast<std::int64_t>(below));
        const bool negative = minus != (by.divisor < 0);
        b = Rules::up(order > 0 ? 1 : order < 0 ? -1 : 0, (whole & 1) != 0) ? whole + 1 : whole;
        b |= negative ? sign_bit(grid.format) : 0;
        return true;
    }

    /// A sum and what its bound is made of, beside its terms.
    struct Measured {
        Quotient value;
        double size;  ///< of the scaled terms
        Scaling by;
        double products;  ///< scaled results, each of which may underflow
    };

    /// What the terms bring along, exactly: what may be flushed.
    Pair brought(const Measured& m, const Terms& terms, int scale) const {
        if (!keeping_.flushes) return {};
        const int normal = min_normal_exponent(keeping_.accumulator) + scale;
        const double each = normal < -1022 ? 0 : double_power(normal);
        const double whole = (m.products + static_cast<double>(terms.count)) * each;
        ExactSum all = terms.small;
        all.add(whole);
        return all.pair();
    }

    /// What the terms' number and scaling make of the bound, the same for most of a tensor.
    struct Factors {
        Index terms = -1, roundings = -1;
        double coarse = 0, fine = 0;
    };
    const Factors& factors(Index terms, Index roundings) const {
        if (factors_.terms == terms && factors_.roundings == roundings) return factors_;
        const double u = Rules::unit * double_power(-precision(keeping_.accumulator));
        factors_ = {terms, roundings, sum_factor(Near(u * coarser), terms, roundings).v,
                    sum_factor(Near(u * finer), terms, roundings).v};
        return factors_;
    }

    /// The error of the sum beyond the `brought` that its terms bring along: with b for that, F (s + b) + d +
    /// F d is F s + (b + d) + F (b + d) less b. Underflow below 2^-1000 is left out.
    double error(const Measured& m, double brought, double factor, double finer_dust, int scale) const {
        const int smallest = min_exponent(keeping_.accumulator) + scale;
        const double dust = smallest < -1000 ? 0 : m.products * Rules::dust * double_power(smallest);
        return sum_error(Near(factor), Near(m.size + brought), Near(dust * finer_dust)).v;
    }

    /// The ends of all that is permitted, each within `radius`.
    struct Range {
        Pair low, high;
        double radius;
    };
    static Range around(const Quotient& q, const Pair& brought, double e, double relative, bool any) {
        double radius = e * relative;
        if (!any) {
            e = radius = 0;
        } else if (e < 0x1p-960) {  // dust was left out; it is above 0 and below twice this
            e = 0x1p-960;
            radius = e * (1 - 0x1p-20);
        }
        radius += q.radius;
        if (brought.high != 0) return around_exactly(q, brought, e, radius);
        const Pair down = two_sum(q.value.high, -e), up = two_sum(q.value.high, e);
        const double low = down.low + q.value.low, high = up.low + q.value.low;
        const double off = q.value.low == 0 ? 0 : (std::fabs(low) + std::fabs(high)) * 0x1p-52;
        return {two_sum(down.high, low), two_sum(up.high, high), radius + off};
    }
    static Range around_exactly(const Quotient& q, const Pair& brought, double e, double radius) {
        ExactSum low, high;
        for (const double part : {q.value.high, q.value.low}) low.add(part), high.add(part);
        for (const double part : {brought.high, brought.low, e}) low.add(-part), high.add(part);
        return {low.pair(), high.pair(), radius + 1.01 * (low.lost + high.lost)};
    }

    bool bounded(const Measured& m, const Terms& terms, const Grid& grid, Permitted& out) const {
        const double relative = 0x1p-43 + static_cast<double>(terms.count) * 0x1p-51;
        const Quotient& q = m.value;
        if (terms.small.lost != 0) return false;
        const Pair along = brought(m, terms, grid.scale);
        const Factors& f = factors(terms.count, m.by.roundings);
        const double size = m.size, e = error(m, along.high, f.coarse, coarser, grid.scale);
        if (!(e < 0x1p950)) return false;
        const bool any = terms.count > 1 || m.by.roundings > 0 || m.products > 0;
        const Range on_grid = around(q, along, e, relative, any);
        const PlaceOf low_place(grid, on_grid.low, on_grid.radius),
            high_place(grid, on_grid.high, on_grid.radius);
        RoundedEnds ends;
        if (!place_ends(low_place, high_place, keeping_.wider(), ends)) return false;
        if (!keeping_.wider()) {
            const double fine = error(m, along.high, f.fine, finer, grid.scale);
            const bool wide = e > 1.01 * half_step(grid, std::fabs(q.value.high) + along.high + e);
            if (!wide && !rounded_ends(around(q, along, fine, relative, any), grid, ends)) return false;
        }
        const double whole = e + along.high;
        ends.vacuous = whole >= size;
        const bool near_vacuous = std::fabs(whole - size) <= 4 * relative * size;
        if (near_vacuous || !signs(on_grid, ends) || !tops(on_grid, grid, ends) ||
            !overflows(terms, m.by, grid.scale, relative, ends))
            return false;
        const auto p = permitted_between(grid.format, ends, keeping_.policy.subnormals);
        if (p) out = *p;
        return p.has_value();
    }

    /// At least half a step of the grid at numbers of this size.
    static double half_step(const Grid& grid, double size) {
        const int half = min_exponent(grid.format) + grid.scale - 1;
        return size * double_power(-precision(grid.format)) + double_power(half < -1000 ? -1000 : half);
    }

    /// Widens the ends to what one who keeps a finer sum may round to: no more than half a step past the
    /// exact value, so that it matters only where the other range is narrower than that.
    static bool rounded_ends(const Range& once, const Grid& grid, RoundedEnds& ends) {
        const PlaceOf low(grid, once.low, once.radius), high(grid, once.high, once.radius);
        if (!low.near() || !high.near()) return false;
        if (ordinal(grid.format, low.nearest()) < ordinal(grid.format, ends.low)) ends.low = low.nearest();
        if (ordinal(grid.format, high.nearest()) > ordinal(grid.format, ends.high))
            ends.high = high.nearest();
        return true;
    }

    bool signs(const Range& r, RoundedEnds& ends) const {
        ends.low_is_negative = r.low.high < 0;
        ends.high_is_positive = r.high.high > 0;
        return !keeping_.flushes ||
               (std::fabs(r.low.high) > 2 * r.radius && std::fabs(r.high.high) > 2 * r.radius);
    }

    /// Whether the range comes to where its format rounds to infinity.
    static bool tops(const Range& r, const Grid& grid, RoundedEnds& ends) {
        const int exponent = grid.greatest_exponent();
        if (exponent > 960) return true;  // no sum of this size comes here
        const double binade = double_power(exponent);
        if (!(r.radius < binade * 0x1p-8)) return false;
        const auto reaches = [&](const Pair& v, bool& out) {
            if (v.high < binade) return true;
            const double over =
                (v.high - 2 * binade) + binade * double_power(-precision(grid.format)) + v.low;
            out = over > 0;
            return std::fabs(over) > 2 * r.radius + binade * 0x1p-100;
        };
        return reaches(r.high, ends.reaches_top) && reaches({-r.low.high, -r.low.low}, ends.reaches_bottom);
    }

    /// Whether some order of summation passes the accumulator's top, or its bottom.
    bool overflows(const Terms& terms, const Scaling& by, int scale, double relative,
                   RoundedEnds& ends) const {
        const int exponent = max_exponent(keeping_.accumulator) + scale;
        if (keeping_.policy.intermediate_overflow != IntermediateOverflow::allowed || exponent > 960)
            return true;
        const double top = double_power(exponent + 1);
        const double u = double_power(-precision(keeping_.accumulator));
        const Near roundings(terms.count + by.roundings + 1);
        if (terms.size() < top * 0x1p-8 && roundings.v * u < 4) return true;  // e^4 < 2^8
        const double swelling = 1 + growth(Near(u), roundings).v;
        const double threshold = top * (1 - u / 2);
        const auto passes = [&](double part, bool& out) {
            const double most = part * swelling;
            out = most >= threshold;
            return std::fabs(most - threshold) > 4 * relative * threshold;
        };
        return passes(by.divisor < 0 ? terms.negative : terms.positive, ends.overflow) &&
               passes(by.divisor < 0 ? terms.positive : terms.negative, ends.minus_overflow);
    }

    /// What the roundings of the accumulator, and of a wider one, are to its own.
    static constexpr double finer = 1.0 / (1 << finer_by), coarser = 1 + finer;

    Keeping keeping_;
    mutable Factors factors_;
};

}  // namespace poolproof::certified

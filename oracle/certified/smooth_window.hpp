// SPDX-License-Identifier: Apache-2.0
// One window of a smooth maximum in doubles: its exponentials with proved errors, and its bound nearly. The
// proofs are in section 7 of docs/BOUNDS.md.
#pragma once

#include "oracle/certified/near.hpp"
#include "oracle/certified/sum_set.hpp"
#include "oracle/expect/smooth_error.hpp"

#include <vector>

namespace poolproof::certified {

/// Sizes between which nothing overflows and what underflows is known to be below `dust_size`.
inline constexpr double smooth_most = 0x1p800, smooth_beta = 0x1p300, dust_size = 0x1p-800;

/// More cells than this, padding among them, are left to the exact oracle.
inline constexpr double smooth_taps = 0x1p20;

/// How near a bound's value in doubles is to the true one, relative to it.
inline double bound_error(double count) { return 0x1p-36 + count * 0x1p-46; }

inline const SmoothError<Near> no_smooth_error{Near(0.0), Near(0.0), Near(0.0),
                                               Near(0.0), Near(0.0), Near(0.0)};

/// What all windows of a plan have in common.
struct SmoothPlan {
    double beta;
    Keeping keeping;
    SmoothErrors<Near> errors;

    SmoothPlan(Bits beta_bits, const Keeping& k)
        : beta(pattern_value(k.result, beta_bits)),
          keeping(k),
          errors(k.result, k.accumulator, policy_of(k), Near(std::fabs(beta)), is_power_of_two(beta),
                 1 < std::fabs(beta) * power(min_normal_exponent(k.accumulator)),
                 [](int e) { return Near(power(e)); }) {}

    /// Whether its own bounds are known.
    bool in_range() const {
        const double size = std::fabs(beta);
        return size < smooth_beta && size > 1 / smooth_beta && errors.elementary.v < 1;
    }

private:
    static double power(int e) { return std::ldexp(1.0, e); }
    static bool is_power_of_two(double v) {
        int e;
        return std::fabs(std::frexp(v, &e)) == 0.5;
    }
    static double pattern_value(Format f, Bits b);
    static Policy policy_of(const Keeping& k) { return k.policy; }
};

/// The finite values of a window, and what padding adds as exponents of 0.
struct SmoothCells {
    std::vector<double> xs;
    double padding = 0;
};

/// Sums of exponentials by one stage, each e^(t - T) for the largest exponent T.
struct SmoothSums {
    std::vector<Pair> shares;  ///< of the values, in order
    Pair sum{}, log{};
    double share_error = 0;  ///< relative to a share, or to the sum
    double log_error = 0;
    bool dropped = false;  ///< a share that is below e^-most_exponent stands as 0
};

/// A window's largest exponent, the others' distances from it, and its bound.
class SmoothExponents {
public:
    /// False where the window is not in the range of doubles.
    bool over(const SmoothPlan& plan, const SmoothCells& cells) {
        const double sign = plan.beta < 0 ? -1 : 1;
        beta_ = plan.beta;
        padding_ = cells.padding;
        count_ = static_cast<double>(cells.xs.size()) + padding_;
        top_ = padding_ > 0 ? 0 : cells.xs.front();
        reach_ = 0;
        for (const double x : cells.xs) {
            if (x * sign > top_ * sign) top_ = x;
            reach_ = std::max(reach_, std::fabs(x));
        }
        below_.clear();
        for (const double x : cells.xs) below_.push_back(exponent(x));
        padding_below_ = exponent(0);
        return reach_ < smooth_most && count_ <= smooth_taps && std::fabs(beta_) * reach_ < smooth_most;
    }

    double count() const { return count_; }
    double top() const { return top_; }                         ///< the value whose exponent is T
    double reach() const { return std::fabs(beta_) * reach_; }  ///< the largest |t|
    double distance(std::size_t k) const { return -below_[k].high; }

    template <class Stage> void sums(SmoothSums& s) const {
        s.share_error = 2 * Stage::error;
        s.dropped = false;
        s.shares.clear();
        s.sum = padding_ > 0 ? share<Stage>(padding_below_, s.dropped) * padding_ : Pair{};
        for (const Pair& t : below_) {
            s.shares.push_back(share<Stage>(t, s.dropped));
            s.sum = s.sum + s.shares.back();
        }
        s.share_error += count_ * 0x1p-103 + dust_size;
        s.log = certified::log<Stage>(s.sum);
        s.log_error = Stage::log_error + 1.01 * s.share_error + std::fabs(s.log.high) * 0x1p-99;
    }

    /// The bound, or nothing where it is not known. Requires the sums of either stage.
    bool bound(const SmoothPlan& plan, const SmoothCells& cells, const SmoothSums& s, SmoothError<Near>& e,
               bool& doubt) {
        const SmoothErrors<Near>& by = plan.errors;
        rank(plan, cells);
        rescaled_.clear();
        for (std::size_t k = 0; k < cells.xs.size(); ++k)
            add_rescaled(by, s.shares[k].high, 1, distance(k), above(cells.xs[k]));
        if (padding_ > 0) {
            bool dropped = false;
            const double one = share<Quick>(padding_below_, dropped).high;
            add_rescaled(by, one, padding_, -padding_below_.high, above(0));
        }
        double equal = 0;
        for (const Rescaled& r : rescaled_) equal += r.more;
        bool subnormal = false;
        for (const double x : cells.xs) subnormal |= std::fabs(x) < by.flushed_input.v;
        const Near n(count_), t(beta_ * top_);
        const Near log_sum(std::max(s.log.high, 0.0)), size(std::fabs(t.v));
        const SmoothWindow<Near> window{n, log(n), Near(s.sum.high),   log_sum,    t,
                                        t, size,   by.lost(subnormal), Near(equal)};
        const auto weighted = [&](const Near& moved) {
            return Near(weighted_rescalings(by, moved.v, doubt) / s.sum.high);
        };
        e = smooth_error(by, window, weighted, doubt);
        const bool known = e.scaled.v < smooth_most && equal < count_ * 0x1p16 && std::fabs(s.log.high) >= 0;
        // What is subnormal itself takes no part but where a sum without a shift is all but lost.
        const bool near_least = plan.keeping.accumulator == Format::f64 && t.v < -590 && t.v > -720;
        return known && !near_least && !doubt;
    }

private:
    /// beta (x - top) but for 2^-104 of itself and 2^-1000.
    Pair exponent(double x) const {
        const Pair d = two_sum(x, -top_);
        return d.high == 0 ? Pair{} : Pair{d.high, d.low} * beta_;
    }
    template <class Stage> static Pair share(const Pair& t, bool& dropped) {
        if (t.high >= -most_exponent) return Stage::exp(t);
        dropped = true;
        return {};
    }

    /// A term that is rescaled: its share, how far below it is, and what that adds to it, times its count.
    struct Rescaled {
        double share, distance, more;
    };
    void add_rescaled(const SmoothErrors<Near>& by, double share, double count, double distance,
                      Index above) {
        if (above > 0) rescaled_.push_back({share, distance, count * by.rescaled(above).v});
    }

    /// The sum of shares times e^a and the distances' own errors, times what is added; infinite where it is
    /// above e^64 of that, so that it is not the smaller mean.
    double weighted_rescalings(const SmoothErrors<Near>& by, double a, bool& doubt) const {
        double sum = 0;
        for (const Rescaled& r : rescaled_) {
            const double d = by.slope.v * r.distance, off = (a + r.distance) * 0x1p-40;
            const bool linear = less(Near(d), Near(0x1p-4), doubt);  // as in `SmoothErrors::spread`
            const double factor = linear ? 1 / (1 - d) : 1, exponent = a - r.distance + (linear ? 0 : d);
            // What is above 2^30 is infinite in the exact oracle's intervals, times however small a share.
            const double largest = linear ? a : std::max(a, d);
            if (largest > 0x1p30 || exponent > 64 + off) return HUGE_VAL;
            doubt |= largest > 0x1p29;
            if (exponent < -100 - off) continue;
            // The factors may leave the range where their product does not.
            const bool apart = a > 1 || r.share == 0 || !linear;
            doubt |= apart && off > 0x1p-28;
            const double moved =
                apart ? exp(Near(exponent)).v : r.share * (1 + growth(Near(a), Near(Index{1})).v);
            sum += moved * factor * r.more;
        }
        return sum;
    }

    /// The different values, padding's 0 among them, from the one with the largest exponent on.
    void rank(const SmoothPlan& plan, const SmoothCells& cells) {
        values_ = cells.xs;
        if (padding_ > 0) values_.push_back(0);
        const double sign = plan.beta < 0 ? -1 : 1;
        std::sort(values_.begin(), values_.end(), [=](double a, double b) { return a * sign > b * sign; });
        values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
        sign_ = sign;
    }
    /// How many different exponents are above that of `x`.
    Index above(double x) const {
        const auto at = std::lower_bound(values_.begin(), values_.end(), x,
                                         [this](double a, double b) { return a * sign_ > b * sign_; });
        return at - values_.begin();
    }

    double beta_ = 1, padding_ = 0, count_ = 0, top_ = 0, reach_ = 0, sign_ = 1;
    std::vector<Pair> below_;
    Pair padding_below_{};
    std::vector<double> values_;
    std::vector<Rescaled> rescaled_;
};

}  // namespace poolproof::certified

// SPDX-License-Identifier: Apache-2.0
// What the windows of an average divide by, and what that costs in roundings.
#pragma once

#include "oracle/certified/block.hpp"
#include "oracle/certified/sum_set.hpp"

#include <algorithm>

namespace poolproof::certified {

inline constexpr double most_divisor = 0x1p26;

inline bool is_finite(double x) { return std::fabs(x) < HUGE_VAL; }

inline Index bits_of(Index n) {
    return n == 0 ? 0 : 64 - std::countl_zero(static_cast<Bits>(n < 0 ? -n : n));
}
inline Index zeros_of(Index n) { return n == 0 ? 0 : std::countr_zero(static_cast<Bits>(n)); }

/// What part of a window divides by: the product of its axes' counts.
struct Part {
    double divisor = 1;
    ScaleCount cost;

    void add(double n, Format f) {
        divisor *= n;
        const bool whole = std::fabs(n) <= most_divisor;
        const auto i = whole ? static_cast<Index>(n) : Index{1};
        cost.add_factor(f, bits_of(i), zeros_of(i));
    }
    friend bool operator==(const Part& a, const Part& b) {
        return a.divisor == b.divisor && a.cost.axis_by_axis == b.cost.axis_by_axis &&
               a.cost.scalings == b.cost.scalings;
    }
};

/// The divisors of all windows, as products of an outer part's and an inner part's.
class Divisors {
public:
    Divisors(const Block& b, Format accumulator) : accumulator_(accumulator) {
        const PoolPlan& p = b.pool;
        const auto counted = [&](const Walk::Counts& c) {
            return static_cast<double>(!p.count_padding                      ? c.count
                                       : p.policy.divisor == Divisor::kernel ? c.span
                                                                             : c.clipped);
        };
        if (p.divisor_override) {
            Part whole;
            whole.add(static_cast<double>(*p.divisor_override), accumulator);
            outer_.assign(b.walk.outer.size(), whole);
            inner_.assign(b.walk.inner.size(), Part{});
        } else {
            for (const Walk::Outer& o : b.walk.outer) {
                Part& part = outer_.emplace_back();
                for (std::size_t k = 0; k < b.walk.outer_axes; ++k)
                    part.add(counted(b.walk.outer_counts[o.first_counts + k]), accumulator);
            }
            for (const Walk::Inner& i : b.walk.inner)
                inner_.emplace_back().add(counted(i.counts), accumulator);
        }
        const auto same = [](const std::vector<Part>& parts) {
            return std::equal(parts.begin() + 1, parts.end(), parts.begin());
        };
        uniform_ = outer_.empty() || inner_.empty() || (same(outer_) && same(inner_));
    }

    bool uniform() const { return uniform_; }

    /// Whether two outer or inner parts of windows divide alike.
    bool same_outer(std::size_t a, std::size_t b) const { return outer_[a] == outer_[b]; }
    bool same_inner(std::size_t a, std::size_t b) const { return inner_[a] == inner_[b]; }

    /// Of a window; a divisor that is 0 or too large stands as it is, without costs.
    Scaling of(std::size_t outer, std::size_t inner) const {
        const Part &o = outer_[outer], &i = inner_[inner];
        Scaling s;
        s.divisor = o.divisor * i.divisor;
        const double size = std::fabs(s.divisor);
        if (size == 0 || size == 1 || size > most_divisor) return s;
        const auto whole = static_cast<Index>(size);
        ScaleCount cost = o.cost;
        cost.axis_by_axis += i.cost.axis_by_axis;
        cost.factors += i.cost.factors;
        cost.scalings += i.cost.scalings;
        s.roundings = cost.roundings(accumulator_, bits_of(whole), zeros_of(whole));
        s.scalings = cost.least_scalings();
        return s;
    }

private:
    Format accumulator_;
    std::vector<Part> outer_, inner_;
    bool uniform_ = true;
};

/// How a block's sums are kept: its cotangents' or the others'.
inline Keeping keeping_of(const Block& b) {
    const Policy& p = b.plan.policy;
    return {b.plan.format, b.plan.mode == Mode::vjp ? p.accumulate_gradient : p.accumulate, p,
            b.correctly_rounded};
}

/// From the next divisor on a reciprocal may be subnormal [BScale], or be none of the whole numbers that
/// `remainder` takes.
inline double greatest_divisor(Format accumulator) {
    return std::min(most_divisor, std::ldexp(1.0, std::min(26, -min_normal_exponent(accumulator))));
}

}  // namespace poolproof::certified

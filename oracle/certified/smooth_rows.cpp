// SPDX-License-Identifier: Apache-2.0
// From sums over windows side by side to the ends of what is permitted.
#include "oracle/certified/smooth_rows.hpp"

#include <algorithm>

namespace poolproof::certified {

namespace {

/// A logarithm to 2^-20 or so, on which no proof rests.
POOLPROOF_INLINE double rough_log(double s) {
    constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd;
    const auto bits = std::bit_cast<std::uint64_t>(s);
    const std::uint64_t exponent =
        ((bits - root_half + (std::uint64_t{1024} << 52)) >> 52) - 1024;  // wraps for negative ones
    const double k = std::bit_cast<double>(exponent + 0x4338000000000000) - 0x1.8p52;
    const double m = std::bit_cast<double>(bits - (exponent << 52));
    const double z = (m - 1) / (m + 1), q = z * z;
    return k * 0x1.62e42fefa39efp-1 + z * (2 + q * (2.0 / 3 + q * (2.0 / 5 + q * (2.0 / 7))));
}

/// The errors of beta y, and of a weight relative to itself at distance 0.
struct WindowErrors {
    double scaled, common;
};

/// Of a window whose largest exponent is `top`: they grow with the logarithm of its sum less that, and with
/// what rescaling adds.
POOLPROOF_INLINE WindowErrors errors_of(const SmoothConstants& c, double top, double log_sum,
                                        double rescalings) {
    const double size = std::fabs(top);
    const double of_product = c.of_product * c.unit * (1 + 2 * c.unit) * size;
    const double of_exponents = of_product + 3 * c.unit * c.log_taps;
    const double plain = c.elementary + c.operation * (c.taps + 1);
    const double sum_error = plain + rescalings;
    const double known = log_sum + of_exponents;
    const double logarithm = (1 + c.quality) * ((c.log_taps < known ? c.log_taps : known) + sum_error);
    const double magnitude = (1 + 2 * c.unit) * size + logarithm;
    const double once = c.of_last * c.unit * magnitude, most = c.most_last * logarithm;
    const double last = once < most ? once : most;
    const double rest = sum_error + c.quality * logarithm + last;
    const double after = c.of_product * 2 * c.unit;
    const double unshifted = plain + (c.quality + after) * (size + of_product + c.log_taps + plain);
    const double scaled = of_exponents + (rest < unshifted ? unshifted : rest);
    const double by_division = of_exponents + sum_error + 2 * of_product;
    const double by_difference = scaled + 2 * of_product + c.slope * logarithm;
    return {scaled,
            (by_division < by_difference ? by_difference : by_division) + c.elementary + 6 * c.operation};
}

/// Less of them, by what hangs on ranks and on the sum's logarithm.
POOLPROOF_INLINE WindowErrors least_errors(const SmoothConstants& c, double top) {
    return errors_of(c, top, 0, 0);
}

/// A window's logarithm of its sum, and its bound.
struct Found {
    Pair sum, log;
    double scaled, common;  ///< see `WindowErrors`
    bool good;
};

POOLPROOF_INLINE Found found(const SmoothConstants& c, const Roots& table, double high, double low,
                             double top, double others, double rescaled, double equal) {
    Found r;
    r.sum = fast_two_sum(high, low);
    const double y = rough_log(r.sum.high);
    const Pair p = r.sum * quick_exp({-y, 0}, table);
    const Pair w = two_sum(p.high - 1, p.low);
    const double tail = w.low - w.high * w.high * (0.5 - w.high * (1.0 / 3 - w.high * 0.25));
    const Pair l = two_sum(y, w.high);
    r.log = fast_two_sum(l.high, l.low + tail);
    r.good = std::fabs(w.high) < 0x1p-19;

    const double series = others * (1 + others * (0.5 + others * (1.0 / 3 + others * 0.25)));
    const double whole = r.log.high - top;
    const double mean = equal * c.per_tap;
    const double rescalings = (c.elementary + c.operation) * (rescaled < mean ? rescaled : mean);
    const WindowErrors e = errors_of(c, top, others < 0x1p-12 ? series : whole, rescalings);
    r.scaled = e.scaled;
    r.common = e.common;
    return r;
}

/// A number within a radius, and whether it rounds to its upper part for certain.
struct End {
    double high, low, radius;

    POOLPROOF_INLINE bool near() const {
        const double wide = radius * (1 + 0x1p-20) + std::fabs(low) * 0x1p-50;
        return all(std::fabs(high) > 0x1p-300, std::fabs(high) < 0x1p900, high + (low + wide) == high,
                   high + (low - wide) == high);
    }
    POOLPROOF_INLINE bool directed() const { return std::fabs(low) > radius * (1 + 0x1p-20); }
    /// The double that is next to it upward, and downward.
    POOLPROOF_INLINE double above() const { return low > 0 ? stepped(1) : high; }
    POOLPROOF_INLINE double below() const { return low < 0 ? stepped(-1) : high; }

private:
    POOLPROOF_INLINE double stepped(std::int64_t up) const {
        const auto bits = std::bit_cast<std::int64_t>(high);
        return std::bit_cast<double>(bits + (high > 0 ? up : -up));
    }
};

POOLPROOF_INLINE End moved(const Pair& y, double radius, double e, double off) {
    const Pair far = two_sum(y.high, e);
    const double rest = far.low + y.low;
    const Pair r = two_sum(far.high, rest);
    return {r.high, r.low, radius + off + std::fabs(rest) * 0x1p-52};
}

template <bool exactly>
POOLPROOF_INLINE void values_of(const SmoothConstants c, const Roots& table, std::size_t n,
                                SmoothColumns& of) {
    const double *high = of.high.data(), *low = of.low.data(), *top = of.top.data(),
                 *others = of.others.data(), *rescaled = of.rescaled.data(), *equal = of.equal.data();
    double *lowest = of.lowest.data(), *highest = of.highest.data(), *sure = of.sure.data();
    POOLPROOF_INDEPENDENT
    for (std::size_t k = 0; k < n; ++k) {
        const Found f = found(c, table, high[k], low[k], top[k], others[k], rescaled[k], equal[k]);
        const Pair y = f.log * c.per_beta;
        const double radius = 0x1.1p-67 * c.per_size + std::fabs(y.high) * 0x1p-97;
        const double e = exactly ? 0.0 : f.scaled * c.per_size;
        const End down = moved(y, radius, -e, e * c.relative), up = moved(y, radius, e, e * c.relative);
        lowest[k] = down.high;
        highest[k] = up.high;
        sure[k] = all(f.good, down.near(), up.near()) ? 1.0 : 0.0;
    }
}

/// Whether an answer is, where sum e^(-beta y) is off by so much from 1: the exponent's error is that but for
/// its square.
POOLPROOF_INLINE bool within_range(double y, double off, double allowed, const Pair& scaled) {
    return all(std::fabs(y) > 0x1p-300, off < 0x1p-19, off <= allowed,
               std::fabs(scaled.high) < 2 * most_shared);
}

/// Whether answers are within the bound, without what ranks and the sum's logarithm add to it: by how far
/// sum e^(-beta y) is from 1.
POOLPROOF_CLONES void within(const SmoothConstants& of_plan, const Roots& table, std::size_t n,
                             const double* y, SmoothColumns& of) {
    const SmoothConstants c = of_plan;
    const double *high = of.high.data(), *low = of.low.data(), *top = of.top.data();
    double* sure = of.sure.data();
    POOLPROOF_INDEPENDENT
    for (std::size_t k = 0; k < n; ++k) {
        const Pair answer = two_product(y[k], c.beta);
        const Pair p = fast_two_sum(high[k], low[k]) * quick_exp(-answer, table);
        const double off = std::fabs((p.high - 1) + p.low);
        const double allowed = least_errors(c, top[k]).scaled * (1 - 0x1p-17) - 0x1p-66;
        sure[k] = within_range(y[k], off, allowed, answer) ? 1.0 : 0.0;
    }
}

/// The sum of 4 or 9 numbers, as a tree: no term goes through more than 2 or 4 additions.
template <int n> POOLPROOF_INLINE double tree_sum(const double* const* at, std::size_t k) {
    const double four = (at[0][k] + at[1][k]) + (at[2][k] + at[3][k]);
    if constexpr (n == 4) return four;
    return (four + ((at[4][k] + at[5][k]) + (at[6][k] + at[7][k]))) + at[8][k];
}

/// Whether all are within the bound for certain: the largest exponent is not below beta y in size but for the
/// logarithm of how many there are.
template <int n>
POOLPROOF_INLINE void plainly_within_of(const SmoothConstants& of_plan, const SmoothShares& shares,
                                        const std::size_t* taps, std::size_t windows, const double* y,
                                        SmoothColumns& of) {
    const SmoothConstants c = of_plan;
    constexpr double own = (n == 4 ? 10 : 12) * 0x1p-53;
    const double* at[n];
    for (int j = 0; j < n; ++j) at[j] = shares.plain.data() + taps[j];
    double* sure = of.sure.data();
    POOLPROOF_INDEPENDENT
    for (std::size_t k = 0; k < windows; ++k) {
        const Pair answer = two_product(y[k], c.beta);
        const double off = std::fabs(tree_sum<n>(at, k) * plain_exp(-answer) - 1);
        const double least = std::fabs(answer.high) - c.log_taps - 0x1p-18, top = least > 0 ? least : 0;
        const double allowed = least_errors(c, top).scaled * (1 - 0x1p-17) - own;
        sure[k] = within_range(y[k], off, allowed, answer) ? 1.0 : 0.0;
    }
}
POOLPROOF_CLONES void plainly_within_4(const SmoothConstants& c, const SmoothShares& shares,
                                       const std::size_t* taps, std::size_t windows, const double* y,
                                       SmoothColumns& of) {
    plainly_within_of<4>(c, shares, taps, windows, y, of);
}
POOLPROOF_CLONES void plainly_within_9(const SmoothConstants& c, const SmoothShares& shares,
                                       const std::size_t* taps, std::size_t windows, const double* y,
                                       SmoothColumns& of) {
    plainly_within_of<9>(c, shares, taps, windows, y, of);
}

/// The ends of a sum of terms that bring errors along; whether they are certain.
template <bool exactly>
POOLPROOF_INLINE bool ends_of_sum(const SmoothConstants& c, const Pair& total, double radius, double size,
                                  double brought, double count, double& lowest, double& highest) {
    if constexpr (exactly) {
        const End end{total.high, total.low, radius};
        lowest = highest = total.high;
        return end.near();
    }
    const double factor = (count + 1) * c.once;
    const double coarse = factor * (1 + 0x1p-11), fine = factor * 0x1p-11;
    const double e = coarse * size + brought + coarse * brought,
                 once = fine * size + brought + fine * brought;
    const End down = moved(total, radius, -e, e * c.relative), up = moved(total, radius, e, e * c.relative);
    const End once_down = moved(total, radius, -once, once * c.relative),
              once_up = moved(total, radius, once, once * c.relative);
    const double at_least = down.above(), at_most = up.below();
    lowest = once_down.high < at_least ? once_down.high : at_least;
    highest = once_up.high > at_most ? once_up.high : at_most;
    return all(std::fabs(down.high) > 0x1p-300, std::fabs(up.high) > 0x1p-300, down.directed(), up.directed(),
               once_down.near(), once_up.near());
}

/// Whether an answer is within a sum's bound for certain.
POOLPROOF_INLINE bool near_sum(const SmoothConstants& c, const Pair& total, double size, double brought,
                               double count, double answer) {
    const double coarse = (count + 1) * c.once;
    const double e = coarse * size + brought + coarse * brought;
    const double off = std::fabs((answer - total.high) - total.low);
    return off <= e * (1 - 0x1p-20) - off * 0x1p-50 - size * 0x1p-66;
}

POOLPROOF_CLONES void tangents_within(const SmoothConstants& of_plan, std::size_t n, const double* y,
                                      SmoothColumns& of) {
    const SmoothConstants c = of_plan;
    const double *high = of.high.data(), *low = of.low.data(), *top = of.top.data(),
                 *term_high = of.term_high.data(), *term_low = of.term_low.data(), *size = of.size.data(),
                 *distance = of.distance.data(), *count = of.count.data();
    double* sure = of.sure.data();
    POOLPROOF_INDEPENDENT
    for (std::size_t k = 0; k < n; ++k) {
        const Pair sum = fast_two_sum(high[k], low[k]);
        const Pair total = fast_two_sum(term_high[k], term_low[k]) / sum;
        const double sizes = size[k] / sum.high;
        const double brought = least_errors(c, top[k]).common * sizes + c.slope * (distance[k] / sum.high);
        const bool near = near_sum(c, total, sizes, brought, count[k], y[k]);
        sure[k] = all(near, sizes > 0x1p-250) ? 1.0 : 0.0;
    }
}

template <bool exactly>
POOLPROOF_INLINE void tangents_of(const SmoothConstants c, const Roots& table, std::size_t n,
                                  SmoothColumns& of) {
    const double *high = of.high.data(), *low = of.low.data(), *top = of.top.data(),
                 *others = of.others.data(), *rescaled = of.rescaled.data(), *equal = of.equal.data(),
                 *term_high = of.term_high.data(), *term_low = of.term_low.data(), *size = of.size.data(),
                 *distance = of.distance.data(), *count = of.count.data();
    double *lowest = of.lowest.data(), *highest = of.highest.data(), *sure = of.sure.data();
    POOLPROOF_INDEPENDENT
    for (std::size_t k = 0; k < n; ++k) {
        const Found f = found(c, table, high[k], low[k], top[k], others[k], rescaled[k], equal[k]);
        const Pair total = fast_two_sum(term_high[k], term_low[k]) / f.sum;
        const double sizes = size[k] / f.sum.high;
        const double brought = f.common * sizes + c.slope * (distance[k] / f.sum.high);
        double down, up;
        const bool known =
            ends_of_sum<exactly>(c, total, sizes * 0x1p-67, sizes, brought, count[k], down, up);
        lowest[k] = down;
        highest[k] = up;
        sure[k] = all(f.good, known, sizes > 0x1p-250) ? 1.0 : 0.0;
    }
}

// Gradients
// -----------------------------------------------------------------------------------------------------------

POOLPROOF_CLONES void quotients(const SmoothConstants c, const Roots& table, std::size_t n,
                                SmoothColumns& of) {
    const double *high = of.high.data(), *low = of.low.data(), *top = of.top.data(),
                 *others = of.others.data(), *rescaled = of.rescaled.data(), *equal = of.equal.data();
    const double* g = of.count.data();
    double *of_high = of.term_high.data(), *of_low = of.term_low.data(), *errors = of.size.data();
    POOLPROOF_INDEPENDENT
    for (std::size_t k = 0; k < n; ++k) {
        const Found f = found(c, table, high[k], low[k], top[k], others[k], rescaled[k], equal[k]);
        const Pair v = Pair{g[k], 0} / f.sum;
        of_high[k] = v.high;
        of_low[k] = v.low;
        errors[k] = f.good ? std::fabs(v.high) * (f.common + c.slope * top[k]) : NAN;
    }
}

/// The same with the least errors.
POOLPROOF_CLONES void bare_quotients(const SmoothConstants& of_plan, std::size_t n, SmoothColumns& of) {
    const SmoothConstants c = of_plan;
    const double *high = of.high.data(), *low = of.low.data(), *top = of.top.data(), *g = of.count.data();
    double *of_high = of.term_high.data(), *of_low = of.term_low.data(), *errors = of.size.data();
    POOLPROOF_INDEPENDENT
    for (std::size_t k = 0; k < n; ++k) {
        const Pair v = Pair{g[k], 0} / fast_two_sum(high[k], low[k]);
        of_high[k] = v.high;
        of_low[k] = v.low;
        errors[k] = std::fabs(v.high) * (least_errors(c, top[k]).common + c.slope * top[k]);
    }
}

/// Adds what windows send to cells `at` and after.
POOLPROOF_CLONES void spread(std::size_t n, const SmoothColumns& of, std::size_t at, SmoothGradients& to) {
    const double *v_high = of.term_high.data(), *v_low = of.term_low.data(), *v_errors = of.size.data();
    double *high = to.high.data() + at, *low = to.low.data() + at, *size = to.size.data() + at,
           *errors = to.errors.data() + at, *count = to.count.data() + at;
    POOLPROOF_INDEPENDENT
    for (std::size_t k = 0; k < n; ++k) {
        const Pair next = two_sum(high[k], v_high[k]);
        high[k] = next.high;
        low[k] += next.low + v_low[k];
        size[k] += std::fabs(v_high[k]);
        errors[k] += v_errors[k];
        count[k] += v_high[k] != 0 ? 1.0 : 0.0;
    }
}

/// What a cell's windows send it: the sum, the sizes of its terms, what they bring along, and how many.
struct Gradient {
    Pair total;
    double sizes, brought, count;
};

struct Received {
    const double *t, *e_high, *e_low, *high, *low, *size, *errors, *count;
    double slope;

    Received(const SmoothConstants& c, const SmoothShares& s, const SmoothGradients& of)
        : t(s.t.data()),
          e_high(s.high.data()),
          e_low(s.low.data()),
          high(of.high.data()),
          low(of.low.data()),
          size(of.size.data()),
          errors(of.errors.data()),
          count(of.count.data()),
          slope(c.slope) {}

    POOLPROOF_INLINE Gradient at(std::size_t k) const {
        return {fast_two_sum(high[k], low[k]) * Pair{e_high[k], e_low[k]}, size[k] * e_high[k],
                e_high[k] * (errors[k] - slope * t[k] * size[k]), count[k]};
    }
};

template <bool exactly>
POOLPROOF_INLINE void gradients_of(const SmoothConstants c, const SmoothShares& s, double least,
                                   SmoothGradients& of) {
    const Received received(c, s, of);
    double *lowest = of.lowest.data(), *highest = of.highest.data(), *sure = of.sure.data();
    const std::size_t n = s.x.size();
    POOLPROOF_INDEPENDENT
    for (std::size_t k = 0; k < n; ++k) {
        const Gradient g = received.at(k);
        double down, up;
        const bool known =
            ends_of_sum<exactly>(c, g.total, g.sizes * 0x1p-67, g.sizes, g.brought, g.count, down, up);
        lowest[k] = down;
        highest[k] = up;
        sure[k] = all(known, g.sizes > least) ? 1.0 : 0.0;
    }
}

POOLPROOF_CLONES void gradients_within(const SmoothConstants& of_plan, const SmoothShares& s, double least,
                                       const double* y, SmoothGradients& of) {
    const SmoothConstants c = of_plan;
    const Received received(c, s, of);
    double* sure = of.sure.data();
    const std::size_t n = s.x.size();
    POOLPROOF_INDEPENDENT
    for (std::size_t k = 0; k < n; ++k) {
        const Gradient g = received.at(k);
        const bool near = near_sum(c, g.total, g.sizes, g.brought, g.count, y[k]);
        sure[k] = all(near, g.sizes > least) ? 1.0 : 0.0;
    }
}

#define POOLPROOF_BOTH(name)                                                                          \
    POOLPROOF_CLONES void name##_exactly(const SmoothConstants& c, const Roots& table, std::size_t n, \
                                         SmoothColumns& of) {                                         \
        name##_of<true>(c, table, n, of);                                                             \
    }                                                                                                 \
    POOLPROOF_CLONES void name##_bounded(const SmoothConstants& c, const Roots& table, std::size_t n, \
                                         SmoothColumns& of) {                                         \
        name##_of<false>(c, table, n, of);                                                            \
    }
POOLPROOF_BOTH(values)
POOLPROOF_BOTH(tangents)

POOLPROOF_CLONES void gradients_exactly(const SmoothConstants& c, const SmoothShares& s, double least,
                                        SmoothGradients& of) {
    gradients_of<true>(c, s, least, of);
}
POOLPROOF_CLONES void gradients_bounded(const SmoothConstants& c, const SmoothShares& s, double least,
                                        SmoothGradients& of) {
    gradients_of<false>(c, s, least, of);
}

}  // namespace

SmoothConstants::SmoothConstants(const SmoothPlan& plan, int count)
    : beta(plan.beta),
      per_beta(Pair{1, 0} / Pair{plan.beta, 0}),
      per_size(std::fabs(per_beta.high)),
      taps(count),
      per_tap(1 / taps),
      log_taps(log(Near(static_cast<Index>(count))).v),
      unit(plan.errors.unit.v),
      once(0x1p-53),
      quality(plan.errors.quality.v),
      elementary(plan.errors.elementary.v),
      operation(plan.errors.operation.v),
      slope(plan.errors.slope.v),
      relative(bound_error(taps)),
      of_product(plan.errors.exact_scaling ? 0 : 1),
      of_last(plan.errors.exact_scaling ? 1 : 3),
      most_last(plan.errors.exact_scaling ? 1 : 0x1p500),
      exactly(plan.keeping.exactly) {}

bool SmoothConstants::suits(const SmoothPlan& plan) {
    return plan.keeping.result == Format::f64 && plan.in_range() && plan.errors.quality.v < 0x1p-45 &&
           std::fabs(plan.beta) < 0x1p100 && std::fabs(plan.beta) > 0x1p-100;
}

void find_values(const SmoothConstants& c, std::size_t n, SmoothColumns& of) {
    (c.exactly ? values_exactly : values_bounded)(c, roots(), in_lanes(n), of);
}

namespace {

/// Numbers, and 0 after them to the end of their last vector.
const double* filled_up(const double* numbers, std::size_t n, std::vector<double>& room) {
    std::copy_n(numbers, n, room.begin());
    std::fill(room.begin() + static_cast<std::ptrdiff_t>(n), room.end(), 0.0);
    return room.data();
}

}  // namespace

void compare_values(const SmoothConstants& c, const SmoothShares& s, const std::vector<std::size_t>& taps,
                    std::size_t n, const double* y, SmoothColumns& of) {
    sum_bare_windows(s, nullptr, taps, n, c.beta, of);
    within(c, roots(), in_lanes(n), filled_up(y, n, of.count), of);
}

bool all_near(const SmoothConstants& c, const SmoothShares& s, const std::vector<std::size_t>& taps,
              std::size_t n, const double* y, SmoothColumns& of) {
    (taps.size() == 9 ? plainly_within_9 : plainly_within_4)(c, s, taps.data(), in_lanes(n),
                                                             filled_up(y, n, of.count), of);
    return std::all_of(of.sure.begin(), of.sure.begin() + static_cast<std::ptrdiff_t>(n),
                       [](double sure) { return sure > 0; });
}

void find_tangents(const SmoothConstants& c, std::size_t n, SmoothColumns& of) {
    (c.exactly ? tangents_exactly : tangents_bounded)(c, roots(), in_lanes(n), of);
}

void compare_tangents(const SmoothConstants& c, const SmoothShares& s, const SmoothTangents& t,
                      const std::vector<std::size_t>& taps, std::size_t n, const double* y,
                      SmoothColumns& of) {
    sum_bare_windows(s, &t, taps, n, c.beta, of);
    tangents_within(c, in_lanes(n), filled_up(y, n, of.others), of);
}

namespace {

/// Makes quotients of cotangents and sums, and sends them to the cells.
template <class Quotients>
void send(std::size_t n, const double* g, SmoothColumns& of, const std::vector<std::size_t>& taps,
          SmoothGradients& to, Quotients quotients_of) {
    const std::size_t whole = in_lanes(n);
    filled_up(g, n, of.count);
    quotients_of(whole);
    for (auto* v : {&of.term_high, &of.term_low, &of.size})
        std::fill(v->begin() + static_cast<std::ptrdiff_t>(n), v->end(), 0.0);
    for (const std::size_t at : taps) spread(whole, of, at, to);
}

}  // namespace

void send_cotangents(const SmoothConstants& c, std::size_t n, const double* g, SmoothColumns& of,
                     const std::vector<std::size_t>& taps, SmoothGradients& to) {
    send(n, g, of, taps, to, [&](std::size_t whole) { quotients(c, roots(), whole, of); });
}

void send_bare_cotangents(const SmoothConstants& c, std::size_t n, const double* g, SmoothColumns& of,
                          const std::vector<std::size_t>& taps, SmoothGradients& to) {
    send(n, g, of, taps, to, [&](std::size_t whole) { bare_quotients(c, whole, of); });
}

void compare_gradients(const SmoothConstants& c, const SmoothShares& s, double largest, const double* y,
                       SmoothGradients& of) {
    gradients_within(c, s, largest * 0x1p-480, y, of);
}

void find_gradients(const SmoothConstants& c, const SmoothShares& s, double largest, SmoothGradients& of) {
    (c.exactly ? gradients_exactly : gradients_bounded)(c, s, largest * 0x1p-480, of);
}

}  // namespace poolproof::certified

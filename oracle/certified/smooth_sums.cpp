// SPDX-License-Identifier: Apache-2.0
// Shared exponentials, and their sums over windows side by side.
#include "oracle/certified/smooth_rows.hpp"

#include <array>
#include <utility>

namespace poolproof::certified {

namespace {

// Sorting
// ------------------------------------------------------------------------------------------------------------

/// The comparisons of Batcher's merge exchange for n numbers.
template <int n> struct Network {
    static constexpr int most = n * (n - 1) / 2;
    std::array<std::pair<int, int>, most> pairs{};
    std::size_t count = 0;

    constexpr Network() {
        int half = 1;
        while (2 * half < n) half *= 2;
        for (int p = half; p > 0; p /= 2) {
            int q = half, r = 0, d = p;
            for (bool more = true; more;) {
                for (int i = 0; i + d < n; ++i)
                    if ((i & p) == r) pairs[count++] = {i, i + d};
                more = q != p;
                d = q - p;
                q /= 2;
                r = p;
            }
        }
    }
};

POOLPROOF_INLINE void exchange(double& a, double& b, double& of_a, double& of_b) {
    const bool less = a < b;
    const double larger = less ? b : a, smaller = less ? a : b;
    const double of_larger = less ? of_b : of_a, of_smaller = less ? of_a : of_b;
    a = larger;
    b = smaller;
    of_a = of_larger;
    of_b = of_smaller;
}

/// Descending, what belongs to the numbers with them.
template <int n, std::size_t... k>
POOLPROOF_INLINE void sort(double (&v)[n], double (&of)[n], std::index_sequence<k...>) {
    constexpr Network<n> network;
    (exchange(v[network.pairs[k].first], v[network.pairs[k].second], of[network.pairs[k].first],
              of[network.pairs[k].second]),
     ...);
}

// Cells
// -------------------------------------------------------------------------------------------------------------

template <bool tangents>
POOLPROOF_INLINE double exponentials_of(SmoothShares& s, std::size_t n, double beta, const Roots& table) {
    const double* x = s.x.data();
    double *t = s.t.data(), *high = s.high.data(), *low = s.low.data(), *first = s.first.data(),
           *rest = s.rest.data();
    double off = 0;
    POOLPROOF_INDEPENDENT
    for (std::size_t k = 0; k < n; ++k) {
        const Pair p = two_product(x[k], beta);
        const Pair e = quick_exp(p, table);
        off += std::fabs(p.high) < most_shared ? 0.0 : 1.0;
        high[k] = e.high;
        low[k] = e.low;
        if constexpr (tangents) {
            t[k] = p.high;
            first[k] = upper_half(e.high);
            rest[k] = (e.high - first[k]) + e.low;
        }
    }
    return off;
}
POOLPROOF_CLONES double exponentials(SmoothShares& s, std::size_t n, double beta, const Roots& table) {
    return exponentials_of<false>(s, n, beta, table);
}
POOLPROOF_CLONES double exponentials_in_parts(SmoothShares& s, std::size_t n, double beta,
                                              const Roots& table) {
    return exponentials_of<true>(s, n, beta, table);
}

POOLPROOF_CLONES std::int64_t plain_exponentials(const double* __restrict x, std::size_t n, double beta,
                                                 double* __restrict to) {
    std::int64_t off = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const Pair p = two_product(x[k], beta);
        off += std::fabs(p.high) < most_shared ? 0 : 1;
        to[k] = plain_exp(p);
    }
    return off;
}

POOLPROOF_CLONES double split(std::size_t n, const double* __restrict t, double* __restrict first,
                              double* __restrict rest) {
    double off = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const double size = std::fabs(t[k]);
        off += all(size > least_tangent, size < most_tangent) ? 0.0 : size == 0 ? 0.0 : 1.0;
        first[k] = upper_half(t[k]);
        rest[k] = t[k] - first[k];
    }
    return off;
}

// Windows
// -----------------------------------------------------------------------------------------------------------

/// Sums of exponentials times tangents, after those of exponentials.
template <int n>
POOLPROOF_INLINE void sum_terms_of(const SmoothShares& s, const SmoothTangents& ts, const std::size_t* at,
                                   std::size_t windows, SmoothColumns& to) {
    const double *high[n], *first[n], *rest[n], *t[n], *t_first[n], *t_rest[n], *exponent[n];
    for (int j = 0; j < n; ++j) {
        exponent[j] = s.t.data() + at[j];
        high[j] = s.high.data() + at[j];
        first[j] = s.first.data() + at[j];
        rest[j] = s.rest.data() + at[j];
        t[j] = ts.whole.data() + at[j];
        t_first[j] = ts.first.data() + at[j];
        t_rest[j] = ts.rest.data() + at[j];
    }
    const double* top = to.top.data();
    double *term_high = to.term_high.data(), *term_low = to.term_low.data(), *size = to.size.data(),
           *distance = to.distance.data(), *count = to.count.data();
    POOLPROOF_INDEPENDENT
    for (std::size_t k = 0; k < windows; ++k) {
        Pair sum{};
        double sizes = 0, distances = 0, terms = 0;
        POOLPROOF_UNROLLED
        for (int j = 0; j < n; ++j) {
            const double g = t[j][k];
            const Pair next = two_sum(sum.high, first[j][k] * t_first[j][k]);
            sum = {next.high, sum.low + (next.low + (first[j][k] * t_rest[j][k] + rest[j][k] * g))};
            const double term = std::fabs(high[j][k] * g);
            sizes += term;
            distances += term * (top[k] - exponent[j][k]);
            terms += g != 0 ? 1.0 : 0.0;
        }
        term_high[k] = sum.high;
        term_low[k] = sum.low;
        size[k] = sizes;
        distance[k] = distances;
        count[k] = terms;
    }
}

template <int n, bool tangents>
POOLPROOF_INLINE void sum_windows_of(const SmoothShares& s, const SmoothTangents* ts, const std::size_t* at,
                                     std::size_t windows, double beta, SmoothColumns& to) {
    constexpr Network<n> network;
    const double *x[n], *high[n], *low[n];
    for (int j = 0; j < n; ++j) {
        x[j] = s.x.data() + at[j];
        high[j] = s.high.data() + at[j];
        low[j] = s.low.data() + at[j];
    }
    double *sum_high = to.high.data(), *sum_low = to.low.data(), *top = to.top.data(),
           *others = to.others.data(), *rescaled = to.rescaled.data(), *equal = to.equal.data();
    const double sign = beta < 0 ? -1 : 1;
    POOLPROOF_INDEPENDENT
    for (std::size_t k = 0; k < windows; ++k) {
        double v[n], e[n];
        Pair sum{};
        POOLPROOF_UNROLLED
        for (int j = 0; j < n; ++j) {
            v[j] = sign * x[j][k];
            e[j] = high[j][k];
            const Pair next = two_sum(sum.high, e[j]);
            sum = {next.high, sum.low + (next.low + low[j][k])};
        }
        sort(v, e, std::make_index_sequence<network.count>());
        double rank = 0, ranks = 0, weighted = 0, beside = 0;
        POOLPROOF_UNROLLED
        for (int j = 1; j < n; ++j) {
            rank += v[j] < v[j - 1] ? 1.0 : 0.0;
            ranks += rank;
            weighted += rank * e[j];
            beside += e[j];
        }
        sum_high[k] = sum.high;
        sum_low[k] = sum.low;
        top[k] = v[0] * (beta * sign);
        const double share = 1 / sum.high;
        others[k] = beside * share;
        rescaled[k] = weighted * share;
        equal[k] = ranks;
    }
    if constexpr (tangents) sum_terms_of<n>(s, *ts, at, windows, to);
}

/// Only the sums, and the largest exponents.
template <int n>
POOLPROOF_INLINE void bare_sums_of(const SmoothShares& s, const std::size_t* at, std::size_t windows,
                                   double beta, SmoothColumns& to) {
    const double *x[n], *high[n], *low[n];
    for (int j = 0; j < n; ++j) {
        x[j] = s.x.data() + at[j];
        high[j] = s.high.data() + at[j];
        low[j] = s.low.data() + at[j];
    }
    double *sum_high = to.high.data(), *sum_low = to.low.data(), *top = to.top.data();
    const double sign = beta < 0 ? -1 : 1;
    POOLPROOF_INDEPENDENT
    for (std::size_t k = 0; k < windows; ++k) {
        Pair sum{};
        double most = sign * x[0][k];
        POOLPROOF_UNROLLED
        for (int j = 0; j < n; ++j) {
            const Pair next = two_sum(sum.high, high[j][k]);
            sum = {next.high, sum.low + (next.low + low[j][k])};
            const double v = sign * x[j][k];
            most = v > most ? v : most;
        }
        sum_high[k] = sum.high;
        sum_low[k] = sum.low;
        top[k] = most * (beta * sign);
    }
}

#define POOLPROOF_WINDOWS(n)                                                                                 \
    POOLPROOF_CLONES void values_of_##n(const SmoothShares& s, const std::size_t* at, std::size_t windows,   \
                                        double beta, SmoothColumns& to) {                                    \
        sum_windows_of<n, false>(s, nullptr, at, windows, beta, to);                                         \
    }                                                                                                        \
    POOLPROOF_CLONES void tangents_of_##n(const SmoothShares& s, const SmoothTangents& t,                    \
                                          const std::size_t* at, std::size_t windows, double beta,           \
                                          SmoothColumns& to) {                                               \
        sum_windows_of<n, true>(s, &t, at, windows, beta, to);                                               \
    }                                                                                                        \
    POOLPROOF_CLONES void bare_sums_of_##n(const SmoothShares& s, const std::size_t* at,                     \
                                           std::size_t windows, double beta, SmoothColumns& to) {            \
        bare_sums_of<n>(s, at, windows, beta, to);                                                           \
    }                                                                                                        \
    POOLPROOF_CLONES void bare_terms_of_##n(const SmoothShares& s, const SmoothTangents& t,                  \
                                            const std::size_t* at, std::size_t windows, SmoothColumns& to) { \
        sum_terms_of<n>(s, t, at, windows, to);                                                              \
    }
POOLPROOF_WINDOWS(4)
POOLPROOF_WINDOWS(9)

}  // namespace

bool SmoothShares::fill(double beta, bool in_parts) {
    return (in_parts ? exponentials_in_parts : exponentials)(*this, x.size(), beta, roots()) == 0;
}

bool SmoothShares::fill_plainly(double beta) {
    return plain_exponentials(x.data(), x.size(), beta, plain.data()) == 0;
}

bool SmoothTangents::fill() { return split(whole.size(), whole.data(), first.data(), rest.data()) == 0; }

bool has_columns(std::size_t taps) { return taps == 4 || taps == 9; }

void sum_windows(const SmoothShares& s, const SmoothTangents* t, const std::vector<std::size_t>& taps,
                 std::size_t n, double beta, SmoothColumns& to) {
    const bool nine = taps.size() == 9;
    if (t == nullptr)
        (nine ? values_of_9 : values_of_4)(s, taps.data(), in_lanes(n), beta, to);
    else
        (nine ? tangents_of_9 : tangents_of_4)(s, *t, taps.data(), in_lanes(n), beta, to);
}

void sum_bare_windows(const SmoothShares& s, const SmoothTangents* t, const std::vector<std::size_t>& taps,
                      std::size_t n, double beta, SmoothColumns& to) {
    const bool nine = taps.size() == 9;
    (nine ? bare_sums_of_9 : bare_sums_of_4)(s, taps.data(), in_lanes(n), beta, to);
    if (t != nullptr) (nine ? bare_terms_of_9 : bare_terms_of_4)(s, *t, taps.data(), in_lanes(n), to);
}

}  // namespace poolproof::certified

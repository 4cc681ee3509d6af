// SPDX-License-Identifier: Apache-2.0
// Honest ways to pool, in any arithmetic: the orders in which people sum and the ways they scale a mean. What
// docs/BOUNDS.md leaves out is not here.
#pragma once

#include "oracle/tests/honest_arithmetic.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace poolproof::honest {

enum class Order { forward, backward, pairwise, blocked, random, kahan, neumaier, count };
enum class Scaling {
    divide_after,
    reciprocal_after,
    divide_before,
    reciprocal_before,
    fused,
    divide_axes,
    reciprocal_axes,
    product_of_reciprocals,
    count
};
enum class Shift { none, difference, product, online, count };
enum class Finish { divide, reciprocal, divide_all, reciprocal_all, count };
enum class Weights {
    divide,
    reciprocal,
    difference,
    of_exponents,
    unnormalised,
    unnormalised_reciprocal,
    count
};
/// Derivatives by the chain rule through log-sum-exp of beta x, over beta: in its order, dividing by beta or
/// multiplying by its reciprocal, or from the weights on.
enum class Chain { none, division, reciprocal, weights_first, count };
enum class Quality { rounded, random, high, low, count };

/// One way through all those choices.
struct Choice {
    Order order = Order::forward;
    Scaling scaling = Scaling::divide_after;
    Shift shift = Shift::difference;
    Finish finish = Finish::divide;
    Weights weights = Weights::divide;
    Quality quality = Quality::rounded;
    Chain chain = Chain::none;

    bool compensated() const { return order == Order::kahan || order == Order::neumaier; }
};

inline Choice some_choice(Rng& rng) {
    const auto any = [&](auto count) {
        return static_cast<decltype(count)>(below(rng, static_cast<Index>(count)));
    };
    return {any(Order::count),   any(Scaling::count), any(Shift::count), any(Finish::count),
            any(Weights::count), any(Quality::count), any(Chain::count)};
}

template <class T> T sum_pairwise(const std::vector<T>& xs, std::size_t from, std::size_t to) {
    if (to - from == 1) return xs[from];
    const std::size_t middle = from + (to - from) / 2;
    return sum_pairwise(xs, from, middle) + sum_pairwise(xs, middle, to);
}

template <class T> T sum_compensated(const std::vector<T>& xs, bool kahan) {
    T s = xs.front(), c{};
    for (std::size_t k = 1; k < xs.size(); ++k) {
        const T x = kahan ? xs[k] - c : xs[k];
        const T t = s + x;
        if (kahan)
            c = (t - s) - x;
        else
            c = c + (std::abs(x.v) > std::abs(s.v) ? (x - t) + s : (s - t) + x);
        s = t;
    }
    return kahan ? s : s + c;
}

template <class T> T sum(std::vector<T> xs, Order order, Rng& rng) {
    if (xs.empty()) return T{};
    if (order == Order::backward) std::reverse(xs.begin(), xs.end());
    switch (order) {
        case Order::pairwise: return sum_pairwise(xs, 0, xs.size());
        case Order::kahan:
        case Order::neumaier: return sum_compensated(xs, order == Order::kahan);
        case Order::blocked: {
            constexpr std::size_t lanes = 4;
            std::vector<T> partial(xs.begin(),
                                   xs.begin() + static_cast<std::ptrdiff_t>(std::min(lanes, xs.size())));
            for (std::size_t k = lanes; k < xs.size(); ++k) partial[k % lanes] = partial[k % lanes] + xs[k];
            return sum_pairwise(partial, 0, partial.size());
        }
        case Order::random:
            while (xs.size() > 1) {
                std::swap(xs.back(), xs[static_cast<std::size_t>(below(rng, static_cast<Index>(xs.size())))]);
                const T last = xs.back();
                xs.pop_back();
                T& other = xs[static_cast<std::size_t>(below(rng, static_cast<Index>(xs.size())))];
                other = other + last;
            }
            return xs.front();
        default: break;
    }
    T s = xs.front();
    for (std::size_t k = 1; k < xs.size(); ++k) s = s + xs[k];
    return s;
}

/// The terms of a mean, or of the gradient of means: a rectangle of them, the divisors of its rows and of its
/// columns.
template <class T> struct Terms {
    std::vector<T> values;              ///< row-major
    std::vector<double> rows, columns;  ///< the divisors; the term at (r, c) is over rows[r] * columns[c]
};

template <class T> T mean(const Terms<T>& t, const Choice& how, Rng& rng) {
    const auto all_equal = [](const std::vector<double>& d) {
        return std::equal(d.begin() + 1, d.end(), d.begin());
    };
    if (t.values.empty()) return T{};
    const T one(1);
    const bool uniform = all_equal(t.rows) && all_equal(t.columns);
    const auto divisor = [&](std::size_t r, std::size_t c) { return T(t.rows[r] * t.columns[c]); };
    const bool axes = how.scaling == Scaling::divide_axes || how.scaling == Scaling::reciprocal_axes;
    const auto over = [&](T x, T d) {
        const bool divides = how.scaling == Scaling::divide_after || how.scaling == Scaling::divide_before ||
                             how.scaling == Scaling::divide_axes;
        return divides ? x / d : x * (one / d);
    };
    if (axes) {
        std::vector<T> row_sums;
        for (std::size_t r = 0; r < t.rows.size(); ++r) {
            std::vector<T> row;
            for (std::size_t c = 0; c < t.columns.size(); ++c) {
                const T x = t.values[r * t.columns.size() + c];
                row.push_back(uniform ? x : over(x, T(t.columns[c])));
            }
            const T s = sum(row, how.order, rng);
            const T row_mean = uniform ? over(s, T(t.columns[0])) : s;
            row_sums.push_back(uniform ? row_mean : over(row_mean, T(t.rows[r])));
        }
        const T s = sum(row_sums, how.order, rng);
        return uniform ? over(s, T(t.rows[0])) : s;
    }
    const auto reciprocal = [&](std::size_t r, std::size_t c) {
        return how.scaling == Scaling::product_of_reciprocals ? (one / T(t.rows[r])) * (one / T(t.columns[c]))
                                                              : one / divisor(r, c);
    };
    const bool after =
        uniform && (how.scaling == Scaling::divide_after || how.scaling == Scaling::reciprocal_after ||
                    how.scaling == Scaling::product_of_reciprocals);
    if (after) {
        const T s = sum(t.values, how.order, rng);
        return how.scaling == Scaling::divide_after ? s / divisor(0, 0) : s * reciprocal(0, 0);
    }
    std::vector<T> scaled;
    T fused{};
    for (std::size_t k = 0; k < t.values.size(); ++k) {
        const std::size_t r = k / t.columns.size(), c = k % t.columns.size();
        if (how.scaling == Scaling::fused)
            fused = fma(t.values[k], reciprocal(r, c), fused);
        else if (how.scaling == Scaling::product_of_reciprocals)
            scaled.push_back(t.values[k] * reciprocal(r, c));
        else
            scaled.push_back(over(t.values[k], divisor(r, c)));
    }
    return how.scaling == Scaling::fused ? fused : sum(scaled, how.order, rng);
}

}  // namespace poolproof::honest

// SPDX-License-Identifier: Apache-2.0
// Honest smooth maxima and their derivatives, in any arithmetic: the log-sum-exps and softmaxes that people
// write.
#pragma once

#include "oracle/tests/honest_implementations.hpp"

namespace poolproof::honest {

/// A window's smooth maximum with what its derivatives need.
template <class T> struct Smooth {
    std::vector<T> xs, exponentials;
    T beta, total, value, exponent;  ///< `exponent` is beta times the value, before the division
};

/// Exponentials and logarithms up to four units in the last place off, half a one of them by rounding.
template <class T> T as_good_as(T exact, Quality quality, Rng& rng) {
    switch (quality) {
        case Quality::random: return exact.stepped(static_cast<int>(below(rng, 7)) - 3);
        case Quality::high: return exact.stepped(3);
        case Quality::low: return exact.stepped(-3);
        default: return exact;
    }
}

template <class T> T exponential(T x, Quality q, Rng& rng) {
    return x.value() == 0 ? T(1) : as_good_as(exp(x), q, rng);
}

template <class T> T logarithm(T x, Quality q, Rng& rng) {
    return x.value() == 1 ? T(0) : as_good_as(log(x), q, rng);
}

/// Requires one cell at least, and a product of beta with each that does not overflow.
template <class T>
Smooth<T> smooth_max(const std::vector<T>& xs, T beta, Index pads, const Choice& how, Rng& rng) {
    Smooth<T> r{xs, {}, beta, T{}, T{}, T{}};
    const T zero{}, one(1);
    T m = pads > 0 ? zero : xs.front();
    for (const T x : xs)
        if (zero < beta ? m < x : x < m) m = x;
    const bool by_difference = how.shift == Shift::difference;
    const T top = how.shift == Shift::none ? zero : beta * m;
    const auto exponent = [&](T x) {
        if (how.shift == Shift::none) return beta * x;
        return by_difference ? beta * (x - m) : beta * x - top;
    };
    for (const T x : xs) r.exponentials.push_back(exponential(exponent(x), how.quality, rng));
    std::vector<T> terms = r.exponentials;
    const auto of_padding = [&](T shift) {
        return T(static_cast<double>(pads)) * exponential(shift, how.quality, rng);
    };
    if (how.shift == Shift::online) {
        T seen = beta * xs.front(), s = one;
        const auto take = [&](T t, T count) {
            if (seen < t) {
                s = s * exponential(seen - t, how.quality, rng) + count;
                seen = t;
            } else {
                s = s + count * exponential(t - seen, how.quality, rng);
            }
        };
        for (std::size_t k = 1; k < xs.size(); ++k) take(beta * xs[k], one);
        if (pads > 0) take(zero, T(static_cast<double>(pads)));
        r.total = s;
    } else {
        if (pads > 0) terms.push_back(of_padding(exponent(zero)));
        r.total = sum(terms, how.order, rng);
    }
    const T l = logarithm(r.total, how.quality, rng);
    r.exponent = how.shift == Shift::none ? l : beta * m + l;
    const bool whole = how.finish == Finish::divide_all || how.finish == Finish::reciprocal_all;
    const bool divides = how.finish == Finish::divide || how.finish == Finish::divide_all;
    const auto over_beta = [&](T x) { return divides ? x / beta : x * (one / beta); };
    r.value = whole || how.shift == Shift::none ? over_beta(r.exponent) : m + over_beta(l);
    return r;
}

/// The share of cell k.
template <class T> T weight(const Smooth<T>& s, std::size_t k, const Choice& how, Rng& rng) {
    switch (how.weights) {
        case Weights::reciprocal: return s.exponentials[k] * (T(1) / s.total);
        case Weights::difference: return exponential(s.beta * (s.xs[k] - s.value), how.quality, rng);
        case Weights::of_exponents: return exponential(s.beta * s.xs[k] - s.exponent, how.quality, rng);
        default: return s.exponentials[k] / s.total;
    }
}

inline bool normalised(const Choice& how) {
    return how.weights != Weights::unnormalised && how.weights != Weights::unnormalised_reciprocal;
}

/// A number on its way through log-sum-exp(beta x) / beta: times beta on one side, over beta on the other.
template <class T> T over_beta(const Smooth<T>& s, T x, const Choice& how) {
    if (how.chain == Chain::division) return x / s.beta;
    return how.chain == Chain::reciprocal ? x * (T(1) / s.beta) : x;
}

template <class T> T times_beta(const Smooth<T>& s, T x, const Choice& how) {
    return how.chain == Chain::division || how.chain == Chain::reciprocal ? x * s.beta : x;
}

template <class T> T chained_weight(const Smooth<T>& s, std::size_t k, const Choice& how, Rng& rng) {
    const T w = weight(s, k, how, rng);
    return how.chain == Chain::weights_first ? ((T(1) / s.beta) * w) * s.beta : w;
}

template <class T>
T smooth_jvp(const Smooth<T>& s, const std::vector<T>& tangent, const Choice& how, Rng& rng) {
    std::vector<T> terms;
    for (std::size_t k = 0; k < tangent.size(); ++k) {
        const T w = normalised(how) ? chained_weight(s, k, how, rng) : s.exponentials[k];
        terms.push_back(w * times_beta(s, tangent[k], how));
    }
    T total = sum(terms, how.order, rng);
    if (how.weights == Weights::unnormalised) total = total / s.total;
    if (how.weights == Weights::unnormalised_reciprocal) total = total * (T(1) / s.total);
    return over_beta(s, total, how);
}

/// What a window with cotangent g sends to its cell k.
template <class T> T smooth_vjp(const Smooth<T>& s, std::size_t k, T g, const Choice& how, Rng& rng) {
    const T h = over_beta(s, g, how);
    if (normalised(how)) return times_beta(s, chained_weight(s, k, how, rng) * h, how);
    const T sent = how.weights == Weights::unnormalised ? (s.exponentials[k] * h) / s.total
                                                        : (h / s.total) * s.exponentials[k];
    return times_beta(s, sent, how);
}

}  // namespace poolproof::honest

// SPDX-License-Identifier: Apache-2.0
// Dual numbers: a value and how it moves. Evaluating a formula on duals evaluates its derivative along the
// way, because each operation carries its own rule; x = (3, 1) gives x * x = (9, 6), the value and the slope
// of the square at 3.
//
// The tangent may be a number, for a derivative in one direction, or a linear form over the inputs, for all
// directions at once: with input k carrying the form "input k", the result carries its whole gradient. That
// is how the cotangents are read off without a second formula.
#pragma once

#include "oracle/scalar/concepts.hpp"

#include <utility>
#include <vector>

namespace poolproof {

/// A sum of weighted inputs. An input may occur more than once; its weights add.
template <class S> struct LinearForm {
    std::vector<std::pair<std::size_t, S>> terms;

    friend LinearForm operator+(LinearForm a, const LinearForm& b) {
        a.terms.insert(a.terms.end(), b.terms.begin(), b.terms.end());
        return a;
    }
    friend LinearForm operator*(LinearForm a, const S& factor) {
        for (auto& [input, weight] : a.terms) weight = weight * factor;
        return a;
    }
};

/// `T` is what a tangent is: it has sums, and products with an `S`. A default `T` must be the zero tangent.
template <class S, class T = S> struct Dual {
    S primal;
    T tangent;

    Dual(S value, T direction) : primal(std::move(value)), tangent(std::move(direction)) {}
    explicit Dual(S constant) : primal(std::move(constant)), tangent(zero()) {}
    explicit Dual(Index n) : Dual(S(n)) {}

    friend Dual operator+(Dual a, const Dual& b) {
        return {a.primal + b.primal, std::move(a.tangent) + b.tangent};
    }
    friend Dual operator*(const Dual& a, const Dual& b) {
        return {a.primal * b.primal, a.tangent * b.primal + b.tangent * a.primal};
    }
    friend Dual operator/(const Dual& a, const Dual& b) {
        const S ratio = a.primal / b.primal;
        return {ratio, (a.tangent + b.tangent * (ratio * S(Index{-1}))) * (S(Index{1}) / b.primal)};
    }
    friend Dual exp(const Dual& a) {
        using std::exp;
        const S e = exp(a.primal);
        return {e, a.tangent * e};
    }
    friend Dual log(const Dual& a) {
        using std::log;
        return {log(a.primal), a.tangent * (S(Index{1}) / a.primal)};
    }

private:
    static T zero() {
        if constexpr (std::same_as<S, T>)
            return S(Index{0});
        else
            return T{};
    }
};

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// What rounding can do to a smooth maximum and to its weights [BSmooth], [BWeights]; the proof is in
// docs/BOUNDS.md.
#pragma once

#include "oracle/expect/arithmetic.hpp"

#include <span>
#include <vector>

namespace poolproof {

struct SmoothBound {
    Interval value{Index{0}};            ///< every exact value over the inputs' intervals
    Interval error{Index{0}};            ///< how far an honest result may be from its exact value
    Interval size{Index{0}};             ///< (max |beta x| + log n) / |beta|
    std::vector<Interval> weights;       ///< the exact weights over the inputs' intervals
    Interval weight_relative{Index{0}};  ///< how far an honest weight may be off, relative to itself
    Interval weight_absolute{Index{0}};  ///< and beyond that, for what underflows
    Interval partition{Index{1}};        ///< the sum that weights are divided by, in [1, n]
    bool hopeless = false;               ///< rounding may exceed the sum itself: nothing is proved
};

/// Over finite inputs and `padding` further terms of exp 0. Requires one term at least.
SmoothBound smooth_bound(const std::vector<Interval>& xs, const Rational& beta, const Rational& padding,
                         const Arithmetic& a);

/// The precision that the intervals of such a window need, so that differences of exponents keep 128 bits.
Index smooth_precision(const std::vector<Interval>& xs, const Rational& beta);

}  // namespace poolproof

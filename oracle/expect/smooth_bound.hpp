// SPDX-License-Identifier: Apache-2.0
// What rounding can do to a smooth maximum and to its weights [BSmooth], [BWeights]; the proof is in
// docs/BOUNDS.md.
#pragma once

#include "oracle/expect/arithmetic.hpp"
#include "oracle/expect/smooth_error.hpp"

#include <vector>

namespace poolproof {

struct SmoothBound {
    /// A softmax weight over the inputs' intervals, and how far an honest one may be off: relative to itself,
    /// and beyond that.
    struct Weight {
        Interval exact, relative, absolute;
    };

    Interval value{Index{0}};      ///< every exact value over the inputs' intervals
    Interval error{Index{0}};      ///< how far an honest result may be from its exact value
    Interval size{Index{0}};       ///< (max |beta x| + log n) / |beta|
    std::vector<Weight> weights;   ///< of the inputs, in order
    Interval partition{Index{1}};  ///< the sum that weights are divided by, in [1, n]
    Interval chained{Index{0}};    ///< what the chain rule's partial products may lose of a term [BWeights]
};

/// The bounds of one beta in one arithmetic.
class SmoothBounds {
public:
    SmoothBounds(const Rational& beta, const Arithmetic& a);

    /// Over finite inputs and `padding` further terms of exp 0. Requires one term at least. Where nothing is
    /// proved, errors are infinite.
    SmoothBound of(const std::vector<Interval>& xs, const Rational& padding) const;

private:
    Rational beta_;
    SmoothErrors<Interval> errors_;
};

/// The precision that the intervals of such a window need, so that differences of exponents keep 128 bits.
Index smooth_precision(const std::vector<Interval>& xs, const Rational& beta);

}  // namespace poolproof

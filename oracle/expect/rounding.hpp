// SPDX-License-Identifier: Apache-2.0
// From exact numbers to patterns: the only place where the oracle rounds.
#pragma once

#include "oracle/scalar/real.hpp"

#include <poolproof/policy.hpp>

namespace poolproof {

/// The floating pattern nearest to q, ties to even; infinity from half a step past the largest finite on. A
/// rational 0 is +0.
Bits nearest(Format f, const Rational& q);

/// The greatest floating pattern at most q, and the least one at least q, infinities included.
Bits at_most(Format f, const Rational& q);
Bits at_least(Format f, const Rational& q);

/// The patterns nearest to a real: one, unless no proof tells on which side of a halfway point it lies.
std::pair<Bits, Bits> nearest(Format f, const Real& a);

/// The whole number that an integer mean rounds to, where the rule is not open.
Integer rounded_mean(const Rational& q, IntegerMean rule);

/// The pattern of a whole number; nothing if the integer format cannot hold it.
std::optional<Bits> integer_pattern(Format f, const Integer& n);

}  // namespace poolproof

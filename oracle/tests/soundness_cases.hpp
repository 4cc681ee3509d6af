// SPDX-License-Identifier: Apache-2.0
// Problems that are hard on a bound, and the trial of one: an honest answer must be permitted, and how much
// of the permitted error it used is kept.
#pragma once

#include "oracle/tests/honest_problem.hpp"

#include <poolproof/expected.hpp>

#include <array>
#include <string>

namespace poolproof::honest {

/// What is attacked: an op, a direction, a format, and what its sums are kept in.
struct Target {
    Method method = Method::average;
    Mode mode = Mode::forward;
    Format format = Format::f64;
    Accumulate accumulate = Accumulate::any;
    bool flushes = false;  ///< subnormals may be taken for 0

    std::string name() const;
};

/// Every op and mode in every format; the 16-bit ones under `any` and under `f32`; and again with subnormals
/// flushed, but for maxima.
std::vector<Target> every_target();

enum class Spread { plain, cancelling, wide, subnormal, edges, one_and_dust, equal, count };

Bits some_value(Format f, Spread spread, Rng& rng);
void fill(Tensor& t, Spread spread, Rng& rng);

/// Windows of 1 to 40 cells on one axis or two, overlapping or not, padded or not.
Problem some_problem(const Target& target, Rng& rng);

/// Windows of n cells in a row without padding, and a single one of them but in the backward direction, where
/// n of them cover the middle cell.
Problem row_problem(const Target& target, Index n, double beta = 1);

/// Makes the case of a problem from its fields.
void complete(Problem& p, const Target& target, Rng& rng);

/// An answer in the accumulator of the given number: 0 the narrowest that the target allows, 3 the widest.
std::vector<Bits> answered(const Problem& p, const Target& target, Index accumulator, const Choice& how,
                           Rng& rng);

/// The true values, to 60 bits or so of the size of their terms.
std::vector<long double> truth(const Problem& p);

/// Whether a way of computing is outside what is proved: an exponential without a shift that leaves the
/// normal range, or whose reciprocal or products with tangents may.
bool excluded(const Problem& p, const Target& target, Index accumulator, const Choice& how);

struct Tally {
    Index values = 0, answers = 0, open = 0, vacuous = 0, refused = 0;
    double share = 0;       ///< the largest part of the permitted error that was used
    double wide_share = 0;  ///< the same where 8 patterns or more are permitted
    std::string refusal;    ///< the first answer that was not permitted, in full
};

/// Tries some ways to answer. Requires a case that is not rejected.
void attack(Tally& tally, const Problem& p, const Target& target, Index ways, Rng& rng);

/// Whether 8 patterns or more are permitted: enough to see the bound through the grid.
bool is_wide(const Permitted& p, Format f);

/// The part of the permitted error that a finite answer uses; 0 where there is no range.
double share_of(const Permitted& p, Format f, Bits got, long double exact);

/// The permitted sets of a problem's values.
std::vector<Permitted> permitted_values(const Problem& p);

}  // namespace poolproof::honest

// SPDX-License-Identifier: Apache-2.0
// Whether answers are surely permitted as sums over a divisor: rows of windows at once, without ends,
// divisions or branches. The proof is "the short way" in section 7 of docs/BOUNDS.md.
#pragma once

#include "oracle/certified/column_sums.hpp"
#include "oracle/certified/divisors.hpp"

namespace poolproof::certified {

/// What answers are compared by.
struct Limits {
    double divisor = 1;
    double scaling = 0;  ///< roundings beside those of the additions
    double per_rounding =
        0;  ///< relative to the terms' sizes; 0 where only what is correctly rounded is near
    double least = HUGE_VAL;         ///< what the terms' sizes must be above, or they must all be 0
    bool correctly_rounded = false;  ///< is near as well
    double half_step = 0;            ///< of the answer's format, relative to the power of two below a number
    double least_half_step = 0;      ///< of its subnormals; 0 where they stay in doubt
    double least_tie = 0;            ///< above which half a step must be for a tie to be seen
    std::int64_t odd = 1;            ///< the last bit of its patterns, as doubles have it
    double exact_sizes = 0;          ///< relative to the least term: sizes up to which a sum is exact
    double lost_in_pairs = 0;        ///< relative to sizes: what a sum in two doubles may be off, at most
};

/// Of sums of up to `terms` terms. Nothing is near where the bound may be vacuous: where its roundings may
/// add up to a half, or underflow to as much as a quarter of the terms.
Limits limits_of(const Keeping& keeping, const Scaling& by, Index terms);

/// Windows over a row of columns: the k-th sees those at place + k stride. `seen` is how many of them there
/// are.
struct Windows {
    std::span<const std::size_t> places;
    std::size_t stride = 1, count = 0;
    const double* seen;
};

/// Answers, `step` apart.
template <class Number> struct Answers {
    const Number* first;
    Index step = 1;
};

/// Sets the flags of windows whose answers are in doubt to other than 0, and whether there is one. Reads up
/// to `lanes_beyond` steps past the answers and `lanes` numbers past `seen`, and writes less than `lanes`
/// flags more. Answers of formats narrower than f64 go with sums in one double.
bool doubt_windows(const ColumnSums& sums, const Windows& w, const Answers<double>& y, const Limits& l,
                   double* doubt);
bool doubt_windows(const ColumnSums& sums, const Windows& w, const Answers<float>& y, const Limits& l,
                   double* doubt);

/// Sums that terms are added to one at a time, each in two doubles.
struct PairSums {
    std::vector<double> high, low, size, count;

    void clear(std::size_t n);
    /// Adds `n` terms to the sums at `at`, `at` + stride, ..
    void add(const double* terms, std::size_t n, std::size_t at, std::size_t stride);
};
/// Likewise; no sum has more terms than the limits are of.
bool doubt_sums(const PairSums& sums, const double* y, const Limits& l, double* doubt);

/// Whether a sum, known exactly, is surely rounded to `y`, which it also is where it lies halfway between
/// that and another number and the pattern of `y` is even.
/// `size` is that of the terms.
bool rounds_to(const ExactSum& sum, double size, double y, bool even, const Limits& l);

}  // namespace poolproof::certified

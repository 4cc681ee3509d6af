// SPDX-License-Identifier: Apache-2.0
// Whether answers are surely permitted as sums over a divisor: rows of windows at once, without ends,
// divisions or branches. The proof is "the short way" in section 7 of docs/BOUNDS.md.
#pragma once

#include "oracle/certified/divisors.hpp"
#include "oracle/certified/lanes.hpp"

#include <span>

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
};

/// Of sums of up to `terms` terms. Nothing is near where the bound may be vacuous: where its roundings may
/// add up to a half, or underflow to as much as a quarter of the terms.
Limits limits_of(const Keeping& keeping, const Scaling& by, Index terms);

/// Sums of terms side by side.
struct Sums {
    const double *high, *size;
    const double* count = nullptr;  ///< of terms that are not 0; `terms` of them if null
    double terms = 0;
    double lost = 0;  ///< relative to the sizes, at least what `high` may be off
};

/// Windows over rows of numbers: the k-th sees the cells at offset + k stride.
struct Windows {
    std::span<const Index> offsets;
    Index stride = 1;
    std::size_t count = 0;
};

/// Sums of rows, column by column, rounded at each addition. Reads and writes less than `lanes` columns more
/// than there are.
struct ColumnSums {
    double *high, *size;
    double* count = nullptr;  ///< where it is asked for
};
/// Whether all numbers are other than 0.
bool add_rows(const double* x, std::span<const Index> rows, std::size_t columns, const ColumnSums& to);
bool add_rows(const float* x, std::span<const Index> rows, std::size_t columns, const ColumnSums& to);

/// Answers, `step` apart.
struct Answers {
    const double* first;
    Index step = 1;
};

/// Sets the flags of windows whose answers are in doubt to other than 0, and whether there is one. Reads up
/// to `lanes_beyond` steps past the answers and strides past the columns, and writes less than `lanes` flags
/// more.
bool doubt_columns(const Sums& columns, const Windows& w, const Answers& y, const Limits& l, double* doubt);

/// The same over cells, whose sums are kept in two doubles.
bool doubt_cells(const double* x, const Windows& w, const Answers& y, const Limits& l, double* doubt);

/// Sums that terms are added to one at a time, each in two doubles.
struct PairSums {
    std::vector<double> high, low, size, count;

    void clear(std::size_t n);
    /// Adds `n` terms to the sums at `at`, `at` + stride, ..
    void add(const double* terms, std::size_t n, std::size_t at, std::size_t stride);
};
/// Likewise for sums of up to `terms` terms.
bool doubt_sums(const PairSums& sums, double terms, const double* y, const Limits& l, double* doubt);

/// Whether a sum, known exactly, is surely rounded to `y`, which it also is where it lies halfway between
/// that and another number and the pattern of `y` is even.
/// `size` is that of the terms.
bool rounds_to(const ExactSum& sum, double size, double y, bool even, const Limits& l);

}  // namespace poolproof::certified

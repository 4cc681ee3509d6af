// SPDX-License-Identifier: Apache-2.0
// Smooth maxima of many windows side by side, in f64: exponentials are shared between windows, and the bound
// is the formula of oracle/expect without what is below 2^-36 of it. The proofs are in section 7 of
// docs/BOUNDS.md. What these loops do not settle is left to one window at a time.
#pragma once

#include "oracle/certified/lanes.hpp"
#include "oracle/certified/smooth_window.hpp"

namespace poolproof::certified {

/// Exponents up to this size share e^0 as their reference.
inline constexpr double most_shared = 300;

/// Tangents and cotangents between these sizes, or 0, are taken.
inline constexpr double least_tangent = 0x1p-200, most_tangent = 0x1p200;

/// Of conditions: asked all at once, since a branch would keep loops from becoming vectors.
template <class... B> POOLPROOF_INLINE bool all(B... conditions) {
    return (static_cast<int>(conditions) & ...) != 0;
}

/// What the formula holds of a plan and a number of cells.
struct SmoothConstants {
    double beta;
    Pair per_beta;    ///< its reciprocal
    double per_size;  ///< that of its size
    double taps, per_tap, log_taps;
    double unit, once;  ///< one rounding as in [BSmooth], and as in [BSum]
    double quality, elementary, operation, slope;
    double relative;                        ///< how near the bound is, relative to itself
    double of_product, of_last, most_last;  ///< 0, 1 and 1 where beta is a power of two; else 1, 3 and much
    bool exactly;

    SmoothConstants(const SmoothPlan& plan, int count);
    /// Whether what is left out of the formula is small enough.
    static bool suits(const SmoothPlan& plan);
};

/// Loops go by whole vectors: past the end, they go through what is there.
inline std::size_t in_lanes(std::size_t n) { return (n + lanes - 1) / lanes * lanes; }

/// The cells of a slice: x, beta x, e^(beta x) as a pair, as a part of 26 bits and the rest, and plainly.
struct SmoothShares {
    std::vector<double> x, t, high, low, first, rest, plain;

    /// Room for n cells, and for loops that run past them.
    void resize(std::size_t n) {
        for (auto* v : {&x, &t, &high, &low, &first, &rest, &plain}) v->resize(in_lanes(n) + lanes);
    }
    /// Fills the exponentials in from `x`, and the others if asked; false where one is not finite, or too
    /// large.
    bool fill(double beta, bool in_parts);
    /// Fills `plain` in, the same exponentials in one double each.
    bool fill_plainly(double beta);
};

/// Tangents, split likewise.
struct SmoothTangents {
    std::vector<double> whole, first, rest;

    void resize(std::size_t n) {
        for (auto* v : {&whole, &first, &rest}) v->resize(in_lanes(n) + lanes);
    }
    bool fill();
};

/// Sums over windows that follow one another.
struct SmoothColumns {
    std::vector<double> high, low;  ///< of exponentials
    std::vector<double> top;        ///< the largest exponent
    std::vector<double> others;     ///< the share of all others in the sum
    std::vector<double> rescaled,
        equal;  ///< sums of ranks, weighted by exponentials relative to the sum, and not
    std::vector<double> term_high, term_low;    ///< of exponentials times tangents
    std::vector<double> size, distance, count;  ///< of their sizes, those times distances; how many there are
    std::vector<double> lowest, highest;        ///< the ends, where they are sure
    std::vector<double> sure;

    void resize(std::size_t n) {
        for (auto* v : {&high, &low, &top, &others, &rescaled, &equal, &term_high, &term_low, &size,
                        &distance, &count, &lowest, &highest})
            v->resize(in_lanes(n));
        sure.resize(in_lanes(n));
    }
};

/// Whether windows of so many cells have loops of their own.
bool has_columns(std::size_t taps);

/// Sums over `n` windows whose cells are at `taps`, and at those plus 1, 2, ..
void sum_windows(const SmoothShares& s, const SmoothTangents* t, const std::vector<std::size_t>& taps,
                 std::size_t n, double beta, SmoothColumns& to);

/// Only the sums, and the largest exponents.
void sum_bare_windows(const SmoothShares& s, const SmoothTangents* t, const std::vector<std::size_t>& taps,
                      std::size_t n, double beta, SmoothColumns& to);

/// The ends of the values, or of the tangents.
void find_values(const SmoothConstants& c, std::size_t n, SmoothColumns& of);
void find_tangents(const SmoothConstants& c, std::size_t n, SmoothColumns& of);

/// Whether these are surely permitted values of `n` windows, neither open nor vacuous, whose cells are at
/// `taps` and after.
void compare_values(const SmoothConstants& c, const SmoothShares& s, const std::vector<std::size_t>& taps,
                    std::size_t n, const double* y, SmoothColumns& of);

/// Whether all of them are, by exponentials of one double each, from `SmoothShares::fill_plainly`: which is
/// quicker, and leaves more in doubt.
bool all_near(const SmoothConstants& c, const SmoothShares& s, const std::vector<std::size_t>& taps,
              std::size_t n, const double* y, SmoothColumns& of);

/// The same as `compare_values` of tangents.
void compare_tangents(const SmoothConstants& c, const SmoothShares& s, const SmoothTangents& t,
                      const std::vector<std::size_t>& taps, std::size_t n, const double* y,
                      SmoothColumns& of);

/// What cells collect: quotients of cotangents and sums, their sizes, and those times their errors.
struct SmoothGradients {
    std::vector<double> high, low, size, errors, count;
    std::vector<double> lowest, highest;
    std::vector<double> answers;
    std::vector<double> sure;

    void clear(std::size_t n) {
        for (auto* v : {&high, &low, &size, &errors, &count}) v->assign(in_lanes(n) + lanes, 0);
        for (auto* v : {&lowest, &highest, &answers, &sure}) v->resize(in_lanes(n) + lanes);
    }
};

/// Sends the cotangents of `n` windows to their cells.
void send_cotangents(const SmoothConstants& c, std::size_t n, const double* g, SmoothColumns& of,
                     const std::vector<std::size_t>& taps, SmoothGradients& to);

/// The same after `sum_bare_windows`, for gradients that are only compared.
void send_bare_cotangents(const SmoothConstants& c, std::size_t n, const double* g, SmoothColumns& of,
                          const std::vector<std::size_t>& taps, SmoothGradients& to);
void compare_gradients(const SmoothConstants& c, const SmoothShares& s, double largest, const double* y,
                       SmoothGradients& of);

/// The ends of the gradients; `largest` is the size of the largest cotangent.
void find_gradients(const SmoothConstants& c, const SmoothShares& s, double largest, SmoothGradients& of);

}  // namespace poolproof::certified

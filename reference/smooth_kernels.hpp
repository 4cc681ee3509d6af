// SPDX-License-Identifier: Apache-2.0
// Exponentials and logarithms of many numbers.
#pragma once

#include <poolproof/reference.hpp>

namespace poolproof::reference {

/// Whether what a sum was rounded by, and not its logarithm, decides what is left of that.
inline constexpr double near_one_above = 0.61, near_one_below = 1.64;
inline bool near_one(double sum) { return sum > near_one_above && sum < near_one_below; }

template <class T> struct SmoothKernels {
    /// y[i] = exp(beta x[i]), with at most 1.2 ulp from the exponential of the rounded product, or for float
    /// at most 2^-35 of its size, which is nothing beside what the result is rounded by. Gives whether all
    /// products are within `limit`, at most 700; otherwise y is unspecified.
    void (*exps)(const T* x, double beta, double limit, double* y, Index n, bool& within);

    /// y[i] = log(s[i]) / beta, or times its rounded inverse, the logarithm with less than 1 ulp; s[i] normal
    /// and positive. Gives whether some s[i] is near_one.
    void (*logs)(const double* s, double beta, T* y, Index n, bool& any_near_one);
};

/// For float and double.
template <class T> SmoothKernels<T> smooth_kernels();

}  // namespace poolproof::reference

// SPDX-License-Identifier: Apache-2.0
// Exponentials and logarithms of many numbers.
#pragma once

#include <poolproof/reference.hpp>

namespace poolproof::reference {

template <class T> struct SmoothKernels {
    /// y[i] = exp(beta x[i]), with at most 1.2 ulp from the exponential of the rounded product, or for float
    /// at most 2^-35 of its size, which is nothing beside what the result is rounded by. Gives whether all
    /// products are within `limit`, at most 700; otherwise y is unspecified.
    void (*exps)(const T* x, double beta, double limit, double* y, Index n, bool& within);

    /// y[i] = log(s[i]) / beta, the logarithm with less than 1 ulp; s[i] normal and positive. Gives whether
    /// some s[i] is so near 1 that its rounding, and not that of the logarithm, decides what is left.
    void (*logs)(const double* s, double beta, T* y, Index n, bool& near_one);
};

/// For float and double.
template <class T> SmoothKernels<T> smooth_kernels();

}  // namespace poolproof::reference

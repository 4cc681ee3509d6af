// SPDX-License-Identifier: Apache-2.0
// Windows of three elements, two apart, along a row, for machines with registers of 64 bytes: a vector of
// them from two loads and three shuffles. The loops that compilers make of them load every element three
// times, most of them across two lines. The bits are those of the loops.
#pragma once

#include <poolproof/reference.hpp>

namespace poolproof::reference {

// Of n windows, whose elements are x[2i], x[2i + 1] and x[2i + 2], these do the first so many and give their
// number: a multiple of what a register holds, or 0 where the machine has no such registers.

template <class T> Index wide_maxima(Nan nan, const T* x, T* y, Index n);

/// y[i] = their sum / d[i], or times it.
template <class S, class T> Index wide_means(const S* x, const S* d, bool times, T* y, Index n);

}  // namespace poolproof::reference

// SPDX-License-Identifier: Apache-2.0
// Vectors by what they are of and how large they are.
#pragma once

#include <poolproof/reference.hpp>

#include <cstddef>

namespace poolproof::reference {

/// As many of X as so many bytes hold, in a register or anywhere in memory.
template <class X, std::size_t bytes> struct Lanes {
    static constexpr Index width = bytes / sizeof(X);
    typedef X Vector __attribute__((vector_size(bytes)));
    typedef X Unaligned __attribute__((vector_size(bytes), aligned(alignof(X)), may_alias));
};

}  // namespace poolproof::reference

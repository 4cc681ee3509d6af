// SPDX-License-Identifier: Apache-2.0
// Values to measure with.
#pragma once

#include <poolproof/tensor.hpp>

#include <bit>

namespace poolproof::bench {

/// Uniform in [-4, 4), every significand bit in use, no two tensors alike.
inline Tensor random_tensor(const Shape& shape) {
    static std::uint64_t state = 1;
    Tensor t(Format::f64, shape);
    for (Index i = 0; i < t.size(); ++i) {
        std::uint64_t z = state += 0x9e3779b97f4a7c15;  // SplitMix64
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        t.set(i, std::bit_cast<Bits>(static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-50 - 4));
    }
    return t;
}

}  // namespace poolproof::bench

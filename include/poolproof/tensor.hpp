// SPDX-License-Identifier: Apache-2.0
// A tensor as a shape and its elements' bytes, little-endian and row-major: the form that travels and is
// judged.
#pragma once

#include <poolproof/format.hpp>

#include <cstring>
#include <vector>

namespace poolproof {

using Shape = std::vector<Index>;

inline constexpr Index max_rank = 16;
inline constexpr Index max_elements = Index{1} << 28;

/// The number of elements; 1 for rank 0. Requires a shape that `valid_size` accepts.
inline Index size(const Shape& shape) {
    Index n = 1;
    for (const Index extent : shape) n *= extent;
    return n;
}

/// The number of elements, or nothing if an extent is negative, the rank is over `max_rank` or the product
/// over `max_elements`. A zero extent does not excuse the others.
std::optional<Index> valid_size(const Shape& shape);

struct Tensor {
    Format format = Format::f64;
    Shape shape;
    std::vector<std::uint8_t> data;

    Tensor() = default;
    Tensor(Format f, Shape s)
        : format(f), shape(std::move(s)), data(static_cast<std::size_t>(poolproof::size(shape) * bytes(f))) {}

    Index size() const { return static_cast<Index>(data.size()) / bytes(format); }

    Bits operator[](Index i) const {
        switch (width(format)) {  // a copy of a fixed size is one instruction
            case 64: return word<std::uint64_t>(i);
            case 32: return word<std::uint32_t>(i);
            case 16: return word<std::uint16_t>(i);
            default: return word<std::uint8_t>(i);
        }
    }

    void set(Index i, Bits b) {
        std::memcpy(data.data() + i * bytes(format), &b, static_cast<std::size_t>(bytes(format)));
    }

    friend bool operator==(const Tensor&, const Tensor&) = default;

private:
    template <class Word> Word word(Index i) const {
        Word w;
        std::memcpy(&w, data.data() + i * static_cast<Index>(sizeof w), sizeof w);
        return w;
    }
};

}  // namespace poolproof

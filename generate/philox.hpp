// SPDX-License-Identifier: Apache-2.0
// Randomness as a function: Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy
// as 1, 2, 3", SC 2011), and the integer distributions that choices are made with. Nothing here depends on
// the compiler, the standard library's distributions or floating point.
#pragma once

#include <poolproof/format.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace poolproof::generate {

using Block = std::array<std::uint32_t, 4>;

/// Ten rounds of Philox 4x32.
Block philox(Block counter, std::array<std::uint32_t, 2> key);

/// The draws of one stream of one case: the key is the seed; the counter holds the index, the block and the
/// stream, so that no two streams share a block. Draw one number per statement, since a compiler may reorder
/// operands.
class Draws {
public:
    Draws(std::uint64_t seed, std::uint64_t index, std::uint32_t stream);

    std::uint32_t next() {
        if (used_ == 4) refill();
        return block_[used_++];
    }

    /// `count` random bits, 0 to 64. What a word has left over serves the next call.
    std::uint64_t bits(int count) {
        if (count > 32) {
            const std::uint64_t high = bits(count - 32);
            return high << 32 | next();
        }
        if (spare_count_ < count) {
            spare_ |= std::uint64_t{next()} << spare_count_;
            spare_count_ += 32;
        }
        const std::uint64_t taken = spare_ & ((std::uint64_t{1} << count) - 1);
        spare_ >>= count;
        spare_count_ -= count;
        return taken;
    }

    bool coin() { return bits(1) != 0; }

    /// Uniform in 0 .. n-1, by multiplication and rejection (Lemire 2019). Requires n > 0.
    std::uint32_t below(std::uint32_t n) {
        const int width = n <= 1024 ? 16 : 32;
        const std::uint64_t low = (std::uint64_t{1} << width) - 1;
        std::uint64_t product = bits(width) * n;
        if ((product & low) < n) {
            const std::uint64_t uneven = (low + 1) % n;
            while ((product & low) < uneven) product = bits(width) * n;
        }
        return static_cast<std::uint32_t>(product >> width);
    }

    /// Uniform in low .. high, both included. Requires low <= high < low + 2^32.
    Index between(Index low, Index high) {
        return low + static_cast<Index>(below(static_cast<std::uint32_t>(high - low + 1)));
    }

    /// True once in n.
    bool one_in(std::uint32_t n) { return below(n) == 0; }

    /// A position, as often as its weight says. Requires a positive sum below 2^32.
    std::size_t weighted(std::span<const std::uint32_t> weights) {
        std::uint32_t sum = 0;
        for (const std::uint32_t w : weights) sum += w;
        std::uint32_t at = below(sum);
        std::size_t k = 0;
        while (at >= weights[k]) at -= weights[k++];
        return k;
    }
    template <std::size_t N> std::size_t weighted(const std::uint32_t (&weights)[N]) {
        return weighted(std::span<const std::uint32_t>(weights));
    }

    template <class T, std::size_t N> T one_of(const T (&values)[N]) {
        return values[below(static_cast<std::uint32_t>(N))];
    }

    template <class T> void shuffle(std::vector<T>& list) {
        for (std::size_t k = list.size(); k > 1; --k) {
            const std::size_t other = below(static_cast<std::uint32_t>(k));
            std::swap(list[k - 1], list[other]);
        }
    }

private:
    void refill();

    std::array<std::uint32_t, 2> key_;
    Block counter_, block_{};
    unsigned used_ = 4;
    std::uint64_t spare_ = 0;
    int spare_count_ = 0;
};

}  // namespace poolproof::generate

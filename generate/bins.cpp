// SPDX-License-Identifier: Apache-2.0
#include "generate/bins.hpp"

#include <array>
#include <cmath>

namespace poolproof::generate {

namespace {

/// How an implementation may come to i * extent / bins in floating point.
enum class Way : std::uint8_t { times_ratio, of_fraction, times_inverse };

/// Single operations, each rounded once in F: IEEE arithmetic, the same on every compiler.
template <class F> F scaled(Way way, Index i, Index extent, Index bins) {
    const auto n = static_cast<F>(extent), m = static_cast<F>(bins), at = static_cast<F>(i);
    if (way == Way::times_ratio) {
        const F ratio = n / m;
        return at * ratio;
    }
    const F inverse = F{1} / m, part = way == Way::of_fraction ? at / m : at * inverse;
    return part * n;
}

template <class F> bool misses(Way way, bool begin, Index extent, Index bins) {
    for (Index i = 1; i < bins; ++i) {
        const F x = scaled<F>(way, i, extent, bins);
        const Index down = i * extent / bins, up = (i * extent + bins - 1) / bins;
        if (static_cast<Index>(begin ? std::floor(x) : std::ceil(x)) != (begin ? down : up)) return true;
    }
    return false;
}

constexpr std::size_t ways = 12;  ///< three ways, in float and in double, for begins and ends

struct Table {
    std::array<std::vector<std::vector<Index>>, ways> bins;  ///< per way and extent
    std::array<std::vector<Index>, ways> extents;            ///< those that have some
};

const Table& table() {
    static const Table made = [] {
        Table t;
        for (std::size_t k = 0; k < ways; ++k) {
            const auto way = static_cast<Way>(k % 3);
            const bool begin = k / 3 % 2 == 0;
            t.bins[k].resize(longest_missed + 1);
            for (Index extent = 2; extent <= longest_missed; ++extent) {
                auto& list = t.bins[k][static_cast<std::size_t>(extent)];
                for (Index bins = 2; bins <= longest_missed; ++bins)
                    if (k < ways / 2 ? misses<float>(way, begin, extent, bins)
                                     : misses<double>(way, begin, extent, bins))
                        list.push_back(bins);
                if (!list.empty()) t.extents[k].push_back(extent);
            }
        }
        return t;
    }();
    return made;
}

/// Single precision and the plainest way are what implementations have most.
std::size_t drawn_way(Draws& draws) { return draws.weighted({6, 3, 3, 6, 3, 3, 2, 1, 1, 2, 1, 1}); }

template <class T> T one_of(const std::vector<T>& list, Draws& draws) {
    return list[draws.below(static_cast<std::uint32_t>(list.size()))];
}

}  // namespace

Index drawn_missed_extent(Draws& draws) {
    const std::size_t way = drawn_way(draws);
    return one_of(table().extents[way], draws);
}

std::optional<Index> drawn_missed_bins(Index extent, Draws& draws) {
    if (extent < 2 || extent > longest_missed) return std::nullopt;
    const std::size_t first = drawn_way(draws);
    for (std::size_t k = 0; k < ways; ++k) {
        const auto& list = table().bins[(first + k) % ways][static_cast<std::size_t>(extent)];
        if (!list.empty()) return one_of(list, draws);
    }
    return std::nullopt;
}

}  // namespace poolproof::generate

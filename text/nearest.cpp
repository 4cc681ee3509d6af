// SPDX-License-Identifier: Apache-2.0
// Which name somebody meant.
#include <poolproof/text.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace poolproof {

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> names) {
    constexpr std::size_t longest = 40;
    if (word.size() > longest) return std::nullopt;
    std::optional<std::string_view> best;
    std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const std::string_view name : names) {
        std::vector<std::size_t> row(name.size() + 1);
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (std::size_t i = 1; i <= word.size(); ++i) {
            std::size_t diagonal = std::exchange(row[0], i);
            for (std::size_t j = 1; j <= name.size(); ++j) {
                const std::size_t change = diagonal + (word[i - 1] == name[j - 1] ? 0 : 1);
                diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, change}));
            }
        }
        if (row.back() < std::min(best_distance, name.size())) {
            best = name;
            best_distance = row.back();
        }
    }
    return best;
}

std::string remedy(std::string_view word, std::span<const std::string_view> names, std::string_view list) {
    if (const auto near = nearest(word, names)) return "did you mean '" + std::string(*near) + "'?";
    constexpr std::size_t few = 10;
    if (names.size() > few) return std::string(list);
    std::string all;
    for (const std::string_view name : names) all.append(all.empty() ? "use one of " : ", ").append(name);
    return all;
}

}  // namespace poolproof

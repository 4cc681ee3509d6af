// SPDX-License-Identifier: Apache-2.0
#include "generate/steering.hpp"

#include <algorithm>

namespace poolproof::generate {

namespace {

/// The first cases are all ordinary. What they do not show, every eighth of the next ones is drawn towards,
/// in turn and several times over.
constexpr std::uint64_t head_start = 4096, one_in_directed = 8, rounds = 8;
constexpr std::uint32_t attempts_at_a_pair = 96;

std::vector<FeaturePair> late_pairs(const Scope& scope) {
    PairTable met;
    for (std::uint64_t k = 0; k < head_start; ++k) met.add(features(drawn_case(scope, k)));
    std::vector<FeaturePair> r;
    for (std::size_t a = 0; a < feature_count; ++a)
        for (std::size_t b = a + 1; b < feature_count; ++b) {
            const FeaturePair pair{static_cast<Feature>(a), static_cast<Feature>(b)};
            if (!met.met(pair.first, pair.second) && !impossible(scope, pair.first, pair.second))
                r.push_back(pair);
        }
    return r;
}

bool shows(const Case& c, const FeaturePair& pair) {
    const auto shown = features(c);
    return std::binary_search(shown.begin(), shown.end(), pair.first) &&
           std::binary_search(shown.begin(), shown.end(), pair.second);
}

}  // namespace

std::optional<FeaturePair> target(const Scope& scope, std::uint64_t index) {
    if (index < head_start || index % one_in_directed != 0) return std::nullopt;
    const std::uint64_t turn = (index - head_start) / one_in_directed;
    // No request has more pairs than there are: far out, nothing needs to be known of them.
    if (turn >= rounds * feature_count * feature_count / 2) return std::nullopt;
    std::call_once(scope.late_once, [&] { scope.late = late_pairs(scope); });
    if (turn >= rounds * scope.late.size()) return std::nullopt;
    return scope.late[turn % scope.late.size()];
}

Case directed_case(const Scope& scope, std::uint64_t index, const FeaturePair& pair) {
    const Wish wish = wish_for(pair);
    for (std::uint32_t attempt = 1;; ++attempt) {
        Case c = drawn_case(scope, index, attempt, wish);
        if (attempt == attempts_at_a_pair || shows(c, pair)) return c;
    }
}

}  // namespace poolproof::generate

namespace poolproof {

std::optional<std::string> Generator::impossible(Feature a, Feature b) const {
    return generate::impossible(*scope_, a, b);
}

}  // namespace poolproof

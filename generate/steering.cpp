// SPDX-License-Identifier: Apache-2.0
#include "generate/steering.hpp"
#include "generate/features.hpp"

#include <stdexcept>

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

bool is_of_values(Feature f) { return f >= Feature::constant; }

/// Whether the set has those of the pair that a draft can show already, or all of it.
bool has(const FeatureSet& set, const FeaturePair& pair, bool values_too) {
    const auto shown = [&](Feature f) { return (!values_too && is_of_values(f)) || set.has(f); };
    return shown(pair.first) && shown(pair.second);
}

std::optional<Plan> planned(const Case& c) {
    auto p = plan(c);
    if (!p) throw std::logic_error("generate: " + message(p.rejection()));
    return std::move(*p);
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
        Draft draft = drawn_draft(scope, index, attempt, wish);
        const bool last = attempt == attempts_at_a_pair;
        const auto settled = draft.plan ? std::move(draft.plan) : planned(draft.c);
        FeatureSet set;
        add_structure_features(draft.c, *settled, set);
        if (!last && !has(set, pair, false)) continue;
        Case c = with_values(std::move(draft), scope, index, attempt, wish);
        if (last || !(is_of_values(pair.first) || is_of_values(pair.second))) return c;
        add_value_features(c, *settled, set);
        if (has(set, pair, true)) return c;
    }
}

}  // namespace poolproof::generate

namespace poolproof {

std::optional<std::string> Generator::impossible(Feature a, Feature b) const {
    return generate::impossible(*scope_, a, b);
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// What the two halves of `features` fill: a set of features.
#pragma once

#include <poolproof/generate.hpp>
#include <poolproof/plan.hpp>

#include <bitset>

namespace poolproof::generate {

class FeatureSet {
public:
    void add(Feature f, bool shown = true) {
        if (shown) shown_.set(static_cast<std::size_t>(f));
    }
    /// The `offset`th feature from `first` on, if there are that many in its row of `count`.
    void add_nth(Feature first, Index offset, Index count) {
        if (0 <= offset && offset < count)
            shown_.set(static_cast<std::size_t>(first) + static_cast<std::size_t>(offset));
    }
    bool has(Feature f) const { return shown_.test(static_cast<std::size_t>(f)); }
    std::vector<Feature> list() const;

private:
    std::bitset<feature_count> shown_;
};

void add_structure_features(const Case& c, const Plan& plan, FeatureSet& set);

/// Of the input and the tangent or cotangent. What values have to do with each other is looked for within a
/// slice.
void add_value_features(const Case& c, const Plan& plan, FeatureSet& set);

}  // namespace poolproof::generate

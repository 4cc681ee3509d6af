// SPDX-License-Identifier: Apache-2.0
#include "generate/features.hpp"
#include "generate/patterns.hpp"

#include <algorithm>
#include <limits>

namespace poolproof::generate {

namespace {

/// Orders like the value; both zeros are 0, and -x has the negated key. Not for NaN.
Index key(Format f, Bits b) {
    if (is_integer(f)) return integer_value(f, b);
    const auto m = static_cast<Index>(magnitude(f, b));
    return is_negative(f, b) ? -m : m;
}

/// What each element shows by itself, added up.
struct Census {
    Index elements = 0, nans = 0, infinities = 0, zeros = 0, negative_zeros = 0, negatives = 0, ones = 0,
          same = 0;
    bool subnormal = false, edge = false;
    int least_exponent = std::numeric_limits<int>::max(), greatest_exponent = std::numeric_limits<int>::min();

    bool one_hot() const { return elements >= 2 && zeros + negative_zeros == elements - 1; }
    bool special() const { return nans + infinities > 0; }
    bool wide(Format f) const {
        return !is_integer(f) && greatest_exponent >= least_exponent &&
               greatest_exponent - least_exponent >= precision(f);
    }
};

bool is_edge(Format f, Bits b) {
    if (is_integer(f))
        return b == sign_bit(f) - (is_signed(f) ? 1U : 0U) || (is_signed(f) ? b == sign_bit(f) : b == 0xff);
    const Bits m = magnitude(f, b);
    return m == largest_bits(f) || m == Bits{1} << (precision(f) - 1) || m == 1;
}

Census census(const Tensor& t) {
    const Format f = t.format;
    Census c;
    c.elements = t.size();
    for (Index i = 0; i < c.elements; ++i) {
        const Bits b = t[i];
        c.same += b == t[0] ? 1 : 0;
        if (is_nan(f, b)) {
            ++c.nans;
            continue;
        }
        c.edge = c.edge || is_edge(f, b);
        if (is_zero(f, b)) {
            ++(b == 0 ? c.zeros : c.negative_zeros);
            continue;
        }
        c.negatives += key(f, b) < 0 ? 1 : 0;
        c.ones += b == integer_bits(f, 1) ? 1 : 0;
        if (is_integer(f)) continue;
        if (is_infinite(f, b)) {
            ++c.infinities;
            continue;
        }
        c.subnormal = c.subnormal || is_subnormal(f, b);
        c.least_exponent = std::min(c.least_exponent, exponent(f, b));
        c.greatest_exponent = std::max(c.greatest_exponent, exponent(f, b));
    }
    return c;
}

/// `keys` holds one slice's finite values, sorted.
void add_relations(Format f, const std::vector<Index>& keys, FeatureSet& set) {
    Index smallest = 0;
    for (const Index k : keys) {
        const Index m =
            k < 0 ? (k == std::numeric_limits<Index>::min() ? std::numeric_limits<Index>::max() : -k) : k;
        if (m != 0 && (smallest == 0 || m < smallest)) smallest = m;
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i > 0 && keys[i] == keys[i - 1]) set.add(Feature::ties);
        if (i > 0 && !is_integer(f) && keys[i] - 1 == keys[i - 1]) set.add(Feature::near_ties);
        if (keys[i] > smallest && std::binary_search(keys.begin(), keys.end(), -keys[i]))
            set.add(Feature::cancellation);
    }
}

/// The number of elements of a slice: those that some window may see together.
Index slice_size(const Plan& plan) {
    Index n = 1;
    for (const NodePlan& node : plan.nodes) {
        if (!node.pool || node.inputs[0] != -1) continue;
        Index block = 1;
        for (const Axis& a : node.pool->axes) block *= a.extent;
        n = std::max(n, block);
    }
    return n;
}

}  // namespace

void add_value_features(const Case& c, const Plan& plan, FeatureSet& set) {
    const Format f = c.format;
    const Census in = census(c.input);
    const bool several = in.elements >= 2;
    set.add(Feature::constant, several && in.same == in.elements);
    set.add(Feature::ones, several && in.ones == in.elements);
    set.add(Feature::all_negative, several && in.negatives == in.elements);
    set.add(Feature::one_hot, in.one_hot());
    set.add(Feature::signed_zeros, in.zeros > 0 && in.negative_zeros > 0);
    set.add(Feature::nan, in.nans > 0);
    set.add(Feature::infinity, in.infinities > 0);
    set.add(Feature::subnormal, in.subnormal);
    set.add(Feature::format_edge, in.edge);
    set.add(Feature::wide_spread, in.wide(f));

    const Index slice = slice_size(plan);
    std::vector<Index> keys;
    for (Index first = 0; first < in.elements; first += slice) {
        keys.clear();
        for (Index i = first; i < std::min(first + slice, in.elements); ++i)
            if (!is_nan(f, c.input[i]) && !is_infinite(f, c.input[i])) keys.push_back(key(f, c.input[i]));
        std::sort(keys.begin(), keys.end());
        add_relations(f, keys, set);
    }

    for (const auto* direction : {&c.tangent, &c.cotangent}) {
        if (!*direction) continue;
        const Census d = census(**direction);
        set.add(Feature::special_direction, d.special());
        set.add(Feature::one_hot_direction, d.one_hot());
        set.add(Feature::wide_direction, d.wide(f));
    }
}

}  // namespace poolproof::generate

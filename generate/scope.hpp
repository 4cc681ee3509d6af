// SPDX-License-Identifier: Apache-2.0
// What a request leaves to draw from. What a profile allows is not said again here: it is asked of `plan`,
// once, with a small case for each question.
#pragma once

#include <poolproof/generate.hpp>
#include <poolproof/plan.hpp>

#include <array>
#include <mutex>

namespace poolproof::generate {

inline constexpr std::size_t single_ops = 7;  ///< all but graphs and what only they hold
inline constexpr std::size_t drawn_ops = 8;
inline constexpr Index most_spatial = 5;
inline constexpr Index most_leading = 3;

/// Which formats each op and mode may have, one bit each.
using FormatTable = std::array<std::array<unsigned, 3>, drawn_ops>;

struct Scope {
    Request request;
    FormatTable requested{};  ///< what the profile allows and the request asks for
    FormatTable allowed{};
    std::vector<std::pair<Index, Index>> ranks;  ///< (leading axes, spatial rank)

    /// Per sliding op, in the order of `Op`.
    struct Sliding {
        bool padding = false, wide_padding = false, auto_pad = false, dilation = false, ceil = false;
        bool oversized = false, oversized_by_ceil = false, uncounted = false, divisor_override = false;
    };
    std::array<Sliding, 3> sliding;
    bool empty_output = false, row_column = false;

    /// The pairs of features that come late, found when first asked for.
    mutable std::once_flag late_once;
    mutable std::vector<std::pair<Feature, Feature>> late;

    bool valid(const Case& c) const { return static_cast<bool>(plan(c)); }
};

/// A case of one plain node: every size 1 and every attribute that is not required absent.
Case plain_case(const Request& request, Op op, Mode mode, Format format, Shape input, Index rank);

Attributes plain_attributes(Op op, Format format, Index rank);

constexpr std::size_t at(Op op) { return static_cast<std::size_t>(op); }
constexpr bool is_sliding(Op op) { return op <= Op::smooth_max_pool; }
constexpr bool is_adaptive(Op op) { return op == Op::adaptive_avg_pool || op == Op::adaptive_max_pool; }
constexpr bool is_max(Op op) {
    return op == Op::max_pool || op == Op::adaptive_max_pool || op == Op::global_max_pool;
}

}  // namespace poolproof::generate

// SPDX-License-Identifier: Apache-2.0
// The attributes by name, and which ops have them: the one table that reading and writing share.
#pragma once

#include <poolproof/case.hpp>

namespace poolproof::text {

/// A set of ops, one bit each.
using Ops = unsigned;

constexpr Ops only(Op op) { return 1U << static_cast<unsigned>(op); }

inline constexpr Ops sliding = only(Op::max_pool) | only(Op::avg_pool) | only(Op::smooth_max_pool);
inline constexpr Ops adaptive = only(Op::adaptive_avg_pool) | only(Op::adaptive_max_pool);
inline constexpr Ops global = only(Op::global_avg_pool) | only(Op::global_max_pool);
inline constexpr Ops maxima = only(Op::max_pool) | only(Op::adaptive_max_pool) | only(Op::global_max_pool);

/// Calls `visit(name, ops, member)` for every attribute but a graph's `nodes`, in the order they are written.
template <class Attrs, class Visit> void for_each_attribute(Attrs& a, Visit&& visit) {
    visit("kernel", sliding, a.kernel);
    visit("stride", sliding, a.stride);
    visit("pad_begin", sliding, a.pad_begin);
    visit("pad_end", sliding, a.pad_end);
    visit("auto_pad", sliding, a.auto_pad);
    visit("dilation", sliding, a.dilation);
    visit("ceil_mode", sliding, a.ceil_mode);
    visit("count_include_pad", only(Op::avg_pool), a.count_include_pad);
    visit("divisor_override", only(Op::avg_pool), a.divisor_override);
    visit("beta", only(Op::smooth_max_pool), a.beta);
    visit("output_size", adaptive, a.output_size);
    visit("spatial_rank", global, a.spatial_rank);
    visit("keepdims", global, a.keepdims);
    visit("return_indices", maxima, a.return_indices);
    visit("index_form", maxima, a.index_form);
    visit("memory", sliding | adaptive | global | only(Op::graph), a.memory);
}

constexpr const auto& names_of(AutoPad) { return auto_pad_names; }
constexpr const auto& names_of(IndexForm) { return index_form_names; }
constexpr const auto& names_of(Memory) { return memory_names; }

}  // namespace poolproof::text

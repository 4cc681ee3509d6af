// SPDX-License-Identifier: Apache-2.0
#include "backends/torch/outside.hpp"

#include <algorithm>

namespace poolproof::backends::torch {

namespace {

using Why = std::optional<std::string>;
constexpr Index most_ranks = 3;

template <class List> bool any_but(const List& list, Index usual) {
    return list && std::any_of(list->begin(), list->end(), [&](Index n) { return n != usual; });
}

bool unequal_pads(const Attributes& a) {
    if (!a.pad_end) return false;
    return a.pad_begin ? *a.pad_end != *a.pad_begin : any_but(a.pad_end, 0);
}

Why outside(Op op, const Attributes& a) {
    if (a.auto_pad) return "auto_pad: PyTorch's pooling takes numbers";
    if (a.index_form == IndexForm::row_column) return "index_form row_column: PyTorch's indices are flat";
    if (op == Op::smooth_max_pool || op == Op::add) return std::nullopt;  // written out here, for any rank
    const Index rank = spatial_rank(op, a);
    if (rank > most_ranks) return "rank " + std::to_string(rank) + ": PyTorch pools 1 to 3 axes";
    if (unequal_pads(a)) return "unequal pads: PyTorch's pooling pads both sides alike";
    if (op != Op::avg_pool) return std::nullopt;
    if (any_but(a.dilation, 1)) return "dilation: PyTorch's avg_pool has none";
    if (rank == 1 && a.divisor_override) return "divisor_override: PyTorch's avg_pool1d has none";
    return std::nullopt;
}

}  // namespace

Index spatial_rank(Op op, const Attributes& a) {
    if (op == Op::add) return 0;
    if (a.kernel) return static_cast<Index>(a.kernel->size());
    if (a.output_size) return static_cast<Index>(a.output_size->size());
    return a.spatial_rank.value_or(0);
}

Why outside(const Case& c) {
    if (c.op != Op::graph) return outside(c.op, c.attrs);
    for (std::size_t k = 0; k < c.nodes.size(); ++k)
        if (const Why why = outside(c.nodes[k].op, c.nodes[k].attrs))
            return "nodes[" + std::to_string(k) + "]: " + *why;
    return std::nullopt;
}

}  // namespace poolproof::backends::torch

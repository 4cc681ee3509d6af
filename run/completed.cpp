// SPDX-License-Identifier: Apache-2.0
// The defaults of the contract, written out.
#include <poolproof/run.hpp>

namespace poolproof {

namespace {

void complete_sliding(Attributes& a, Op op) {
    const std::size_t rank = a.kernel ? a.kernel->size() : 0;
    if (!a.stride) a.stride = a.kernel;
    if (!a.auto_pad) {
        if (!a.pad_begin) a.pad_begin = std::vector<Index>(rank, 0);
        if (!a.pad_end) a.pad_end = a.pad_begin;
    }
    if (!a.dilation) a.dilation = std::vector<Index>(rank, 1);
    if (!a.ceil_mode) a.ceil_mode = false;
    if (op == Op::avg_pool && !a.count_include_pad) a.count_include_pad = true;
}

void complete(Attributes& a, Op op) {
    switch (op) {
        case Op::max_pool:
        case Op::avg_pool:
        case Op::smooth_max_pool: complete_sliding(a, op); break;
        case Op::global_avg_pool:
        case Op::global_max_pool:
            if (!a.keepdims) a.keepdims = true;
            break;
        case Op::adaptive_avg_pool:
        case Op::adaptive_max_pool:
        case Op::graph:
        case Op::add: break;
    }
}

bool is_maximum(Op op) {
    return op == Op::max_pool || op == Op::adaptive_max_pool || op == Op::global_max_pool;
}

}  // namespace

Case completed(Case c) {
    complete(c.attrs, c.op);
    if (is_maximum(c.op) && c.mode == Mode::forward) {
        if (!c.attrs.return_indices) c.attrs.return_indices = false;
        if (*c.attrs.return_indices && !c.attrs.index_form) c.attrs.index_form = IndexForm::flat;
    }
    if (!c.attrs.memory) c.attrs.memory = Memory::contiguous;
    for (Node& n : c.nodes) complete(n.attrs, n.op);
    return c;
}

}  // namespace poolproof

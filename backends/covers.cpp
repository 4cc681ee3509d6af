// SPDX-License-Identifier: Apache-2.0
// Whether a declared capability covers a case: what the case uses, node by node, against what is listed.
#include <poolproof/backend.hpp>

#include <algorithm>

namespace poolproof {

namespace {

template <class T> bool listed(const std::optional<std::vector<T>>& list, const T& value) {
    return !list || std::find(list->begin(), list->end(), value) != list->end();
}

bool differ(const std::optional<std::vector<Index>>& v, Index usual) {
    return v && std::any_of(v->begin(), v->end(), [&](Index i) { return i != usual; });
}

/// The attributes beyond sizes, strides and pads that a node uses in a way that not everyone understands.
std::vector<std::string> used(const Attributes& a) {
    std::vector<std::string> r;
    const auto add = [&](const char* name, bool uses) {
        if (uses) r.emplace_back(name);
    };
    add("dilation", differ(a.dilation, 1));
    add("ceil_mode", a.ceil_mode.value_or(false));
    add("asymmetric_padding",
        a.pad_end && a.pad_end != a.pad_begin && (differ(a.pad_end, 0) || differ(a.pad_begin, 0)));
    add("auto_pad", a.auto_pad.has_value());
    add("count_include_pad", !a.count_include_pad.value_or(true));
    add("divisor_override", a.divisor_override.has_value());
    add("beta", a.beta.has_value());
    add("keepdims", !a.keepdims.value_or(true));
    add("return_indices", a.return_indices.value_or(false));
    add("index_form", a.index_form == IndexForm::row_column);
    return r;
}

Index spatial_rank(const Attributes& a) {
    if (a.kernel) return static_cast<Index>(a.kernel->size());
    if (a.output_size) return static_cast<Index>(a.output_size->size());
    return a.spatial_rank.value_or(0);
}

/// `input_rank` is 0 where it is not known: that of a node's output may differ from the case's.
bool covers_node(const Capability& can, Op op, const Attributes& a, Index input_rank) {
    if (op == Op::add) return true;
    if (!listed(can.ops, op)) return false;
    const Index rank = spatial_rank(a);
    if (!listed(can.spatial_ranks, rank)) return false;
    if (input_rank > 0 && !listed(can.leading_axes, input_rank - rank)) return false;
    if (can.attrs)
        for (const std::string& name : used(a))
            if (!listed(can.attrs, name)) return false;
    Index taps = 1;
    for (const Index k : a.kernel.value_or(std::vector<Index>{}))
        if (__builtin_mul_overflow(taps, k, &taps)) return !can.max_kernel;
    return !can.max_kernel || taps <= *can.max_kernel;
}

}  // namespace

bool covers(const Capability& can, const Case& c) {
    if (!listed(can.ops, c.op) || !listed(can.modes, c.mode) || !listed(can.formats, c.format)) return false;
    if (!listed(can.memory, c.attrs.memory.value_or(Memory::contiguous))) return false;
    if (can.max_elements && c.input.size() > *can.max_elements) return false;
    const auto rank = static_cast<Index>(c.input.shape.size());
    if (c.op != Op::graph) return covers_node(can, c.op, c.attrs, rank);
    return std::all_of(c.nodes.begin(), c.nodes.end(), [&](const Node& n) {
        const bool of_input = !n.inputs.empty() && n.inputs.front() == -1;
        return covers_node(can, n.op, n.attrs, of_input ? rank : 0);
    });
}

bool rejects(const Declaration& d) {
    return d.rejects || std::any_of(d.capabilities.begin(), d.capabilities.end(),
                                    [](const Capability& can) { return can.rejects; });
}

bool rejects(const Declaration& d, const Case& c) {
    if (d.rejects) return covers(d, c);
    return std::any_of(d.capabilities.begin(), d.capabilities.end(),
                       [&](const Capability& can) { return can.rejects && covers(can, c); });
}

bool covers(const Declaration& d, const Case& c) {
    return d.capabilities.empty() || std::any_of(d.capabilities.begin(), d.capabilities.end(),
                                                 [&](const Capability& can) { return covers(can, c); });
}

}  // namespace poolproof

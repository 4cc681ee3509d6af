// SPDX-License-Identifier: Apache-2.0
// Cases that must be rejected: a valid one with one defect. Each defect is a rule of the contract; where the
// profile does not mind it, another one is tried.
#include "generate/steering.hpp"

#include <algorithm>
#include <stdexcept>

namespace poolproof {

namespace generate {

namespace {

using List = std::optional<std::vector<Index>>;

/// The attributes to spoil: the case's own, or those of a node.
Attributes& spoilt(Case& c, Draws& draws) {
    if (c.nodes.empty()) return c.attrs;
    return c.nodes[draws.below(static_cast<std::uint32_t>(c.nodes.size()))].attrs;
}

bool spoil_entry(List& list, std::size_t rank, Index to, Draws& draws) {
    if (rank == 0) return false;
    if (!list) list = std::vector<Index>(rank, 1);
    (*list)[draws.below(static_cast<std::uint32_t>(list->size()))] = to;
    return true;
}

std::size_t rank_of(const Attributes& a) { return a.kernel ? a.kernel->size() : 0; }

template <List Attributes::*Member, Index Low, Index High> bool entry_below(Case& c, Draws& draws) {
    Attributes& a = spoilt(c, draws);
    const std::size_t rank =
        Member == &Attributes::output_size ? (a.output_size ? a.output_size->size() : 0) : rank_of(a);
    return spoil_entry(a.*Member, rank, draws.between(Low, High), draws);
}

template <List Attributes::*Member> bool too_long(Case& c, Draws& draws) {
    Attributes& a = spoilt(c, draws);
    if (rank_of(a) == 0) return false;
    if (!(a.*Member)) a.*Member = std::vector<Index>(rank_of(a), 1);
    (a.*Member)->push_back(1);
    return true;
}

template <class T, std::optional<T> Attributes::*Member> bool left_out(Case& c, Draws& draws) {
    Attributes& a = spoilt(c, draws);
    if (!(a.*Member)) return false;
    (a.*Member).reset();
    return true;
}

template <List Attributes::*Member> bool emptied(Case& c, Draws& draws) {
    Attributes& a = spoilt(c, draws);
    if (!(a.*Member)) return false;
    (a.*Member)->clear();
    return true;
}

/// More axes than the input has.
template <List Attributes::*Member> bool outgrown(Case& c, Draws& draws) {
    Attributes& a = spoilt(c, draws);
    if (!(a.*Member)) return false;
    a = {};
    (a.*Member) = std::vector<Index>(c.input.shape.size() + 1, 1);
    return true;
}

bool rank_zero(Case& c, Draws& draws) {
    Attributes& a = spoilt(c, draws);
    if (!a.spatial_rank) return false;
    a.spatial_rank = draws.coin() ? 0 : static_cast<Index>(c.input.shape.size()) + 1;
    return true;
}

bool divisor_zero(Case& c, Draws& draws) {
    if (c.op != Op::avg_pool && (c.op != Op::graph || c.nodes.back().op != Op::avg_pool)) return false;
    (c.op == Op::graph ? c.nodes.back().attrs : spoilt(c, draws)).divisor_override = 0;
    return true;
}

bool pads_twice(Case& c, Draws& draws) {
    Attributes& a = spoilt(c, draws);
    if (rank_of(a) == 0) return false;
    a.auto_pad = draws.one_of({AutoPad::valid, AutoPad::same_upper, AutoPad::same_lower});
    (draws.coin() ? a.pad_begin : a.pad_end) = std::vector<Index>(rank_of(a), draws.between(0, 1));
    return true;
}

bool empty_axis(Case& c, Draws&) {
    if (c.input.shape.empty()) return false;
    c.input.shape.back() = 0;
    c.input.data.clear();
    if (c.tangent) c.tangent = c.input;
    return true;
}

/// Padding that the profile may limit, and a kernel that it may find too wide.
bool much_padding(Case& c, Draws& draws) {
    Attributes& a = spoilt(c, draws);
    if (rank_of(a) == 0 || a.auto_pad) return false;
    return spoil_entry(a.pad_begin, rank_of(a), (*a.kernel)[0] / 2 + draws.between(1, 3), draws);
}

bool wide_kernel(Case& c, Draws& draws) {
    Attributes& a = spoilt(c, draws);
    if (rank_of(a) == 0) return false;
    (*a.kernel)[draws.below(static_cast<std::uint32_t>(rank_of(a)))] += 10'000;
    return true;
}

bool indices_of_a_derivative(Case& c, Draws&) {
    if (!is_max(c.op) || c.mode == Mode::forward) return false;
    c.attrs.return_indices = true;
    return true;
}

bool cotangent_of_another_shape(Case& c, Draws&) {
    if (!c.cotangent) return false;
    c.cotangent->shape.push_back(2);
    c.cotangent->data.resize(2 * c.cotangent->data.size());
    return true;
}

bool no_nodes(Case& c, Draws&) {
    if (c.op != Op::graph) return false;
    c.nodes.clear();
    return true;
}

bool later_node(Case& c, Draws& draws) {
    if (c.op != Op::graph) return false;
    const auto k = draws.below(static_cast<std::uint32_t>(c.nodes.size()));
    c.nodes[k].inputs[0] = draws.coin() ? static_cast<Index>(k) : -2;
    return true;
}

bool unequal_sum(Case& c, Draws&) {
    if (c.op != Op::graph) return false;
    Node n;
    n.op = Op::add;
    n.inputs = {-1, static_cast<Index>(c.nodes.size()) - 1};
    c.nodes.push_back(std::move(n));
    return true;
}

/// A node that is invalid though nobody uses it; the last one is, of course.
bool unused_node(Case& c, Draws&) {
    if (c.op != Op::graph || c.nodes.size() < 2) return false;
    Node n;
    n.op = Op::max_pool;
    n.attrs.kernel = std::vector<Index>{0};
    n.inputs = {-1};
    for (Node& later : c.nodes)
        for (Index& i : later.inputs) i += i >= 0 ? 1 : 0;
    c.nodes.insert(c.nodes.begin(), std::move(n));
    return true;
}

bool integer_derivative(Case& c, Draws& draws) {
    if (c.mode != Mode::jvp || c.op == Op::smooth_max_pool || c.op == Op::graph) return false;
    c.format = draws.one_of({Format::i8, Format::i32});
    c.input = Tensor(c.format, c.input.shape);
    c.tangent = Tensor(c.format, c.input.shape);
    return true;
}

bool integer_graph(Case& c, Draws&) {
    if (c.op != Op::graph || c.mode != Mode::forward) return false;
    for (const Node& n : c.nodes)
        if (n.attrs.beta) return false;
    c.format = Format::i32;
    c.input = Tensor(c.format, c.input.shape);
    return true;
}

using Defect = bool (*)(Case&, Draws&);
constexpr Defect defects[] = {
    entry_below<&Attributes::kernel, -1, 0>,
    entry_below<&Attributes::stride, -1, 0>,
    entry_below<&Attributes::dilation, -1, 0>,
    entry_below<&Attributes::pad_begin, -2, -1>,
    entry_below<&Attributes::pad_end, -2, -1>,
    entry_below<&Attributes::output_size, -1, 0>,
    too_long<&Attributes::stride>,
    too_long<&Attributes::dilation>,
    too_long<&Attributes::pad_begin>,
    too_long<&Attributes::pad_end>,
    left_out<std::vector<Index>, &Attributes::kernel>,
    left_out<std::vector<Index>, &Attributes::output_size>,
    left_out<Index, &Attributes::spatial_rank>,
    left_out<Bits, &Attributes::beta>,
    emptied<&Attributes::kernel>,
    emptied<&Attributes::output_size>,
    outgrown<&Attributes::kernel>,
    outgrown<&Attributes::output_size>,
    rank_zero,
    divisor_zero,
    pads_twice,
    empty_axis,
    much_padding,
    wide_kernel,
    indices_of_a_derivative,
    cotangent_of_another_shape,
    no_nodes,
    later_node,
    unequal_sum,
    unused_node,
    integer_derivative,
    integer_graph,
};
constexpr std::uint32_t defect_stream = 40;

}  // namespace
}  // namespace generate

Case Generator::invalid(std::uint64_t index) const {
    using namespace generate;
    Draws draws(scope_->request.seed, index, defect_stream);
    // Every defect has its turn; one that the drawn case cannot have, or that its profile accepts, leaves it
    // to another case, and after a while to another defect.
    for (std::uint32_t attempt = 0; attempt < 4000; ++attempt) {
        const Defect defect = defects[(index + attempt / 100) % std::size(defects)];
        Case c = drawn_case(*scope_, index, attempt);
        if (defect(c, draws) && !plan(c)) return c;
    }
    throw std::logic_error("generate: the request has no case that must be rejected");
}

}  // namespace poolproof

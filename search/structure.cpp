// SPDX-License-Identifier: Apache-2.0
// Fewer nodes, fewer axes, fewer cells.
#include "search/attempts.hpp"

#include <poolproof/plan.hpp>

#include <algorithm>

namespace poolproof::search {

namespace {

/// Calls `visit(begin, length of a run, number of runs)` for the parts of a tensor along one axis.
struct Blocks {
    Index outer = 1, extent = 1, inner = 1;

    Blocks(const Shape& shape, std::size_t axis) : extent(shape[axis]) {
        for (std::size_t k = 0; k < axis; ++k) outer *= shape[k];
        for (std::size_t k = axis + 1; k < shape.size(); ++k) inner *= shape[k];
    }
};

using List = std::optional<std::vector<Index>>;

/// The lists of an op's attributes that have an entry per spatial axis.
std::array<List*, 6> lists(Attributes& a) {
    return {&a.kernel, &a.stride, &a.pad_begin, &a.pad_end, &a.dilation, &a.output_size};
}

template <class Change> void for_each_attributes(Case& c, const Change& change) {
    change(c.attrs);
    for (Node& n : c.nodes) change(n.attrs);
}

/// Removes the entries of the axis that is `from_last` before the last.
void drop_entries(Attributes& a, std::size_t from_last) {
    for (List* list : lists(a))
        if (*list && from_last < (*list)->size())
            (*list)->erase((*list)->end() - static_cast<std::ptrdiff_t>(from_last) - 1);
    if (a.spatial_rank && static_cast<Index>(from_last) < *a.spatial_rank) --*a.spatial_rank;
}

/// Windows that shrink with their axis: no larger than it, or smaller by as much as it lost.
void shrink_windows(Attributes& a, std::size_t from_last, Index extent, Index lost) {
    for (List* list : {&a.kernel, &a.output_size})
        if (*list && from_last < (*list)->size()) {
            Index& n = (*list)->end()[-static_cast<std::ptrdiff_t>(from_last) - 1];
            n = lost > 0 ? std::max<Index>(n - lost, 1) : std::min(n, extent);
        }
}

void cut(Case& c, std::size_t axis, Index from, Index count) {
    c.input = without(c.input, axis, from, count);
    if (c.tangent) c.tangent = without(*c.tangent, axis, from, count);
}

bool drop_axis(Attempts& a, std::size_t axis) {
    const Case& c = a.current();
    const std::size_t from_last = c.input.shape.size() - 1 - axis;
    const Index extent = c.input.shape[axis];
    std::vector<Index> positions;
    for (const Index p : {Index{0}, extent - 1, extent / 2})
        if (p >= 0 && p < extent && std::find(positions.begin(), positions.end(), p) == positions.end())
            positions.push_back(p);
    for (const Index p : positions) {
        Case candidate = c;
        candidate.input = at_position(c.input, axis, p);
        if (c.tangent) candidate.tangent = at_position(*c.tangent, axis, p);
        for_each_attributes(candidate, [&](Attributes& attrs) { drop_entries(attrs, from_last); });
        if (a.take(std::move(candidate))) return true;
    }
    return false;
}

/// Removes ever smaller runs of cells along an axis.
void shorten_axis(Attempts& a, std::size_t axis) {
    for (Index count = a.current().input.shape[axis] - 1; count > 0; count /= 2)
        for (Index from = 0; from + count <= a.current().input.shape[axis] && !a.spent();) {
            const Index extent = a.current().input.shape[axis] - count;
            const std::size_t from_last = a.current().input.shape.size() - 1 - axis;
            bool taken = false;
            for (int variant = 0; variant < 3 && !taken; ++variant) {
                Case candidate = a.current();
                cut(candidate, axis, from, count);
                if (variant > 0)
                    for_each_attributes(candidate, [&](Attributes& attrs) {
                        shrink_windows(attrs, from_last, extent, variant == 1 ? 0 : count);
                    });
                taken = a.take(std::move(candidate));
            }
            if (!taken) from += count;
        }
}

/// The nodes without one of them, whose users take one of its operands.
std::vector<Node> without_node(const std::vector<Node>& nodes, std::size_t gone, std::size_t operand) {
    const auto number = static_cast<Index>(gone);
    const Index instead = nodes[gone].inputs[operand];
    std::vector<Node> r;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        if (k == gone) continue;
        r.push_back(nodes[k]);
        for (Index& i : r.back().inputs) i = i == number ? instead : i > number ? i - 1 : i;
    }
    return r;
}

/// A node as a case of its own, over the graph's input.
Case alone(const Case& c, const Node& n) {
    Case r = c;
    const auto memory = c.attrs.memory;
    r.op = n.op;
    r.attrs = n.attrs;
    r.attrs.memory = memory;
    r.nodes.clear();
    return r;
}

bool shrink_graph_once(Attempts& a) {
    const Case c = a.current();
    for (const Node& n : c.nodes)
        if (n.op != Op::add && a.take(alone(c, n))) return true;
    for (std::size_t k = 1; k < c.nodes.size(); ++k) {
        Case candidate = c;
        candidate.nodes.resize(k);
        if (a.take(std::move(candidate))) return true;
    }
    for (std::size_t k = 0; k < c.nodes.size(); ++k)
        for (std::size_t operand = 0; operand < c.nodes[k].inputs.size(); ++operand) {
            Case candidate = c;
            candidate.nodes = without_node(c.nodes, k, operand);
            if (a.take(std::move(candidate))) return true;
        }
    return false;
}

}  // namespace

Tensor without(const Tensor& t, std::size_t axis, Index from, Index count) {
    const Blocks b(t.shape, axis);
    Tensor r;
    r.format = t.format;
    r.shape = t.shape;
    r.shape[axis] -= count;
    const Index unit = b.inner * bytes(t.format);
    for (Index o = 0; o < b.outer; ++o)
        for (Index i = 0; i < b.extent; ++i) {
            if (i >= from && i < from + count) continue;
            const auto begin = t.data.begin() + (o * b.extent + i) * unit;
            r.data.insert(r.data.end(), begin, begin + unit);
        }
    return r;
}

Tensor at_position(const Tensor& t, std::size_t axis, Index position) {
    Tensor r = without(t, axis, position + 1, t.shape[axis] - position - 1);
    r = without(r, axis, 0, position);
    r.shape.erase(r.shape.begin() + static_cast<std::ptrdiff_t>(axis));
    return r;
}

void simplify_graph(Attempts& a) {
    while (!a.current().nodes.empty() && shrink_graph_once(a)) {}
}

void simplify_axes(Attempts& a) {
    for (std::size_t axis = 0; axis < a.current().input.shape.size();)
        if (!drop_axis(a, axis)) ++axis;
    for (std::size_t axis = 0; axis < a.current().input.shape.size(); ++axis) shorten_axis(a, axis);
}

}  // namespace poolproof::search

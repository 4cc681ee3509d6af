// SPDX-License-Identifier: Apache-2.0
// Graphs: chains, forks that meet again in an `add`, nodes nobody uses.
#include "generate/patterns.hpp"
#include "generate/structure.hpp"
#include "generate/values.hpp"

#include <algorithm>

namespace poolproof::generate {

namespace {

/// Beyond this, padding for one more tap might be no integer that an attribute may be.
constexpr Index longest_reach = Index{1} << 30;

constexpr Index usual_nodes = 4, most_nodes = 8;

class NodeDrawer {
public:
    NodeDrawer(const Head& head, const Scope& scope, Draws& draws)
        : head_(head), scope_(scope), draws_(draws), shapes_{head.shape} {}

    std::optional<Graph> graph() {
        long_ = draws_.one_in(16);
        const Index count =
            long_ ? draws_.between(usual_nodes + 1, most_nodes) : draws_.between(1, usual_nodes);
        const auto plot = draws_.weighted({5, 2, 2});
        Index k = 0;
        if (plot == 1 && accepts(shape_preserving()) && adds(-1)) k = 2;
        if (plot == 2 && pools() && (accepts(sibling()) || accepts(twin()))) k = 2 + (adds(0) ? 1 : 0);
        for (k = std::max(k, static_cast<Index>(nodes_.size())); k < count || k == 0; ++k)
            if (!(k > 0 && draws_.one_in(3) && adds()) && !pools()) return std::nullopt;
        return Graph{std::move(nodes_), std::move(shapes_.back())};
    }

private:
    /// Adds two values of equal shapes, the latest among them; itself where there is no other.
    bool adds() {
        std::vector<Index> equal;
        const Index latest = static_cast<Index>(nodes_.size()) - 1;
        for (Index k = -1; k < latest; ++k)
            if (shape(k) == shape(latest)) equal.push_back(k);
        if (equal.empty() || draws_.one_in(8)) equal = {latest};
        return adds(equal[draws_.below(static_cast<std::uint32_t>(equal.size()))]);
    }

    /// Adds the latest value and another one, if their shapes are equal.
    bool adds(Index other) {
        const Index latest = static_cast<Index>(nodes_.size()) - 1;
        if (shape(other) != shape(latest)) return false;
        Node node;
        node.op = Op::add;
        node.inputs = {latest, other};
        if (draws_.coin()) std::swap(node.inputs[0], node.inputs[1]);
        const Shape sum = shape(latest);
        nodes_.push_back(std::move(node));
        shapes_.push_back(sum);
        return true;
    }

    bool pools() {
        for (int attempt = 0; attempt < 4; ++attempt)
            if (accepts(draws_.one_in(3) && !nodes_.empty() ? twin() : drawn_node())) return true;
        Node plain;
        plain.op = drawn_op();
        plain.inputs = {-1};
        plain.attrs = plain_attributes(plain.op, head_.format, head_.rank);
        return accepts(std::move(plain));
    }

    Op drawn_op() {
        std::array<std::uint32_t, single_ops> weights{5, 5, 4, 2, 2, 1, 1};
        for (std::size_t k = 0; k < weights.size(); ++k) {
            if ((head_.nodes >> k & 1U) != 0) weights[k] *= 8;
            if (!allows(static_cast<Op>(k))) weights[k] = 0;
            // Exponentials of exponentials, so many deep, take the oracle long.
            if (long_ && static_cast<Op>(k) == Op::smooth_max_pool) weights[k] = 0;
        }
        return static_cast<Op>(draws_.weighted(weights));
    }

    bool allows(Op op) const {
        const auto formats = scope_.allowed[at(op)][static_cast<std::size_t>(head_.mode)];
        return (formats >> static_cast<unsigned>(head_.format) & 1U) != 0;
    }

    Node drawn_node() {
        Node node;
        node.op = drawn_op();
        const Index latest = static_cast<Index>(nodes_.size()) - 1;
        const bool first = head_.mixed_ranks && draws_.coin();
        const Index input = first ? -1 : draws_.one_in(3) ? draws_.between(-1, latest) : latest;
        node.inputs = {input};
        const Shape& from = shape(input);
        const Index axes = static_cast<Index>(from.size());
        Index rank = head_.rank;
        if (axes > 0 && draws_.one_in(head_.mixed_ranks ? 2 : 5))
            rank = draws_.between(1, std::min(axes, most_spatial));
        rank = std::min(rank, axes);
        // A value without axes, or with an empty one, cannot be pooled there; the plan says so.
        if (rank == 0) return node;
        const std::span<const Index> extents(from.data() + (axes - rank), static_cast<std::size_t>(rank));
        if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return node;
        // A node now and then does otherwise than the rest.
        Swarm swarm = head_.swarm;
        if (draws_.one_in(4)) {
            swarm.ceil = !swarm.ceil;
            swarm.keepdims = !swarm.keepdims;
            swarm.auto_pad = !swarm.auto_pad;
            swarm.writing = static_cast<int>(draws_.below(3));
        }
        node.attrs = drawn_attributes(node.op, head_.format, extents, swarm, scope_, draws_);
        return node;
    }

    /// The latest node's windows again over the same input, with an op of its own: two values to add.
    Node twin() {
        Node node = nodes_.back();
        const Op op = drawn_op();
        if (!is_sliding(node.op) || !is_sliding(op)) return node;
        node.op = op;
        node.attrs.count_include_pad.reset();
        node.attrs.divisor_override.reset();
        node.attrs.beta.reset();
        if (op == Op::smooth_max_pool) node.attrs.beta = drawn_beta(head_.format, draws_);
        return node;
    }

    /// The latest node with windows one cell longer at the begin, as many of them, over the same input.
    Node sibling() {
        Node node = twin();
        Attributes& a = node.attrs;
        if (!a.kernel || a.auto_pad) return node;
        const std::size_t k = draws_.below(static_cast<std::uint32_t>(a.kernel->size()));
        if (a.dilation && (*a.dilation)[k] > longest_reach) return node;
        const auto zeros = std::vector<Index>(a.kernel->size(), 0);
        if (!a.stride) a.stride = a.kernel;
        if (!a.pad_end) a.pad_end = a.pad_begin ? a.pad_begin : zeros;
        if (!a.pad_begin) a.pad_begin = zeros;
        ++(*a.kernel)[k];
        (*a.pad_begin)[k] += a.dilation ? (*a.dilation)[k] : 1;
        return node;
    }

    /// Windows about every cell of the graph's input.
    Node shape_preserving() {
        Node node;
        std::array<std::uint32_t, 3> weights{5, 5, 3};
        for (std::size_t k = 0; k < weights.size(); ++k)
            if (!allows(static_cast<Op>(k))) weights[k] = 0;
        if (weights[0] + weights[1] + weights[2] == 0) return drawn_node();
        node.op = static_cast<Op>(draws_.weighted(weights));
        node.inputs = {-1};
        const auto rank = static_cast<std::size_t>(head_.rank);
        std::vector<Index> kernel, begin, end;
        for (std::size_t k = 0; k < rank; ++k) {
            kernel.push_back(draws_.between(1, 3));
            begin.push_back(draws_.between(0, kernel[k] - 1));
            end.push_back(kernel[k] - 1 - begin[k]);
        }
        node.attrs.kernel = kernel;
        node.attrs.stride = std::vector<Index>(rank, 1);
        node.attrs.pad_begin = begin;
        node.attrs.pad_end = end;
        if (node.op == Op::smooth_max_pool) node.attrs.beta = drawn_beta(head_.format, draws_);
        return node;
    }

    bool accepts(Node node) {
        if (node.op == Op::add) return adds();
        Node alone = node;
        alone.inputs = {-1};
        const auto planned = plan_nodes({std::move(alone)}, head_.format, shape(node.inputs[0]),
                                        scope_.request.profile.value_or("torchlean"), scope_.request.policy);
        if (!planned || !affordable(planned->back(), head_.limits)) return false;
        shapes_.push_back(planned->back().shape);
        nodes_.push_back(std::move(node));
        return true;
    }

    const Shape& shape(Index node) const { return shapes_[static_cast<std::size_t>(node + 1)]; }

    const Head& head_;
    const Scope& scope_;
    Draws& draws_;
    bool long_ = false;
    std::vector<Node> nodes_;
    std::vector<Shape> shapes_;  ///< of the input, then of each node
};

}  // namespace

std::optional<Graph> drawn_graph(const Head& head, const Scope& scope, Draws& draws) {
    return NodeDrawer(head, scope, draws).graph();
}

}  // namespace poolproof::generate

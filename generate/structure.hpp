// SPDX-License-Identifier: Apache-2.0
// Everything of a case but its values: kind, shape, nodes.
#pragma once

#include "generate/attributes.hpp"
#include "generate/values.hpp"

#include <poolproof/plan.hpp>

namespace poolproof::generate {

/// How much one case may cost: its output elements, and these times the taps of a window, over all nodes.
struct Limits {
    Index outputs, taps;
};

/// Whether a node's output is within both limits.
bool affordable(const NodePlan& node, const Limits& limits);

struct Head {
    Op op;
    Mode mode;
    Format format;
    Index rank;
    Shape shape;
    Swarm swarm;
    Limits limits;
    unsigned nodes = 0;  ///< ops to favour, one bit each
    bool mixed_ranks = false;
};

/// What a directed case is drawn towards: some of all kinds, and features that the draw may still miss.
struct Wish {
    unsigned ops = ~0U, modes = ~0U, formats = ~0U;  ///< one bit each
    unsigned ranks = ~0U, leading = ~0U;             ///< likewise, from rank 1 and from no leading axis
    unsigned nodes = 0;                              ///< ops to favour among a graph's nodes
    bool mixed_ranks = false;                        ///< nodes that pool other axes than the rest
    bool large = false, empty_batch = false;
    std::vector<bool Swarm::*> swarm;  ///< to be on
    std::optional<Values> input, direction;
};

Head drawn_head(const Scope& scope, Draws& draws, const Wish& wish = {});

struct Graph {
    std::vector<Node> nodes;
    Shape output;
};

/// A graph whose nodes are each valid and affordable; nothing if no node fits the shapes that came up.
std::optional<Graph> drawn_graph(const Head& head, const Scope& scope, Draws& draws);

}  // namespace poolproof::generate

// SPDX-License-Identifier: Apache-2.0
// Everything of a case but its values: kind, shape, nodes.
#pragma once

#include "generate/attributes.hpp"

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
};

Head drawn_head(const Scope& scope, Draws& draws);

struct Graph {
    std::vector<Node> nodes;
    Shape output;
};

/// A graph whose nodes are each valid and affordable; nothing if no node fits the shapes that came up.
std::optional<Graph> drawn_graph(const Head& head, const Scope& scope, Draws& draws);

}  // namespace poolproof::generate

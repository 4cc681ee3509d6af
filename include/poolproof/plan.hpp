// SPDX-License-Identifier: Apache-2.0
// A case with every question settled: defaults filled in, sizes computed, policies chosen, all that must be
// rejected rejected. Nothing downstream looks a name up or meets an invalid size.
#pragma once

#include <poolproof/case.hpp>
#include <poolproof/rejection.hpp>

namespace poolproof {

enum class Reduction : std::uint8_t { max, average, smooth_max };

/// One spatial axis. Adaptive and global pooling are `bins`; everything else slides.
struct Axis {
    Index extent = 1;
    Index out = 1;
    bool bins = false;
    Index kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;

    friend bool operator==(const Axis&, const Axis&) = default;
};

struct PoolPlan {
    Reduction reduction = Reduction::max;
    std::vector<Axis> axes;
    bool count_padding = true;
    std::optional<Index> divisor_override;
    Bits beta = 0;
    bool return_indices = false;
    IndexForm index_form = IndexForm::flat;
    Policy policy;
};

struct NodePlan {
    std::optional<PoolPlan> pool;  ///< absent for `add`
    std::vector<Index> inputs;     ///< earlier nodes, -1 for the input
    Shape shape;                   ///< of its output
    Index leading = 1;             ///< the number of independent slices
};

/// What to compute. A single op is a graph of one node.
struct Plan {
    Mode mode = Mode::forward;
    Format format = Format::f64;
    std::vector<NodePlan> nodes;
    Policy policy;  ///< of the case; a global node's own may choose ties differently

    const NodePlan& output() const { return nodes.back(); }
};

/// Settles a case, or says why it cannot be computed. Every profile is built in; `profiles/` is their source.
Checked<Plan> plan(const Case& c);

/// The nodes of `plan(c)` alone, for a graph that has no output yet.
Checked<std::vector<NodePlan>> plan_nodes(const std::vector<Node>& nodes, Format format, const Shape& input,
                                          const std::string& profile, const Choices& choices);

const std::vector<std::string>& profile_names();

}  // namespace poolproof

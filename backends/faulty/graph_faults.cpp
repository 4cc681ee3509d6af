// SPDX-License-Identifier: Apache-2.0
// What goes wrong between nodes that are right by themselves.
#include "backends/faulty/table.hpp"

#include <algorithm>
#include <cmath>

namespace poolproof::faulty {

namespace {

using Nodes = std::vector<NodePlan>;
using Sum = Number (*)(Number, Number);

std::function<void(Rules&)> wired(void (*change)(Nodes&)) {
    return [change](Rules& r) { r.wire = change; };
}

std::function<void(Rules&)> added(Sum sum) {
    return [sum](Rules& r) { r.add = sum; };
}

std::function<void(Rules&)> tangents_added(Sum sum) {
    return [sum](Rules& r) { r.add_tangents = sum; };
}

/// Combines a second use's gradient with what is there.
std::function<void(Rules&)> received(Sum combine) {
    return [combine](Rules& r) {
        r.receive = [combine](Values& gradient, const Values& sent) {
            for (std::size_t k = 0; k < sent.size(); ++k) gradient[k] = combine(gradient[k], sent[k]);
        };
    };
}

/// What a node hands on, value by value; a single op's answer is not touched.
std::function<void(Rules&)> handed_on(Number (*change)(Format, Number)) {
    return [change](Rules& r) {
        r.hand_on = [change](const Values& v, Format f) {
            Values to = honest().hand_on(v, f);
            for (Number& x : to) x = change(f, x);
            return to;
        };
    };
}

/// Calls f(first, later) for pairs of pooling nodes.
template <class F> void for_pairs(Nodes& nodes, F f) {
    for (std::size_t k = 1; k < nodes.size(); ++k)
        for (std::size_t j = 0; j < k; ++j)
            if (nodes[j].pool && nodes[k].pool) f(nodes[j], nodes[k]);
}

Number identity(Number a, Number) { return a; }
Number second(Number, Number b) { return b; }
Number difference(Number a, Number b) { return a - b; }
Number mean(Number a, Number b) { return (a + b) / 2; }
Number greater(Number a, Number b) { return std::max(a, b); }
Number product(Number a, Number b) { return a * b; }
Number of_greater_size(Number a, Number b) { return std::abs(b) > std::abs(a) ? b : a; }

bool is_smooth(const NodePlan& n) { return n.pool->reduction == Reduction::smooth_max; }

}  // namespace

std::vector<Fault> graph_faults() {
    return {
        {"second_use_overwrites", "Lets the gradient of a second use overwrite the first.", "GVjp",
         received(second)},
        {"second_use_ignored", "Takes the gradient of one use alone.", "GVjp", received(identity)},
        {"uses_averaged", "Averages the gradients of two uses.", "GVjp", received(mean)},
        {"uses_compete", "Keeps the larger of two uses' gradients.", "GVjp", received(of_greater_size)},
        {"uses_subtract", "Subtracts the gradient of a second use.", "GVjp", received(difference)},
        {"uses_added_in_bf16", "Adds the gradients of several uses in bfloat16.", "GVjp",
         received([](Number a, Number b) { return rounded(Format::bf16, a + b); })},
        {"uses_added_in_f16", "Adds the gradients of several uses in binary16.", "GVjp",
         received([](Number a, Number b) { return rounded(Format::f16, a + b); })},
        {"self_sum_sends_once", "Sends one gradient to a node that is added to itself.", "GVjp",
         [](Rules& r) {
             r.receivers = [](const NodePlan& n) {
                 return n.inputs.front() == n.inputs.back() ? std::size_t{1} : n.inputs.size();
             };
         }},
        {"sum_sends_to_first", "Sends the gradient of a sum to its first operand alone.", "GVjp",
         [](Rules& r) { r.receivers = [](const NodePlan&) { return std::size_t{1}; }; }},
        {"unused_node_sends", "Starts nodes that nothing uses with a gradient of ones.", "GVjp",
         [](Rules& r) { r.unused_nodes_send = true; }},
        {"sum_of_first_twice", "Adds the first operand to itself.", "GAdd", wired([](Nodes& nodes) {
             for (NodePlan& n : nodes)
                 if (!n.pool) n.inputs[1] = n.inputs[0];
         })},
        {"sum_of_second_twice", "Adds the second operand to itself.", "GAdd", wired([](Nodes& nodes) {
             for (NodePlan& n : nodes)
                 if (!n.pool) n.inputs[0] = n.inputs[1];
         })},
        {"sum_is_difference", "Subtracts the second operand.", "GAdd", added(difference)},
        {"sum_is_mean", "Averages two operands.", "GAdd", added(mean)},
        {"sum_is_maximum", "Takes the greater operand.", "GAdd", added(greater)},
        {"sum_is_product", "Multiplies two operands.", "GAdd", added(product)},
        {"self_sum_is_itself", "Takes a value added to itself for the value.", "GAdd",
         added([](Number a, Number b) { return a == b ? a : a + b; })},
        {"sum_in_bf16", "Adds in bfloat16.", "GAdd",
         added([](Number a, Number b) { return rounded(Format::bf16, a + b); })},
        {"sum_drops_nan", "Passes over a NaN in a sum.", "Nan", added([](Number a, Number b) {
             return std::isnan(a) ? b : std::isnan(b) ? a : a + b;
         })},
        {"sum_of_infinities_zero", "Takes the sum of two opposite infinities for 0.", "Inf",
         added([](Number a, Number b) { return std::isinf(a) && a == -b ? 0 : a + b; })},
        {"sum_flushes_cancellation", "Takes a sum far smaller than its operands for 0.", "GAdd",
         added([](Number a, Number b) { return std::abs(a + b) * 16 < std::abs(a) ? 0 : a + b; })},
        {"tangent_of_first_operand", "Pushes the tangent of a sum's first operand.", "GAdd",
         tangents_added(identity)},
        {"tangent_of_second_operand", "Pushes the tangent of a sum's second operand.", "GAdd",
         tangents_added(second)},
        {"tangents_averaged", "Averages the tangents of a sum.", "GAdd", tangents_added(mean)},
        {"tangents_subtracted", "Subtracts the tangents of a sum.", "GAdd", tangents_added(difference)},
        {"nodes_in_f16", "Stores the values between nodes in binary16.", "GAdd",
         handed_on([](Format, Number x) { return rounded(Format::f16, x); })},
        {"nodes_in_bf16", "Stores the values between nodes in bfloat16.", "GAdd",
         handed_on([](Format, Number x) { return rounded(Format::bf16, x); })},
        {"nodes_in_f32", "Stores binary64 between nodes in binary32.", "GAdd",
         handed_on([](Format f, Number x) { return f == Format::f64 ? rounded(Format::f32, x) : x; })},
        {"nodes_rectified", "Sets negative values between nodes to 0.", "GAdd",
         handed_on([](Format, Number x) { return x < 0 ? 0 : x; })},
        {"nodes_clear_nan", "Sets NaN between nodes to 0.", "Nan",
         handed_on([](Format, Number x) { return std::isnan(x) ? 0 : x; })},
        {"nodes_saturate", "Holds infinities between nodes at the largest finite number.", "Inf",
         handed_on([](Format f, Number x) {
             return std::isinf(x) ? std::copysign(honest().load(f, largest_bits(f)), x) : x;
         })},
        {"first_sharpness_for_all", "Uses the first smooth node's beta for all.", "S1",
         wired([](Nodes& nodes) {
             for_pairs(nodes, [](const NodePlan& first, NodePlan& later) {
                 if (is_smooth(first) && is_smooth(later)) later.pool->beta = first.pool->beta;
             });
         })},
        {"cached_by_windows", "Takes a later node with an earlier one's windows to be the same op.", "GAdd",
         wired([](Nodes& nodes) {
             for_pairs(nodes, [](const NodePlan& first, NodePlan& later) {
                 const bool alike =
                     first.pool->axes == later.pool->axes && is_smooth(first) == is_smooth(later);
                 if (alike) later.pool->reduction = first.pool->reduction;
             });
         })},
        {"cached_by_shape", "Takes a later node with an earlier one's output shape to have its windows.",
         "W1", wired([](Nodes& nodes) {
             for_pairs(nodes, [](const NodePlan& first, NodePlan& later) {
                 if (first.shape == later.shape && first.inputs == later.inputs &&
                     first.pool->axes.size() == later.pool->axes.size())
                     later.pool->axes = first.pool->axes;
             });
         })},
        {"latest_of_equal_shapes", "Takes the latest node of the right shape for an operand of a sum.",
         "GAdd", wired([](Nodes& nodes) {
             for (std::size_t k = 0; k < nodes.size(); ++k)
                 if (!nodes[k].pool && k > 0 && nodes[k - 1].shape == nodes[k].shape)
                     nodes[k].inputs = {static_cast<Index>(k) - 1, static_cast<Index>(k) - 1};
         })},
        {"in_place", "Overwrites a node's operand with its value where both have one size.", "GAdd",
         [](Rules& r) {
             r.leave = [](Values& operand, const Values& value) {
                 if (operand.size() == value.size()) operand = value;
             };
         }},
    };
}

}  // namespace poolproof::faulty

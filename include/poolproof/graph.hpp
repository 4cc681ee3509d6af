// SPDX-License-Identifier: Apache-2.0
// A builder for graphs of pooling nodes, which refuses at the call what can never be computed.
#pragma once

#include <poolproof/case.hpp>
#include <poolproof/rejection.hpp>

#include <span>

namespace poolproof {

/// A value inside a graph under construction: a node's output, or the graph's input.
struct Var {
    Index node = -1;
};

/// Builds the nodes of a `graph` case over an input of a fixed shape and format. Every call checks its
/// attributes and the shape it is applied to at once; a rejection names the node (`nodes[2].attrs.kernel[0]`)
/// and leaves the graph as it was.
class GraphBuilder {
public:
    /// `profile` settles the rules that decide what fits; `choices` override single ones.
    GraphBuilder(Format format, Shape input, std::string profile = "torchlean", Choices choices = {});

    Var input() const { return {}; }

    Checked<Var> max_pool(Var x, std::vector<Index> kernel, std::vector<Index> stride,
                          std::vector<Index> padding);
    Checked<Var> avg_pool(Var x, std::vector<Index> kernel, std::vector<Index> stride,
                          std::vector<Index> padding);
    Checked<Var> smooth_max_pool(Var x, std::vector<Index> kernel, std::vector<Index> stride,
                                 std::vector<Index> padding, double beta);

    Checked<Var> max_pool2d(Var x, Index kernel_h, Index kernel_w, Index stride);
    Checked<Var> max_pool2d_pad(Var x, Index kernel_h, Index kernel_w, Index stride, Index padding);
    Checked<Var> smooth_max_pool2d(Var x, Index kernel_h, Index kernel_w, Index stride, double beta);
    Checked<Var> avg_pool2d(Var x, Index kernel_h, Index kernel_w, Index stride);
    Checked<Var> avg_pool2d_pad(Var x, Index kernel_h, Index kernel_w, Index stride, Index padding);

    Checked<Var> adaptive_avg_pool(Var x, std::vector<Index> output_size);
    Checked<Var> adaptive_max_pool(Var x, std::vector<Index> output_size);
    Checked<Var> global_avg_pool(Var x, Index spatial_rank, bool keepdims = true);
    Checked<Var> global_max_pool(Var x, Index spatial_rank, bool keepdims = true);

    Checked<Var> add(Var x, Var y);

    /// Any node, for attributes that the calls above do not take.
    Checked<Var> node(Node node);

    const Shape& shape(Var x) const { return shapes_[static_cast<std::size_t>(x.node + 1)]; }
    const std::vector<Node>& nodes() const { return nodes_; }

private:
    Checked<Var> smooth(Var x, Attributes attrs, double beta);

    Format format_;
    std::string profile_;
    Choices choices_;
    std::vector<Node> nodes_;
    std::vector<Shape> shapes_;  ///< of the input, then of each node
};

}  // namespace poolproof

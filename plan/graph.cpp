// SPDX-License-Identifier: Apache-2.0
#include <poolproof/graph.hpp>
#include <poolproof/plan.hpp>
#include <poolproof/text.hpp>

#include <array>
#include <charconv>
#include <cmath>

namespace poolproof {

namespace {

using List = std::vector<Index>;

Attributes sliding(List kernel, List stride, List padding) {
    Attributes a;
    a.kernel = std::move(kernel);
    a.stride = std::move(stride);
    a.pad_begin = std::move(padding);
    return a;
}

Attributes square(Index kernel_h, Index kernel_w, Index stride, Index padding) {
    return sliding({kernel_h, kernel_w}, {stride, stride}, {padding, padding});
}

Attributes sized(List output_size) {
    Attributes a;
    a.output_size = std::move(output_size);
    return a;
}

Attributes global(Index spatial_rank, bool keepdims) {
    Attributes a;
    a.spatial_rank = spatial_rank;
    a.keepdims = keepdims;
    return a;
}

}  // namespace

GraphBuilder::GraphBuilder(Format format, Shape input, std::string profile, Choices choices)
    : format_(format), profile_(std::move(profile)), choices_(choices), shapes_{std::move(input)} {}

Checked<Var> GraphBuilder::node(Node node) {
    std::vector<Node> grown = nodes_;
    grown.push_back(std::move(node));
    const auto plans = plan_nodes(grown, format_, shapes_.front(), profile_, choices_);
    if (!plans) return plans.rejection();
    nodes_ = std::move(grown);
    shapes_.push_back(plans->back().shape);
    return Var{static_cast<Index>(nodes_.size()) - 1};
}

Checked<Var> GraphBuilder::max_pool(Var x, List kernel, List stride, List padding) {
    return node({Op::max_pool, sliding(std::move(kernel), std::move(stride), std::move(padding)), {x.node}});
}

Checked<Var> GraphBuilder::avg_pool(Var x, List kernel, List stride, List padding) {
    return node({Op::avg_pool, sliding(std::move(kernel), std::move(stride), std::move(padding)), {x.node}});
}

Checked<Var> GraphBuilder::smooth_max_pool(Var x, List kernel, List stride, List padding, double beta) {
    return smooth(x, sliding(std::move(kernel), std::move(stride), std::move(padding)), beta);
}

Checked<Var> GraphBuilder::max_pool2d(Var x, Index kernel_h, Index kernel_w, Index stride) {
    return node({Op::max_pool, square(kernel_h, kernel_w, stride, 0), {x.node}});
}

Checked<Var> GraphBuilder::max_pool2d_pad(Var x, Index kernel_h, Index kernel_w, Index stride,
                                          Index padding) {
    return node({Op::max_pool, square(kernel_h, kernel_w, stride, padding), {x.node}});
}

Checked<Var> GraphBuilder::smooth_max_pool2d(Var x, Index kernel_h, Index kernel_w, Index stride,
                                             double beta) {
    return smooth(x, square(kernel_h, kernel_w, stride, 0), beta);
}

Checked<Var> GraphBuilder::avg_pool2d(Var x, Index kernel_h, Index kernel_w, Index stride) {
    return node({Op::avg_pool, square(kernel_h, kernel_w, stride, 0), {x.node}});
}

Checked<Var> GraphBuilder::avg_pool2d_pad(Var x, Index kernel_h, Index kernel_w, Index stride,
                                          Index padding) {
    return node({Op::avg_pool, square(kernel_h, kernel_w, stride, padding), {x.node}});
}

Checked<Var> GraphBuilder::adaptive_avg_pool(Var x, List output_size) {
    return node({Op::adaptive_avg_pool, sized(std::move(output_size)), {x.node}});
}

Checked<Var> GraphBuilder::adaptive_max_pool(Var x, List output_size) {
    return node({Op::adaptive_max_pool, sized(std::move(output_size)), {x.node}});
}

Checked<Var> GraphBuilder::global_avg_pool(Var x, Index spatial_rank, bool keepdims) {
    return node({Op::global_avg_pool, global(spatial_rank, keepdims), {x.node}});
}

Checked<Var> GraphBuilder::global_max_pool(Var x, Index spatial_rank, bool keepdims) {
    return node({Op::global_max_pool, global(spatial_rank, keepdims), {x.node}});
}

Checked<Var> GraphBuilder::add(Var x, Var y) { return node({Op::add, {}, {x.node, y.node}}); }

Checked<Var> GraphBuilder::smooth(Var x, Attributes attrs, double beta) {
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), beta).ptr;
    attrs.beta =
        std::isfinite(beta) ? rounded_number(format_, std::string_view(text.data(), end)) : std::nullopt;
    if (!attrs.beta)
        return Rejection{"nodes[" + std::to_string(nodes_.size()) + "].attrs.beta",
                         "is " + std::string(text.data(), end) + ", which " + std::string(name(format_)) +
                             " cannot hold as a finite number",
                         "give a finite number that is not 0"};
    return node({Op::smooth_max_pool, std::move(attrs), {x.node}});
}

}  // namespace poolproof

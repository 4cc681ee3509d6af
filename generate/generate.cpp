// SPDX-License-Identifier: Apache-2.0
// A case from its number. Each purpose draws from a stream of its own, so that another attempt at the
// attributes leaves shape and values as they are.
#include <poolproof/generate.hpp>

#include "generate/steering.hpp"
#include "generate/values.hpp"
#include "generate/varied.hpp"

#include <algorithm>
#include <stdexcept>

namespace poolproof {

namespace generate {

bool affordable(const NodePlan& node, const Limits& limits) {
    const Index outputs = size(node.shape);
    if (outputs > limits.outputs) return false;
    if (!node.pool) return true;
    Index taps = outputs;
    for (const Axis& a : node.pool->axes)
        taps *= a.bins ? a.extent / std::max<Index>(a.out, 1) + 1 : a.kernel;
    return taps <= limits.taps;
}

namespace {

enum Stream : std::uint32_t { head_stream, attribute_stream, input_stream = 32, direction_stream };
constexpr std::uint32_t attempts = 8;

bool has_smooth_max(const Case& c) {
    return c.op == Op::smooth_max_pool || std::any_of(c.nodes.begin(), c.nodes.end(), [](const Node& n) {
               return n.op == Op::smooth_max_pool;
           });
}

/// Features that most often make a case invalid or dear.
void tame(Swarm& s) {
    s.huge = s.padding = s.dilation = s.oversized = s.more_bins = s.auto_pad = s.overlap = false;
}

/// Fills in what is computed; false if it is not valid or too dear.
bool draw_structure(Draft& draft, const Head& h, const Scope& scope, Draws& draws) {
    Case& c = draft.c;
    c.attrs = {};
    if (h.op == Op::graph) {
        // Its nodes were planned one by one, which is all that a plan of the whole would do.
        auto graph = drawn_graph(h, scope, draws);
        if (!graph) return false;
        draw_outer_attributes(c, h.rank, h.swarm, scope, draws);
        c.nodes = std::move(graph->nodes);
        draft.output = std::move(graph->output);
        return true;
    }
    const auto rank = static_cast<std::size_t>(h.rank);
    const std::span<const Index> extents(h.shape.data() + (h.shape.size() - rank), rank);
    c.attrs = drawn_attributes(h.op, h.format, extents, h.swarm, scope, draws);
    draw_outer_attributes(c, h.rank, h.swarm, scope, draws);
    auto settled = plan(c);
    if (!settled || !affordable(settled->output(), h.limits)) return false;
    draft.output = settled->output().shape;
    draft.plan = std::move(*settled);
    return true;
}

/// The case of last resort; the request was found to have one.
void make_plain(Case& c, const Head& h, const Scope& scope, Shape& output) {
    const auto take = [&](const Shape& input, Index rank) {
        Case plain = plain_case(scope.request, h.op, h.mode, h.format, input, rank);
        auto settled = plan(plain);
        if (!settled) return false;
        output = std::move(settled->nodes.back().shape);
        c = std::move(plain);
        return true;
    };
    if (take(h.shape, h.rank)) return;
    for (const auto& [leading, rank] : scope.ranks)
        if (take(Shape(static_cast<std::size_t>(leading + rank), 1), rank)) return;
    throw std::logic_error("generate: no plain case is valid");
}

void draw_values(Case& c, Shape output, Draws& draws, Draws& more, const Wish& wish) {
    const bool moderate = has_smooth_max(c);
    Values values = drawn_values(draws, c.format, moderate);
    // What meets a NaN or an infinity is open in a derivative, so most such draws would be judged nowhere.
    const bool derivative = c.mode != Mode::forward;
    if (derivative && values >= Values::special && !draws.one_in(3)) values = Values::ordinary;
    // Special values have more to go through in a graph.
    if (!derivative && c.op == Op::graph && draws.one_in(6)) values = Values::special;
    const bool adds =
        std::any_of(c.nodes.begin(), c.nodes.end(), [](const Node& n) { return n.op == Op::add; });
    if (!derivative && adds && draws.one_in(4)) values = Values::infinities;
    // Sums of many numbers of one sign are what narrow counters overflow on.
    if (is_integer(c.format) && c.input.size() > 256 && draws.coin()) values = Values::brink;
    fill(c.input, wish.input.value_or(values), draws);
    if (!derivative) return;
    auto& direction = c.mode == Mode::jvp ? c.tangent : c.cotangent;
    direction = Tensor(c.format, c.mode == Mode::jvp ? c.input.shape : std::move(output));
    Values chosen = drawn_values(more, c.format, moderate);
    if (chosen >= Values::special && !more.one_in(4)) chosen = Values::few_integers;
    fill(*direction, wish.direction.value_or(chosen), more);
}

}  // namespace
}  // namespace generate

namespace generate {

namespace {

/// Streams of one attempt do not meet another's.
constexpr std::uint32_t streams_of_an_attempt = 64;

}  // namespace

Draft drawn_draft(const Scope& scope, std::uint64_t index, std::uint32_t attempt, const Wish& wish) {
    const std::uint64_t seed = scope.request.seed;
    const std::uint32_t base = attempt * streams_of_an_attempt;
    Draws head_draws(seed, index, base + head_stream);
    Head head = drawn_head(scope, head_draws, wish);
    Draft d;
    d.c.op = head.op;
    d.c.mode = head.mode;
    d.c.format = head.format;
    d.c.profile = scope.request.profile;
    d.c.policy = scope.request.policy;
    d.c.input = Tensor(head.format, head.shape);
    bool made = false;
    for (std::uint32_t k = 0; k < attempts && !made; ++k) {
        if (k == attempts / 2) tame(head.swarm);
        Draws draws(seed, index, base + attribute_stream + k);
        made = draw_structure(d, head, scope, draws);
    }
    if (!made) make_plain(d.c, head, scope, d.output);
    return d;
}

Case with_values(Draft draft, const Scope& scope, std::uint64_t index, std::uint32_t attempt,
                 const Wish& wish) {
    const std::uint64_t seed = scope.request.seed;
    const std::uint32_t base = attempt * streams_of_an_attempt;
    Draws draws(seed, index, base + input_stream), more(seed, index, base + direction_stream);
    draw_values(draft.c, std::move(draft.output), draws, more, wish);
    return std::move(draft.c);
}

}  // namespace generate

Case Generator::operator()(std::uint64_t index) const {
    if (generate::is_varied(index))
        if (auto c = generate::varied_case(*scope_, (*this)(index - 1), index)) return *std::move(c);
    if (const auto pair = generate::target(*scope_, index))
        return generate::directed_case(*scope_, index, *pair);
    return generate::drawn_case(*scope_, index);
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// The first draws of a case: what it computes, on what shape, with which features.
#include "generate/bins.hpp"
#include "generate/structure.hpp"

#include <algorithm>
#include <numeric>

namespace poolproof::generate {

namespace {

constexpr Index lane = 8;

bool holds(unsigned bits, std::size_t k) { return (bits >> k & 1U) != 0; }

void draw_kind(Head& h, const Scope& scope, Draws& draws, const Wish& wish) {
    static constexpr std::uint32_t op_weights[drawn_ops] = {5, 5, 4, 3, 3, 2, 2, 5};
    static constexpr std::uint32_t mode_weights[3] = {4, 2, 3};
    static constexpr std::uint32_t format_weights[8] = {6, 8, 5, 4, 5, 4, 4, 5};
    const auto formats_of = [&](std::size_t op, std::size_t mode) {
        return holds(wish.ops, op) && holds(wish.modes, mode) ? scope.requested[op][mode] & wish.formats : 0U;
    };
    std::array<std::uint32_t, drawn_ops> ops{};
    for (std::size_t k = 0; k < ops.size(); ++k)
        if ((formats_of(k, 0) | formats_of(k, 1) | formats_of(k, 2)) != 0) ops[k] = op_weights[k];
    const auto op = draws.weighted(ops);
    std::array<std::uint32_t, 3> modes{};
    for (std::size_t k = 0; k < modes.size(); ++k) modes[k] = formats_of(op, k) != 0 ? mode_weights[k] : 0;
    const auto mode = draws.weighted(modes);
    std::array<std::uint32_t, 8> formats{};
    for (std::size_t k = 0; k < formats.size(); ++k)
        formats[k] = holds(formats_of(op, mode), k) ? format_weights[k] : 0;
    const auto format = draws.weighted(formats);
    h.op = static_cast<Op>(op);
    h.mode = static_cast<Mode>(mode);
    h.format = static_cast<Format>(format);
}

/// Leading axes, then the rank; both weighted to what is common.
Index draw_ranks(Head& h, const Scope& scope, Draws& draws, const Wish& wish) {
    static constexpr std::uint32_t rank_weights[most_spatial] = {6, 8, 4, 2, 1};
    static constexpr std::uint32_t leading_weights[most_leading + 1] = {2, 3, 4, 1};
    std::array<std::uint32_t, (most_leading + 1) * most_spatial> weights{};
    for (std::size_t k = 0; k < scope.ranks.size(); ++k) {
        const auto [leading, rank] = scope.ranks[k];
        weights[k] = rank_weights[rank - 1] * leading_weights[leading];
        const bool wished = holds(wish.ranks, static_cast<std::size_t>(rank - 1)) &&
                            holds(wish.leading, static_cast<std::size_t>(leading));
        // Where no shape is as wished, any is as good.
        if (wished) weights[k] *= 1000;
    }
    const auto [leading, rank] = scope.ranks[draws.weighted(weights)];
    h.rank = rank;
    return leading;
}

Shape drawn_leading(Index axes, Draws& draws) {
    Shape shape;
    for (Index k = 0; k < axes; ++k) {
        const Index extent = 1 + static_cast<Index>(draws.weighted({3, 4, 2}));
        shape.push_back(extent);
    }
    if (axes > 0 && draws.one_in(80)) shape[draws.below(static_cast<std::uint32_t>(axes))] = 0;
    return shape;
}

/// Extents of 1 to 2 lane + 1 with a product of about `room`; the axes take their share in random order.
std::vector<Index> drawn_extents(Index rank, Index room, Draws& draws) {
    std::vector<Index> extents(static_cast<std::size_t>(rank), 1);
    std::vector<std::size_t> order(extents.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    draws.shuffle(order);
    Index left = rank;
    for (const std::size_t k : order) {
        const Index share = room >> --left;
        const Index most = std::clamp<Index>(share, 1, 2 * lane + 1);
        switch (draws.weighted({1, 1, 6})) {
            case 0: extents[k] = most; break;
            case 1: extents[k] = 1; break;
            default: extents[k] = draws.between(std::min<Index>(2, most), most);
        }
        room = std::max<Index>(room / extents[k], 1);
    }
    if (draws.one_in(6))
        std::fill(extents.begin(), extents.end(), *std::min_element(extents.begin(), extents.end()));
    return extents;
}

/// Next to where narrow counters and tiles end; or, for bins, of many factors.
Index drawn_long_extent(Op op, Draws& draws) {
    if (is_adaptive(op) && draws.coin()) return drawn_missed_extent(draws);
    if (is_adaptive(op) && draws.coin()) {
        const Index factor = draws.between(2, 9);
        return factor * draws.between(4, 28);
    }
    // A graph takes much longer to judge.
    if (op == Op::graph) return draws.between(127, draws.coin() ? 130 : 259);
    switch (draws.weighted({5, 4, 3, 1})) {
        case 0: return draws.between(127, 130);
        case 1: return draws.between(255, 259);
        case 2: return draws.between(280, 600);
        default: return draws.between(2047, 2050);
    }
}

/// Makes one axis long; the leading axes give way to it. With `counts` so long that the sum of a window may
/// pass what 16 bits hold of 8-bit numbers.
void lengthen(Op op, bool counts, Shape& leading, std::vector<Index>& extents, Draws& draws) {
    const std::size_t k = draws.below(static_cast<std::uint32_t>(extents.size()));
    if (counts)
        extents[k] = draws.one_in(3) ? draws.between(2047, 2050) : draws.between(270, 600);
    else
        extents[k] = drawn_long_extent(op, draws);
    for (Index& n : leading) n = std::min<Index>(n, extents[k] > 270 || is_adaptive(op) ? 1 : 2);
}

bool is_summed(Op op) { return op == Op::avg_pool || op == Op::global_avg_pool; }

/// Several slices that together pass what offsets of 12, 15 or 16 bits reach, or one whose positions do.
void widen(Head& h, Draws& draws) {
    const std::size_t rank = static_cast<std::size_t>(h.rank), leading = h.shape.size() - rank;
    const Index cells =
        draws.one_of({draws.between(4100, 9000), draws.between(32900, 34000), draws.between(65600, 66000)});
    const Index slices = leading == 0 || draws.one_in(4) ? 1 : draws.between(2, 4);
    h.shape.assign(h.shape.size(), 1);
    if (leading > 0) h.shape[leading - 1] = slices;
    const Index columns = rank > 1 ? draws.between(30, 70) : 1;
    h.shape[leading] = cells / slices / columns + 1;
    if (rank > 1) h.shape.back() = columns;
    h.limits = {2 * cells, 12 * cells};
}

}  // namespace

Head drawn_head(const Scope& scope, Draws& draws, const Wish& wish) {
    Head h{};
    h.nodes = wish.nodes;
    h.mixed_ranks = wish.mixed_ranks;
    draw_kind(h, scope, draws, wish);
    const Index leading = draw_ranks(h, scope, draws, wish);
    h.swarm = drawn_swarm(draws);
    for (bool Swarm::*feature : wish.swarm) h.swarm.*feature = true;
    const bool large = draws.one_in(100) || (wish.large && draws.coin());
    const bool graph = h.op == Op::graph;
    const bool longer = draws.one_in(is_adaptive(h.op) ? 5 : graph ? 100 : 30) || (wish.large && !large);
    const bool counts = is_integer(h.format) && is_summed(h.op) && draws.one_in(6);
    // The counters that overflow count a window's cells as often as the axis'.
    if (counts || (longer && draws.one_in(3))) h.swarm.whole = true;
    const bool roomy = h.swarm.usual && is_sliding(h.op) && h.rank < 3 && draws.one_in(3);
    const Index budget = large   ? draws.between(200, graph ? 400 : 2500)
                         : roomy ? 400
                                 : std::array<Index, 3>{24, 64, 200}[draws.weighted({8, 6, 1})];
    h.shape = drawn_leading(leading, draws);
    if (wish.empty_batch && leading > 0) h.shape[draws.below(static_cast<std::uint32_t>(leading))] = 0;
    const Index room = budget / std::max<Index>(size(h.shape), 1);
    const bool lengthened = longer || counts;
    auto extents = drawn_extents(h.rank, lengthened ? 2 : std::max<Index>(room, 4), draws);
    if (lengthened) lengthen(h.op, counts, h.shape, extents, draws);
    h.shape.insert(h.shape.end(), extents.begin(), extents.end());
    const Index scale = !large && !lengthened ? 1 : graph ? 2 : 10;
    h.limits = {400 * scale, h.op == Op::smooth_max_pool ? 1000 * std::min<Index>(scale, 3) : 3000 * scale};
    if (!graph && h.op != Op::smooth_max_pool && draws.one_in(1000)) widen(h, draws);
    return h;
}

}  // namespace poolproof::generate

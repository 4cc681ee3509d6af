// SPDX-License-Identifier: Apache-2.0
#include "generate/attributes.hpp"

#include "generate/bins.hpp"
#include "generate/patterns.hpp"
#include "generate/values.hpp"

#include <algorithm>

namespace poolproof::generate {

namespace {

using List = std::vector<Index>;

/// Whether a value that is the default is written nevertheless.
bool written(const Swarm& swarm, Draws& draws) {
    if (swarm.writing == 2) return draws.coin();
    return swarm.writing == 1;
}

void write(std::optional<List>& to, const List& list, const List& otherwise, const Swarm& swarm,
           Draws& draws) {
    if (list != otherwise || written(swarm, draws)) to = list;
}

void write(std::optional<bool>& to, bool value, bool otherwise, const Swarm& swarm, Draws& draws) {
    if (value != otherwise || written(swarm, draws)) to = value;
}

struct AxisDraw {
    Index kernel = 1, stride = 1, dilation = 1, begin = 0, end = 0;
};

Index drawn_kernel(Index extent, std::size_t rank, const Swarm& swarm, bool oversized, Draws& draws) {
    const Index small = std::min<Index>(extent, rank > 2 ? 3 : 4);
    if (oversized && swarm.oversized && draws.one_in(3)) return extent + draws.between(1, 2);
    if (swarm.whole && draws.coin()) return extent;
    switch (draws.weighted({6, 3, 1})) {
        case 0: return draws.between(1, small);
        case 1: return draws.between(1, rank > 3 ? small : extent);
        default: return extent;
    }
}

/// Numbers at the end of 32 bits, where they change no size: an implementation may overflow on them, but one
/// that gets them wrong does not fill the memory.
void make_huge(AxisDraw& x, const Scope::Sliding& may, Draws& draws) {
    constexpr Index most = 2147483647;
    const Index number = draws.one_of({most, most - 1, Index{1} << 30, (Index{1} << 24) + 1, Index{65537}});
    if (x.kernel == 1 && may.dilation && draws.coin())
        x.dilation = number;
    else
        x.stride = number;
}

AxisDraw drawn_axis(Index extent, std::size_t rank, const Swarm& swarm, const Scope::Sliding& may,
                    Draws& draws) {
    AxisDraw x;
    x.kernel = drawn_kernel(extent, rank, swarm, may.oversized, draws);
    if (swarm.dilation && may.dilation)
        x.dilation = swarm.sparse ? std::max<Index>(extent + draws.between(-1, 1), 1) : draws.between(1, 3);
    if (swarm.padding && may.padding) {
        const Index reach = x.dilation * (x.kernel - 1);
        const Index wide = may.wide_padding && swarm.wide_padding ? reach + 1 : 0;
        const Index modest = may.wide_padding ? std::min<Index>(reach, x.kernel) : x.kernel / 2;
        const Index most = std::min<Index>(std::max(wide, modest), rank > 3 ? 1 : 4);
        x.begin = draws.between(0, most);
        x.end = swarm.asymmetric ? draws.between(0, most) : x.begin;
    }
    const bool fit = !(swarm.oversized && may.oversized);
    while (fit && x.dilation > 1 && x.dilation * (x.kernel - 1) + 1 > extent + x.begin + x.end) --x.dilation;
    const std::uint32_t overlaps = swarm.overlap ? 3 : 0;
    const std::uint32_t gaps = swarm.gap ? 3 : 0;
    switch (draws.weighted({3, overlaps, overlaps, gaps})) {
        case 0: x.stride = x.kernel; break;
        case 1: x.stride = 1; break;
        case 2: x.stride = draws.between(1, x.kernel); break;
        default: x.stride = x.kernel + draws.between(1, 2);
    }
    if (swarm.huge) make_huge(x, may, draws);
    return x;
}

Index drawn_divisor(Draws& draws) {
    const Index sign = draws.coin() ? -1 : 1;
    switch (draws.weighted({6, 2, 1, 1})) {
        case 0: return sign * draws.between(1, 9);
        case 1: return sign * (Index{1} << draws.between(0, 12));
        case 2: return sign * draws.between(10, 4000);
        default: return sign * 2147483647;
    }
}

/// What networks are made of, for which implementations have loops of their own: alike along all axes.
struct Layer {
    Index kernel, stride, padding;
};
constexpr Layer usual_layers[] = {{2, 2, 0}, {3, 2, 1}, {3, 1, 1}, {3, 2, 0}, {3, 3, 0}, {2, 1, 0}, {5, 1, 2},
                                  {5, 2, 2}, {5, 3, 0}, {7, 7, 0}, {7, 2, 3}, {1, 2, 0}, {4, 4, 0}};

/// Nothing where the one that came up is wider than the input.
std::optional<AxisDraw> drawn_usual_axis(Index least, const Scope::Sliding& may, Draws& draws) {
    Layer layer = usual_layers[draws.below(static_cast<std::uint32_t>(std::size(usual_layers)))];
    if (!may.padding) layer.padding = 0;
    if (layer.kernel > least + 2 * layer.padding) return std::nullopt;
    return AxisDraw{layer.kernel, layer.stride, 1, layer.padding, layer.padding};
}

Attributes sliding(Op op, Format format, std::span<const Index> extents, const Swarm& swarm,
                   const Scope& scope, Draws& draws) {
    const auto& may = scope.sliding[at(op)];
    const std::size_t rank = extents.size();
    const Index least = *std::min_element(extents.begin(), extents.end());
    List kernel, stride, dilation, begin, end;
    const auto usual = swarm.usual ? drawn_usual_axis(least, may, draws) : std::nullopt;
    AxisDraw x = usual.value_or(AxisDraw{});
    for (std::size_t k = 0; k < rank; ++k) {
        if (!usual && (swarm.unequal || k == 0))
            x = drawn_axis(swarm.unequal ? extents[k] : least, rank, swarm, may, draws);
        kernel.push_back(x.kernel);
        stride.push_back(x.stride);
        dilation.push_back(x.dilation);
        begin.push_back(x.begin);
        end.push_back(x.end);
    }
    const List zeros(rank, 0), ones(rank, 1);
    Attributes a;
    a.kernel = kernel;
    write(a.stride, stride, kernel, swarm, draws);
    if (swarm.auto_pad && may.auto_pad) {
        a.auto_pad = draws.one_of({AutoPad::valid, AutoPad::same_upper, AutoPad::same_lower});
    } else {
        write(a.pad_begin, begin, zeros, swarm, draws);
        write(a.pad_end, end, begin, swarm, draws);
    }
    write(a.dilation, dilation, ones, swarm, draws);
    write(a.ceil_mode, swarm.ceil && may.ceil, false, swarm, draws);
    if (op == Op::avg_pool) {
        write(a.count_include_pad, !(swarm.uncounted && may.uncounted), true, swarm, draws);
        if (swarm.divisor_override && may.divisor_override) a.divisor_override = drawn_divisor(draws);
    }
    if (op == Op::smooth_max_pool) a.beta = drawn_beta(format, draws);
    return a;
}

Index drawn_bins(Index extent, std::size_t rank, const Swarm& swarm, Draws& draws) {
    if (swarm.more_bins && draws.coin()) return extent + draws.between(1, rank > 2 ? 1 : extent);
    if (extent > 17 && !draws.one_in(3))
        if (const auto missed = drawn_missed_bins(extent, draws)) return *missed;
    // Bins that share a factor with the cells begin on whole cells that a rounded ratio misses.
    Index factor = draws.between(2, 9);
    while (extent % factor != 0) --factor;
    if (extent >= 24 && factor > 1) return factor * draws.between(3, 28);
    if (swarm.whole) return draws.between(1, 2);
    switch (draws.weighted({5, 1, 1})) {
        case 0: return draws.between(1, extent);
        case 1: return 1;
        default: return extent;
    }
}

Attributes adaptive(std::span<const Index> extents, const Swarm& swarm, const Scope& scope, Draws& draws) {
    List sizes;
    for (const Index extent : extents) sizes.push_back(drawn_bins(extent, extents.size(), swarm, draws));
    if (scope.empty_output && draws.one_in(40))
        sizes[draws.below(static_cast<std::uint32_t>(sizes.size()))] = 0;
    Attributes a;
    a.output_size = sizes;
    return a;
}

}  // namespace

Swarm drawn_swarm(Draws& draws) {
    Swarm s{};
    const auto often = [&] { return draws.bits(2) != 0; };
    const auto half = [&] { return draws.coin(); };
    const auto seldom = [&] { return draws.bits(3) == 0; };
    s.unequal = often();
    s.padding = half();
    s.asymmetric = half();
    s.wide_padding = draws.one_in(4);
    s.dilation = draws.one_in(3);
    s.ceil = half();
    s.auto_pad = draws.one_in(5);
    s.uncounted = half();
    s.divisor_override = draws.bits(2) == 0;
    s.gap = half();
    s.overlap = often();
    s.oversized = seldom();
    s.whole = draws.one_in(16);
    s.sparse = draws.one_in(4);
    s.huge = draws.one_in(50);
    s.more_bins = half();
    s.keepdims = half();
    s.indices = half();
    s.memory = draws.one_in(6);
    s.usual = draws.one_in(6);
    s.writing = static_cast<int>(draws.below(3));
    return s;
}

Attributes drawn_attributes(Op op, Format format, std::span<const Index> extents, const Swarm& swarm,
                            const Scope& scope, Draws& draws) {
    if (is_sliding(op)) return sliding(op, format, extents, swarm, scope, draws);
    if (is_adaptive(op)) return adaptive(extents, swarm, scope, draws);
    Attributes a;
    a.spatial_rank = static_cast<Index>(extents.size());
    write(a.keepdims, swarm.keepdims, true, swarm, draws);
    return a;
}

void draw_outer_attributes(Case& c, Index rank, const Swarm& swarm, const Scope& scope, Draws& draws) {
    if (swarm.memory)
        c.attrs.memory = draws.one_of({Memory::contiguous, Memory::channels_last, Memory::strided});
    if (!is_max(c.op) || c.mode != Mode::forward) return;
    write(c.attrs.return_indices, swarm.indices, false, swarm, draws);
    if (!swarm.indices) return;
    const bool pairs = scope.row_column && rank == 2 && draws.coin();
    if (pairs)
        c.attrs.index_form = IndexForm::row_column;
    else if (written(swarm, draws))
        c.attrs.index_form = IndexForm::flat;
}

}  // namespace poolproof::generate

// SPDX-License-Identifier: Apache-2.0
// The reference, its rivals, a copy and the floor, layer by layer.
#include "bench/layers.hpp"

#include "bench/computed.hpp"

#include <algorithm>

namespace poolproof::bench {

namespace {

Layer sliding(Op op, Mode mode, Format format, Shape shape, Index k, Index s, Index p, bool indices = false) {
    const std::size_t rank = shape.size() - 2;
    return {op,
            mode,
            format,
            std::move(shape),
            std::vector(rank, k),
            std::vector(rank, s),
            std::vector(rank, p),
            {},
            indices};
}

Layer binned(Op op, Format format, std::vector<Index> bins) {
    return {op, Mode::forward, format, default_shape, {}, {}, {}, std::move(bins), false};
}

const Shape wide_kernel_shape{2, 32, 56, 56};

/// The figures that follow from the times: how many times faster than LibTorch and than the fastest rival,
/// and how far from the floor.
Figures figures_of(const std::vector<std::string>& names, const std::vector<double>& seconds) {
    Figures f;
    double reference = 0, torch = 0, floor = 0, best = 0;
    for (std::size_t k = 0; k < names.size(); ++k) {
        const double s = seconds[k];
        f.emplace_back(names[k] + "_ms", 1e3 * s);
        if (names[k] == "reference") reference = s;
        if (names[k] == "torch") torch = s;
        if (names[k] == "floor") floor = s;
        const bool rival = names[k] != "memcpy" && names[k] != "floor" && !names[k].starts_with("reference");
        if (rival && (best == 0 || s < best)) best = s;
    }
    if (torch > 0) f.emplace_back("ratio", torch / reference);
    if (best > 0) f.emplace_back("best_ratio", best / reference);
    f.emplace_back("over_floor", reference / floor);
    return f;
}

void add(std::vector<Measure>& to, const Layer& layer, Manner manner) {
    std::string name = layer.name();
    if (manner.fresh) name += "/fresh";
    if (manner.wide_sums) name += "/wide_sums";
    if (manner.threads > 1) name += "/t" + std::to_string(manner.threads);
    to.push_back({name, [=] { return compared(layer, manner); }});
}

}  // namespace

Trial compared(const Layer& layer, Manner manner) {
    const auto inputs = Inputs::of(layer);
    std::vector<std::string> names;
    Trial t;
    const auto take = [&](const std::string& name, Work work) {
        if (!work) return;
        names.push_back(name);
        t.works.push_back(std::move(work));
    };
    take("reference", reference_work(layer, inputs, Layout::planes, manner));
    take("reference_channels_last", reference_work(layer, inputs, Layout::channels_last, manner));
    for (const Rival& r : rivals()) take(r.name, r.prepare(layer, inputs, manner));
    take("memcpy", copy_work(inputs));
    take("floor", floor_work(layer, inputs));
    t.figures = [names](const auto& seconds) { return figures_of(names, seconds); };
    if (manner.threads > 1) t.clock = Clock::wall;
    return t;
}

std::vector<Layer> standard_layers(Format f) {
    constexpr Mode forward = Mode::forward, vjp = Mode::vjp;
    return {
        sliding(Op::max_pool, forward, f, default_shape, 3, 2, 1),
        sliding(Op::max_pool, forward, f, default_shape, 3, 2, 1, true),
        sliding(Op::max_pool, forward, f, default_shape, 2, 2, 0),
        sliding(Op::avg_pool, forward, f, default_shape, 3, 2, 1),
        sliding(Op::avg_pool, forward, f, default_shape, 2, 2, 0),
        binned(Op::adaptive_avg_pool, f, {7, 7}),
        binned(Op::adaptive_max_pool, f, {7, 7}),
        binned(Op::global_avg_pool, f, {}),
        sliding(Op::max_pool, vjp, f, default_shape, 3, 2, 1, true),
        sliding(Op::max_pool, vjp, f, default_shape, 3, 2, 1),
        sliding(Op::avg_pool, vjp, f, default_shape, 3, 2, 1),
        sliding(Op::max_pool, forward, f, {2, 16, 24, 56, 56}, 3, 2, 1),
        sliding(Op::max_pool, forward, f, wide_kernel_shape, 13, 1, 6),
        sliding(Op::max_pool, forward, f, wide_kernel_shape, 31, 1, 15),
        sliding(Op::smooth_max_pool, forward, f, default_shape, 3, 2, 0),
        sliding(Op::max_pool, forward, f, {2, 3, 8, 8}, 2, 2, 0),
        sliding(Op::avg_pool, forward, f, {2, 3, 8, 8}, 2, 2, 0),
    };
}

std::vector<Layer> kernel_growth() {
    std::vector<Layer> r;
    for (const Index k : {3, 5, 7, 9, 13, 21, 31})
        r.push_back(sliding(Op::max_pool, Mode::forward, Format::f64, wide_kernel_shape, k, 1, k / 2));
    return r;
}

std::vector<Layer> tensor_growth() {
    std::vector<Layer> r;
    for (const Index extent : {8, 16, 32, 64, 128, 256})
        r.push_back(sliding(Op::max_pool, Mode::forward, Format::f64, {4, 16, extent, extent}, 3, 2, 1));
    return r;
}

void add_layers(std::vector<Measure>& to) {
    std::vector<Layer> warm;
    for (const Format f : {Format::f64, Format::f32})
        for (Layer& l : standard_layers(f)) warm.push_back(std::move(l));
    for (const auto& more : {kernel_growth(), tensor_growth()})
        for (const Layer& l : more)
            if (std::none_of(warm.begin(), warm.end(), [&](const Layer& w) { return w.name() == l.name(); }))
                warm.push_back(l);
    for (const Layer& l : warm) add(to, l, {});
    for (const Format f : {Format::f64, Format::f32})
        for (const auto& l : {sliding(Op::max_pool, Mode::forward, f, default_shape, 3, 2, 1),
                              sliding(Op::avg_pool, Mode::forward, f, default_shape, 3, 2, 1),
                              sliding(Op::avg_pool, Mode::vjp, f, default_shape, 3, 2, 1)}) {
            add(to, l, {true, 1});
            add(to, l, {false, 2});
        }
    for (const auto& l : {sliding(Op::avg_pool, Mode::forward, Format::f32, default_shape, 3, 2, 1),
                          sliding(Op::avg_pool, Mode::forward, Format::f32, default_shape, 2, 2, 0),
                          sliding(Op::avg_pool, Mode::vjp, Format::f32, default_shape, 3, 2, 1)})
        add(to, l, {.wide_sums = true});
}

}  // namespace poolproof::bench

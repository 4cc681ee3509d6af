// SPDX-License-Identifier: Apache-2.0
#include "bench/layer.hpp"

#include "bench/random.hpp"

#include <poolproof/run.hpp>

#include <algorithm>
#include <map>

namespace poolproof::bench {

namespace {

constexpr Index enough_values = Index{1} << 22;  ///< that inputs have among them, but for
constexpr Index most_inputs = 512;

bool is_average(Op op) {
    return op == Op::avg_pool || op == Op::adaptive_avg_pool || op == Op::global_avg_pool;
}

/// "3", or "3x5" where the axes differ.
std::string each(const std::vector<Index>& list) {
    if (std::equal(list.begin() + 1, list.end(), list.begin())) return std::to_string(list.front());
    std::string s;
    for (const Index n : list) s += (s.empty() ? "" : "x") + std::to_string(n);
    return s;
}

bool any(const std::vector<Index>& list) {
    return std::any_of(list.begin(), list.end(), [](Index n) { return n != 0; });
}

Values random_values(Format f, const Shape& shape) {
    const Tensor t = random_tensor(shape);
    Values v(f, t.size());
    if (f == Format::f64) {
        v.bytes.assign(t.data.begin(), t.data.end());
        return v;
    }
    const auto to = v.as<float>();
    for (Index i = 0; i < t.size(); ++i)
        to[static_cast<std::size_t>(i)] = static_cast<float>(std::bit_cast<double>(t[i]));
    return v;
}

template <class T> Memory<Index> winners(const Layer& layer, const Values& x) {
    std::vector<T> y(static_cast<std::size_t>(size(layer.output_shape())));
    Memory<Index> indices(y.size());
    reference::max_forward<T>(layer.pooling(Layout::planes, 1), x.as<T>(), y, indices);
    return indices;
}

}  // namespace

std::string Layer::name() const {
    std::string s = std::string(poolproof::name(op)) + "/" + std::string(poolproof::name(mode)) + "/" +
                    std::string(poolproof::name(format)) + "/";
    if (rank() != 2) s += std::to_string(rank()) + "d_";
    if (!kernel.empty())
        s += "k" + each(kernel) + "s" + each(stride) + (any(padding) ? "p" + each(padding) : "");
    else
        s += bins.empty() ? "all" : "to" + each(bins);
    if (indices) s += "_indices";
    if (shape == default_shape) return s;
    for (std::size_t k = 0; k < shape.size(); ++k) s += (k == 0 ? "/" : "x") + std::to_string(shape[k]);
    return s;
}

reference::Pooling Layer::pooling(Layout layout, int threads) const {
    reference::Pooling p;
    const auto out = outputs();
    for (std::size_t k = 0; k < rank(); ++k) {
        reference::Axis a;
        a.extent = shape[k + 2];
        a.out = out[k];
        a.bins = kernel.empty();
        if (!a.bins) {
            a.kernel = kernel[k];
            a.stride = stride[k];
            a.pad_begin = a.pad_end = padding[k];
        }
        p.axes.push_back(a);
    }
    p.slices = shape[0] * shape[1];
    p.taps = is_average(op) || op == Op::smooth_max_pool ? reference::Taps::kernel : reference::Taps::real;
    p.layout = layout == Layout::planes ? reference::Layout::planes : reference::Layout::channels_last;
    p.channels = shape[1];
    p.threads = threads;
    return p;
}

Case Layer::as_case() const {
    Case c;
    c.op = op;
    c.mode = mode;
    c.format = format;
    c.profile = "pytorch";
    if (!kernel.empty()) {
        c.attrs.kernel = kernel;
        c.attrs.stride = stride;
        c.attrs.pad_begin = padding;
    } else if (!bins.empty()) {
        c.attrs.output_size = bins;
    } else {
        c.attrs.spatial_rank = static_cast<Index>(rank());
    }
    if (op == Op::smooth_max_pool)
        c.attrs.beta = format == Format::f64 ? std::bit_cast<Bits>(1.0) : std::bit_cast<std::uint32_t>(1.0F);
    if (indices && mode == Mode::forward) c.attrs.return_indices = true;
    c.input.format = format;
    c.input.shape = shape;
    return completed(std::move(c));
}

std::shared_ptr<const Inputs> Inputs::of(const Layer& layer) {
    static std::map<std::string, std::weak_ptr<const Inputs>> made;
    Layer key = layer;
    if (!layer.indices && layer.mode == Mode::forward) {  // what it makes of its input does not matter
        key.op = Op::max_pool;
        key.kernel.clear();
        key.bins.clear();
    }
    auto& known = made[key.name() + "of" + std::to_string(size(layer.shape))];
    if (auto shared = known.lock()) return shared;
    auto r = std::make_shared<Inputs>();
    const Index count = std::clamp<Index>(enough_values / size(layer.shape), 1, most_inputs);
    for (Index k = 0; k < count; ++k) {
        r->x.push_back(random_values(layer.format, layer.shape));
        if (layer.indices && layer.mode == Mode::vjp)
            r->indices.push_back(layer.format == Format::f64 ? winners<double>(layer, r->x.back())
                                                             : winners<float>(layer, r->x.back()));
    }
    if (layer.mode == Mode::vjp) r->dy = random_values(layer.format, layer.output_shape());
    known = r;
    return r;
}

}  // namespace poolproof::bench

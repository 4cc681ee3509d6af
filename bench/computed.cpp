// SPDX-License-Identifier: Apache-2.0
#include "bench/computed.hpp"

#include "bench/trial.hpp"

#include <cstring>

namespace poolproof::bench {

namespace {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define POOLPROOF_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define POOLPROOF_CLONES
#endif

POOLPROOF_CLONES std::uint64_t read_all(const std::uint64_t* x, std::size_t n) {
    std::uint64_t all = 0;
    for (std::size_t k = 0; k < n; ++k) all ^= x[k];
    return all;
}

void read_bytes(std::span<const std::uint8_t> bytes) {
    keep(read_all(reinterpret_cast<const std::uint64_t*>(bytes.data()), bytes.size() / 8));
}

std::span<const std::uint8_t> bytes_of(const Memory<Index>& v) {
    return {reinterpret_cast<const std::uint8_t*>(v.data()), v.size() * sizeof(Index)};
}

bool is_maximum(Op op) {
    return op == Op::max_pool || op == Op::adaptive_max_pool || op == Op::global_max_pool;
}

/// One input of a call.
template <class T> struct Input {
    std::span<const T> x, dy;
    std::span<const Index> indices;
};

template <class T>
void compute(const Layer& layer, const reference::Pooling& p, const Input<T>& in, std::span<T> out,
             std::span<Index> indices) {
    const bool forward = layer.mode == Mode::forward;
    if (is_maximum(layer.op)) {
        if (forward) return reference::max_forward<T>(p, in.x, out, indices);
        if (layer.indices) return reference::max_vjp_at<T>(p, in.indices, in.dy, out);
        return reference::max_vjp<T>(p, in.x, in.dy, out);
    }
    if (layer.op == Op::smooth_max_pool) {
        if (forward) return reference::smooth_max_forward<T>(p, T(1), in.x, out);
        return reference::smooth_max_vjp<T>(p, T(1), in.x, in.dy, out);
    }
    if (forward) return reference::average_forward<T>(p, in.x, out);
    reference::average_vjp<T>(p, in.dy, out);
}

template <class T> class ReferenceCall {
public:
    ReferenceCall(const Layer& layer, std::shared_ptr<const Inputs> inputs, Layout layout, Manner manner)
        : layer_(layer),
          pooling_(layer.pooling(layout, manner.threads)),
          inputs_(std::move(inputs)),
          fresh_(manner.fresh),
          size_(static_cast<std::size_t>(
              size(layer.mode == Mode::forward ? layer.output_shape() : layer.shape))) {
        pooling_.sums = manner.wide_sums ? reference::Sums::wide : reference::Sums::own;
        if (layout == Layout::channels_last) {
            auto own = std::make_shared<Inputs>(*inputs_);
            for (Values& x : own->x) x = channels_last(x, layer.shape);
            if (layer.mode == Mode::vjp) own->dy = channels_last(own->dy, layer.output_shape());
            inputs_ = own;
        }
        if (!fresh_) out_.assign(size_, T(1));
        if (layer.indices && layer.mode == Mode::forward && !fresh_) out_indices_.assign(size_, 1);
    }

    void operator()() {
        const std::size_t k = at_++ % inputs_->x.size();
        Input<T> in{inputs_->x[k].template as<T>(), inputs_->dy.template as<T>(), {}};
        if (!inputs_->indices.empty()) in.indices = inputs_->indices[k];
        if (!fresh_) {
            compute<T>(layer_, pooling_, in, out_, out_indices_);
            return keep(out_);
        }
        const auto out = std::make_unique_for_overwrite<T[]>(size_);
        const bool indexed = layer_.indices && layer_.mode == Mode::forward;
        const auto indices = std::make_unique_for_overwrite<Index[]>(indexed ? size_ : 0);
        compute<T>(layer_, pooling_, in, {out.get(), size_}, {indices.get(), indexed ? size_ : 0});
        keep(*out.get());
    }

private:
    Layer layer_;
    reference::Pooling pooling_;
    std::shared_ptr<const Inputs> inputs_;
    bool fresh_;
    std::size_t size_, at_ = 0;
    Memory<T> out_;
    Memory<Index> out_indices_;
};

}  // namespace

Work reference_work(const Layer& layer, std::shared_ptr<const Inputs> inputs, Layout layout, Manner manner) {
    // The indices that a VJP gets are those of planes.
    if (layout == Layout::channels_last && layer.indices && layer.mode == Mode::vjp) return {};
    if (layer.format == Format::f64) return ReferenceCall<double>(layer, std::move(inputs), layout, manner);
    return ReferenceCall<float>(layer, std::move(inputs), layout, manner);
}

Work copy_work(const std::shared_ptr<const Inputs>& inputs) {
    return [inputs, to = inputs->x.front().bytes, at = std::size_t{0}]() mutable {
        const auto& from = inputs->x[at++ % inputs->x.size()].bytes;
        std::memcpy(to.data(), from.data(), from.size());
        keep(to);
    };
}

Work floor_work(const Layer& layer, std::shared_ptr<const Inputs> inputs) {
    const bool forward = layer.mode == Mode::forward;
    const bool reads_x =
        forward || (is_maximum(layer.op) && !layer.indices) || layer.op == Op::smooth_max_pool;
    const Index outputs = size(forward ? layer.output_shape() : layer.shape);
    const Index indices = layer.indices && forward ? outputs * static_cast<Index>(sizeof(Index)) : 0;
    return [inputs = std::move(inputs), reads_x, forward, at = std::size_t{0},
            to = Memory<std::uint8_t>(static_cast<std::size_t>(outputs * bytes(layer.format) + indices),
                                      1)]() mutable {
        const std::size_t k = at++ % inputs->x.size();
        if (reads_x) read_bytes(inputs->x[k].bytes);
        if (!forward) read_bytes(inputs->dy.bytes);
        if (!inputs->indices.empty()) read_bytes(bytes_of(inputs->indices[k]));
        std::memset(to.data(), static_cast<int>(k & 1), to.size());
        keep(to);
    };
}

}  // namespace poolproof::bench

// SPDX-License-Identifier: Apache-2.0
// LibTorch in either layout, and the oneDNN that it brings, by the calls of ATen that allocate least.
#include "bench/rivals.hpp"
#include "backends/torch/torch.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <torch/version.h>

namespace poolproof::bench {

namespace {

enum class Form { planes, channels_last, onednn };

bool is_maximum(Op op) {
    return op == Op::max_pool || op == Op::adaptive_max_pool || op == Op::global_max_pool;
}

at::Tensor in_form(const at::Tensor& t, Form form) {
    if (form == Form::onednn) return t.to_mkldnn();
    if (form == Form::planes) return t;
    return t.contiguous(t.dim() == 4 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::ChannelsLast3d);
}

/// A layer's tensors in one form, and memory for what comes of them.
class TorchCall {
public:
    TorchCall(const Layer& layer, std::shared_ptr<const Inputs> inputs, Manner manner, Form form)
        : layer_(layer), inputs_(std::move(inputs)), manner_(manner), form_(form) {
        const c10::InferenceMode inference;
        const auto type = layer.format == Format::f64 ? at::kDouble : at::kFloat;
        const auto tensor = [&](const Values& v, const Shape& shape) {
            return in_form(at::from_blob(const_cast<std::uint8_t*>(v.bytes.data()), shape, type), form);
        };
        for (const Values& x : inputs_->x) x_.push_back(tensor(x, layer.shape));
        if (layer.mode == Mode::vjp) {
            dy_ = tensor(inputs_->dy, layer.output_shape());
            if (is_maximum(layer.op))
                for (const at::Tensor& x : x_) results_.push_back(pooled(x));
        }
        if (form == Form::onednn) return;
        y_ = in_form(at::ones(layer.output_shape(), type), form);
        indices_ = in_form(at::zeros(layer.output_shape(), at::kLong), form);
        dx_ = in_form(at::ones(layer.shape, type), form);
    }

    void operator()() {
        static int threads = 0;
        if (threads != manner_.threads) at::set_num_threads(threads = manner_.threads);
        const c10::InferenceMode inference;
        const std::size_t k = at_++ % x_.size();
        if (form_ == Form::onednn || manner_.fresh)
            layer_.mode == Mode::forward ? static_cast<void>(pooled(x_[k])) : static_cast<void>(pulled(k));
        else
            layer_.mode == Mode::forward ? pool_into(x_[k]) : pull_into(k);
    }

private:
    using Result = std::pair<at::Tensor, at::Tensor>;  ///< and its indices

    static Result of(std::tuple<at::Tensor, at::Tensor> t) { return {std::get<0>(t), std::get<1>(t)}; }

    bool three() const { return layer_.rank() == 3; }

    Result pooled(const at::Tensor& x) const {
        const auto &k = layer_.kernel, &s = layer_.stride, &p = layer_.padding;
        const std::vector<Index> dilation(layer_.rank(), 1);
        switch (layer_.op) {
            case Op::max_pool:
                if (form_ != Form::onednn)
                    return of(three() ? at::max_pool3d_with_indices(x, k, s, p)
                                      : at::max_pool2d_with_indices(x, k, s, p));
                return {three() ? at::mkldnn_max_pool3d(x, k, s, p, dilation, false)
                                : at::mkldnn_max_pool2d(x, k, s, p, dilation, false),
                        {}};
            case Op::avg_pool: return {three() ? at::avg_pool3d(x, k, s, p) : at::avg_pool2d(x, k, s, p), {}};
            case Op::adaptive_max_pool: return of(at::adaptive_max_pool2d(x, layer_.bins));
            case Op::adaptive_avg_pool: return {at::adaptive_avg_pool2d(x, layer_.bins), {}};
            case Op::global_avg_pool: return {at::adaptive_avg_pool2d(x, {1, 1}), {}};
            case Op::smooth_max_pool:
                return {at::logsumexp(x.unfold(2, k[0], s[0]).unfold(3, k[1], s[1]), {4, 5}), {}};
            default: TORCH_CHECK_NOT_IMPLEMENTED(false, "no such op");
        }
    }

    at::Tensor pulled(std::size_t k) const {
        const auto &kernel = layer_.kernel, &s = layer_.stride, &p = layer_.padding;
        const std::vector<Index> dilation(layer_.rank(), 1);
        TORCH_CHECK_NOT_IMPLEMENTED(!three() && !kernel.empty() && layer_.op != Op::smooth_max_pool, "");
        if (layer_.op == Op::avg_pool)
            return at::avg_pool2d_backward(dy_, x_[k], kernel, s, p, false, true, c10::nullopt);
        const Result r = layer_.indices ? results_[k] : pooled(x_[k]);
        if (form_ == Form::onednn)
            return at::mkldnn_max_pool2d_backward(dy_, r.first, x_[k], kernel, s, p, dilation, false);
        return at::max_pool2d_with_indices_backward(dy_, x_[k], kernel, s, p, dilation, false, r.second);
    }

    void pool_into(const at::Tensor& x) {
        const auto &k = layer_.kernel, &s = layer_.stride, &p = layer_.padding;
        switch (layer_.op) {
            case Op::max_pool:
                if (three())
                    at::max_pool3d_with_indices_out(y_, indices_, x, k, s, p);
                else
                    at::max_pool2d_with_indices_out(y_, indices_, x, k, s, p);
                break;
            case Op::avg_pool:
                if (three())
                    at::avg_pool3d_out(y_, x, k, s, p);
                else
                    at::avg_pool2d_out(y_, x, k, s, p);
                break;
            case Op::adaptive_max_pool: at::adaptive_max_pool2d_out(y_, indices_, x, layer_.bins); break;
            case Op::adaptive_avg_pool: at::adaptive_avg_pool2d_out(y_, x, layer_.bins); break;
            case Op::global_avg_pool: at::mean_out(y_, x, at::IntArrayRef({2, 3}), true); break;
            default: pooled(x);
        }
    }

    void pull_into(std::size_t k) {
        const auto &kernel = layer_.kernel, &s = layer_.stride, &p = layer_.padding;
        TORCH_CHECK_NOT_IMPLEMENTED(!three() && !kernel.empty() && layer_.op != Op::smooth_max_pool, "");
        if (layer_.op == Op::avg_pool) {
            at::avg_pool2d_backward_out(dx_, dy_, x_[k], kernel, s, p, false, true, c10::nullopt);
            return;
        }
        if (!layer_.indices) at::max_pool2d_with_indices_out(y_, indices_, x_[k], kernel, s, p);
        at::max_pool2d_with_indices_backward_out(dx_, dy_, x_[k], kernel, s, p, {1, 1}, false,
                                                 layer_.indices ? results_[k].second : indices_);
    }

    Layer layer_;
    std::shared_ptr<const Inputs> inputs_;
    Manner manner_;
    Form form_;
    std::size_t at_ = 0;
    std::vector<at::Tensor> x_;
    std::vector<Result> results_;  ///< of the forward pass that a VJP gets
    at::Tensor dy_, y_, indices_, dx_;
};

/// Nothing where LibTorch has no kernel, which the first call tells.
Work prepared(const Layer& layer, std::shared_ptr<const Inputs> inputs, Manner manner, Form form) {
    // Its planes' answer, and a layout it is not told of.
    if (layer.op == Op::smooth_max_pool && form != Form::planes) return {};
    if (form == Form::onednn && (layer.format != Format::f32 || manner.fresh)) return {};
    if (form == Form::onednn && layer.indices && layer.mode == Mode::forward) return {};  // it gives none
    try {
        TorchCall call(layer, std::move(inputs), manner, form);
        call();
        return call;
    } catch (const std::exception&) { return {}; }
}

}  // namespace

void add_torch() {
    const auto add = [](const char* name, Form form) {
        rivals().push_back({name, std::string("LibTorch ") + TORCH_VERSION,
                            [form](const Layer& layer, std::shared_ptr<const Inputs> inputs, Manner manner) {
                                return prepared(layer, std::move(inputs), manner, form);
                            }});
    };
    add("torch", Form::planes);
    rivals().back().answer = backends::run_torch;
    add("torch_channels_last", Form::channels_last);
    add("torch_onednn", Form::onednn);
}

}  // namespace poolproof::bench

// SPDX-License-Identifier: Apache-2.0
// The system's oneDNN by its C++ API, in whichever layout of its own it is fastest: channels last, in f32.
#include "bench/rivals.hpp"

#include <dnnl.hpp>

#include <algorithm>

namespace poolproof::bench {

namespace {

using dnnl::algorithm;
using dnnl::memory;

memory::dims dims(const Shape& s) { return {s.begin(), s.end()}; }

class OnednnCall {
public:
    OnednnCall(const Layer& layer, std::shared_ptr<const Inputs> inputs) : inputs_(std::move(inputs)) {
        const auto form = layer.rank() == 3 ? memory::format_tag::ndhwc : memory::format_tag::nhwc;
        const memory::desc source(dims(layer.shape), memory::data_type::f32, form),
            result(dims(layer.output_shape()), memory::data_type::f32, form);
        const bool forward = layer.mode == Mode::forward, maximum = layer.op == Op::max_pool;
        const auto which = maximum ? algorithm::pooling_max : algorithm::pooling_avg_include_padding;
        const memory::dims stride = dims(layer.stride), kernel = dims(layer.kernel),
                           pad = dims(layer.padding);
        const dnnl::pooling_forward::primitive_desc described(
            {forward ? dnnl::prop_kind::forward_inference : dnnl::prop_kind::forward_training, which, source,
             result, stride, kernel, pad, pad},
            engine_);
        for (const Values& x : inputs_->x) sources_.push_back(filled(source, x, layer.shape));
        y_ = memory(result, engine_);
        forward_ = dnnl::pooling_forward(described);
        if (forward) return;
        gradient_ = filled(result, inputs_->dy, layer.output_shape());
        dx_ = memory(source, engine_);
        workspace_ = memory(described.workspace_desc(), engine_);
        recomputes_ = maximum && !layer.indices;
        const dnnl::pooling_backward::primitive_desc back({which, source, result, stride, kernel, pad, pad},
                                                          engine_, described);
        backward_ = dnnl::pooling_backward(back);
        if (maximum) run_forward(0);
    }

    void operator()() {
        const std::size_t k = at_++ % sources_.size();
        if (!backward_ || recomputes_) run_forward(k);
        if (backward_)
            backward_.execute(
                stream_,
                {{DNNL_ARG_DIFF_DST, gradient_}, {DNNL_ARG_WORKSPACE, workspace_}, {DNNL_ARG_DIFF_SRC, dx_}});
        stream_.wait();
    }

private:
    memory filled(const memory::desc& as, const Values& planes, const Shape& shape) {
        memory m(as, engine_);
        const Values v = channels_last(planes, shape);
        std::copy(v.bytes.begin(), v.bytes.end(), static_cast<std::uint8_t*>(m.get_data_handle()));
        return m;
    }

    void run_forward(std::size_t k) {
        std::unordered_map<int, memory> with{{DNNL_ARG_SRC, sources_[k]}, {DNNL_ARG_DST, y_}};
        if (workspace_) with.emplace(DNNL_ARG_WORKSPACE, workspace_);
        forward_.execute(stream_, with);
        stream_.wait();
    }

    std::shared_ptr<const Inputs> inputs_;
    dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream_{engine_};
    std::vector<memory> sources_;
    memory y_, gradient_, dx_, workspace_;
    dnnl::pooling_forward forward_;
    dnnl::pooling_backward backward_;
    bool recomputes_ = false;
    std::size_t at_ = 0;
};

/// oneDNN pools with a kernel, in f32. One thread: its own are not told of ours.
Work prepared(const Layer& layer, std::shared_ptr<const Inputs> inputs, Manner manner) {
    const bool known = layer.op == Op::max_pool || layer.op == Op::avg_pool;
    if (layer.indices && layer.mode == Mode::forward) return {};  // it gives none
    if (!known || layer.format != Format::f32 || manner.fresh || manner.threads > 1) return {};
    try {
        OnednnCall call(layer, std::move(inputs));
        call();
        return call;
    } catch (const std::exception&) { return {}; }
}

}  // namespace

}  // namespace poolproof::bench

extern "C" void poolproof_onednn(poolproof::bench::Rival* to);
extern "C" void poolproof_onednn(poolproof::bench::Rival* to) {
    const dnnl_version_t* v = dnnl_version();
    *to = {"onednn",
           "oneDNN " + std::to_string(v->major) + "." + std::to_string(v->minor) + "." +
               std::to_string(v->patch),
           poolproof::bench::prepared};
}

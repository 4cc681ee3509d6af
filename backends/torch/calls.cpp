// SPDX-License-Identifier: Apache-2.0
// Cases as tensors and back, and PyTorch's differentiation of what they compute. Of LibTorch's headers this
// folder includes ATen and the levels of forward-mode AD alone: torch/torch.h takes three times as long to
// compile.
#include "backends/torch/calls.hpp"

#include "backends/torch/pooling.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/forward_grad.h>
#include <torch/version.h>

#include <algorithm>
#include <cstring>

namespace poolproof::backends {

namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::array<at::ScalarType, format_names.size()> scalar_types{
    at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kChar, at::kByte, at::kInt, at::kLong};

at::Tensor imported(const Tensor& t) {
    at::Tensor r = at::empty(t.shape, scalar_types[static_cast<std::size_t>(t.format)]);
    if (!t.data.empty()) std::memcpy(r.data_ptr(), t.data.data(), t.data.size());
    return r;
}

Tensor exported(const at::Tensor& t) {
    const auto* const type = std::find(scalar_types.begin(), scalar_types.end(), t.scalar_type());
    if (type == scalar_types.end())
        throw std::runtime_error(std::string("PyTorch answered in ") + at::toString(t.scalar_type()));
    Tensor r(static_cast<Format>(type - scalar_types.begin()), t.sizes().vec());
    const at::Tensor whole = t.detach().contiguous();
    if (!r.data.empty()) std::memcpy(r.data.data(), whole.data_ptr(), r.data.size());
    return r;
}

/// Every second cell of a larger buffer, whose other cells hold what would win every maximum and spoil every
/// sum.
at::Tensor strided(const at::Tensor& t, std::int64_t first_axis) {
    Sizes sizes = t.sizes().vec();
    for (auto k = static_cast<std::size_t>(first_axis); k < sizes.size(); ++k) sizes[k] = 2 * sizes[k] + 1;
    at::Tensor view = at::empty(sizes, t.options());
    std::memset(view.data_ptr(), 0x7f, view.nbytes());
    for (std::int64_t axis = first_axis; axis < t.dim(); ++axis)
        view = view.slice(axis, 1, 2 * t.size(axis), 2);
    return view.copy_(t);
}

/// The same values, laid out as asked. The axes before the channels stay foldable into one.
at::Tensor laid_out(const at::Tensor& t, Memory memory, std::int64_t rank) {
    const std::int64_t channels = t.dim() - rank - 1;
    if (memory == Memory::strided) return strided(t, std::max<std::int64_t>(channels, 0));
    if (memory == Memory::contiguous || channels < 0) return t;
    return t.movedim(channels, -1).contiguous().movedim(-1, channels);
}

PooledTensor evaluated(const Case& c, const at::Tensor& x) {
    if (c.op != Op::graph) return pooled(c.op, c.attrs, c.format, c.mode, x);
    TORCH_CHECK(!c.nodes.empty(), "a graph without nodes");
    std::vector<at::Tensor> values;
    const auto value = [&](Index k) {
        TORCH_CHECK(-1 <= k && k < static_cast<Index>(values.size()), "node ", k, " is not an earlier one");
        return k < 0 ? x : values[static_cast<std::size_t>(k)];
    };
    for (const Node& n : c.nodes) {
        TORCH_CHECK(n.inputs.size() == (n.op == Op::add ? 2U : 1U), n.inputs.size(), " inputs of a node");
        if (n.op != Op::add) {
            values.push_back(pooled(n.op, n.attrs, c.format, c.mode, value(n.inputs[0])).y);
            continue;
        }
        const at::Tensor left = value(n.inputs[0]), right = value(n.inputs[1]);
        TORCH_CHECK(left.sizes() == right.sizes(), "add broadcasts ", left.sizes(), " and ", right.sizes());
        values.push_back(left + right);
    }
    return {values.back(), {}};
}

/// One level of forward-mode AD.
class DualLevel {
public:
    DualLevel() = default;
    DualLevel(const DualLevel&) = delete;
    DualLevel& operator=(const DualLevel&) = delete;
    ~DualLevel() { ::torch::autograd::ForwardADLevel::release_idx(level_); }

    operator std::int64_t() const { return static_cast<std::int64_t>(level_); }

private:
    std::uint64_t level_ = ::torch::autograd::ForwardADLevel::get_next_idx();
};

at::Tensor pushed(const Case& c, const at::Tensor& x, const at::Tensor& tangent) {
    const DualLevel level;
    const at::Tensor y = evaluated(c, at::_make_dual(x, tangent, level)).y;
    const auto [primal, dy] = at::_unpack_dual(y, level);
    return dy.defined() ? dy : at::zeros_like(primal);
}

at::Tensor pulled(const Case& c, at::Tensor x, const at::Tensor& cotangent) {
    x.requires_grad_();
    evaluated(c, x).y.backward(cotangent);
    return x.grad().defined() ? x.grad() : at::zeros_like(x);
}

Observation observed(const Case& c) {
    Index rank = spatial_rank(c.attrs);
    for (const Node& n : c.nodes) rank = std::max(rank, spatial_rank(n.attrs));
    const Memory memory = c.attrs.memory.value_or(Memory::contiguous);
    const at::Tensor x = laid_out(imported(c.input), memory, rank);
    Observation o;
    switch (c.mode) {
        case Mode::forward: {
            const PooledTensor r = evaluated(c, x);
            o.outputs.emplace_back("y", exported(r.y));
            if (c.attrs.return_indices.value_or(false))
                o.outputs.emplace_back("indices", exported(r.indices));
            break;
        }
        case Mode::jvp:
            o.outputs.emplace_back("dy",
                                   exported(pushed(c, x, laid_out(imported(*c.tangent), memory, rank))));
            break;
        case Mode::vjp:
            o.outputs.emplace_back("dx",
                                   exported(pulled(c, x, laid_out(imported(*c.cotangent), memory, rank))));
            break;
    }
    if (exported(x) != c.input) throw std::runtime_error("PyTorch changed its input");
    return o;
}

Observation without_answer(Observation::Kind kind, std::string why) {
    Observation o;
    o.kind = kind;
    o.why = std::move(why);
    return o;
}

/// PyTorch has one exception for nearly everything; its message tells the kinds apart.
Observation::Kind kind_of(const c10::Error& e) {
    const std::string_view message = e.what_without_backtrace();
    const auto says = [&](const char* words) { return message.find(words) != std::string_view::npos; };
    if (dynamic_cast<const c10::NotImplementedError*>(&e) || says("not implemented for") ||
        says("could not infer output dtype"))  // mean() of integers
        return Observation::Kind::declined;
    const bool fault = says("INTERNAL ASSERT") || says("can't allocate memory");
    return fault ? Observation::Kind::failed : Observation::Kind::rejected;
}

}  // namespace

Observation call_torch(const Case& c) {
    static const bool one_thread = (at::set_num_threads(1), true);
    static_cast<void>(one_thread);
    try {
        return observed(c);
    } catch (const c10::Error& e) {
        return without_answer(kind_of(e), e.what_without_backtrace());
    } catch (const std::exception& e) { return without_answer(Observation::Kind::failed, e.what()); }
}

const char* torch_version() { return TORCH_VERSION; }

}  // namespace poolproof::backends

// SPDX-License-Identifier: Apache-2.0
// The one file that includes LibTorch, and of it ATen and the levels of forward-mode AD alone: torch/torch.h
// takes three times as long to compile.
#include "backends/torch/torch.hpp"

#include "backends/torch/outside.hpp"
#include "backends/values.hpp"

#include <ATen/ATen.h>
#include <ATen/native/Pool.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/forward_grad.h>

#include <cmath>
#include <cstring>

namespace poolproof::backends {

namespace {

using Sizes = std::vector<std::int64_t>;
using torch::spatial_rank;

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

/// A channel alone, or channels, or a batch of them: whichever form of PyTorch's has the fewest axes. Without
/// any slice it is an empty batch, which is the axis that PyTorch allows to be empty.
at::Tensor batched(const at::Tensor& x, std::int64_t rank) {
    const auto leading = x.sizes().slice(0, static_cast<std::size_t>(x.dim() - rank));
    if (std::find(leading.begin(), leading.end(), 0) != leading.end()) {
        Sizes sizes = x.sizes().slice(leading.size()).vec();
        sizes.insert(sizes.begin(), {0, 1});
        return x.reshape(sizes);
    }
    if (leading.empty()) return x.unsqueeze(0);
    return leading.size() <= 2 ? x : x.flatten(0, static_cast<std::int64_t>(leading.size()) - 2);
}

struct Answer {
    at::Tensor y, indices;  ///< undefined indices: not asked for
};

using Pair = std::tuple<at::Tensor, at::Tensor>;
Answer with_indices(Pair both) { return {std::get<0>(both), std::get<1>(both)}; }

/// The arguments of a sliding op, as PyTorch takes them.
struct Sliding {
    Sizes kernel, stride, padding, dilation;
    bool ceil;

    Sliding(const Attributes& a, std::size_t rank)
        : kernel(a.kernel.value_or(Sizes{})),
          stride(a.stride.value_or(Sizes{})),
          padding(a.pad_begin.value_or(Sizes(rank, 0))),
          dilation(a.dilation.value_or(Sizes(rank, 1))),
          ceil(a.ceil_mode.value_or(false)) {}
};

Pair max_pool_with_indices(const Sliding& s, std::int64_t rank, const at::Tensor& x) {
    switch (rank) {
        case 1: return at::max_pool1d_with_indices(x, s.kernel, s.stride, s.padding, s.dilation, s.ceil);
        case 2: return at::max_pool2d_with_indices(x, s.kernel, s.stride, s.padding, s.dilation, s.ceil);
        default: return at::max_pool3d_with_indices(x, s.kernel, s.stride, s.padding, s.dilation, s.ceil);
    }
}

/// Stops a derivative that would write out of bounds: PyTorch gives a dilated window whose taps all lie in
/// the padding an index past the input (docs/FINDINGS.md), and its backward adds the cotangent there.
void refuse_wild_indices(const Sliding& s, std::int64_t rank, const at::Tensor& x) {
    const at::Tensor indices = std::get<1>(max_pool_with_indices(s, rank, x.detach()));
    const std::int64_t cells =
        c10::multiply_integers(x.sizes().slice(static_cast<std::size_t>(x.dim() - rank)));
    if (indices.numel() == 0 || (indices.ge(0) & indices.lt(cells)).all().item<bool>()) return;
    throw std::runtime_error("max_pool's indices reach up to " +
                             std::to_string(indices.max().item<std::int64_t>()) + " where there are " +
                             std::to_string(cells) +
                             " cells: its derivative would access memory out of bounds");
}

Answer max_pool(const Attributes& a, std::int64_t rank, const at::Tensor& x, Mode mode) {
    const Sliding s(a, static_cast<std::size_t>(rank));
    if (mode != Mode::forward) refuse_wild_indices(s, rank, x);
    // max_pool1d knows integers in this form alone.
    const bool integers = rank == 1 && !x.is_floating_point();
    if (a.return_indices.value_or(false) || integers) return with_indices(max_pool_with_indices(s, rank, x));
    switch (rank) {
        case 1: return {at::max_pool1d(x, s.kernel, s.stride, s.padding, s.dilation, s.ceil), {}};
        case 2: return {at::max_pool2d(x, s.kernel, s.stride, s.padding, s.dilation, s.ceil), {}};
        default: return {at::max_pool3d(x, s.kernel, s.stride, s.padding, s.dilation, s.ceil), {}};
    }
}

at::Tensor avg_pool(const Attributes& a, std::int64_t rank, const at::Tensor& x) {
    const auto [kernel, stride, padding, dilation, ceil] = Sliding(a, static_cast<std::size_t>(rank));
    const bool counted = a.count_include_pad.value_or(true);
    if (rank == 1) return at::avg_pool1d(x, kernel, stride, padding, ceil, counted);
    // The releases differ in the type of an optional argument, and agree on numbers.
    const auto pool = [&](auto... divisor) {
        return rank == 2 ? at::avg_pool2d(x, kernel, stride, padding, ceil, counted, divisor...)
                         : at::avg_pool3d(x, kernel, stride, padding, ceil, counted, divisor...);
    };
    return a.divisor_override ? pool(*a.divisor_override) : pool();
}

Answer adaptive_max_pool(const Sizes& bins, const at::Tensor& x) {
    switch (bins.size()) {
        case 1: return with_indices(at::adaptive_max_pool1d(x, bins));
        case 2: return with_indices(at::adaptive_max_pool2d(x, bins));
        default: return with_indices(at::adaptive_max_pool3d(x, bins));
    }
}

at::Tensor adaptive_avg_pool(const Sizes& bins, const at::Tensor& x) {
    switch (bins.size()) {
        case 1: return at::adaptive_avg_pool1d(x, bins);
        case 2: return at::adaptive_avg_pool2d(x, bins);
        default: return at::adaptive_avg_pool3d(x, bins);
    }
}

constexpr double most_cells = 1 << 26;  ///< that a smooth maximum may lay out

/// Padding is a cell of 0, and what a window sees past the padded input adds nothing to the sum.
at::Tensor smooth_max_pool(const Attributes& a, Format format, const at::Tensor& x) {
    TORCH_CHECK(a.kernel && a.beta, "kernel and beta are required");
    const std::size_t rank = a.kernel->size();
    auto [kernel, stride, padding, dilation, ceil] = Sliding(a, rank);
    const Sizes pad_end = a.pad_end.value_or(padding);
    if (stride.empty()) stride = kernel;
    for (const std::size_t size : {stride.size(), padding.size(), pad_end.size(), dilation.size()})
        TORCH_CHECK(size == rank, "every list needs ", rank, " numbers");
    const double beta = widened(format, *a.beta);
    Sizes pads, overhang, extents;
    double cells = static_cast<double>(x.numel());  // that the windows lay out
    for (std::size_t k = rank; k-- > 0;) {
        const std::int64_t length = x.size(x.dim() - static_cast<std::int64_t>(rank - k));
        TORCH_CHECK(kernel[k] > 0 && stride[k] > 0 && dilation[k] > 0, "sizes begin at 1");
        for (const std::int64_t pad : {padding[k], pad_end[k]})
            TORCH_CHECK(0 <= pad && pad <= kernel[k] / 2, "a pad should be at most half of the kernel size");
        const std::int64_t outputs = at::native::pooling_output_shape_pad_lr<std::int64_t>(
            length, kernel[k], padding[k], pad_end[k], stride[k], dilation[k], ceil);
        TORCH_CHECK(length > 0 && outputs > 0, "the output size is too small");
        const std::int64_t extent = dilation[k] * (kernel[k] - 1) + 1;
        const std::int64_t past = (outputs - 1) * stride[k] + extent - (length + padding[k] + pad_end[k]);
        cells *= static_cast<double>(outputs) * static_cast<double>(extent) / static_cast<double>(length);
        TORCH_CHECK_NOT_IMPLEMENTED(cells <= most_cells, cells, " cells in all windows are too many");
        pads.insert(pads.end(), {padding[k], pad_end[k]});
        overhang.insert(overhang.end(), {0, std::max<std::int64_t>(past, 0)});
        extents.insert(extents.begin(), extent);
    }
    at::Tensor t = at::constant_pad_nd(width(format) < 32 ? x.to(at::kFloat) : x, pads, 0);
    t = at::constant_pad_nd(t, overhang, std::copysign(std::numeric_limits<double>::infinity(), -beta));
    Sizes taps;
    for (std::size_t k = 0; k < rank; ++k) {
        const std::int64_t axis = x.dim() - static_cast<std::int64_t>(rank - k);
        t = t.unfold(axis, extents[k], stride[k]).slice(-1, 0, extents[k], dilation[k]);
        taps.push_back(static_cast<std::int64_t>(k) - static_cast<std::int64_t>(rank));
    }
    return (at::logsumexp(t * beta, taps) / beta).to(x.scalar_type());
}

Answer called(Op op, const Attributes& a, std::int64_t rank, const at::Tensor& x, Mode mode) {
    const Sizes bins = a.output_size.value_or(Sizes(static_cast<std::size_t>(rank), 1));
    switch (op) {
        case Op::max_pool: return max_pool(a, rank, x, mode);
        case Op::avg_pool: return {avg_pool(a, rank, x), {}};
        case Op::adaptive_max_pool:
        case Op::global_max_pool: return adaptive_max_pool(bins, x);
        default: return {adaptive_avg_pool(bins, x), {}};
    }
}

Answer pooled(Op op, const Attributes& a, const Case& c, const at::Tensor& x) {
    const std::int64_t rank = spatial_rank(op, a);
    TORCH_CHECK(1 <= rank && rank <= x.dim(), "a pooling of rank ", rank, " over ", x.dim(), " axes");
    if (op == Op::smooth_max_pool) return {smooth_max_pool(a, c.format, x), {}};
    const Answer r = called(op, a, rank, batched(x, rank), c.mode);
    const auto restored = [&](const at::Tensor& t) {
        Sizes sizes = x.sizes().slice(0, static_cast<std::size_t>(x.dim() - rank)).vec();
        if (a.keepdims.value_or(true))
            for (std::int64_t axis = -rank; axis < 0; ++axis) sizes.push_back(t.size(axis));
        return t.reshape(sizes);
    };
    return {restored(r.y), r.indices.defined() ? restored(r.indices) : at::Tensor()};
}

Answer evaluated(const Case& c, const at::Tensor& x) {
    if (c.op != Op::graph) return pooled(c.op, c.attrs, c, x);
    TORCH_CHECK(!c.nodes.empty(), "a graph without nodes");
    std::vector<at::Tensor> values;
    const auto value = [&](Index k) {
        TORCH_CHECK(-1 <= k && k < static_cast<Index>(values.size()), "node ", k, " is not an earlier one");
        return k < 0 ? x : values[static_cast<std::size_t>(k)];
    };
    for (const Node& n : c.nodes) {
        TORCH_CHECK(n.inputs.size() == (n.op == Op::add ? 2U : 1U), n.inputs.size(), " inputs of a node");
        if (n.op != Op::add) {
            values.push_back(pooled(n.op, n.attrs, c, value(n.inputs[0])).y);
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
    Index rank = spatial_rank(c.op, c.attrs);
    for (const Node& n : c.nodes) rank = std::max(rank, spatial_rank(n.op, n.attrs));
    const Memory memory = c.attrs.memory.value_or(Memory::contiguous);
    const at::Tensor x = laid_out(imported(c.input), memory, rank);
    Observation o;
    switch (c.mode) {
        case Mode::forward: {
            const Answer r = evaluated(c, x);
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

Observation run_torch(const Case& c) {
    static const bool one_thread = (at::set_num_threads(1), true);
    static_cast<void>(one_thread);
    if (auto why = torch::outside(c)) return without_answer(Observation::Kind::declined, *std::move(why));
    try {
        return observed(c);
    } catch (const c10::Error& e) {
        return without_answer(kind_of(e), e.what_without_backtrace());
    } catch (const std::exception& e) { return without_answer(Observation::Kind::failed, e.what()); }
}

}  // namespace poolproof::backends

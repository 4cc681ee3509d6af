// SPDX-License-Identifier: Apache-2.0
#include "backends/torch/pooling.hpp"

#include "backends/values.hpp"

#include <ATen/ATen.h>
#include <ATen/native/Pool.h>

#include <algorithm>
#include <cmath>

namespace poolproof::backends {

namespace {

using Sizes = std::vector<std::int64_t>;

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

using Pair = std::tuple<at::Tensor, at::Tensor>;
PooledTensor with_indices(Pair both) { return {std::get<0>(both), std::get<1>(both)}; }

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
    const auto above = [](const Sizes& sizes, std::int64_t usual) {
        return std::any_of(sizes.begin(), sizes.end(), [&](std::int64_t n) { return n > usual; });
    };
    if (!above(s.dilation, 1) || !above(s.padding, 0)) return;
    const at::Tensor indices = std::get<1>(max_pool_with_indices(s, rank, x.detach()));
    const std::int64_t cells =
        c10::multiply_integers(x.sizes().slice(static_cast<std::size_t>(x.dim() - rank)));
    if (indices.numel() == 0 || (indices.ge(0) & indices.lt(cells)).all().item<bool>()) return;
    throw std::runtime_error("max_pool's indices reach up to " +
                             std::to_string(indices.max().item<std::int64_t>()) + " where there are " +
                             std::to_string(cells) +
                             " cells: its derivative would access memory out of bounds");
}

PooledTensor max_pool(const Attributes& a, std::int64_t rank, const at::Tensor& x, Mode mode) {
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
    const Sliding s(a, static_cast<std::size_t>(rank));
    const bool counted = a.count_include_pad.value_or(true);
    if (rank == 1) return at::avg_pool1d(x, s.kernel, s.stride, s.padding, s.ceil, counted);
    // The releases differ in the type of an optional argument, and agree on numbers.
    const auto pool = [&](auto... divisor) {
        return rank == 2 ? at::avg_pool2d(x, s.kernel, s.stride, s.padding, s.ceil, counted, divisor...)
                         : at::avg_pool3d(x, s.kernel, s.stride, s.padding, s.ceil, counted, divisor...);
    };
    return a.divisor_override ? pool(*a.divisor_override) : pool();
}

PooledTensor adaptive_max_pool(const Sizes& bins, const at::Tensor& x) {
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

/// The taps of every window side by side on as many further axes. Padding is a cell of 0, and what a window
/// sees past the padded input is `nothing`.
at::Tensor windows(const Sliding& s, const Sizes& pad_end, const at::Tensor& x, double nothing) {
    const std::size_t rank = s.kernel.size();
    const std::int64_t first = x.dim() - static_cast<std::int64_t>(rank);
    Sizes pads, overhang, extents;
    double cells = static_cast<double>(x.numel());
    for (std::size_t k = rank; k-- > 0;) {
        const std::int64_t length = x.size(first + static_cast<std::int64_t>(k)), kernel = s.kernel[k];
        TORCH_CHECK(length > 0 && kernel > 0 && s.stride[k] > 0 && s.dilation[k] > 0, "sizes begin at 1");
        for (const std::int64_t pad : {s.padding[k], pad_end[k]})
            TORCH_CHECK(0 <= pad && pad <= kernel / 2, "a pad should be at most half of the kernel size");
        const std::int64_t outputs = at::native::pooling_output_shape_pad_lr<std::int64_t>(
            length, kernel, s.padding[k], pad_end[k], s.stride[k], s.dilation[k], s.ceil);
        TORCH_CHECK(outputs > 0, "the output size is too small");
        const std::int64_t extent = s.dilation[k] * (kernel - 1) + 1;
        const std::int64_t past = (outputs - 1) * s.stride[k] + extent - (length + s.padding[k] + pad_end[k]);
        cells *= static_cast<double>(outputs) * static_cast<double>(extent) / static_cast<double>(length);
        TORCH_CHECK_NOT_IMPLEMENTED(cells <= most_cells, cells, " cells in all windows are too many");
        pads.insert(pads.end(), {s.padding[k], pad_end[k]});
        overhang.insert(overhang.end(), {0, std::max<std::int64_t>(past, 0)});
        extents.insert(extents.begin(), extent);
    }
    at::Tensor t = at::constant_pad_nd(at::constant_pad_nd(x, pads, 0), overhang, nothing);
    for (std::size_t k = 0; k < rank; ++k)
        t = t.unfold(first + static_cast<std::int64_t>(k), extents[k], s.stride[k])
                .slice(-1, 0, extents[k], s.dilation[k]);
    return t;
}

/// max + log(sum(exp(beta*(x - max))))/beta. The derivative is given as weights: that of
/// logsumexp(beta*x)/beta would divide by beta, which may be tiny.
at::Tensor smooth_max_pool(const Attributes& a, Format format, Mode mode, const at::Tensor& x) {
    TORCH_CHECK(a.kernel && a.beta, "kernel and beta are required");
    Sliding s(a, a.kernel->size());
    const Sizes pad_end = a.pad_end.value_or(s.padding);
    if (s.stride.empty()) s.stride = s.kernel;
    for (const std::size_t size : {s.stride.size(), s.padding.size(), pad_end.size(), s.dilation.size()})
        TORCH_CHECK(size == s.kernel.size(), "every list needs ", s.kernel.size(), " numbers");
    const double beta = widened(format, *a.beta);
    const at::Tensor t = windows(s, pad_end, width(format) < 32 ? x.to(at::kFloat) : x,
                                 std::copysign(std::numeric_limits<double>::infinity(), -beta));
    Sizes taps;
    for (std::int64_t axis = x.dim(); axis < t.dim(); ++axis) taps.push_back(axis);
    const at::Tensor primal = t.detach();
    const at::Tensor extreme = beta > 0 ? primal.amax(taps, true) : primal.amin(taps, true);
    const at::Tensor shift = at::where(at::isfinite(extreme), extreme, at::zeros_like(extreme));
    const double half = std::abs(beta) < 1 ? 0.5 : 1;  // x - max may overflow, and then beta is small
    const at::Tensor parts = at::exp((primal * half - shift * half) * (beta / half));
    const at::Tensor total = parts.sum(taps, true);
    at::Tensor y = ((shift * half + at::log(total) * half / beta) / half).sum(taps);
    if (mode != Mode::forward) {
        const at::Tensor change = at::nan_to_num(t - primal);  // 0, with a derivative
        y = y + (at::nan_to_num(parts / total) * change).sum(taps);
    }
    return y.to(x.scalar_type());
}

PooledTensor called(Op op, const Attributes& a, std::int64_t rank, const at::Tensor& x, Mode mode) {
    const Sizes bins = a.output_size.value_or(Sizes(static_cast<std::size_t>(rank), 1));
    switch (op) {
        case Op::max_pool: return max_pool(a, rank, x, mode);
        case Op::avg_pool: return {avg_pool(a, rank, x), {}};
        case Op::adaptive_max_pool:
        case Op::global_max_pool: return adaptive_max_pool(bins, x);
        default: return {adaptive_avg_pool(bins, x), {}};
    }
}

}  // namespace

std::int64_t spatial_rank(const Attributes& a) {
    if (a.kernel) return static_cast<std::int64_t>(a.kernel->size());
    if (a.output_size) return static_cast<std::int64_t>(a.output_size->size());
    return a.spatial_rank.value_or(0);
}

PooledTensor pooled(Op op, const Attributes& a, Format format, Mode mode, const at::Tensor& x) {
    const std::int64_t rank = spatial_rank(a);
    TORCH_CHECK(1 <= rank && rank <= x.dim(), "a pooling of rank ", rank, " over ", x.dim(), " axes");
    if (op == Op::smooth_max_pool) return {smooth_max_pool(a, format, mode, x), {}};
    const PooledTensor r = called(op, a, rank, batched(x, rank), mode);
    const auto restored = [&](const at::Tensor& t) {
        Sizes sizes = x.sizes().slice(0, static_cast<std::size_t>(x.dim() - rank)).vec();
        if (a.keepdims.value_or(true))
            for (std::int64_t axis = -rank; axis < 0; ++axis) sizes.push_back(t.size(axis));
        return t.reshape(sizes);
    };
    return {restored(r.y), r.indices.defined() ? restored(r.indices) : at::Tensor()};
}

}  // namespace poolproof::backends

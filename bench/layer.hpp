// SPDX-License-Identifier: Apache-2.0
// A layer to measure, and the tensors that everyone who computes it shares.
#pragma once

#include <poolproof/case.hpp>
#include <poolproof/reference.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace poolproof::bench {

enum class Layout { planes, channels_last };

/// A pooling of a tensor [batch, channels, spatial..] in f64 or f32. An op with `bins` or a global one has no
/// kernel, stride and padding; padding counts in averages.
struct Layer {
    Op op = Op::max_pool;
    Mode mode = Mode::forward;  ///< forward or vjp
    Format format = Format::f64;
    Shape shape;
    std::vector<Index> kernel, stride, padding, bins;
    bool indices = false;  ///< of a maximum: the forward pass gives them, the VJP gets them

    std::size_t rank() const { return shape.size() - 2; }
    std::vector<Index> outputs() const;  ///< along each spatial axis
    Shape output_shape() const;

    /// "max_pool/forward/f64/k3s2p1", with what tells it from the default size.
    std::string name() const;

    /// Output memory is the caller's: nothing is allocated for it.
    reference::Pooling pooling(Layout layout, int threads) const;

    /// As a case with its defaults written out, without values.
    Case as_case() const;
};

/// The size where a layer's name says none: one image classifier's first pooling.
inline const Shape default_shape{8, 64, 112, 112};

/// Gives memory from the beginning of a cache line on, as frameworks do for their tensors.
template <class T> struct FromLine {
    using value_type = T;
    static constexpr std::align_val_t line{64};

    FromLine() = default;
    template <class U> FromLine(const FromLine<U>& /*other*/) {}
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
    void deallocate(T* p, std::size_t /*n*/) { ::operator delete(p, line); }
    bool operator==(const FromLine& /*other*/) const { return true; }
};

template <class T> using Memory = std::vector<T, FromLine<T>>;

/// Values of one format in memory that is in use already.
struct Values {
    Format format = Format::f64;
    Memory<std::uint8_t> bytes;

    Values() = default;
    Values(Format f, Index count) : format(f), bytes(static_cast<std::size_t>(count * poolproof::bytes(f))) {}
    template <class T> std::span<T> as() {
        return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
    }
    template <class T> std::span<const T> as() const {
        return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
    }
};

/// Inputs that differ from one call to the next, so that no branch predictor learns them, with the indices of
/// their maxima where the layer wants them, and a cotangent.
struct Inputs {
    std::vector<Values> x;
    std::vector<Memory<Index>> indices;
    Values dy;

    /// Layers of one size share theirs.
    static std::shared_ptr<const Inputs> of(const Layer& layer);
};

/// The same values in another order of axes: [batch, spatial.., channels] from [batch, channels, spatial..].
inline Values channels_last(const Values& planes, const Shape& shape) {
    Values r = planes;
    const auto width = static_cast<std::size_t>(bytes(planes.format));
    const auto channels = static_cast<std::size_t>(shape[1]);
    const std::size_t cells = planes.bytes.size() / width / static_cast<std::size_t>(shape[0]) / channels;
    for (std::size_t n = 0; n < static_cast<std::size_t>(shape[0]); ++n)
        for (std::size_t c = 0; c < channels; ++c)
            for (std::size_t i = 0; i < cells; ++i)
                std::memcpy(&r.bytes[((n * cells + i) * channels + c) * width],
                            &planes.bytes[((n * channels + c) * cells + i) * width], width);
    return r;
}

inline std::vector<Index> Layer::outputs() const {
    if (!bins.empty()) return bins;
    if (kernel.empty()) return std::vector<Index>(rank(), 1);
    std::vector<Index> r;
    for (std::size_t k = 0; k < rank(); ++k)
        r.push_back((shape[k + 2] + 2 * padding[k] - kernel[k]) / stride[k] + 1);
    return r;
}

inline Shape Layer::output_shape() const {
    Shape r{shape[0], shape[1]};
    const auto out = outputs();
    r.insert(r.end(), out.begin(), out.end());
    return r;
}

}  // namespace poolproof::bench

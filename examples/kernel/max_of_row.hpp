// SPDX-License-Identifier: Apache-2.0
// Somebody's pooling, and the lines that put cases before it: what the examples of tests and of fuzzing
// share.
#pragma once

#include <poolproof/kernel.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace example {

struct Row {
    std::int64_t length, kernel, stride, pad;
};

/// The project's kernel: maxima along a row.
inline std::vector<float> max_of_row(const float* x, const Row& r, std::int64_t outputs) {
    std::vector<float> y;
    for (std::int64_t o = 0; o < outputs; ++o) {
        float best = -std::numeric_limits<float>::infinity();
        const std::int64_t begin = o * r.stride - r.pad;
        for (std::int64_t i = std::max<std::int64_t>(begin, 0); i < std::min(begin + r.kernel, r.length); ++i)
            best = x[i] > best || x[i] != x[i] ? x[i] : best;
        y.push_back(best);
    }
    return y;
}

/// Puts a case before it. It has no dilation, and its padding is the same at both ends.
inline poolproof::Observation run(const poolproof::Case& c) {
    const auto& a = c.attrs;
    if (a.auto_pad || a.pad_end != a.pad_begin || a.dilation->front() != 1 || *a.ceil_mode)
        return poolproof::declined("dilation, automatic or unequal padding, ceil_mode");
    if (a.return_indices.value_or(false)) return poolproof::declined("indices");
    const Row row{c.input.shape.back(), a.kernel->front(), a.stride->front(), a.pad_begin->front()};
    poolproof::Shape shape = c.input.shape;
    shape.back() = (row.length + 2 * row.pad - row.kernel) / row.stride + 1;
    std::vector<float> y;
    const auto x = poolproof::values<float>(c.input);
    for (std::size_t at = 0; at < x.size(); at += static_cast<std::size_t>(row.length))
        for (const float v : max_of_row(x.data() + at, row, shape.back())) y.push_back(v);
    return poolproof::answer("y", poolproof::tensor<float>(shape, y));
}

inline const poolproof::Request what_it_does{.ops = {poolproof::Op::max_pool},
                                             .modes = {poolproof::Mode::forward},
                                             .formats = {poolproof::Format::f32},
                                             .spatial_ranks = {1},
                                             .profile = "pytorch"};

}  // namespace example

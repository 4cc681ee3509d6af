// SPDX-License-Identifier: Apache-2.0
// The layers that have rows, and how one of them becomes a row.
#pragma once

#include "bench/layer.hpp"
#include "bench/rivals.hpp"
#include "bench/trial.hpp"

namespace poolproof::bench {

/// The rows of the issue, of one format.
std::vector<Layer> standard_layers(Format format);

/// The maximum at stride 1 with ever larger kernels, and at stride 2 over ever larger tensors: for the plots.
std::vector<Layer> kernel_growth(), tensor_growth();

/// Every implementation of the layer, a copy of its input, and its floor.
Trial compared(const Layer& layer, Manner manner);

}  // namespace poolproof::bench

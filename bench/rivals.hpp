// SPDX-License-Identifier: Apache-2.0
// Those whom the reference is measured against. Each brings a layer's tensors into the form it likes best
// before it is timed.
#pragma once

#include "bench/layer.hpp"

#include <poolproof/observation.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace poolproof::bench {

/// How a layer is to be computed.
struct Manner {
    bool fresh = false;  ///< output memory is new in every call, and not in use already
    int threads = 1;
    bool wide_sums = false;  ///< of averages, by the reference: in double, and not in the layer's format
};

using Work = std::function<void()>;

/// One implementation in one layout. `prepare` gives nothing where it does not have the operation.
struct Rival {
    std::string name;     ///< as figures have it: "torch", "torch_channels_last", "onednn"
    std::string version;  ///< for the page
    std::function<Work(const Layer&, std::shared_ptr<const Inputs>, Manner)> prepare;
    std::function<Observation(const Case&)> answer{};  ///< to be judged, of some
};

/// Those that rows are measured against. None at first.
std::vector<Rival>& rivals();

/// Adds LibTorch in either layout, and its oneDNN; defined where LibTorch is.
void add_torch();

/// Adds the system's oneDNN, if its module stands beside the program.
void add_onednn();

}  // namespace poolproof::bench

// SPDX-License-Identifier: Apache-2.0
// Those whom the reference is measured against. Each brings a layer's tensors into the form it likes best
// before it is timed.
#pragma once

#include "bench/layer.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace poolproof::bench {

/// How a layer is to be computed: with output memory that is in use already, or new memory in every call.
struct Manner {
    bool fresh = false;
    int threads = 1;
};

using Work = std::function<void()>;

/// One implementation in one layout. `prepare` gives nothing where it does not have the operation.
struct Rival {
    std::string name;     ///< as figures have it: "torch", "torch_channels_last", "onednn"
    std::string version;  ///< for the page
    std::function<Work(const Layer&, std::shared_ptr<const Inputs>, Manner)> prepare;
};

/// Those that the program brings, and oneDNN where its module stands beside the program.
std::vector<Rival>& rivals();

/// oneDNN's own library, in a module of its own.
std::vector<Rival> onednn_rivals();

}  // namespace poolproof::bench

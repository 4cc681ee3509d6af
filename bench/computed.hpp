// SPDX-License-Identifier: Apache-2.0
// The reference on a layer, and what any implementation's time is at least: its copy and its floor.
#pragma once

#include "bench/rivals.hpp"

namespace poolproof::bench {

/// Nothing where the reference has no such layout.
Work reference_work(const Layer& layer, std::shared_ptr<const Inputs> inputs, Layout layout, Manner manner);

/// A copy of the layer's input into memory that is in use already.
Work copy_work(const std::shared_ptr<const Inputs>& inputs);

/// Reading what the layer must read once, and writing what it must write.
Work floor_work(const Layer& layer, std::shared_ptr<const Inputs> inputs);

}  // namespace poolproof::bench

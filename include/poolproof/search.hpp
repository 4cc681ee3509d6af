// SPDX-License-Identifier: Apache-2.0
// What is done with a failure: the smallest case that still shows it, and the known fault that explains it.
// Implementations are plain functions here, wherever they run.
#pragma once

#include <poolproof/case.hpp>
#include <poolproof/verdict.hpp>

#include <functional>
#include <string>
#include <vector>

namespace poolproof {

/// Whether a case shows the failure in question. It is asked about valid cases only.
using Fails = std::function<bool(const Case&)>;

struct ShrinkLimits {
    Index evaluations = 3000;  ///< how often `Fails` may be asked, the two times for the given case included
};

struct Shrunk {
    Case smallest;
    bool reproduced = false;  ///< the given case failed twice; if not, it is `smallest`
    bool finished = false;    ///< nothing simpler was left to try within the limits
    Index evaluations = 0;
};

/// The simplest case that can be reached by dropping nodes, axes, cells and attributes and by simpler sizes,
/// values and formats, each step of which failed twice: a predicate that is right only now and then stops the
/// search early and does not mislead it. Profile and policy stay; every case asked about is accepted by
/// `plan`. The same arguments give the same answer, if `fails` does.
Shrunk shrunk(const Case& c, const Fails& fails, const ShrinkLimits& limits = {});

}  // namespace poolproof

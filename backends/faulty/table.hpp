// SPDX-License-Identifier: Apache-2.0
// The liars. Each is the honest rules with one fault, which serves as a backend and as a hypothesis.
#pragma once

#include "backends/faulty/rules.hpp"

namespace poolproof::faulty {

struct Fault {
    std::string name;
    std::string vice;    ///< one sentence
    std::string clause;  ///< of docs/SPEC.md, that must catch it
    std::function<void(Rules&)> lie;
    std::string profile = "torchlean";  ///< one under which the fault shows
};

/// In a fixed order, by family. Names are unique.
const std::vector<Fault>& faults();

/// Liars in where the windows of bins look, and in what a window's cells add up to.
std::function<void(Rules&)> binned(std::vector<Index> (*bin)(const Axis&, Index));
std::function<void(Rules&)> summed(Number (*sum)(const Site&));

/// The families.
std::vector<Fault> attribute_faults();
std::vector<Fault> window_faults();
std::vector<Fault> bin_faults();
std::vector<Fault> average_faults();
std::vector<Fault> maximum_faults();
std::vector<Fault> smooth_faults();
std::vector<Fault> derivative_faults();
std::vector<Fault> graph_faults();
std::vector<Fault> format_faults();
std::vector<Fault> block_faults();

}  // namespace poolproof::faulty

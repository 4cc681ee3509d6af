// SPDX-License-Identifier: Apache-2.0
#include "backends/faulty/table.hpp"

namespace poolproof::faulty {

const std::vector<Fault>& faults() {
    static const std::vector<Fault> all = [] {
        std::vector<Fault> r;
        for (auto* family : {attribute_faults, window_faults, bin_faults, average_faults, maximum_faults,
                             smooth_faults, derivative_faults, graph_faults, format_faults, block_faults})
            for (Fault& f : family()) r.push_back(std::move(f));
        return r;
    }();
    return all;
}

}  // namespace poolproof::faulty

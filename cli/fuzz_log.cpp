// SPDX-License-Identifier: Apache-2.0
#include "cli/fuzz_log.hpp"

#include "cli/request.hpp"

#include <poolproof/text.hpp>

namespace poolproof::cli {

std::string block_line(std::uint64_t first, const Done& block) {
    std::string s =
        "{\"type\":\"block\",\"first\":" + std::to_string(first) + ",\"next\":" + std::to_string(block.next);
    for (std::size_t k = 0; k < outcome_names.size(); ++k)
        s += ",\"" + std::string(outcome_names[k]) + "\":" + std::to_string(block.by_outcome[k]);
    if (block.questions > 0) s += ",\"questions\":" + std::to_string(block.questions);
    return s + "}";
}

std::string header_line(const Request& r, bool laws, const Declaration& d) {
    return "{\"type\":\"header\",\"format\":1,\"command\":\"fuzz\",\"generator\":" +
           std::to_string(generator_version) + ",\"seed\":" + std::to_string(r.seed) +
           ",\"profile\":" + json_string(*r.profile) + ",\"backend\":" + json_string(d.name) +
           ",\"version\":" + json_string(d.version) + "," + filter_fields(r) +
           (laws ? ",\"laws\":true}" : "}");
}

}  // namespace poolproof::cli

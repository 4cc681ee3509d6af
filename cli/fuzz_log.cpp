// SPDX-License-Identifier: Apache-2.0
#include "cli/fuzz_log.hpp"

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

namespace {

template <class List, class Name> std::string names(const List& list, const Name& name_of) {
    std::string s;
    for (const auto x : list) s += (s.empty() ? "" : ",") + json_string(name_of(x));
    return "[" + s + "]";
}

}  // namespace

std::string header_line(const Request& r, bool laws, const Declaration& d) {
    return "{\"type\":\"header\",\"format\":1,\"command\":\"fuzz\",\"generator\":" +
           std::to_string(generator_version) + ",\"seed\":" + std::to_string(r.seed) +
           ",\"profile\":" + json_string(*r.profile) + ",\"backend\":" + json_string(d.name) +
           ",\"version\":" + json_string(d.version) +
           ",\"ops\":" + names(r.ops, [](Op x) { return name(x); }) +
           ",\"modes\":" + names(r.modes, [](Mode x) { return name(x); }) +
           ",\"dtypes\":" + names(r.formats, [](Format x) { return name(x); }) +
           (laws ? ",\"laws\":true}" : "}");
}

}  // namespace poolproof::cli

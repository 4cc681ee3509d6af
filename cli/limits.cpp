// SPDX-License-Identifier: Apache-2.0
#include "cli/limits.hpp"

#include "cli/interrupt.hpp"

#include <fstream>

namespace poolproof::cli {

namespace {

/// In bytes; 0 where the system does not tell.
std::uint64_t available_memory() {
    std::ifstream information("/proc/meminfo");
    std::uint64_t kilobytes = 0;
    for (std::string word; information >> word;)
        if (word == "MemAvailable:" && information >> kilobytes) return kilobytes << 10;
    return 0;
}

}  // namespace

std::vector<Option> with_limits(std::vector<Option> options) {
    options.push_back(
        {"--deadline", "S", "seconds a case may take (default: calibrated from the backend's own speed)"});
    options.push_back(
        {"--memory", "MIB",
         "resident memory a backend's process may use with all that it starts (default: half of what is "
         "available at the start; 0: no limit)"});
    options.push_back(
        {"--restarts", "N", "how often a backend's process may be started again (default 10000)"});
    return options;
}

std::optional<Rejection> read_limits(const Arguments& a, Limits& limits) {
    limits.memory = available_memory() / 2;
    limits.stop = [] { return interrupted() != 0; };
    const auto read = [&](const char* option, std::int64_t least, std::int64_t most, auto set) {
        const auto text = a.value(option);
        if (!text) return std::optional<Rejection>();
        const auto n = whole_number(option, *text, least, most);
        if (!n) return std::optional(n.rejection());
        set(*n);
        return std::optional<Rejection>();
    };
    if (auto p =
            read("--deadline", 1, 86'400, [&](std::int64_t n) { limits.deadline = std::chrono::seconds(n); }))
        return p;
    if (auto p = read("--memory", 0, std::int64_t{1} << 30,
                      [&](std::int64_t n) { limits.memory = static_cast<std::uint64_t>(n) << 20; }))
        return p;
    return read("--restarts", 0, std::int64_t{1} << 40, [&](std::int64_t n) { limits.restarts = n; });
}

}  // namespace poolproof::cli

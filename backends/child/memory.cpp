// SPDX-License-Identifier: Apache-2.0
#include "backends/child/memory.hpp"

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace poolproof::child {

namespace {

constexpr std::size_t most_processes = 4096;

std::string folder_of(pid_t pid) { return "/proc/" + std::to_string(pid); }

/// The process and its descendants, each after its parent.
std::vector<pid_t> family(pid_t leader) {
    std::vector<pid_t> all{leader};
    for (std::size_t k = 0; k < all.size() && all.size() < most_processes; ++k) {
        std::error_code error;
        for (const auto& thread : std::filesystem::directory_iterator(folder_of(all[k]) + "/task", error)) {
            std::ifstream children(thread.path() / "children");
            for (pid_t child = 0; children >> child;) all.push_back(child);
        }
    }
    return all;
}

std::uint64_t resident(pid_t pid) {
    std::ifstream pages(folder_of(pid) + "/statm");
    std::uint64_t total = 0, resident = 0;
    if (!(pages >> total >> resident)) return 0;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Its part of what it shares with others, and all else; slow. Its resident bytes where it is not told.
std::uint64_t proportional(pid_t pid) {
    std::ifstream rollup(folder_of(pid) + "/smaps_rollup");
    std::uint64_t kilobytes = 0;
    for (std::string word; rollup >> word;)
        if (word == "Pss:" && rollup >> kilobytes) return kilobytes << 10;
    return resident(pid);
}

}  // namespace

std::uint64_t resident_beyond(std::uint64_t limit, pid_t leader) {
    const auto all = family(leader);
    const auto sum = [&](std::uint64_t (*of)(pid_t)) {
        return std::transform_reduce(all.begin(), all.end(), std::uint64_t{0}, std::plus<>(), of);
    };
    if (sum(resident) <= limit) return 0;
    const std::uint64_t used = all.size() == 1 ? sum(resident) : sum(proportional);
    return used > limit ? used : 0;
}

}  // namespace poolproof::child

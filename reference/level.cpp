// SPDX-License-Identifier: Apache-2.0
#include "reference/level.hpp"

#include <algorithm>
#include <atomic>

namespace poolproof::reference {

namespace {

Level machine() {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        return Level::avx512;
    if (__builtin_cpu_supports("avx2")) return Level::avx2;
#endif
    return Level::baseline;
}

std::atomic<Level>& current() {
    static std::atomic<Level> level = machine();
    return level;
}

}  // namespace

Level level() { return current().load(std::memory_order_relaxed); }

void limit_level(Level most) { current() = std::min(most, machine()); }

}  // namespace poolproof::reference

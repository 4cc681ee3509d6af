// SPDX-License-Identifier: Apache-2.0
// What a process and all that descend from it hold in memory.
#pragma once

#include <cstdint>

#include <sys/types.h>

namespace poolproof::child {

/// Their resident bytes, if they are more than `limit`, else 0. Pages that they share count once, where the
/// system tells; a process that cannot be read counts as nothing.
std::uint64_t resident_beyond(std::uint64_t limit, pid_t leader);

}  // namespace poolproof::child

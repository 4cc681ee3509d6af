// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"
#include "cli/interrupt.hpp"

#include <cstdio>

namespace poolproof::cli {

std::optional<std::string> started(Backend& b) {
    auto why_not = b.start();
    for (const Rejection& r : b.declaration().unknown)
        std::fprintf(stderr, "poolproof: warning: %s: %s\n", b.declaration().name.c_str(),
                     message(r).c_str());
    return why_not;
}

int backend_trouble(const std::string& why) {
    std::fprintf(stderr, "poolproof: %s\n", why.c_str());
    return interrupted() != 0 ? 128 + interrupted() : int{Exit::backend};
}

}  // namespace poolproof::cli

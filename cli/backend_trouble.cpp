// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"
#include "cli/interrupt.hpp"

#include <cstdio>

namespace poolproof::cli {

int backend_trouble(const std::string& why) {
    std::fprintf(stderr, "poolproof: %s\n", why.c_str());
    return interrupted() != 0 ? 128 + interrupted() : int{Exit::backend};
}

}  // namespace poolproof::cli

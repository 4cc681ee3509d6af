// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"

#include <cstdio>

namespace poolproof::cli {

int refuse(const Rejection& r) {
    std::fprintf(stderr, "poolproof: %s\n", message(r).c_str());
    return Exit::bad_input;
}

}  // namespace poolproof::cli

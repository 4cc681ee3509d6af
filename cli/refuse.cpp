// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"

#include <cstdio>

namespace poolproof::cli {

int refuse(const Rejection& r) {
    std::fprintf(stderr, "poolproof: %s\n", message(r).c_str());
    return Exit::bad_input;
}

int backend_trouble(const std::string& why) {
    std::fprintf(stderr, "poolproof: %s\n", why.c_str());
    return Exit::backend;
}

}  // namespace poolproof::cli

// SPDX-License-Identifier: Apache-2.0
// poolproof-host: serves an implementation over the adapter protocol from a process of its own.
#include "backends/host/serve.hpp"

#include <cstdio>

int main(int argc, char** argv) {
    using namespace poolproof;
    if (argc != 2 || argv[1][0] == '-') {
        std::fprintf(stderr,
                     "usage: poolproof-host reference | faulty:NAME\n"
                     "Serves the implementation over the adapter protocol on standard input and output.\n");
        return 2;
    }
    const auto found = find_backend(argv[1]);
    if (!found) {
        std::fprintf(stderr, "poolproof-host: %s\n", message(found.rejection()).c_str());
        return 2;
    }
    Backend& b = **found;
    if (const auto why = b.start()) {
        std::fprintf(stderr, "poolproof-host: %s\n", why->c_str());
        return 2;
    }
    return host::serve(b.declaration(), [&](const Case& c) { return b.run(c); });
}

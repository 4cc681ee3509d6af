// SPDX-License-Identifier: Apache-2.0
// poolproof-host: serves an implementation over the adapter protocol from a process of its own. A plugin is
// loaded here and nowhere else.
#include "backends/host/plugin.hpp"
#include "backends/host/serve.hpp"

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
    using namespace poolproof;
    if (argc == 3 && std::strcmp(argv[1], "plugin") == 0) {
        const auto plugin = host::load_plugin(argv[2]);
        if (!plugin) {
            std::fprintf(stderr, "poolproof-host: %s\n", message(plugin.rejection()).c_str());
            return 2;
        }
        return host::serve(plugin->declaration, plugin->run);
    }
    if (argc != 2 || argv[1][0] == '-') {
        std::fprintf(stderr,
                     "usage: poolproof-host reference | faulty:NAME | plugin FILE\n"
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
    return host::serve(
        b.declaration(), [&](const Case& c) { return b.run(c); }, host::Replies::together);
}

// SPDX-License-Identifier: Apache-2.0
// poolproof-torch: PyTorch behind the adapter protocol, in a process of its own.
#include "backends/host/serve.hpp"
#include "backends/torch/torch.hpp"

#include <cstdio>

int main(int argc, char** argv) {
    using namespace poolproof;
    if (argc != 1) {
        std::fprintf(stderr,
                     "usage: %s\nServes PyTorch over the adapter protocol on standard input and output.\n",
                     argv[0]);
        return 2;
    }
    return host::serve(backends::torch_declaration(), backends::run_torch);
}

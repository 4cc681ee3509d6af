// SPDX-License-Identifier: Apache-2.0
// poolproof-bench: what `poolproof bench` becomes where LibTorch is, since poolproof itself does not load it.
#include "bench/rivals.hpp"
#include "cli/measuring.hpp"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
    using namespace poolproof;
    try {
        const auto arguments =
            cli::parse_options(cli::bench_options(), std::vector<std::string>(argv + 1, argv + argc));
        if (!arguments) return cli::refuse(arguments.rejection());
        bench::add_torch();
        return cli::measure(*arguments);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "poolproof: a defect of our own: %s\n", e.what());
        return cli::Exit::defect;
    }
}

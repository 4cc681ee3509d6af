// SPDX-License-Identifier: Apache-2.0
// `poolproof adapter check`: walks the author of an adapter through the protocol.
#include "cli/command.hpp"
#include "cli/limits.hpp"

#include <poolproof/rehearsal.hpp>

#include <cstdio>

namespace poolproof::cli {

int run_adapter(const Arguments& a) {
    if (a.positional != std::vector<std::string>{"check"})
        return refuse({"adapter", "needs the word check and nothing else",
                       "write: adapter check --backend cmd:COMMAND"});
    const auto name = a.value("--backend");
    constexpr std::string_view prefix = "cmd:";
    if (!name || name->compare(0, prefix.size(), prefix) != 0)
        return refuse(
            {"--backend", name ? "'" + *name + "' is no program" : "is missing", "write cmd:COMMAND"});
    Limits limits;
    if (const auto p = read_limits(a, limits)) return refuse(*p);
    const auto steps = rehearse(name->substr(prefix.size()), limits);
    if (!steps) return refuse(steps.rejection());
    bool all = true;
    for (const RehearsalStep& s : *steps) {
        all &= s.passed;
        std::printf("%s  %s\n", s.passed ? "ok    " : "WRONG ", s.name.c_str());
        if (s.passed) continue;
        std::printf("        sent      %s\n        came      %s\n        expected  %s\n", s.sent.c_str(),
                    s.came.c_str(), s.expected.c_str());
    }
    std::printf("\n%s\n",
                all ? "the adapter keeps to the protocol" : "the adapter does not keep to the protocol");
    if (steps->front().name == start_step) return Exit::backend;
    return all ? Exit::ok : Exit::deviates;
}

}  // namespace poolproof::cli

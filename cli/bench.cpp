// SPDX-License-Identifier: Apache-2.0
// `poolproof bench`: becomes poolproof-bench where that stands beside the program, which has LibTorch to
// measure against; else measures without it.
#include "cli/measuring.hpp"

#include <unistd.h>
#include <cstdio>
#include <filesystem>

namespace poolproof::cli {

namespace {

std::vector<std::string> words_of(const Arguments& a) {
    std::vector<std::string> r;
    for (const auto& [option, values] : a.options)
        for (const std::string& value : values) {
            r.push_back(option);
            if (!value.empty()) r.push_back(value);
        }
    return r;
}

}  // namespace

int run_bench(const Arguments& a) {
    if (!a.positional.empty())
        return refuse({a.positional.front(), "is not expected here", "choose rows with --only"});
    std::error_code error;
    const auto program =
        (std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "poolproof-bench").string();
    if (access(program.c_str(), X_OK) == 0) {
        std::vector<std::string> words = words_of(a);
        std::vector<char*> pointers{const_cast<char*>(program.c_str())};
        for (std::string& w : words) pointers.push_back(w.data());
        pointers.push_back(nullptr);
        execv(program.c_str(), pointers.data());
    }
    std::fprintf(stderr, "poolproof: no poolproof-bench beside the program: measured without LibTorch\n");
    return measure(a);
}

}  // namespace poolproof::cli

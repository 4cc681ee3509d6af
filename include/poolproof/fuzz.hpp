// SPDX-License-Identifier: Apache-2.0
// Coverage-guided search in a kernel of one's own, by libFuzzer or whatever else hands out bytes. Compile the
// kernel with `clang++ -fsanitize=fuzzer` and link poolproof; examples/fuzz is a whole target:
//
//     extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
//         return poolproof::fuzz_one(my_kernel, {.profile = "pytorch"}, {data, size});
//     }
#pragma once

#include <poolproof/kernel.hpp>

#include <cstdio>
#include <cstdlib>
#include <span>

namespace poolproof {

/// The case that these bytes stand for, of the request's kinds and under its profile and policy: every string
/// of bytes gives a case that `plan` accepts, or the rejection of one. A pure function; bytes that are not
/// there are read as 0, and nearby bytes give similar cases. At most 2048 input elements.
Checked<Case> decoded(std::span<const std::uint8_t> bytes, const Request& request = {});

/// Decodes, asks the kernel, and ends the program with what is wrong on standard error if something is. Gives
/// 0, as libFuzzer wants it.
inline int fuzz_one(const Answers& kernel, const Request& request, std::span<const std::uint8_t> bytes) {
    const auto c = decoded(bytes, request);
    if (!c) return 0;
    const auto wrong = complaint(kernel, *c);
    if (!wrong) return 0;
    std::fprintf(stderr, "%s", wrong->c_str());
    std::abort();
}

}  // namespace poolproof

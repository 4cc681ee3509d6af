// SPDX-License-Identifier: Apache-2.0
// A libFuzzer target for a project's own pooling. ci/fuzz builds and runs it.
#include "examples/kernel/max_of_row.hpp"

#include <poolproof/fuzz.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return poolproof::fuzz_one(example::run, example::what_it_does, {data, size});
}

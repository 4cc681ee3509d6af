// SPDX-License-Identifier: Apache-2.0
// A project's own pooling, tested against the oracle in its own test program: one line per test.
#include "examples/kernel/max_of_row.hpp"

#include <poolproof/gtest.hpp>
#include <poolproof/rapidcheck.hpp>

#include <rapidcheck/gtest.h>

namespace {

TEST(MaxOfRow, Conforms) { EXPECT_TRUE(poolproof::conforms(example::run, example::what_it_does)); }

RC_GTEST_PROP(MaxOfRow, ConformsToo, ()) {
    RC_ASSERT(!poolproof::complaint(example::run, *poolproof::cases(example::what_it_does)));
}

}  // namespace

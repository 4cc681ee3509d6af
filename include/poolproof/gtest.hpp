// SPDX-License-Identifier: Apache-2.0
// GoogleTest glue: a kernel against the oracle, in a test program of one's own. With `rapidcheck.hpp` the
// only header that needs a library, as its name says; nothing of ours includes it.
//
//     TEST(MyPooling, Conforms) { EXPECT_TRUE(poolproof::conforms(my_kernel, {.profile = "pytorch"})); }
#pragma once

#include <poolproof/kernel.hpp>

#include <gtest/gtest.h>

namespace poolproof {

/// Succeeds if nothing that `kernel` answers deviates and something was judged. The request says which cases
/// there are; what else the kernel does not do, it declines.
inline testing::AssertionResult conforms(const Answers& kernel, const Request& request = {},
                                         std::uint64_t cases = 1000) {
    const auto r = conformity(kernel, request, cases);
    if (!r) return testing::AssertionFailure() << message(r.rejection());
    if (r->failed > 0) return testing::AssertionFailure() << r->text();
    if (r->judged == 0)
        return testing::AssertionFailure() << "nothing was judged: every case was declined or open";
    return testing::AssertionSuccess();
}

/// The same of one case.
inline testing::AssertionResult conforms_on(const Case& c, const Answers& kernel) {
    const auto wrong = complaint(kernel, c);
    return wrong ? testing::AssertionFailure() << *wrong : testing::AssertionSuccess();
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
#include "backends/tests/judged.hpp"

#include <gtest/gtest.h>

namespace poolproof {
namespace {

class ReferenceUnder : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Profiles, ReferenceUnder, testing::ValuesIn(profile_names()),
                         [](const auto& tested) { return tested.param; });

TEST_P(ReferenceUnder, NeverDeviatesOnGeneratedCases) {
    const Generator cases = cases_of({.seed = 11, .profile = GetParam()});
    const auto reference = std::move(*find_backend("reference"));
    int conforming = 0;
    for (std::uint64_t k = 0; k < 400; ++k) {
        const Case c = cases(k);
        const Verdict v = judged(*reference, c);
        EXPECT_LT(v.outcome, Outcome::deviates) << shown(c, v);
        conforming += v.outcome == Outcome::conforms;
    }
    EXPECT_GT(conforming, 200);
}

}  // namespace
}  // namespace poolproof

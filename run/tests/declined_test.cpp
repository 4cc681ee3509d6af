// SPDX-License-Identifier: Apache-2.0
#include <poolproof/run.hpp>

#include <gtest/gtest.h>

namespace poolproof {
namespace {

Totals of_one_that_declines(std::vector<Capability> capabilities) {
    const auto backend = in_process({"shy", "1", "torchlean", std::move(capabilities)}, [](const Case&) {
        Observation o;
        o.kind = Observation::Kind::declined;
        o.why = "not today";
        return o;
    });
    const auto source = generated_cases({.seed = 4}, backend->declaration(), 0, 10);
    return judge_all(*backend, *source, [](const Judged&) { return true; });
}

TEST(Declining, IsAllowedToWhoDeclaresNothingInParticularAnswer) {
    const Totals t = of_one_that_declines({});
    EXPECT_EQ(t.count(Outcome::declined), 10);
    EXPECT_EQ(t.judged(), 0);
}

TEST(Declining, DeviatesWhereEverythingIsDeclaredAnswer) {
    EXPECT_EQ(of_one_that_declines({Capability{}}).count(Outcome::deviates), 10);
}

}  // namespace
}  // namespace poolproof

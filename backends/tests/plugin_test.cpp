// SPDX-License-Identifier: Apache-2.0
// Plugins through the host process: the example conforms, and each vice of the other has its outcome.
#include <poolproof/run.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

namespace poolproof {
namespace {

struct Ran {
    Totals totals;
    std::vector<std::string> reasons;
};

Ran judged(const std::string& library, const std::string& misdeed, std::uint64_t cases) {
    setenv("POOLPROOF_ADAPTER_MISBEHAVE", misdeed.c_str(), 1);
    setenv("ASAN_OPTIONS", "handle_segv=0", 1);  // a sanitized host is to die of the signal like any other
    Limits limits;
    limits.deadline = std::chrono::milliseconds(1000);
    limits.memory = std::uint64_t{600} << 20;
    const auto found = find_backend("plugin:" POOLPROOF_PLUGINS "/" + library, limits);
    if (!found) throw std::runtime_error(message(found.rejection()));
    if (const auto why = (*found)->start()) throw std::runtime_error(*why);
    const auto source = generated_cases({.seed = 1, .formats = {Format::f64}, .profile = "torchlean"},
                                        (*found)->declaration(), 0, cases);
    Ran r;
    r.totals = judge_all(**found, *source, [&](const Judged& j) {
        if (j.verdict.outcome >= Outcome::deviates) r.reasons.push_back(j.verdict.why);
        return true;
    });
    return r;
}

TEST(Plugin, TheExampleConforms) {
    const Ran r = judged("libpoolproof_example.so", "", 300);
    EXPECT_EQ(r.totals.bad(), 0) << r.reasons.front();
    EXPECT_GT(r.totals.count(Outcome::conforms), 200);
}

TEST(Plugin, EachMisdeedIsNamedAndTheRunGoesOn) {
    for (const auto& [misdeed, reason] : {std::pair{"crash", "was killed by signal 11"},
                                          {"exit", "exited with 3"},
                                          {"hang", "timeout"},
                                          {"leak", "memory: used"},
                                          {"outside", "wrote outside the output"},
                                          {"input", "wrote into its input"},
                                          {"shape", "the shape of"}}) {
        const Ran r = judged("libpoolproof_misbehaves.so", misdeed, 9);
        ASSERT_FALSE(r.reasons.empty()) << misdeed;
        EXPECT_EQ(r.totals.cases, 9) << misdeed;
        for (const std::string& why : r.reasons)
            EXPECT_NE(why.find(reason), std::string::npos) << misdeed << ": " << why;
    }
}

TEST(Plugin, WhatItPrintsDoesNotDisturbTheProtocol) {
    EXPECT_EQ(judged("libpoolproof_misbehaves.so", "print", 9).totals.count(Outcome::declined), 9);
    EXPECT_EQ(judged("libpoolproof_misbehaves.so", "fork", 9).totals.count(Outcome::declined), 9);
}

TEST(Plugin, NamesThatNobodyKnowsInItsCapabilitiesAreTold) {
    setenv("POOLPROOF_ADAPTER_MISBEHAVE", "misspell", 1);
    const auto found = find_backend("plugin:" POOLPROOF_PLUGINS "/libpoolproof_misbehaves.so");
    ASSERT_TRUE(found);
    ASSERT_FALSE((*found)->start());
    const auto& unknown = (*found)->declaration().unknown;
    ASSERT_EQ(unknown.size(), 1U);
    EXPECT_EQ(message(unknown.front()),
              "capabilities.ops[0]: 'maxpool' is not known; did you mean 'max_pool'?");
}

TEST(Plugin, AFileThatIsNoneSaysSo) {
    for (const char* file : {"/nowhere/at/all.so", "/etc/passwd"}) {
        const auto found = find_backend(std::string("plugin:") + file);
        ASSERT_TRUE(found);
        const auto why = (*found)->start();
        ASSERT_TRUE(why) << file;
        EXPECT_NE(why->find(file), std::string::npos) << *why;
    }
}

}  // namespace
}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// Programs that speak the protocol, and some that do not, as backends. The misbehaving ones are right at all
// other cases, so that every case but theirs must conform.
#include <poolproof/rehearsal.hpp>
#include <poolproof/run.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <dirent.h>
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

namespace poolproof {
namespace {

std::string adapter(const std::string& arguments) {
    const std::string here = __FILE__;
    return "cmd:python3 " + here.substr(0, here.rfind("backends/")) + "adapters/tests/" + arguments;
}

Limits quick() {
    Limits l;
    l.deadline = std::chrono::milliseconds(1000);
    l.start = std::chrono::milliseconds(60'000);
    return l;
}

struct Ran {
    Totals totals;
    std::map<std::string, std::string> broken;  ///< label to reason
    std::optional<std::string> gone;
};

Ran judged(const std::string& name, std::uint64_t cases, const Limits& limits) {
    const auto found = find_backend(name, limits);
    if (!found) throw std::runtime_error(message(found.rejection()));
    Backend& b = **found;
    if (const auto why = b.start()) throw std::runtime_error(*why);
    const auto source =
        generated_cases({.seed = 1, .profile = b.declaration().profile}, b.declaration(), 0, cases);
    Ran r;
    r.totals = judge_all(b, *source, [&](const Judged& j) {
        if (j.verdict.outcome == Outcome::broke) r.broken[j.subject.label] = j.verdict.why;
        return true;
    });
    r.gone = b.gone();
    return r;
}

std::size_t open_descriptors() {
    DIR* folder = opendir("/proc/self/fd");
    std::size_t n = 0;
    while (readdir(folder) != nullptr) ++n;
    closedir(folder);
    return n;
}

TEST(Child, AnHonestOneConformsInBothFramings) {
    for (const bool frames : {true, false}) {
        Limits limits = quick();
        limits.frames = frames;
        const Ran r = judged(adapter("misbehaves.py lies --every 1000000000"), 60, limits);
        EXPECT_EQ(r.totals.bad(), 0);
        EXPECT_GT(r.totals.judged(), 50);
    }
}

struct Vice {
    std::string mode, reason;
};

class Broken : public testing::TestWithParam<Vice> {};

INSTANTIATE_TEST_SUITE_P(
    Vices, Broken,
    testing::Values(
        Vice{"aborts", "was killed by signal 6"}, Vice{"dies", "was killed by signal 11"},
        Vice{"exits", "exited with 3"}, Vice{"cut-off", "exited with 0 in the middle of a message"},
        Vice{"closes", "closed its output"}, Vice{"hangs-on", "timeout: no answer"},
        Vice{"silent", "timeout"}, Vice{"bad-checksum", "malformed: a frame whose checksum is wrong"},
        Vice{"bad-hex", "malformed: outputs."}, Vice{"endless-length", "malformed: frame.head"},
        Vice{"huge-length", "malformed: a frame of 2147483"}, Vice{"garbage", "malformed: frame.magic"},
        Vice{"gigabytes --bytes 100000000", "malformed: frame.magic"}, Vice{"no-id", "malformed: id"},
        Vice{"two-kinds", "malformed: reply"}, Vice{"wrong-id", "wrong id: the reply has id"},
        Vice{"wrong-length", "malformed: outputs."}, Vice{"unknown-dtype", "malformed: outputs."},
        Vice{"--lines truncated", ""}, Vice{"--lines bad-hex", "malformed: outputs."},
        Vice{"--lines gigabytes --bytes 100000000", "malformed: "},
        Vice{"--lines prints", "malformed: json"}),
    [](const auto& tested) {
        std::string name = tested.param.mode.substr(0, tested.param.mode.find(" --bytes"));
        for (char& c : name)
            if (c == '-' || c == ' ') c = '_';
        return name;
    });

TEST_P(Broken, IsNamedAndTheRunGoesOn) {
    Limits limits = quick();
    const std::size_t before = open_descriptors();
    const Ran r = judged(adapter("misbehaves.py " + GetParam().mode + " --every 10"), 20, limits);
    EXPECT_FALSE(r.gone) << *r.gone;
    EXPECT_EQ(r.totals.cases - r.totals.not_covered, 20);
    EXPECT_GE(r.totals.count(Outcome::conforms), 10);
    EXPECT_EQ(r.totals.count(Outcome::deviates), 0);
    ASSERT_FALSE(r.broken.empty());
    for (const auto& [label, why] : r.broken)
        EXPECT_NE(why.find(GetParam().reason), std::string::npos) << label << ": " << why;
    EXPECT_EQ(open_descriptors(), before);
}

TEST(Child, AnOutputThatNobodyAskedForIsIgnoredAnswer) {
    const Ran r = judged(adapter("misbehaves.py extra-output --every 1"), 20, quick());
    EXPECT_EQ(r.totals.bad(), 0);
    EXPECT_GT(r.totals.judged(), 10);
}

TEST(Child, WhatDependsOnEarlierCasesIsSaidToDoSo) {
    const Ran r = judged(adapter("misbehaves.py exits --every 10 --by count"), 30, quick());
    ASSERT_EQ(r.broken.size(), 3U);
    for (const auto& [label, why] : r.broken)
        EXPECT_NE(why.find("state-dependent"), std::string::npos) << why;
}

TEST(Child, OneThatDoesNotStartSaysWhy) {
    for (const auto& [command, reason] :
         {std::pair{std::string("cmd:/nowhere/at/all"), "/nowhere/at/all could not be started: No such file"},
          {adapter("misbehaves.py exits-at-start"), "exited with"},
          {adapter("misbehaves.py greets-in-prose"), "json"},
          {adapter("misbehaves.py speaks-version-2"), "protocol"}}) {
        const auto found = find_backend(command, quick());
        ASSERT_TRUE(found);
        const auto why = (*found)->start();
        ASSERT_TRUE(why) << command;
        EXPECT_NE(why->find(reason), std::string::npos) << *why;
    }
}

TEST(Child, IsGivenUpWhenItsStartsAreUsedUp) {
    Limits limits = quick();
    limits.restarts = 3;
    const Ran r = judged(adapter("misbehaves.py exits --every 1"), 30, limits);
    EXPECT_TRUE(r.gone);
    EXPECT_GT(r.totals.count(Outcome::broke), 0);
    EXPECT_LT(r.totals.judged(), 5);  // those that it was asked
    EXPECT_TRUE(r.totals.never_answered());
}

TEST(Child, IsGivenUpWhenItOnlyEndsUnlessItOnceAnswered) {
    Limits limits = quick();
    limits.first_ends = 6;
    const Ran r = judged(adapter("misbehaves.py exits --every 1"), 60, limits);
    ASSERT_TRUE(r.gone);
    EXPECT_NE(r.gone->find("keeps dying: it ended 6 times and never answered"), std::string::npos) << *r.gone;
    EXPECT_LT(r.totals.judged(), 7);
    const Ran other = judged(adapter("misbehaves.py exits --every 3"), 60, limits);
    EXPECT_GT(other.totals.count(Outcome::broke), 6);
    EXPECT_FALSE(other.gone);
}

std::vector<std::string> children() {
    std::ifstream list("/proc/self/task/" + std::to_string(getpid()) + "/children");
    return {std::istream_iterator<std::string>(list), {}};
}

TEST(Child, NothingThatItLeftBehindOutlivesIt) {
    adopt_orphans();
    const auto before = children();
    const Ran r = judged(adapter("misbehaves.py leaves-a-daemon --every 1"), 900, quick());
    EXPECT_EQ(r.totals.bad(), 0);
    EXPECT_EQ(children(), before);
}

TEST(Child, MemoryIsThatOfAllThatItStarted) {
    Limits limits = quick();
    limits.memory = std::uint64_t{300} << 20;
    limits.deadline = std::chrono::milliseconds(20'000);
    const Ran r =
        judged(adapter("misbehaves.py leaks-in-a-child --every 1 --seconds 3 --bytes 400000000"), 1, limits);
    ASSERT_FALSE(r.broken.empty());
    EXPECT_EQ(r.broken.begin()->second.find("memory: used "), 0U) << r.broken.begin()->second;
}

TEST(Child, OneThatIsTooSlowIsAskedToEndBeforeItIsMadeTo) {
    const std::string file =
        (std::filesystem::temp_directory_path() / ("poolproof_tidy_" + std::to_string(getpid()))).string();
    setenv("POOLPROOF_ADAPTER_FILE", file.c_str(), 1);
    Limits limits = quick();
    limits.deadline = std::chrono::milliseconds(200);
    judged(adapter("misbehaves.py tidies-up --every 1"), 2, limits);
    std::ifstream lines(file);
    EXPECT_EQ(std::count(std::istreambuf_iterator<char>(lines), {}, '\n'), 5);
    std::filesystem::remove(file);
}

TEST(Child, IsGivenUpWhenItNeverAnswersInTime) {
    Limits limits = quick();
    limits.deadline = std::chrono::milliseconds(200);
    const Ran r = judged(adapter("misbehaves.py hangs --every 1"), 30, limits);
    ASSERT_TRUE(r.gone);
    EXPECT_NE(r.gone->find("no answer 5 times in a row"), std::string::npos) << *r.gone;
    EXPECT_EQ(r.totals.count(Outcome::broke), r.totals.cases - r.totals.not_covered);
}

TEST(Child, ACommandIsSplitAsAShellWould) {
    EXPECT_TRUE(find_backend("cmd:python3 -c 'print(1)' \"a b\""));
    for (const char* wrong : {"cmd:", "cmd:  ", "cmd:a 'b", "cmd:a | b", "cmd:a > b", "cmd:$(a)", "cmd:a; b"})
        EXPECT_FALSE(find_backend(wrong)) << wrong;
}

TEST(Rehearsal, AnHonestAdapterPassesEveryStep) {
    const auto steps = rehearse(adapter("misbehaves.py lies --every 1000000000").substr(4), quick());
    ASSERT_TRUE(steps);
    EXPECT_EQ(steps->size(), 13U);
    for (const RehearsalStep& s : *steps) EXPECT_TRUE(s.passed) << s.name << ": " << s.came;
}

TEST(Rehearsal, AReplyThatCannotBeReadIsShownWithTheReason) {
    const auto steps =
        rehearse(adapter("misbehaves.py --lines no-kind --every 10 --by count").substr(4), quick());
    ASSERT_TRUE(steps);
    EXPECT_TRUE(std::any_of(steps->begin(), steps->end(), [](const RehearsalStep& s) {
        return !s.passed && s.expected.find("holds 0 of outputs") != std::string::npos;
    }));
}

TEST(Rehearsal, RejectionsAreAskedOfThoseThatDeclareThemAlone) {
    const auto asked = [](const std::string& command) {
        const auto steps = rehearse(command, quick());
        if (!steps) throw std::runtime_error(message(steps.rejection()));
        return std::count_if(steps->begin(), steps->end(), [](const RehearsalStep& s) {
            return s.passed && s.name.find("rejects") != std::string::npos;
        });
    };
    EXPECT_EQ(asked(adapter("misbehaves.py lies --every 1000000000").substr(4)), 0);
    EXPECT_EQ(asked(POOLPROOF_PLUGINS "/poolproof-host reference"), 1);
}

TEST(Rehearsal, ShowsWhatWasSentWhatCameAndWhatWasExpected) {
    for (const auto& [mode, step] : {std::pair{"speaks-version-2", "it greets"},
                                     {"--lines wrong-id --every 1", "it answers a case"},
                                     {"--lines lies --every 1", "it answers a case"},
                                     {"--lines twice --every 1", "it repeats any id"},
                                     {"--lines silent --every 10 --by count", "it answers requests"},
                                     {"--lines bad-hex --every 10 --by count", "it answers requests"},
                                     {"unknown-profile", "its declaration covers"},
                                     {"misspells", "it declares what is known"},
                                     {"declines --every 1", "it answers cases that it declares"},
                                     {"twice --every 64 --by count", "it writes nothing after the last"},
                                     {"dies-of-frames", "it answers in frames"}}) {
        const auto steps = rehearse(adapter(std::string("misbehaves.py ") + mode).substr(4), quick());
        ASSERT_TRUE(steps);
        const auto wrong =
            std::find_if(steps->begin(), steps->end(), [](const RehearsalStep& s) { return !s.passed; });
        ASSERT_NE(wrong, steps->end()) << mode;
        EXPECT_EQ(wrong->name.find(step), 0U) << mode << ": " << wrong->name;
        EXPECT_FALSE(wrong->sent.empty() || wrong->came.empty() || wrong->expected.empty()) << mode;
    }
}

TEST(Coverage, WhatIsNotDeclaredIsNotSent) {
    Capability can;
    can.attrs = std::vector<std::string>{"dilation"};
    can.leading_axes = std::vector<Index>{1};
    can.max_kernel = 4;
    const auto covered = [&](const std::string& attrs, const std::string& shape = "[1,8]") {
        const auto c = read_case(R"({"op":"avg_pool","attrs":{)" + attrs + R"(},"input":{"shape":)" + shape +
                                 R"(,"data":[1,2,3,4,5,6,7,8]}})");
        if (!c) throw std::runtime_error(message(c.rejection()));
        return covers(can, *c);
    };
    EXPECT_TRUE(covered(R"("kernel":[2],"dilation":[2],"pad_begin":[1],"ceil_mode":false)"));
    EXPECT_FALSE(covered(R"("kernel":[2],"ceil_mode":true)"));
    EXPECT_FALSE(covered(R"("kernel":[2],"pad_begin":[1],"pad_end":[0])"));
    EXPECT_FALSE(covered(R"("kernel":[2],"count_include_pad":false)"));
    EXPECT_FALSE(covered(R"("kernel":[2],"divisor_override":3)"));
    EXPECT_FALSE(covered(R"("kernel":[2],"auto_pad":"valid")"));
    EXPECT_FALSE(covered(R"("kernel":[5])"));
    EXPECT_FALSE(covered(R"("kernel":[2])", "[8]"));
}

TEST(Coverage, ADeclaredPolicyIsTheOneThatJudges) {
    Declaration d{"mine", "1", "onnx", {}};
    d.capabilities.resize(1);
    d.capabilities[0].policy.ties = Ties::last;
    d.capabilities[0].ops = {Op::max_pool};
    const auto source = generated_cases({.seed = 1, .profile = "onnx"}, d, 0, 20);
    ASSERT_TRUE(source);
    for (auto s = (*source)(); s; s = (*source)()) {
        EXPECT_EQ(s->c.op, Op::max_pool);
        EXPECT_EQ(s->c.policy.ties, Ties::last);
    }
}

TEST(Completion, WritesOutEveryDefault) {
    const auto c = read_case(
        R"({"op":"avg_pool","attrs":{"kernel":[2],"pad_begin":[1]},"input":{"shape":[4],"data":[1,2,3,4]}})");
    const std::string text = write_case(completed(*c));
    EXPECT_NE(text.find(R"("attrs":{"kernel":[2],"stride":[2],"pad_begin":[1],"pad_end":[1],"dilation":[1],)"
                        R"("ceil_mode":false,"count_include_pad":true,"memory":"contiguous"})"),
              std::string::npos)
        << text;
}

TEST(Generated, OneCaseInSixteenIsAsItWasDrawn) {
    const Declaration d;
    const auto source = generated_cases({.seed = 3, .profile = "torchlean"}, d, 0, 320);
    ASSERT_TRUE(source);
    int incomplete = 0;
    for (auto s = (*source)(); s; s = (*source)()) incomplete += completed(s->c) == s->c ? 0 : 1;
    EXPECT_GT(incomplete, 5);
    EXPECT_LE(incomplete, 20);
}

}  // namespace
}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
#include <poolproof/backend.hpp>
#include <poolproof/generate.hpp>
#include <poolproof/plan.hpp>
#include <poolproof/search.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace poolproof {
namespace {

Observation ask(const std::string& backend, const Case& c) { return (*find_backend(backend))->run(c); }

struct Sorted {
    std::vector<Bucket> buckets;
    Index failures = 0;
};

Sorted sorted(const Answers& answers, std::uint64_t cases, Request request = {.seed = 2}) {
    Buckets buckets(answers);
    const auto g = generator(std::move(request));
    Sorted r;
    for (std::uint64_t k = 0; k < cases; ++k) {
        const Case c = (*g)(k);
        const Expected expected = expect(*plan(c), c);
        const Observation o = answers(c);
        const Verdict v = judge(expected, o);
        if (v.outcome >= Outcome::deviates) {
            ++r.failures;
            buckets.add(k, c, &expected, o, v);
        } else {
            buckets.add_right(
                c, [&] { return &expected; }, o);
        }
    }
    r.buckets = buckets.all();
    return r;
}

Index cases(const Sorted& s) {
    Index n = 0;
    for (const Bucket& b : s.buckets) n += b.cases;
    return n;
}

TEST(Buckets, HoldAFaultThatShowsInManyWaysAsOneEntryOfItsName) {
    for (const char* name : {"ceil_ignored", "last_tie_wins", "divides_by_one_less"}) {
        const auto liar = std::move(*find_backend(std::string("faulty:") + name));
        const Sorted s = sorted([&](const Case& c) { return liar->run(c); }, 250);
        ASSERT_EQ(s.buckets.size(), 1U) << name << ": " << s.buckets.back().name();
        EXPECT_EQ(s.buckets[0].hypothesis(), name);
        EXPECT_EQ(s.buckets[0].cases, s.failures);
        EXPECT_GT(s.failures, 5);
        EXPECT_LE(s.buckets[0].smallest.input.size(), 5);
    }
}

TEST(Buckets, KeepTwoFaultsApart) {
    const Sorted s = sorted(
        [](const Case& c) {
            return ask(c.op == Op::avg_pool ? "faulty:divides_by_one_less" : "faulty:ceil_ignored", c);
        },
        300);
    ASSERT_EQ(s.buckets.size(), 2U);
    EXPECT_NE(s.buckets[0].hypothesis(), s.buckets[1].hypothesis());
    EXPECT_EQ(cases(s), s.failures);
}

TEST(Buckets, GoByClauseAndFeaturesWhereNoHypothesisHolds) {
    const Sorted s = sorted(
        [](const Case& c) {
            Observation o = ask("reference", c);
            if (c.op == Op::max_pool && o.kind == Observation::Kind::answered &&
                o.outputs[0].second.size() > 1)
                o.outputs[0].second.set(1, o.outputs[0].second[1] ^ 0x5);
            return o;
        },
        200,
        {.seed = 2, .ops = {Op::max_pool, Op::avg_pool}, .modes = {Mode::forward}, .formats = {Format::f32}});
    EXPECT_EQ(cases(s), s.failures);
    EXPECT_GT(s.failures, 20);
    EXPECT_LE(s.buckets.size(), 6U);  // windows with cells, and empty ones, which have a clause of their own
    for (const Bucket& b : s.buckets) {
        EXPECT_EQ(b.hypothesis(), "");
        EXPECT_LE(b.smallest.input.size(), 2) << write_case(b.smallest);
    }
}

/// Answers like the reference but where `o` replaces what it gives to some cases.
template <class Change> Answers reference_but(Change change) {
    return [change](const Case& c) {
        Observation o = ask("reference", c);
        change(c, o);
        return o;
    };
}

bool has_kernel(const Case& c, Index k) {
    return c.attrs.kernel &&
           std::find(c.attrs.kernel->begin(), c.attrs.kernel->end(), k) != c.attrs.kernel->end();
}

TEST(Buckets, GoByTheReasonWhereThereIsNoAnswerWhateverTheOpTheRankAndTheNumbersInIt) {
    int asked = 0;
    const Sorted s =
        sorted(reference_but([&](const Case& c, Observation& o) {
                   const std::string n = std::to_string(++asked);
                   if (has_kernel(c, 3))
                       o = {Observation::Kind::broke, {}, "fault at 0x7ffe" + n + " in thread " + n};
                   else if (has_kernel(c, 2) && c.mode == Mode::vjp)
                       o = {Observation::Kind::failed, {}, "no gradient of (" + n + "x2x1)"};
                   else if (has_kernel(c, 2) && c.mode == Mode::jvp)
                       o = {Observation::Kind::failed, {}, "no tangents here"};
               }),
               300);
    ASSERT_EQ(s.buckets.size(), 3U) << s.buckets.back().name();
    EXPECT_EQ(cases(s), s.failures);
    std::vector<std::string> names;
    for (const Bucket& b : s.buckets) names.push_back(b.name());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"[Answer] failed: no gradient of (#)",
                                               "[Answer] failed: no tangents here",
                                               "broke: fault at # in thread #"}));
}

TEST(Buckets, AskABackendThatBreaksOnlyAFewTimesAndKeepTheFailureUnshrunkWhenStopped) {
    int asked = 0;
    bool stopped = false;
    const Answers breaks = reference_but([&](const Case& c, Observation& o) {
        ++asked;
        if (has_kernel(c, 3)) o = {Observation::Kind::broke, {}, "was killed by signal 11"};
    });
    const Case c = *read_case(R"({"op":"max_pool","attrs":{"kernel":[3,2]},"input":{"shape":[3,4,6],"data":[
        1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,
        1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9]}})");
    const Expected expected = expect(*plan(c), c);
    const Observation o = breaks(c);
    const Verdict v = judge(expected, o);
    Buckets patient(breaks);
    asked = 0;
    EXPECT_TRUE(patient.add(1, c, &expected, o, v));
    EXPECT_LE(asked, 101);
    EXPECT_TRUE(patient.all()[0].reproduced);

    Buckets hurried(breaks, {.stop = [&] { return stopped || asked >= 1; }});
    asked = 0;
    EXPECT_TRUE(hurried.add(1, c, &expected, o, v));
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(hurried.all()[0].smallest, c);
    EXPECT_TRUE(hurried.all()[0].reproduced) << "it was not asked twice, and says nothing of that";
}

/// The sets of one may take seconds.
TEST(Buckets, EndTheSearchForASmallerCaseByTheClockWhereOneIsLarge) {
    const Answers wrong = [](const Case& c) { return ask("faulty:divides_by_one_less", c); };
    const auto smallest_of = [&](Index cells) {
        Case c;
        c.op = Op::avg_pool;
        c.attrs.kernel = {2};
        c.input = Tensor(Format::f64, {cells});
        for (Index k = 0; k < cells; ++k) c.input.set(k, 0x3ff0000000000000);
        const Expected expected = expect(*plan(c), c);
        const Observation o = wrong(c);
        Buckets buckets(wrong, {.large_time = std::chrono::milliseconds(0)});
        buckets.add(0, c, &expected, o, judge(expected, o));
        return buckets.all().front().smallest.input.size();
    };
    EXPECT_EQ(smallest_of(10'000), 10'000);
    EXPECT_LT(smallest_of(1000), 10);
}

TEST(Buckets, AskForTheSetsOfARightAnswerOnlyWhereTheyTellHypothesesApart) {
    const Answers wrong = [](const Case& c) { return ask("faulty:divides_by_one_less", c); };
    const Case c =
        *read_case(R"({"op":"avg_pool","attrs":{"kernel":[2]},"input":{"shape":[4],"data":[1,2,3,4]}})");
    const Case other =
        *read_case(R"({"op":"max_pool","attrs":{"kernel":[2]},"input":{"shape":[4],"data":[1,2,3,4]}})");
    const Expected expected = expect(*plan(c), c);
    int asked = 0;
    const auto sets = [&]() -> const Expected* { return ++asked, nullptr; };
    Buckets buckets(wrong);
    buckets.add_right(c, sets, {});
    EXPECT_EQ(asked, 0) << "nothing failed yet";
    const Observation o = wrong(c);
    buckets.add(0, c, &expected, o, judge(expected, o));
    buckets.add_right(other, sets, {});
    EXPECT_EQ(asked, 0) << "another op";
    buckets.add_right(c, sets, {});
    EXPECT_EQ(asked, 1);
}

TEST(Buckets, HoldSumsThatWrapIn64BitsAsOneEntryWhateverClauseDecidesTheirWindows) {
    const Sorted s =
        sorted([](const Case& c) { return ask("faulty:integer_sum_wraps", c); }, 1500,
               {.seed = 2, .ops = {Op::avg_pool}, .formats = {Format::i64}, .profile = "pytorch"});
    ASSERT_EQ(s.buckets.size(), 1U) << s.buckets.back().name();
    EXPECT_EQ(s.buckets[0].hypothesis(), "integer_sum_wraps");
    EXPECT_EQ(s.buckets[0].cases, s.failures);
    EXPECT_GT(s.failures, 100);
}

TEST(Buckets, NameNoFaultThatRightAnswersToCasesOfTheKindContradict) {
    const Answers now_and_then = reference_but([](const Case& c, Observation& o) {
        if (c.input.size() % 4 == 3) o = ask("faulty:not_divided", c);
    });
    const Sorted s = sorted(now_and_then, 600, {.seed = 2, .ops = {Op::avg_pool}, .modes = {Mode::forward}});
    EXPECT_GT(s.failures, 10);
    for (const Bucket& b : s.buckets) EXPECT_NE(b.hypothesis(), "not_divided");
}

TEST(Buckets, SayThatAFailureCameOnce) {
    int asked = 0;
    const Answers answers = [&](const Case& c) {
        return ask(asked++ == 0 ? "faulty:ceil_ignored" : "reference", c);
    };
    const Case c = *read_case(R"({"op":"max_pool","attrs":{"kernel":[2],"ceil_mode":true},
        "input":{"shape":[3],"data":[1,2,3]}})");
    const Expected expected = expect(*plan(c), c);
    const Observation o = answers(c);
    Buckets buckets(answers);
    EXPECT_TRUE(buckets.add(7, c, &expected, o, judge(expected, o)));
    ASSERT_EQ(buckets.all().size(), 1U);
    EXPECT_FALSE(buckets.all()[0].reproduced);
    EXPECT_EQ(buckets.all()[0].smallest, c);
    EXPECT_EQ(buckets.all()[0].first, 7U);
}

}  // namespace
}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
#include <poolproof/backend.hpp>
#include <poolproof/generate.hpp>
#include <poolproof/plan.hpp>
#include <poolproof/search.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

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
            buckets.add_right(c, expected, o);
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

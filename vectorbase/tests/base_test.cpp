// SPDX-License-Identifier: Apache-2.0
// The base as a whole: drafts, lint, who is asked, and how little kills how much.
#include "vectorbase/strength.hpp"
#include "vectorbase/tests/sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace poolproof {
namespace {

VectorBase sample_base() {
    VectorBase base;
    base.files.push_back(sample_file());
    base.flags.push_back({"ties", "Equal cells.", {}, "A test has none."});
    return base;
}

TEST(Draft, SaysWhyItHasNoAnswer) {
    const auto valid = read_draft(
        draft("x", R"({"op":"max_pool","attrs":{"kernel":[2]},"input":{"shape":[2],"data":[1,2]}})",
              R"("rejected":true,"profiles":["torchlean"],)"));
    EXPECT_FALSE(valid);
    const auto invalid = read_draft(
        draft("x", R"({"op":"max_pool","attrs":{"kernel":[0]},"input":{"shape":[1],"data":[1]}})"));
    ASSERT_FALSE(invalid);
    EXPECT_NE(message(invalid.rejection()).find("kernel[0]: is 0"), std::string::npos)
        << message(invalid.rejection());
    const auto narrow = read_draft(
        draft("x", R"({"op":"max_pool","attrs":{"kernel":[0]},"input":{"shape":[1],"data":[0.1]}})"));
    ASSERT_FALSE(narrow);
    EXPECT_NE(message(narrow.rejection()).find("kernel[0]: is 0"), std::string::npos)
        << message(narrow.rejection());
    EXPECT_FALSE(read_draft(R"({"id":"x"})"));
    // Sets that tie values together are not for files.
    EXPECT_FALSE(read_draft(
        draft("x", R"({"op":"max_pool","mode":"vjp","attrs":{"kernel":[2]},"policy":{"ties":"any"},)"
                   R"("input":{"shape":[2],"data":[1,1]},"cotangent":{"shape":[1],"data":[1]}})")));
}

TEST(Draft, NamesTheProfilesThatAgree) {
    const Vector v = drafted(draft("x", R"({"op":"avg_pool","attrs":{"kernel":[2],"ceil_mode":true},)"
                                        R"("input":{"shape":[3],"data":[1,2,3]}})"));
    EXPECT_EQ(std::count(v.profiles.begin(), v.profiles.end(), "pytorch"), 0);  // it divides by 1
    EXPECT_EQ(std::count(v.profiles.begin(), v.profiles.end(), "torchlean"), 1);
}

TEST(Base, TakesANewContentOnlyWithAReason) {
    VectorBase base = sample_base();
    const std::string other =
        R"({"op":"max_pool","attrs":{"kernel":[3]},"input":{"shape":[3],"data":[1,2,4]}})";
    auto again = read_draft(draft("a-first", other));
    ASSERT_TRUE(again);
    EXPECT_TRUE(add_vector(base, *again).has_value());
    again->change = "the test says so";
    EXPECT_FALSE(add_vector(base, *again).has_value());
    ASSERT_EQ(base.changes.size(), 1U);
    EXPECT_EQ(base.changes[0].now, base.find("a-first")->hash);
    EXPECT_EQ(base.count(), 4U);
}

TEST(Base, RefusesWhatLintWouldComplainOf) {
    const std::string fresh =
        R"({"op":"max_pool","attrs":{"kernel":[3]},"input":{"shape":[3],"data":[1,2,4]}})";
    VectorBase base = sample_base();
    const auto refused = [&](Draft d) {
        const auto r = add_vector(base, std::move(d));
        return r ? message(*r) : std::string();
    };
    auto one = read_draft(draft("e-fifth", fresh));
    ASSERT_TRUE(one);
    Draft other = *one;
    other.vector.flags = {"ties", "unheard_of"};
    EXPECT_NE(refused(other).find("'unheard_of' has no note"), std::string::npos) << refused(other);
    other = *one;
    other.vector.clause = "Nothing";
    EXPECT_NE(refused(other).find("'Nothing' is not in docs/SPEC.md"), std::string::npos) << refused(other);
    EXPECT_EQ(base.count(), 4U);
    EXPECT_EQ(refused(*one), "");
    other = *one;
    other.vector.id = "f-sixth";
    EXPECT_NE(refused(other).find("has the content of e-fifth"), std::string::npos) << refused(other);
    EXPECT_EQ(refused(*one), "");  // the same again is no change
}

TEST(Lint, IsContentWithWhatTheToolWrites) {
    const auto complaints = lint_vectors(sample_base());
    EXPECT_TRUE(complaints.empty()) << message(complaints.front());
}

bool complains(const VectorBase& base, const std::string& of) {
    const auto all = lint_vectors(base);
    return std::any_of(all.begin(), all.end(),
                       [&](const Rejection& r) { return message(r).find(of) != std::string::npos; });
}

TEST(Lint, SeesWhatIsWrong) {
    VectorBase base = sample_base();
    base.files[0].vectors[1].answers[0].expected.outputs[0].values[1].highest +=
        1;  // and the hash made to fit
    base.files[0].vectors[1].hash = content_hash(base.files[0].vectors[1]);
    EXPECT_TRUE(complains(base, "b-second.answers"));

    base = sample_base();
    base.files[0].vectors[0].clause = "Nothing";
    EXPECT_TRUE(complains(base, "a-first.clause"));

    base = sample_base();
    base.flags.clear();
    EXPECT_TRUE(complains(base, "a-first.flags"));

    base = sample_base();
    base.files[0].vectors[1] = base.files[0].vectors[0];
    base.files[0].vectors[1].id = "b-second";
    EXPECT_TRUE(complains(base, "b-second.hash"));

    base = sample_base();
    base.frozen = {{"a-first", "1234"}, {"gone", "5678"}};
    EXPECT_TRUE(complains(base, "a-first: has changed"));
    EXPECT_TRUE(complains(base, "gone: is gone"));
    base.changes = {{"a-first", "1234", base.find("a-first")->hash, "why"}, {"gone", "5678", "", "why"}};
    EXPECT_FALSE(complains(base, "a-first: has changed"));
    EXPECT_FALSE(complains(base, "gone: is gone"));
}

TEST(Lint, WantsAReportOfEachFlagOrAReason) {
    VectorBase base = sample_base();
    base.flags[0].no_report.clear();
    EXPECT_TRUE(complains(base, "flags.json: ties: has no report"));
    base.flags[0].reports = {"https://github.com/Theano/Theano/issues/5404"};
    EXPECT_FALSE(complains(base, "flags.json: ties"));
    base.flags[0].no_report = "None was found.";
    EXPECT_TRUE(complains(base, "flags.json: ties: has reports, and a reason"));
}

TEST(Lint, SeesALevelThatIsNoLongerTheFrozenOne) {
    VectorBase base = sample_base();
    const Vector& first = *base.find("a-first");
    base.frozen = {{first.id, first.hash, Level::required}};
    EXPECT_FALSE(complains(base, "a-first"));
    base.files[0].vectors[0].level = Level::informative;
    EXPECT_TRUE(complains(base, "a-first: was frozen as required and is informative"));
    base.changes = {{"a-first", "required", "informative", "why"}};
    EXPECT_FALSE(complains(base, "a-first"));
}

TEST(Base, TakesAnotherLevelOnlyWithAReason) {
    VectorBase base = sample_base();
    Draft again{"tests", *base.find("a-first"), ""};
    again.vector.level = Level::recommended;
    EXPECT_TRUE(add_vector(base, again).has_value());
    again.change = "the test says so";
    EXPECT_FALSE(add_vector(base, again).has_value());
    ASSERT_EQ(base.changes.size(), 1U);
    EXPECT_EQ(base.changes[0].was, "required");
    EXPECT_EQ(base.changes[0].now, "recommended");
}

TEST(Suits, OnlyThosePoliciesThatABackendHas) {
    const Vector v =
        drafted(draft("x", R"({"op":"max_pool","mode":"vjp","attrs":{"kernel":[2]},"policy":{"ties":"last"},)"
                           R"("input":{"shape":[2],"data":[1,1]},"cotangent":{"shape":[1],"data":[1]}})"));
    const Case c = instance(v, Format::f64, "torchlean");
    Declaration d{"someone", "1", "torchlean", {}};
    EXPECT_FALSE(suits(d, "torchlean", c, false));
    EXPECT_TRUE(suits(d, "torchlean", c, true));
    d.capabilities.emplace_back();
    d.capabilities[0].policy.ties = Ties::last;
    EXPECT_TRUE(suits(d, "torchlean", c, false));
    Case plain = c;
    plain.policy = {};
    EXPECT_FALSE(suits(d, "torchlean", plain, false));  // it would take the last tie
}

TEST(Suits, WhatIsNotDeclaredSoThatItCountsAsNotCovered) {
    Declaration d{"someone", "1", "torchlean", {}};
    d.capabilities.emplace_back().ops = {Op::avg_pool};
    const auto backend = in_process(d, [](const Case&) { return Observation(); });
    const VectorBase base = sample_base();  // of maxima alone
    const auto all = instances(base, {});
    std::size_t given = 0;
    for (const Source source = vector_cases(base, {}, d, false); source();) ++given;
    EXPECT_EQ(given, all.size());
    const Totals t = judge_by_vectors(*backend, all, [](const Judged&) { return true; });
    EXPECT_EQ(t.not_covered, static_cast<Index>(all.size()));
    EXPECT_EQ(t.cases, t.not_covered);
}

TEST(Cover, IsGreedyAndComplete) {
    const auto chosen =
        vectorbase::greedy_cover({{1}, {1, 2, 3}, {4}, {3, 4, 5}, {4, 5}}, {1, 1, 1, 1, 1}, 9);
    EXPECT_EQ(chosen.front(), 1U);
    EXPECT_EQ(chosen.size(), 2U);
    EXPECT_EQ(vectorbase::greedy_cover({{1}, {1}}, {5, 2}, 9), std::vector<std::size_t>{1});
    EXPECT_EQ(vectorbase::greedy_cover({{1}, {2}}, {1, 1}, 1).size(), 1U);
}

TEST(Cover, PutsOneSetForTwo) {
    // The widest set is chosen first, and then covered by the two that are needed for 5 and 6.
    EXPECT_EQ(vectorbase::fewer({{1, 2, 3, 4}, {1, 2, 5}, {3, 4, 6}}, {0, 1, 2}).size(), 2U);
    EXPECT_EQ(vectorbase::fewer({{1}, {2}}, {1, 0}), (std::vector<std::size_t>{1, 0}));
    EXPECT_EQ(vectorbase::fewer({{1, 2}, {3}, {4}, {3, 4}}, {0, 1, 2}), (std::vector<std::size_t>{0, 3}));
}

TEST(Kills, AreThoseOfTheLiarsOwnProfile) {
    const Vector v = sample_file().vectors[1];
    std::vector<std::string> names;
    for (const std::size_t k : kills(v)) names.push_back(liars()[k].name);
    EXPECT_EQ(std::count(names.begin(), names.end(), "overlap_assigns"), 1);
    EXPECT_EQ(std::count(names.begin(), names.end(), "log_mean_exp"), 0);
}

/// The vectors that go with the program.
class Stored : public testing::Test {
protected:
    void SetUp() override {
        const auto folder = vector_folder();
        ASSERT_TRUE(folder);
        auto read = read_vectors(*folder);
        ASSERT_TRUE(read) << message(read.rejection());
        base = std::move(*read);
    }
    VectorBase base;
};

TEST_F(Stored, AreJudgedWithoutTheOracle) {
    const auto reference = find_backend("reference");
    for (const std::string& profile : profile_names()) {
        VectorFilter filter;
        filter.profile = profile;
        const Totals t = judge_by_vectors(**reference, instances(base, filter), [](const Judged& j) {
            EXPECT_LT(j.verdict.outcome, Outcome::deviates) << j.subject.label;
            return true;
        });
        EXPECT_GT(t.judged(), 100);
    }
}

TEST_F(Stored, KillEveryLiarByTheSmokeSetAlone) {
    std::vector<bool> killed(liars().size());
    std::size_t smoke = 0;
    for (const VectorFile& f : base.files)
        for (const Vector& v : f.vectors) {
            if (!v.smoke) continue;
            ++smoke;
            for (const std::size_t k : kills(v)) killed[k] = true;
        }
    EXPECT_LE(smoke, 40U);
    for (std::size_t k = 0; k < killed.size(); ++k) EXPECT_TRUE(killed[k]) << liars()[k].name;
}

TEST_F(Stored, HaveFlagsThatMostlyLinkToReports) {
    const auto with_reports = std::count_if(base.flags.begin(), base.flags.end(),
                                            [](const FlagNote& n) { return !n.reports.empty(); });
    EXPECT_GE(with_reports, 40);
    EXPECT_GT(base.flags.size(), 60U);
}

TEST_F(Stored, StandOnEveryClause) {
    std::size_t clauses = 0;
    for (const char* clause :
         {"W1",   "A1",   "A2",     "WOut",  "WSame", "WCeil", "WOver", "WPad", "WEmpty", "M1",
          "MPad", "MNan", "MZero",  "V1",    "VOver", "VReal", "VPad",  "S1",   "SPad",   "MTie",
          "SJvp", "MIdx", "DEmpty", "DOpen", "Nan",   "Inf",   "Zero",  "GAdd", "GVjp",   "Answer"}) {
        ++clauses;
        EXPECT_TRUE(std::any_of(base.files.begin(), base.files.end(), [&](const VectorFile& f) {
            return std::any_of(f.vectors.begin(), f.vectors.end(),
                               [&](const Vector& v) { return v.clause == clause; });
        })) << clause;
    }
    EXPECT_EQ(clauses, 30U);
}

}  // namespace
}  // namespace poolproof

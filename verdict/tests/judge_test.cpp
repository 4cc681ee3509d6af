// SPDX-License-Identifier: Apache-2.0
#include <poolproof/text.hpp>
#include <poolproof/verdict.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

namespace poolproof {
namespace {

constexpr Format f16 = Format::f16;
constexpr Bits one = 0x3C00, two = 0x4000, minus_one = 0xBC00, minus_zero = 0x8000, infinity = 0x7C00,
               minus_infinity = 0xFC00, quiet = 0x7E00, payload = 0xFD01;

/// `y` of f16, one permitted set per value.
Expected expected(std::vector<Permitted> values) {
    ExpectedOutput y;
    y.name = "y";
    y.format = f16;
    y.shape = {static_cast<Index>(values.size())};
    y.values = std::move(values);
    y.clause = "M1";
    Expected e;
    e.outputs.push_back(std::move(y));
    return e;
}

void add_indices(Expected& e, Format f, std::vector<PermittedIndices> positions) {
    ExpectedOutput indices;
    indices.name = "indices";
    indices.format = f;
    indices.shape = {static_cast<Index>(positions.size())};
    indices.positions = std::move(positions);
    indices.clause = "MIdx";
    e.outputs.push_back(std::move(indices));
}

Observation answered(const std::string& outputs) {
    const auto o = read_answer("{\"outputs\":{" + outputs + "}}", {{"y", f16}, {"indices", Format::i64}});
    if (!o) throw std::invalid_argument(message(o.rejection()));
    return *o;
}

/// An answer `y` of as many values as there are.
Observation y_of(const std::string& data, Index count) {
    return answered(R"("y":{"shape":[)" + std::to_string(count) + "],\"data\":[" + data + "]}");
}

Observation refusal(Observation::Kind kind) {
    Observation o;
    o.kind = kind;
    o.why = "because";
    return o;
}

TEST(Permits, APatternBetweenTheEndsOfItsRange) {
    const Permitted p = Permitted::between(minus_one, one);
    for (const Bits b : {minus_one, minus_zero, Bits{0}, Bits{1}, Bits{0x8001}, one})
        EXPECT_TRUE(permits(p, f16, b));
    for (const Bits b : {one + 1, minus_one + 1, infinity, minus_infinity, quiet})
        EXPECT_FALSE(permits(p, f16, b)) << b;
}

TEST(Permits, EitherZeroOnlyWhereTheRangeHoldsBothMZeroZero) {
    EXPECT_FALSE(permits(Permitted::exactly(0), f16, minus_zero));
    EXPECT_FALSE(permits(Permitted::exactly(minus_zero), f16, 0));
    EXPECT_TRUE(permits(Permitted::between(minus_zero, 0), f16, minus_zero));
    EXPECT_TRUE(permits(Permitted::between(minus_zero, 0), f16, 0));
}

TEST(Permits, NanAndInfinitiesOnlyByNameNanInf) {
    EXPECT_TRUE(permits(Permitted::any_nan(), f16, quiet));
    EXPECT_TRUE(permits(Permitted::any_nan(), f16, payload));
    EXPECT_FALSE(permits(Permitted::any_nan(), f16, infinity));
    EXPECT_FALSE(permits(Permitted::any_nan(), f16, 0));
    EXPECT_TRUE(permits(Permitted::with(&Permitted::infinity), f16, infinity));
    EXPECT_FALSE(permits(Permitted::with(&Permitted::infinity), f16, minus_infinity));
    EXPECT_FALSE(permits(Permitted::with(&Permitted::minus_infinity), f16, infinity));
    EXPECT_FALSE(permits(Permitted::between(0, largest_bits(f16)), f16, infinity));
    for (const Bits b : {one, quiet, infinity, minus_infinity})
        EXPECT_TRUE(permits(Permitted::anything(), f16, b));
}

TEST(Permits, IntegersInTheirOwnOrder) {
    EXPECT_TRUE(permits(Permitted::exactly(0x80), Format::i8, 0x80));
    EXPECT_FALSE(permits(Permitted::exactly(0x80), Format::i8, 0x7F));
    EXPECT_TRUE(permits(Permitted::between(0x80, 0x7F), Format::i8, 0));   // -128 to 127
    EXPECT_FALSE(permits(Permitted::between(0x80, 0x7F), Format::u8, 0));  // from 128 down to 127
}

TEST(Judge, ConformsWhereEveryValueIsPermitted) {
    const Verdict v = judge(expected({Permitted::exactly(one), Permitted::any_nan()}), y_of(R"(1,"nan")", 2));
    EXPECT_EQ(v.outcome, Outcome::conforms);
    EXPECT_EQ(v.tally.conforming, 2);
    EXPECT_TRUE(v.first_deviations.empty());
}

TEST(Judge, NamesTheClauseOfTheValueThatDeviatesWhereItIsTold) {
    Expected e = expected({Permitted::exactly(one), Permitted::exactly(two), Permitted::exactly(one)});
    e.outputs[0].clause_at = [](Index position) { return "M" + std::to_string(position); };
    EXPECT_EQ(judge(e, y_of("1,1,7", 3)).clause, "M1");
    EXPECT_EQ(judge(e, y_of("1,2,7", 3)).clause, "M2");
}

TEST(Judge, DeviatesWhereOneValueIsNotAndNamesClauseAndPosition) {
    const Verdict v =
        judge(expected({Permitted::exactly(one), Permitted::exactly(two), Permitted::anything()}),
              y_of("1,1,7", 3));
    EXPECT_EQ(v.outcome, Outcome::deviates);
    EXPECT_EQ(v.clause, "M1");
    EXPECT_EQ(v.tally.conforming, 1);
    EXPECT_EQ(v.tally.deviating, 1);
    EXPECT_EQ(v.tally.open, 1);
    ASSERT_EQ(v.first_deviations.size(), 1U);
    EXPECT_EQ(v.first_deviations[0].output, "y");
    EXPECT_EQ(v.first_deviations[0].position, 1);
    EXPECT_EQ(v.first_deviations[0].got, one);
}

TEST(Judge, CountsEveryDeviationAndShowsTheFirstEight) {
    const Verdict v =
        judge(expected(std::vector<Permitted>(10, Permitted::exactly(one))), y_of("2,2,2,2,1,2,2,2,2,2", 10));
    EXPECT_EQ(v.tally.deviating, 9);
    EXPECT_EQ(v.tally.conforming, 1);
    ASSERT_EQ(v.first_deviations.size(), shown_deviations);
    EXPECT_EQ(v.first_deviations.back().position, 8);
}

TEST(Judge, IsOpenWhereNothingIsDecidedAndVacuousWhereNothingCouldBeWrong) {
    Permitted wide = Permitted::between(minus_one, one);
    wide.vacuous = true;
    EXPECT_EQ(judge(expected({Permitted::anything()}), y_of("7", 1)).outcome, Outcome::open);
    EXPECT_EQ(judge(expected({wide}), y_of("0", 1)).outcome, Outcome::vacuous);
    EXPECT_EQ(judge(expected({}), y_of("", 0)).outcome, Outcome::vacuous);
    EXPECT_EQ(judge(expected({wide, Permitted::anything()}), y_of("0,0", 2)).outcome, Outcome::open);
    EXPECT_EQ(judge(expected({wide, Permitted::exactly(one)}), y_of("0,1", 2)).outcome, Outcome::conforms);
    EXPECT_EQ(judge(expected({wide}), y_of("2", 1)).outcome, Outcome::deviates);
}

TEST(Judge, AsksOfValuesThatArePermittedOneByOneWhetherTheyAreTogetherMTie) {
    const auto outcome = [](std::vector<Decision> decisions, const std::string& data) {
        Expected e = expected({Permitted::between(one, two)});
        e.outputs.front().joint = Joint{"any", [decisions](const Tensor& y) {
                                            Decision all = Decision::permitted;
                                            for (const Decision d : decisions) all = both(all, d);
                                            return y[0] == one ? all : both(Decision::refused, all);
                                        }};
        const Verdict v = judge(e, y_of(data, 1));
        EXPECT_EQ(v.clause.empty(), v.outcome == Outcome::conforms);
        return v.outcome;
    };
    constexpr auto permitted = Decision::permitted, refused = Decision::refused,
                   undecided = Decision::undecided;
    EXPECT_EQ(outcome({permitted}, "1"), Outcome::conforms);
    EXPECT_EQ(outcome({permitted}, "2"), Outcome::deviates);
    EXPECT_EQ(outcome({permitted}, "3"), Outcome::deviates);
    EXPECT_EQ(outcome({permitted, undecided}, "1"), Outcome::open);
    EXPECT_EQ(outcome({undecided, permitted}, "1"), Outcome::open);
    EXPECT_EQ(outcome({undecided, refused}, "1"), Outcome::deviates);
}

TEST(Judge, DeviatesWhereTheShapeOrDtypeIsWrongOrTheOutputIsMissingWOut) {
    const Expected e = expected({Permitted::anything()});
    const auto clause = [&](const std::string& outputs) {
        const Verdict v = judge(e, answered(outputs));
        EXPECT_EQ(v.outcome, Outcome::deviates) << outputs;
        EXPECT_FALSE(v.why.empty());
        return v.clause;
    };
    EXPECT_EQ(clause(R"("y":{"shape":[],"data":[1]})"), "WOut");
    EXPECT_EQ(clause(R"("y":{"shape":[1,1],"data":[1]})"), "WOut");
    EXPECT_EQ(clause(R"("y":{"shape":[2],"data":[1,1]})"), "WOut");
    EXPECT_EQ(clause(R"("y":{"dtype":"f32","shape":[1],"data":[1]})"), "Answer");
    EXPECT_EQ(clause(R"("z":{"shape":[1],"data":[1]})"), "Answer");
}

TEST(Judge, IgnoresAnOutputThatNobodyAskedForAnswer) {
    const Expected e = expected({Permitted::exactly(one)});
    for (const char* name : {"debug", "dx", "indices"}) {
        Observation o = y_of("1", 1);
        o.outputs.emplace_back(name, Tensor(Format::i8, {3}));
        EXPECT_EQ(judge(e, o).outcome, Outcome::conforms) << name;
    }
}

TEST(Judge, ReadsIndicesInTheirOwnFormatMIdx) {
    const auto outcome = [](Format f, const std::vector<PermittedIndices>& positions,
                            const std::string& data) {
        Expected e = expected({Permitted::exactly(one)});
        add_indices(e, f, positions);
        return judge(e, answered(R"("y":{"shape":[1],"data":[1]},"indices":{"dtype":")" +
                                 std::string(name(f)) + R"(","shape":[)" + std::to_string(positions.size()) +
                                 "],\"data\":[" + data + "]}"))
            .outcome;
    };
    const std::vector<PermittedIndices> two_or_five{std::vector<Index>{2, 5}};
    EXPECT_EQ(outcome(Format::i64, two_or_five, "5"), Outcome::conforms);
    EXPECT_EQ(outcome(Format::i64, two_or_five, "3"), Outcome::deviates);
    EXPECT_EQ(outcome(Format::i64, two_or_five, "-1"), Outcome::deviates);
    EXPECT_EQ(outcome(Format::i64, {std::nullopt}, "-1"), Outcome::conforms);  // y was judged
    EXPECT_EQ(outcome(Format::f32, two_or_five, "2"), Outcome::conforms);
    EXPECT_EQ(outcome(Format::f32, two_or_five, "5"), Outcome::conforms);
    EXPECT_EQ(outcome(Format::f32, {std::vector<Index>{16777215}}, "16777215"), Outcome::conforms);
    EXPECT_EQ(outcome(Format::f32, {std::vector<Index>{16777216}}, "16777216"), Outcome::conforms);
    EXPECT_EQ(outcome(Format::f32, {std::vector<Index>{0}}, "0"), Outcome::conforms);
    EXPECT_EQ(outcome(Format::f32, {std::vector<Index>{0}}, R"("0x1p-149")"), Outcome::deviates);
    EXPECT_EQ(outcome(Format::f32, {std::vector<Index>{0}}, R"("-0x1p-149")"), Outcome::deviates);
    for (const char* wrong : {R"("0x1.4p+1")", R"("nan")", R"("inf")", "-2", "1e30", "0.5"})
        EXPECT_EQ(outcome(Format::f32, two_or_five, wrong), Outcome::deviates) << wrong;
}

TEST(Judge, TakesAZeroOfEitherSignInAMaskForIndexZeroZero) {
    Expected e = expected({Permitted::exactly(one)});
    add_indices(e, f16, {std::vector<Index>{0}, std::vector<Index>{1}});
    const auto outcome = [&](const std::string& data) {
        return judge(e, answered(
                            R"("y":{"shape":[1],"data":[1]},"indices":{"dtype":"f16","shape":[2],"data":[)" +
                            data + "]}"))
            .outcome;
    };
    EXPECT_EQ(outcome(R"("-0x0p+0",1)"), Outcome::conforms);
    EXPECT_EQ(outcome(R"(0,"-0x0p+0")"), Outcome::deviates);
}

TEST(Judge, NamesTheClauseOfTheOutputThatDeviatesMIdx) {
    Expected e = expected({Permitted::exactly(one)});
    add_indices(e, Format::i64, {std::vector<Index>{3}});
    const Verdict v =
        judge(e, answered(R"("y":{"shape":[1],"data":[1]},"indices":{"shape":[1],"data":[4]})"));
    EXPECT_EQ(v.clause, "MIdx");
    ASSERT_EQ(v.first_deviations.size(), 1U);
    EXPECT_EQ(v.first_deviations[0].output, "indices");
    EXPECT_EQ(v.first_deviations[0].got, 4U);
}

TEST(Judge, TakesARefusalOfAValidCaseForADeviationButADeclineForWhatItIs) {
    const Expected e = expected({Permitted::exactly(one)});
    EXPECT_EQ(judge(e, refusal(Observation::Kind::declined)).outcome, Outcome::declined);
    EXPECT_EQ(judge(e, refusal(Observation::Kind::rejected)).outcome, Outcome::deviates);
    EXPECT_EQ(judge(e, refusal(Observation::Kind::failed)).outcome, Outcome::deviates);
    EXPECT_EQ(judge(e, refusal(Observation::Kind::broke)).outcome, Outcome::broke);
    EXPECT_EQ(judge(e, refusal(Observation::Kind::broke)).why, "because");
}

TEST(Judge, WantsARejectionOfACaseThatMustBeRejected) {
    EXPECT_EQ(judge_rejection(refusal(Observation::Kind::rejected)).outcome, Outcome::conforms);
    EXPECT_EQ(judge_rejection(refusal(Observation::Kind::declined)).outcome, Outcome::declined);
    EXPECT_EQ(judge_rejection(refusal(Observation::Kind::failed)).outcome, Outcome::deviates);
    EXPECT_EQ(judge_rejection(refusal(Observation::Kind::broke)).outcome, Outcome::broke);
    EXPECT_EQ(judge_rejection(y_of("1", 1)).outcome, Outcome::deviates);
}

TEST(Refusals, DecliningWhatIsDeclaredDeviatesAnswer) {
    const Verdict declined = judge(expected({Permitted::exactly(one)}), refusal(Observation::Kind::declined));
    EXPECT_EQ(declined.outcome, Outcome::declined);
    EXPECT_EQ(judge_declined(declined).outcome, Outcome::deviates);
    EXPECT_EQ(judge_declined(declined).clause, "Answer");
}

TEST(Repeats, MustAgreeBitByBitWhereTheProfileSaysSoDet) {
    Plan plan;
    const Case c;
    const Observation zero = y_of("\"0x0p+0\"", 1), minus = y_of("\"-0x0p+0\"", 1);
    const Verdict first = judge(expected({Permitted::between(minus_zero, 0)}), zero);
    ASSERT_EQ(first.outcome, Outcome::conforms);
    plan.policy.deterministic = Deterministic::required;
    EXPECT_EQ(judge_repeat(first, plan, c, zero, zero).outcome, Outcome::conforms);
    const Verdict other = judge_repeat(first, plan, c, zero, minus);
    EXPECT_EQ(other.outcome, Outcome::deviates);
    EXPECT_EQ(other.clause, "Det");
    Observation timed = zero;
    timed.outputs.emplace_back("nanoseconds", Tensor(Format::i64, {1}));
    EXPECT_EQ(judge_repeat(first, plan, c, zero, timed).outcome, Outcome::conforms);
    plan.policy.deterministic = Deterministic::open;
    EXPECT_EQ(judge_repeat(first, plan, c, zero, minus).outcome, Outcome::conforms);
}

}  // namespace
}  // namespace poolproof

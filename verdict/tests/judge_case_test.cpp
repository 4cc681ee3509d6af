// SPDX-License-Identifier: Apache-2.0
// Judged block by block, on certified sets and by the short way, a case gets the verdict that its exact sets
// give.
#include <poolproof/generate.hpp>
#include <poolproof/text.hpp>
#include <poolproof/verdict.hpp>

#include <gtest/gtest.h>

#include <random>

namespace poolproof {
namespace {

/// An answer out of the permitted sets: mostly from inside, some from an end, a few from just past one.
Observation answered(const Expected& expected, std::mt19937_64& random, unsigned wrong_in) {
    Observation o;
    for (const ExpectedOutput& e : expected.outputs) {
        Tensor t(e.format, e.shape);
        for (std::size_t k = 0; k < e.positions.size(); ++k) {
            const bool known = e.positions[k] && !e.positions[k]->empty();
            t.set(static_cast<Index>(k), static_cast<Bits>(known ? e.positions[k]->front() : 0));
        }
        for (std::size_t k = 0; k < e.values.size(); ++k) {
            const Permitted& p = e.values[k];
            Bits b = p.nan ? quiet_nan_bits(e.format) : p.infinity ? infinity_bits(e.format) : p.lowest;
            if (p.range && !is_integer(e.format)) {
                const auto steps = steps_between(e.format, p.lowest, p.highest);
                const std::uint64_t up = random() % 4 == 0 ? (random() % 2) * steps : random() % (steps + 1);
                const auto from = static_cast<std::uint64_t>(ordinal(e.format, p.lowest));
                b = bits_at(e.format, static_cast<std::int64_t>(from + up));
                if (random() % wrong_in == 0) b = bits_at(e.format, ordinal(e.format, p.highest) + 1);
            }
            t.set(static_cast<Index>(k), b);
        }
        o.outputs.emplace_back(e.name, std::move(t));
    }
    return o;
}

void expect_equal(const Verdict& a, const Verdict& b, const Case& c) {
    EXPECT_EQ(a.outcome, b.outcome) << write_case(c);
    EXPECT_EQ(a.clause, b.clause) << write_case(c);
    EXPECT_EQ(a.why, b.why);
    EXPECT_EQ(a.tally.conforming, b.tally.conforming) << write_case(c);
    EXPECT_EQ(a.tally.open, b.tally.open);
    EXPECT_EQ(a.tally.vacuous, b.tally.vacuous) << write_case(c);
    EXPECT_EQ(a.tally.deviating, b.tally.deviating) << write_case(c);
    ASSERT_EQ(a.first_deviations.size(), b.first_deviations.size());
    for (std::size_t k = 0; k < a.first_deviations.size(); ++k) {
        EXPECT_EQ(a.first_deviations[k].position, b.first_deviations[k].position);
        EXPECT_EQ(a.first_deviations[k].got, b.first_deviations[k].got);
    }
}

TEST(JudgeCase, GivesTheVerdictOfTheExactSets) {
    std::mt19937_64 random(1);
    std::array<Index, outcome_names.size()> outcomes{};
    for (const char* profile : {"torchlean", "pytorch", "onnx"}) {
        Request request;
        request.seed = 7;
        request.profile = profile;
        request.ops = {Op::max_pool, Op::avg_pool, Op::adaptive_avg_pool, Op::adaptive_max_pool};
        const auto made = generator(request);
        ASSERT_TRUE(made);
        for (std::uint64_t i = 0; i < 250; ++i) {
            const Case c = (*made)(i);
            const Plan settled = *plan(c);
            const Expected exact = expect(settled, c);
            const Observation o = answered(exact, random, i % 4 == 0 ? 20 : 1u << 30);
            const Verdict v = judge(exact, o);
            ++outcomes[static_cast<std::size_t>(v.outcome)];
            expect_equal(v, judge_case(settled, c, o), c);
        }
    }
    EXPECT_GT(outcomes[static_cast<std::size_t>(Outcome::conforms)], 50);
    EXPECT_GT(outcomes[static_cast<std::size_t>(Outcome::deviates)], 50);
}

Case layer(Op op, Mode mode, std::mt19937_64& random) {
    const auto filled = [&](const Shape& shape) {
        Tensor t(Format::f64, shape);
        for (Index i = 0; i < t.size(); ++i)
            t.set(i, std::bit_cast<Bits>(static_cast<double>(random() >> 11) * 0x1p-50 - 4));
        return t;
    };
    Case c;
    c.op = op;
    c.attrs.kernel = {3, 3};
    c.attrs.stride = {2, 2};
    c.attrs.pad_begin = {1, 1};
    c.input = filled({5, 9, 40, 33});
    const Shape out = plan(c)->output().shape;
    c.mode = mode;
    if (mode == Mode::jvp) c.tangent = filled(c.input.shape);
    if (mode == Mode::vjp) c.cotangent = filled(out);
    return c;
}

TEST(JudgeCase, AddsUpTheBlocksOfALayer) {
    std::mt19937_64 random(2);
    for (const Op op : {Op::max_pool, Op::avg_pool})
        for (const Mode mode : {Mode::forward, Mode::jvp, Mode::vjp}) {
            const Case c = layer(op, mode, random);
            const Plan settled = *plan(c);
            const Expected all = expect(settled, c, {0, slice_count(settled, c)});
            const Observation o = answered(all, random, 2000);
            Stages stages;
            expect_equal(judge(all, o), judge_case(settled, c, o, &stages), c);
            EXPECT_EQ(stages.exact, 0);
            EXPECT_EQ(stages.screened + stages.certified, size(all.outputs.front().shape));
        }
}

TEST(JudgeCase, RefusesAnotherShapeBeforeAnyBlock) {
    std::mt19937_64 random(3);
    const Case c = layer(Op::avg_pool, Mode::forward, random);
    Observation o;
    o.outputs.emplace_back("y", Tensor(Format::f64, {1}));
    EXPECT_EQ(judge_case(*plan(c), c, o).clause, "WOut");
}

TEST(JudgeCase, JudgesAnEmptyBatchByItsShape) {
    Case c;
    c.op = Op::max_pool;
    c.attrs.kernel = {2};
    c.input = Tensor(Format::f64, {0, 4});
    Observation o;
    o.outputs.emplace_back("y", Tensor(Format::f64, {0, 2}));
    EXPECT_EQ(judge_case(*plan(c), c, o).outcome, Outcome::vacuous);
}

}  // namespace
}  // namespace poolproof

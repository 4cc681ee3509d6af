// SPDX-License-Identifier: Apache-2.0
// The short way works on eight windows at a time: none may slip through at the ends of rows and of tensors.
#include <poolproof/backend.hpp>
#include <poolproof/text.hpp>
#include <poolproof/verdict.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace poolproof {
namespace {

Bits pattern(Format f, double v) {
    return f == Format::f64 ? std::bit_cast<Bits>(v)
                            : Bits{std::bit_cast<std::uint32_t>(static_cast<float>(v))};
}

Tensor waves(Format f, const Shape& shape, double phase) {
    Tensor t(f, shape);
    for (Index i = 0; i < t.size(); ++i)
        t.set(i, pattern(f, std::sin(static_cast<double>(i * i) + phase) * 4 + 0.25));
    return t;
}

Case row_case(Op op, Mode mode, Format f, Index length, Index stride, Index dilation) {
    Case c;
    c.op = op;
    c.format = f;
    c.attrs.kernel = {2, 3};
    c.attrs.stride = {1, stride};
    c.attrs.dilation = {1, dilation};
    c.attrs.pad_begin = {0, 1};
    c.input = waves(f, {2, 3, length}, 1);
    const Shape out = plan(c)->output().shape;
    c.mode = mode;
    if (mode == Mode::jvp) c.tangent = waves(f, c.input.shape, 2);
    if (mode == Mode::vjp) c.cotangent = waves(f, out, 3);
    return c;
}

/// Judges the answer as it is and with each value in turn moved away.
void expect_each_wrong_value_is_found(const Case& c) {
    const auto settled = plan(c);
    ASSERT_TRUE(settled);
    Observation o = std::move(*find_backend("reference"))->run(c);
    Stages stages;
    ASSERT_EQ(judge_case(*settled, c, o, &stages).outcome, Outcome::conforms);
    EXPECT_GT(stages.screened, 0);
    Tensor& y = o.outputs.front().second;
    for (Index at = 0; at < y.size(); ++at) {
        const Bits right = y[at];
        const Bits near = c.op == Op::max_pool && c.mode != Mode::vjp ? right + 1 : pattern(c.format, -100);
        for (const Bits wrong : {near, pattern(c.format, std::nan("")), pattern(c.format, HUGE_VAL)}) {
            y.set(at, wrong);
            const Verdict v = judge_case(*settled, c, o);
            EXPECT_EQ(v.outcome, Outcome::deviates);
            ASSERT_EQ(v.first_deviations.size(), 1U);
            EXPECT_EQ(v.first_deviations.front().position, at);
        }
        y.set(at, right);
    }
}

TEST(ShortWay, FindsEveryWrongValueWhereverARowEnds) {
    for (const Op op : {Op::max_pool, Op::avg_pool})
        for (const Mode mode : {Mode::forward, Mode::jvp, Mode::vjp})
            for (const Format f : {Format::f64, Format::f32})
                for (const Index length : {1, 3, 7, 8, 9, 15, 16, 17, 18, 31, 33})
                    for (const Index stride : {1, 2, 3})
                        for (const Index dilation : {1, 2}) {
                            if (length + 2 < 2 * dilation + 1) continue;
                            const Case c = row_case(op, mode, f, length, stride, dilation);
                            SCOPED_TRACE(write_case(c));
                            expect_each_wrong_value_is_found(c);
                        }
}

TEST(ShortWay, LeavesAMaximumOfZeroToItsSet) {
    Case c = row_case(Op::max_pool, Mode::forward, Format::f64, 20, 1, 1);
    for (Index i = 0; i < c.input.size(); ++i) c.input.set(i, i % 2 == 0 ? sign_bit(Format::f64) : 0);
    c.policy.signed_zero = SignedZero::positive;
    const auto settled = plan(c);
    ASSERT_TRUE(settled);
    Observation o = std::move(*find_backend("reference"))->run(c);
    EXPECT_EQ(judge_case(*settled, c, o).outcome, Outcome::conforms);
    o.outputs.front().second.set(5, sign_bit(Format::f64));
    EXPECT_EQ(judge_case(*settled, c, o).outcome, Outcome::deviates);
}

TEST(ShortWay, LeavesWindowsWithNaNAndInfinitiesToTheirSets) {
    for (const Op op : {Op::max_pool, Op::avg_pool})
        for (const double special : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
            Case c = row_case(op, Mode::forward, Format::f64, 40, 2, 1);
            c.policy.nan = Nan::propagate;
            c.input.set(17, pattern(c.format, special));
            const auto settled = plan(c);
            ASSERT_TRUE(settled);
            Observation o = std::move(*find_backend("reference"))->run(c);
            EXPECT_EQ(judge_case(*settled, c, o).outcome, Outcome::conforms);
            o.outputs.front().second.set(8, pattern(c.format, 1e9));  // the window of cells 15 to 17
            EXPECT_EQ(judge_case(*settled, c, o).outcome, Outcome::deviates);
        }
}

}  // namespace
}  // namespace poolproof

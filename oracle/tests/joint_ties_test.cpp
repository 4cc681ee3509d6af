// SPDX-License-Identifier: Apache-2.0
// Values that are permitted one by one must come from one choice of winners too, where the winner is open.
#include "oracle/tests/answers.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace poolproof {

namespace {

Tensor filled(const Case& c, const Shape& shape, const std::vector<double>& values) {
    Tensor t(c.format, shape);
    for (std::size_t k = 0; k < values.size(); ++k)
        t.set(static_cast<Index>(k), std::bit_cast<Bits>(values[k]));
    return t;
}

/// `+` permitted, `!` refused, `?` undecided, `-` not tied together.
char decided(const Case& c, const std::vector<double>& values) {
    const ExpectedOutput output = expect(*plan(c), c).outputs.front();
    const auto& joint = output.joint;
    if (!joint) return '-';
    for (std::size_t k = 0; k < values.size(); ++k)
        if (!permits(output.values[k], c.format, std::bit_cast<Bits>(values[k]))) return '!';
    const Shape shape = c.mode == Mode::vjp ? c.input.shape : plan(c)->output().shape;
    const Decision d = joint->decide(filled(c, shape, values));
    return d == Decision::permitted ? '+' : d == Decision::refused ? '!' : '?';
}

Question pool(const std::string& ties, const std::string& shape, const std::string& data,
              const std::string& attrs = R"("kernel":[2],"stride":[1])", const std::string& policy = "") {
    return {"max_pool", attrs, shape, data,
            R"("policy":{"ties":")" + ties + "\"" + (policy.empty() ? "" : "," + policy) + "}"};
}

const char* padded = R"("kernel":[2],"stride":[2],"pad_begin":[1],"pad_end":[0])";

/// The gradients of three cells over a grid of quarters that are permitted, one by one and together.
std::set<std::vector<double>> permitted_gradients(const Case& c) {
    const ExpectedOutput dx = expect(*plan(c), c).outputs.front();
    std::vector<std::vector<double>> alone(3);
    for (std::size_t k = 0; k < 3; ++k)
        for (int quarters = 0; quarters <= 12; ++quarters)
            if (permits(dx.values[k], c.format, std::bit_cast<Bits>(quarters / 4.0)))
                alone[k].push_back(quarters / 4.0);
    std::set<std::vector<double>> r;
    for (const double x : alone[0])
        for (const double y : alone[1])
            for (const double z : alone[2])
                if (dx.joint->decide(filled(c, dx.shape, {x, y, z})) == Decision::permitted)
                    r.insert({x, y, z});
    return r;
}

}  // namespace

TEST(JointTies, OfOneWinnerPerWindowAreThoseOfEveryCombinationMTie) {
    using Gradients = std::set<std::vector<double>>;
    EXPECT_EQ(permitted_gradients(pool("any", "3", "1,1,1").in_vjp("1,2")),
              (Gradients{{1, 2, 0}, {1, 0, 2}, {0, 3, 0}, {0, 1, 2}}));
    // The second window is settled, and sends to a cell that the first may choose.
    EXPECT_EQ(permitted_gradients(pool("any", "3", "1,1,0").in_vjp("1,2")),
              (Gradients{{1, 2, 0}, {0, 3, 0}}));
}

TEST(JointTies, OfSharesAreThoseThatAddUpWindowByWindowMTie) {
    std::set<std::vector<double>> shared, beside;
    for (int s = 0; s <= 4; ++s) beside.insert({s / 4.0, 3 - s / 4.0, 0});
    for (int s = 0; s <= 4; ++s)
        for (int t = 0; t <= 8; ++t) shared.insert({s / 4.0, (1 - s / 4.0) + (2 - t / 4.0), t / 4.0});
    EXPECT_EQ(permitted_gradients(pool("convex", "3", "1,1,1").in_vjp("1,2")), shared);
    EXPECT_EQ(permitted_gradients(pool("convex", "3", "1,1,0").in_vjp("1,2")), beside);
}

TEST(JointTies, OfSharesMayBeRoundedMTieBScale) {
    const Case c = pool("convex", "3", "1,1,1", R"("kernel":[3])").in_vjp("1");
    EXPECT_EQ(decided(c, {1.0 / 3, 1.0 / 3, 1.0 / 3}), '+');
    EXPECT_EQ(decided(c, {1.0 / 3, 1.0 / 3, 0x1.5555555555557p-2}), '+');
    EXPECT_EQ(decided(c, {0x1.5555555555655p-2, 0x1.5555555555655p-2, 0x1.5555555555655p-2}), '!');
}

TEST(JointTies, MayGoToPaddingMTieMPad) {
    const std::string zero = R"("max_padding":"zero")";
    const Case any = pool("any", "1", "0", padded, zero).in_vjp("2");
    EXPECT_EQ(decided(any, {2}), '+');
    EXPECT_EQ(decided(any, {0}), '+');
    EXPECT_EQ(decided(any, {1}), '!');
    const Case convex = pool("convex", "1", "0", padded, zero).in_vjp("2");
    for (const double share : {0.0, 0.5, 2.0}) EXPECT_EQ(decided(convex, {share}), '+') << share;
    for (const double share : {-0.5, 2.5}) EXPECT_EQ(decided(convex, {share}), '!') << share;
    const Case tangent = pool("any", "1", "0", padded, zero).in_jvp("2");
    EXPECT_EQ(decided(tangent, {2}), '+');
    EXPECT_EQ(decided(tangent, {0}), '+');
    EXPECT_EQ(decided(tangent, {1}), '!');
}

TEST(JointTies, AskNothingOfCellsThatAreOpenDOpen) {
    for (const char* ties : {"any", "convex"}) {
        const Case c = pool(ties, "3", R"(1,1,"inf")").in_vjp("1,2");
        EXPECT_EQ(decided(c, {1, 7, -7}), '+') << ties;
        EXPECT_EQ(decided(c, {0, 7, -7}), '+') << ties;
        EXPECT_EQ(decided(c, {2, 7, -7}), '!') << ties;
    }
}

TEST(JointTies, OfATangentAreThoseOfTheTiedCellsMTie) {
    const Case c = pool("any", "2", "1,1", R"("kernel":[2])").in_jvp("0,3");
    EXPECT_EQ(decided(c, {0}), '+');
    EXPECT_EQ(decided(c, {-0.0}), '+');
    EXPECT_EQ(decided(c, {3}), '+');
    EXPECT_EQ(decided(c, {1.5}), '!');
}

TEST(JointTies, AreNoneWhereNothingIsToBeChosenMTie) {
    EXPECT_EQ(decided(pool("any", "3", "1,1,1").in_vjp("0,0"), {0, 0, 0}), '-');
    EXPECT_EQ(decided(pool("any", "3", "1,2,3").in_vjp("1,2"), {0, 1, 2}), '-');
    EXPECT_EQ(decided(pool("first", "3", "1,1,1").in_vjp("1,2"), {1, 2, 0}), '-');
    EXPECT_EQ(decided(pool("convex", "2", "1,1", R"("kernel":[2])").in_jvp("0,3"), {2}), '-');
}

TEST(JointTies, AreDecidedWhereFlushingMakesNoFurtherOnesMTie) {
    const char* overlapping = R"("kernel":[2],"stride":[1])";
    const char* flushed = R"("subnormals":"may_flush")";
    for (const char* ties : {"any", "convex"}) {
        const Case c = pool(ties, "3", "1,1,0", overlapping, flushed).in_vjp("3,5");
        EXPECT_EQ(decided(c, {3, 5, 0}), '+') << ties;
        EXPECT_EQ(decided(c, {0, 8, 0}), '+') << ties;
        EXPECT_EQ(decided(c, {3, 8, 0}), '!') << ties;
        EXPECT_EQ(decided(c, {0, 5, 0}), '!') << ties;
    }
    const Case tangent = pool("any", "2", "1,1", R"("kernel":[2])", flushed).in_jvp("\"0x1p-1060\",5");
    EXPECT_EQ(decided(tangent, {5}), '+');
    EXPECT_EQ(decided(tangent, {0}), '+');
    EXPECT_EQ(decided(tangent, {4}), '!');
    // Any of these cells may be taken for zero and win.
    const Question near = pool("any", "3", R"(0,0,"-0x1p-1060")", R"("kernel":[3])", flushed);
    EXPECT_EQ(decided(near.in_vjp("3"), {0, 0, 3}), '-');
    EXPECT_EQ(decided(near.in_jvp("1,2,5"), {5}), '-');
}

TEST(JointTies, AreDecidedSliceBySliceMTie) {
    for (const char* ties : {"any", "convex"}) {
        const Case c = pool(ties, "3,2", "1,1,1,1,1,1", R"("kernel":[2])").in_vjp("1,2,4");
        EXPECT_EQ(decided(c, {1, 0, 0, 2, 4, 0}), '+') << ties;
        EXPECT_EQ(decided(c, {0, 0, 0, 2, 4, 0}), '!') << ties;
        EXPECT_EQ(decided(c, {1, 0, 2, 2, 4, 0}), '!') << ties;
        EXPECT_EQ(decided(c, {1, 0, 0, 2, 4, 4}), '!') << ties;
    }
}

/// Thirty-three windows share a cell, and no choice gives the sum that it is said to have.
TEST(JointTies, AreLeftUndecidedWhereThereAreTooManyMTie) {
    std::string ones = "1", cotangent = "1";
    for (int k = 1; k < 64; ++k) ones += ",1";
    for (int k = 1; k < 33; ++k) cotangent += ",1";
    std::vector<double> dx(64, 0);
    dx[31] = 32;
    EXPECT_EQ(decided(pool("any", "64", ones, R"("kernel":[32],"stride":[1])").in_vjp(cotangent), dx), '?');
}

}  // namespace poolproof

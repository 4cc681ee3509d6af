// SPDX-License-Identifier: Apache-2.0
// Where a result may be infinite or flushed: from where on, and what may follow it.
#include "oracle/expect/arithmetic.hpp"
#include "oracle/expect/rounding.hpp"
#include "oracle/tests/answers.hpp"

#include <gtest/gtest.h>

namespace poolproof {
namespace {

constexpr std::array floats{Format::f64, Format::f32, Format::f16, Format::bf16};

TEST(Overflow, AnInfinityIsPermittedWhereRoundingToNearestGivesItBOver) {
    for (const Format f : floats)
        for (int eighths = -8; eighths <= 12; ++eighths)
            for (const int side : {1, -1}) {
                const Rational largest = rational_value(f, largest_bits(f)),
                               step = power_of_two(max_exponent(f) - precision(f) + 1),
                               q = side * (largest + step * Rational(eighths, 8));
                const WorkingPrecision scope(256);
                const Permitted p = permitted(point(Interval(q)), Arithmetic(f, Accumulate::any, {}));
                const bool infinite = is_infinite(f, nearest(f, q));
                EXPECT_EQ(side > 0 ? p.infinity : p.minus_infinity, infinite)
                    << eighths << " eighths, " << name(f);
                EXPECT_FALSE(side > 0 ? p.minus_infinity : p.infinity);
            }
}

/// Nodes over four numbers of f32.
Permitted graph(const std::string& nodes, const std::string& data, const std::string& policy) {
    const Case c = case_of(R"({"op":"graph","dtype":"f32","policy":{)" + policy + R"(},"attrs":{"nodes":[)" +
                           nodes + R"(]},"input":{"shape":[4],"data":[)" + data + "]}}");
    return expect(*plan(c), c).outputs.front().values.front();
}

const std::string overflow_allowed = R"("intermediate_overflow":"allowed")",
                  overflow_forbidden = R"("intermediate_overflow":"forbidden")";

TEST(Overflow, AnythingMayFollowASumThatMayHaveOverflowedBOver) {
    const std::string nodes = R"({"op":"avg_pool","attrs":{"kernel":[4]},"input":-1},
                                 {"op":"avg_pool","attrs":{"kernel":[1]},"input":0})",
                      top = R"("0x1.fffffep+127")", bottom = R"("-0x1.fffffep+127")",
                      data = top + "," + top + "," + bottom + "," + bottom;
    const Permitted p = graph(nodes, data, overflow_allowed);
    for (const Bits honest : {infinity_bits(Format::f32), infinity_bits(Format::f32) | sign_bit(Format::f32),
                              infinity_bits(Format::f32) + 1, Bits{0}})
        EXPECT_TRUE(permits(p, Format::f32, honest)) << honest;
    const Permitted none = graph(nodes, data, overflow_forbidden);
    EXPECT_FALSE(none.open || none.infinity || none.minus_infinity || none.nan);
}

/// The sum of two numbers is infinite or fused with its division by four, whatever partial sums may be.
TEST(Overflow, AnythingMayFollowAResultPastTheTopBOverGAdd) {
    const std::string nodes = R"({"op":"add","attrs":{},"inputs":[-1,-1]},
                                 {"op":"avg_pool","attrs":{"kernel":[1],"divisor_override":4},"input":0})";
    for (const std::string& policy : {overflow_allowed, overflow_forbidden}) {
        const Permitted p = graph(nodes, R"("0x1.fffffep+127",1,1,1)", policy);
        EXPECT_TRUE(permits(p, Format::f32, infinity_bits(Format::f32)));
        EXPECT_TRUE(permits(p, Format::f32, *exact_number(Format::f32, "0x1.fffffep+126")));
        const Permitted below = graph(nodes, R"("0x1.fffffep+125",1,1,1)", policy);
        EXPECT_FALSE(below.open || below.infinity);
    }
}

/// Two quotients below the smallest normal number of f16, each of which may be stored as 0, and then tie.
TEST(Flushing, WhatANodeStoresMayBeFlushedThoughItsSumIsNotMTie) {
    const auto allowed = [](const std::string& subnormals, const std::string& data) {
        const Case c = case_of(R"({"op":"graph","mode":"jvp","dtype":"f16","policy":{"accumulate":"f32",
            "subnormals":")" + subnormals +
                               R"("},"attrs":{"nodes":[
            {"op":"avg_pool","attrs":{"kernel":[1],"divisor_override":3},"input":-1},
            {"op":"max_pool","attrs":{"kernel":[2]},"input":0}]},
            "input":{"shape":[2],"data":[)" +
                               data + R"(]},"tangent":{"shape":[2],"data":[9,15]}})");
        const Permitted p = expect(*plan(c), c).outputs.front().values.front();
        std::string s;
        for (const char* t : {"3", "5"})
            if (permits(p, c.format, *rounded_number(c.format, t))) s += t;
        return s;
    };
    const std::string small = R"("0x1p-14","0x1.8p-14")", normal = R"("0x1p-10","0x1p-9")";
    EXPECT_EQ(allowed("kept", small), "5");
    EXPECT_EQ(allowed("may_flush", small), "35");
    EXPECT_EQ(allowed("may_flush", normal), "5");
}

/// Two cells that a node leaves equal up to rounding, and one as far on the other side of 0, which ties with
/// them if all are flushed.
TEST(Flushing, MayTieWhatANodeLeavesOnBothSidesOfZeroMTie) {
    const Case c = case_of(R"({"op":"graph","mode":"jvp","dtype":"f16","policy":{"accumulate":"f32",)"
                           R"("subnormals":"may_flush"},"attrs":{"nodes":[)"
                           R"({"op":"avg_pool","attrs":{"kernel":[1],"divisor_override":3},"input":-1},)"
                           R"({"op":"max_pool","attrs":{"kernel":[3]},"input":0}]},)"
                           R"("input":{"shape":[3],"data":["0x1.2p-13","0x1.2p-13","-0x1.2p-13"]},)"
                           R"("tangent":{"shape":[3],"data":[9,15,21]}})");
    const Permitted p = expect(*plan(c), c).outputs.front().values.front();
    for (const char* t : {"3", "5", "7"})
        EXPECT_TRUE(permits(p, c.format, *rounded_number(c.format, t))) << t;
}

/// What the JVP of a maximum permits of the tangents 3, 5, 6 of its cells.
std::string tangents_permitted(const std::string& subnormals, const std::string& cells) {
    const Case c = case_of(R"({"op":"max_pool","mode":"jvp","dtype":"f32","policy":{"subnormals":")" +
                           subnormals + R"("},"attrs":{"kernel":[3]},"input":{"shape":[3],"data":[)" + cells +
                           R"(]},"tangent":{"shape":[3],"data":[3,5,6]}})");
    const Permitted p = expect(*plan(c), c).outputs.front().values.front();
    std::string s;
    for (const char* t : {"3", "5", "6"})
        if (permits(p, c.format, *rounded_number(c.format, t))) s += t;
    return s;
}

TEST(Flushing, SubnormalsThatMayBeTakenForZeroTieMTie) {
    const std::string rising = R"(-1,"0x1p-149","0x1p-148")", normal = R"("0x1p-149","0x1p-148","0x1p-126")";
    EXPECT_EQ(tangents_permitted("kept", rising), "6");
    EXPECT_EQ(tangents_permitted("may_flush", rising), "56");
    EXPECT_EQ(tangents_permitted("may_flush", R"("0x1p-149","0x1p-148","0x1p-147")"), "356");
    EXPECT_EQ(tangents_permitted("may_flush", R"(-1,"0x1p-149",1)"), "6");
    EXPECT_EQ(tangents_permitted("kept", normal), "6");
}

TEST(Flushing, MakesNoTieOfZerosThatAreZerosAlreadyMTie) {
    EXPECT_EQ(tangents_permitted("may_flush", "0,-1,0"), "3");
    EXPECT_EQ(tangents_permitted("may_flush", R"(-1,0,"-0x1p-149")"), "56");
    EXPECT_EQ(tangents_permitted("may_flush", R"(0,"-0x1p-149",0)"), "35");
}

TEST(Flushing, TiesWhatLiesOnBothSidesOfZeroMTie) {
    EXPECT_EQ(tangents_permitted("may_flush", R"(-1,"-0x1.8p-127","0x1.8p-127")"), "56");
    EXPECT_EQ(tangents_permitted("may_flush", R"("-0x1.8p-126","-0x1.8p-127","0x1.8p-127")"), "56");
    EXPECT_EQ(tangents_permitted("may_flush", R"("-0x1.8p-127","0x1p-126",0)"), "5");
}

TEST(Flushing, MayTieWithZerosOfPaddingMTieMPad) {
    const auto asked = [](const std::string& cell, const std::string& pads, const std::string& rest) {
        return case_of(
            R"({"op":"max_pool","dtype":"f32","policy":{"subnormals":"may_flush","max_padding":"zero"},)"
            R"("input":{"shape":[1],"data":[)" +
            cell + R"(]},"attrs":{"kernel":[2],)" + pads + rest + "}");
    };
    for (const auto& [cell, pads] : {std::pair(R"("0x1p-130")", R"("pad_begin":[1],"pad_end":[0])"),
                                     std::pair(R"("-0x1p-130")", R"("pad_begin":[0],"pad_end":[1])")}) {
        const Case dx = asked(cell, pads, R"(},"mode":"vjp","cotangent":{"shape":[1],"data":[1]})");
        EXPECT_TRUE(expect(*plan(dx), dx).outputs.front().values.front().open) << cell;
    }
    const Case index =
        asked(R"("0x1p-130")", R"("pad_begin":[1],"pad_end":[0])", R"(,"return_indices":true})");
    EXPECT_FALSE(expect(*plan(index), index).outputs.back().positions.front().has_value());
}

TEST(Flushing, LosesNoMoreOfAShareThanSubnormalsHoldMTie) {
    const Case c =
        case_of(R"({"op":"max_pool","mode":"vjp","dtype":"f32","policy":{"subnormals":"may_flush"},)"
                R"("attrs":{"kernel":[2]},"input":{"shape":[2],"data":["0x1p-149",0]},)"
                R"("cotangent":{"shape":[1],"data":[5]}})");
    const auto values = expect(*plan(c), c).outputs.front().values;
    for (const Permitted& p : values) {
        EXPECT_TRUE(permits(p, c.format, 0));
        EXPECT_TRUE(permits(p, c.format, *rounded_number(c.format, "5")));
        EXPECT_FALSE(permits(p, c.format, *rounded_number(c.format, "-1")));
        EXPECT_FALSE(permits(p, c.format, *rounded_number(c.format, "6")));
    }
}

/// The indices that may be reported of one window in f16.
std::vector<Index> indices_permitted(const std::string& policy, const std::string& data) {
    const Case c = case_of(
        R"({"op":"global_max_pool","dtype":"f16","policy":{)" + policy +
        R"(},"attrs":{"spatial_rank":1,"return_indices":true},"input":{"shape":[4],"data":[)" + data + "]}}");
    return expect(*plan(c), c).outputs.back().positions.front().value();
}

TEST(Flushing, CellsThatMayBeTakenForZeroMayBeReportedMIdx) {
    using Some = std::vector<Index>;
    const std::string flushed = R"("subnormals":"may_flush","ties":"first")", kept = R"("ties":"first")",
                      wider = R"("subnormals":"may_flush","ties":"last","accumulate":"f32")",
                      rising = R"(-1,"0x1p-24","0x1p-23",0)";
    EXPECT_EQ(indices_permitted(kept, rising), Some({2}));
    EXPECT_EQ(indices_permitted(flushed, rising), Some({1, 2, 3}));
    EXPECT_EQ(indices_permitted(wider, rising), Some({1, 2, 3}));
    EXPECT_EQ(indices_permitted(flushed, R"(-1,"-0x1p-24",0,0)"), Some({1, 2}));
    EXPECT_EQ(indices_permitted(flushed, R"(-1,"0x1p-24","0x1p-14",0)"), Some({2}));
    EXPECT_EQ(indices_permitted(flushed, R"(-1,"-0x1p-14",0,0)"), Some({2}));
}

TEST(Flushing, IsOfTheCasesOwnSubnormalsWhateverSumsAreKeptInMTie) {
    for (const std::string accumulate : {"any", "f32"}) {
        const Case c =
            case_of(R"({"op":"max_pool","mode":"jvp","dtype":"f16","policy":{"subnormals":"may_flush",)"
                    R"("accumulate":")" +
                    accumulate +
                    R"("},"attrs":{"kernel":[2]},)"
                    R"("input":{"shape":[2],"data":["0x1p-24","0x1p-23"]},)"
                    R"("tangent":{"shape":[2],"data":[3,5]}})");
        const Permitted p = expect(*plan(c), c).outputs.front().values.front();
        for (const char* t : {"3", "5"})
            EXPECT_TRUE(permits(p, c.format, *rounded_number(c.format, t))) << t << " " << accumulate;
    }
}

}  // namespace
}  // namespace poolproof

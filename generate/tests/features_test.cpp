// SPDX-License-Identifier: Apache-2.0
#include <poolproof/generate.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace poolproof {
namespace {

void add_seen(const std::string& profile, std::uint64_t count, std::set<Feature>& seen) {
    Request r;
    r.seed = 1;
    r.profile = profile;
    const auto g = generator(r);
    ASSERT_TRUE(g);
    for (std::uint64_t k = 0; k < count; ++k)
        for (const Feature f : features((*g)(k))) seen.insert(f);
}

/// The names of the features of a case line, joined by spaces.
std::string shown(std::string_view line) {
    const auto c = read_case(line);
    if (!c) return message(c.rejection());
    std::string names;
    for (const Feature f : features(*c)) names += (names.empty() ? "" : " ") + std::string(name(f));
    return names;
}

TEST(Features, AllOccurWithinTwentyThousandCases) {
    std::set<Feature> seen;
    add_seen("torchlean", 20000, seen);
    // What only one profile has.
    std::set<Feature> elsewhere;
    add_seen("tiny_pool", 5000, elsewhere);
    add_seen("pytorch", 5000, elsewhere);
    for (const Feature f : {Feature::row_column, Feature::empty_output}) {
        EXPECT_EQ(seen.count(f), 0U) << name(f);
        EXPECT_EQ(elsewhere.count(f), 1U) << name(f);
        seen.insert(f);
    }
    for (std::size_t k = 0; k < feature_count; ++k)
        EXPECT_EQ(seen.count(static_cast<Feature>(k)), 1U) << name(static_cast<Feature>(k));
}

TEST(Features, HaveNamesThatDiffer) {
    const auto& all = feature_names();
    EXPECT_EQ(std::set<std::string_view>(all.begin(), all.end()).size(), feature_count);
    EXPECT_EQ(name(Feature::op_max_pool), "op_max_pool");
    EXPECT_EQ(name(Feature::rank_3), "rank_3");
    EXPECT_EQ(name(Feature::auto_pad_same_lower), "auto_pad_same_lower");
    EXPECT_EQ(name(Feature::adaptive_uneven), "adaptive_uneven");
    EXPECT_EQ(name(Feature::wide_direction), "wide_direction");
}

TEST(Features, AreReadOffTheCase) {
    EXPECT_EQ(
        shown(R"({"op":"avg_pool","attrs":{"kernel":[2],"ceil_mode":true},"input":{"shape":[5],)"
              R"("data":[1,1,1,1,1]}})"),
        "op_avg_pool mode_forward dtype_f64 rank_1 leading_0 padding_omitted stride_omitted ceil_overhang "
        "constant ones ties");
    EXPECT_EQ(
        shown(R"({"op":"max_pool","dtype":"i8","attrs":{"kernel":[3],"stride":[1],"pad_begin":[1]},)"
              R"("input":{"shape":[3],"data":[-1,-2,-3]}})"),
        "op_max_pool mode_forward dtype_i8 rank_1 leading_0 whole_input_kernel padding end_padding_omitted "
        "window_starts_in_padding window_ends_in_padding stride_one overlap all_negative");
    EXPECT_EQ(shown(R"({"op":"adaptive_max_pool","mode":"jvp","dtype":"f32","attrs":{"output_size":[3]},)"
                    R"("input":{"shape":[5],"data":["nan","-0x0p+0",0,"0x1p-149","0x1p+0"]},)"
                    R"("tangent":{"shape":[5],"data":[0,0,0,1,0]}})"),
              "op_adaptive_max_pool mode_jvp dtype_f32 rank_1 leading_0 adaptive_uneven ties near_ties "
              "signed_zeros "
              "nan subnormal format_edge wide_spread one_hot_direction");
}

TEST(Features, AreNoneForARejectedCase) {
    EXPECT_EQ(shown(R"({"op":"max_pool","attrs":{"kernel":[0]},"input":{"shape":[1],"data":[1]}})"), "");
}

}  // namespace
}  // namespace poolproof

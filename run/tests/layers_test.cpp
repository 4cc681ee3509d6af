// SPDX-License-Identifier: Apache-2.0
#include <poolproof/run.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

namespace poolproof {
namespace {

const char* const three = R"([{"op":"max_pool","dtype":"f32","attrs":{"kernel":[2]},"shape":[1,1,4]},
    {"op":"avg_pool","dtype":"f64","attrs":{"kernel":[2]},"shape":[1,1,4]},
    {"op":"avg_pool","dtype":"i32","attrs":{"kernel":[2]},"shape":[1,1,4]}])";

/// The labels of the cases that a request leaves, or `none`.
std::string labels(const Request& request) {
    const auto source = layer_cases(*read_layers(three), request);
    if (!source) return "none";
    std::string all;
    while (const auto s = (*source)()) all += s->label + "\n";
    return all;
}

TEST(LayerCases, AreOfTheOpsModesAndFormatsAskedFor) {
    const Request of_averages{.ops = {Op::avg_pool}, .modes = {Mode::vjp}};
    EXPECT_EQ(labels(of_averages), "layer 1 (vjp, ordinary values)\nlayer 1 (vjp, hard values)\n");
    const Request of_singles{.modes = {Mode::jvp}, .formats = {Format::f32}};
    EXPECT_EQ(labels(of_singles), "layer 0 (jvp, ordinary values)\nlayer 0 (jvp, hard values)\n");
    EXPECT_NE(labels({}).find("layer 2 (forward, ordinary values)"), std::string::npos);
}

TEST(LayerCases, AreRefusedWhereNoneIsLeft) {
    EXPECT_EQ(labels({.ops = {Op::global_max_pool}}), "none");
    EXPECT_EQ(labels({.formats = {Format::bf16}}), "none");
    EXPECT_EQ(labels({.modes = {Mode::vjp}, .formats = {Format::i32}}), "none");
}

}  // namespace
}  // namespace poolproof

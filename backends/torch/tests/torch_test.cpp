// SPDX-License-Identifier: Apache-2.0
// What reaches PyTorch and what comes back, on cases that can be checked by hand.
#include "backends/torch/tests/ask.hpp"

#include <algorithm>

namespace poolproof::backends {
namespace {

using Kind = Observation::Kind;
using Values = std::vector<double>;

TEST(Torch, TakesEveryArgumentOfAMaximum) {
    EXPECT_EQ(answered(R"({"op":"max_pool","attrs":{"kernel":[2],"stride":[3],"pad_begin":[1],"dilation":[2],
        "ceil_mode":true},"input":{"shape":[6],"data":[1,2,3,4,5,6]}})"),
              (Values{2, 5, 6}));
    EXPECT_EQ(answered(R"({"op":"max_pool","attrs":{"kernel":[2]},"input":{"shape":[3],"data":[1,2,3]}})"),
              (Values{2}));
    EXPECT_EQ(answered(R"({"op":"max_pool","attrs":{"kernel":[2,1]},
        "input":{"shape":[2,2],"data":[1,4,3,2]}})"),
              (Values{3, 4}));
    EXPECT_EQ(answered(R"({"op":"max_pool","attrs":{"kernel":[1,1,2]},
        "input":{"shape":[1,2,2],"data":[1,4,3,2]}})"),
              (Values{4, 3}));
}

TEST(Torch, TakesEveryArgumentOfAnAverage) {
    EXPECT_EQ(answered(R"({"op":"avg_pool","attrs":{"kernel":[2],"stride":[1],"pad_begin":[1]},
        "input":{"shape":[2],"data":[2,4]}})"),
              (Values{1, 3, 2}));
    EXPECT_EQ(answered(R"({"op":"avg_pool","attrs":{"kernel":[2],"stride":[1],"pad_begin":[1],
        "count_include_pad":false},"input":{"shape":[2],"data":[2,4]}})"),
              (Values{2, 3, 4}));
    EXPECT_EQ(answered(R"({"op":"avg_pool","attrs":{"kernel":[1,2],"ceil_mode":true},
        "input":{"shape":[1,3],"data":[2,4,5]}})"),
              (Values{3, 5}));
    EXPECT_EQ(answered(R"({"op":"avg_pool","attrs":{"kernel":[1,2],"divisor_override":-3},
        "input":{"shape":[1,2],"data":[2,4]}})"),
              (Values{-2}));
    EXPECT_EQ(answered(R"({"op":"avg_pool","attrs":{"kernel":[2,1,1],"divisor_override":1},
        "input":{"shape":[2,1,2],"data":[1,2,3,4]}})"),
              (Values{4, 6}));
}

TEST(Torch, PoolsBinsAndWholePlanes) {
    EXPECT_EQ(answered(R"({"op":"adaptive_avg_pool","attrs":{"output_size":[2]},
        "input":{"shape":[3],"data":[1,3,5]}})"),
              (Values{2, 4}));
    EXPECT_EQ(answered(R"({"op":"adaptive_max_pool","attrs":{"output_size":[1,2]},
        "input":{"shape":[2,3],"data":[1,2,3,6,5,4]}})"),
              (Values{6, 5}));
    const Observation flat = told(R"({"op":"global_avg_pool","attrs":{"spatial_rank":2,"keepdims":false},
        "input":{"shape":[2,1,2],"data":[1,3,5,7]}})");
    ASSERT_NE(flat.find("y"), nullptr);
    EXPECT_EQ(flat.find("y")->shape, (Shape{2}));
    EXPECT_EQ(answered(R"({"op":"global_max_pool","attrs":{"spatial_rank":3},
        "input":{"shape":[2,1,1,2],"data":[1,3,7,5]}})"),
              (Values{3, 7}));
}

TEST(Torch, SmoothMaximaCountPaddingAsZeroAndAnOverhangAsNothing) {
    EXPECT_EQ(answered(R"({"op":"smooth_max_pool","attrs":{"kernel":[2],"stride":[1],"beta":1},
        "input":{"shape":[2],"data":["-inf",3]}})"),
              (Values{3}));
    EXPECT_EQ(answered(R"({"op":"smooth_max_pool","attrs":{"kernel":[2],"beta":1,"pad_end":[1]},
        "input":{"shape":[1],"data":["-inf"]}})"),
              (Values{0}));
    EXPECT_EQ(answered(R"({"op":"smooth_max_pool","attrs":{"kernel":[2],"beta":1,"ceil_mode":true},
        "input":{"shape":[3],"data":[1,"-inf",-5]}})"),
              (Values{1, -5}));
    EXPECT_EQ(
        answered(
            R"({"op":"smooth_max_pool","mode":"vjp","dtype":"f32","attrs":{"kernel":[1],"beta":"0x1p-127"},
        "input":{"shape":[1],"data":[1]},"cotangent":{"shape":[1],"data":[3]}})",
            "dx"),
        (Values{3}));
}

TEST(Torch, FoldsAnyLeadingAxesIntoBatchAndChannels) {
    for (const char* shape : {"[8]", "[1,8]", "[1,1,8]", "[1,1,1,8]"})
        EXPECT_EQ(answered(std::string(R"({"op":"max_pool","attrs":{"kernel":[4]},"input":{"shape":)") +
                           shape + R"(,"data":[1,2,3,4,8,7,6,5]}})"),
                  (Values{4, 8}))
            << shape;
    for (const char* shape : {"[0,2]", "[3,0,2]", "[0,3,2]", "[2,0,3,2]"}) {
        const Observation o =
            told(std::string(R"({"op":"avg_pool","attrs":{"kernel":[2]},"input":{"shape":)") + shape +
                 R"(,"data":[]}})");
        EXPECT_EQ(o.kind, Kind::answered) << shape << ": " << o.why;
    }
}

TEST(Torch, AnswersAlikeInEveryLayoutWithIndicesOfTheLogicalPlane) {
    for (const char* memory : {"contiguous", "channels_last", "strided"})
        for (const char* shape : {"[2,3,2]", "[1,2,3,2]", "[1,1,2,3,2]"}) {
            const std::string text =
                std::string(R"({"op":"max_pool","attrs":{"kernel":[3,1],"return_indices":true,"memory":")") +
                memory + R"("},"input":{"shape":)" + shape + R"(,"data":[1,2,3,4,5,6,9,8,7,6,5,4]}})";
            EXPECT_EQ(answered(text), (Values{5, 6, 9, 8})) << text;
            EXPECT_EQ(answered(text, "indices"), (Values{4, 5, 0, 1})) << text;
        }
}

TEST(Torch, DifferentiatesInBothDirectionsAndThroughGraphs) {
    EXPECT_EQ(answered(R"({"op":"max_pool","mode":"vjp","attrs":{"kernel":[2],"stride":[1]},
        "input":{"shape":[3],"data":[1,5,2]},"cotangent":{"shape":[2],"data":[10,100]}})",
                       "dx"),
              (Values{0, 110, 0}));
    EXPECT_EQ(answered(R"({"op":"avg_pool","mode":"jvp","attrs":{"kernel":[2],"memory":"strided"},
        "input":{"shape":[2],"data":[1,5]},"tangent":{"shape":[2],"data":[10,100]}})",
                       "dy"),
              (Values{55}));
    EXPECT_EQ(answered(R"({"op":"graph","mode":"vjp","attrs":{"nodes":[
        {"op":"global_max_pool","attrs":{"spatial_rank":1},"input":-1},
        {"op":"max_pool","attrs":{"kernel":[1]},"input":0},{"op":"add","inputs":[0,1]}]},
        "input":{"shape":[2],"data":[1,5]},"cotangent":{"shape":[1],"data":[3]}})",
                       "dx"),
              (Values{0, 6}));
}

TEST(Torch, TellsInvalidArgumentsFromWhatPyTorchDoesNotHave) {
    const auto kind = [](const char* attrs, const char* dtype = "f64") {
        return told(std::string(R"({"op":"avg_pool","dtype":")") + dtype + R"(","attrs":{)" + attrs +
                    R"(},"input":{"shape":[1,3],"data":[1,2,3]}})")
            .kind;
    };
    EXPECT_EQ(kind(R"("kernel":[2])"), Kind::answered);
    EXPECT_EQ(kind(R"("kernel":[0])"), Kind::rejected);
    EXPECT_EQ(kind(R"("kernel":[2],"stride":[0])"), Kind::rejected);
    EXPECT_EQ(kind(R"("kernel":[2],"pad_begin":[2])"), Kind::rejected);
    EXPECT_EQ(kind(R"("kernel":[4])"), Kind::rejected);
    EXPECT_EQ(kind(R"("kernel":[1,2],"divisor_override":0)"), Kind::rejected);
    EXPECT_EQ(kind(R"("kernel":[2],"pad_begin":[0],"pad_end":[1])"), Kind::declined);
    EXPECT_EQ(kind(R"("kernel":[2],"dilation":[2])"), Kind::declined);
    EXPECT_EQ(kind(R"("kernel":[2],"divisor_override":3)"), Kind::declined);
    EXPECT_EQ(kind(R"("kernel":[2],"auto_pad":"valid")"), Kind::declined);
    EXPECT_EQ(kind(R"("kernel":[2])", "i32"), Kind::declined);
}

TEST(Torch, DeclaresWhatAPlainCallAnswers) {
    const Declaration& d = torch_declaration();
    EXPECT_EQ(d.profile, "pytorch");
    const auto covered = [&](const std::string& text) { return covers(d, read(text)); };
    const std::string input = R"("input":{"shape":[1,2,2,2],"data":[1,2,3,4,5,6,7,8]}})";
    for (const char* dtype : {"f64", "f32"}) {
        const std::string head = std::string(R"({"dtype":")") + dtype + "\",";
        EXPECT_TRUE(covered(head + R"("op":"max_pool","attrs":{"kernel":[2,2],"dilation":[1,1]},)" + input));
        EXPECT_TRUE(
            covered(head + R"("op":"avg_pool","attrs":{"kernel":[2,2],"divisor_override":3},)" + input));
        EXPECT_TRUE(covered(head + R"("op":"smooth_max_pool","attrs":{"kernel":[2,2],"beta":1},)" + input));
        EXPECT_TRUE(covered(head + R"("op":"global_avg_pool","attrs":{"spatial_rank":3},)" + input));
        EXPECT_FALSE(covered(head + R"("op":"global_avg_pool","attrs":{"spatial_rank":4},)" + input));
        EXPECT_FALSE(covered(head + R"("op":"avg_pool","attrs":{"kernel":[2,2],"dilation":[1,2]},)" + input));
    }
    EXPECT_TRUE(covered(R"({"dtype":"i64","op":"avg_pool","attrs":{"kernel":[2,2]},)" + input));
    EXPECT_FALSE(covered(R"({"dtype":"u8","op":"avg_pool","attrs":{"kernel":[2,2]},)" + input));
}

TEST(Torch, StandsBesideTheProgramAsAProcessOfItsOwn) {
    const auto found = find_backend("torch");
    ASSERT_TRUE(found) << message(found.rejection());
    Backend& torch = **found;
    ASSERT_EQ(torch.start(), std::nullopt);
    EXPECT_EQ(torch.declaration().version, torch_declaration().version);
    const Observation o =
        torch.run(read(R"({"op":"max_pool","attrs":{"kernel":[2]},"input":{"shape":[2],"data":[7,3]}})"));
    ASSERT_EQ(o.kind, Kind::answered) << o.why;
    EXPECT_EQ(hex_float(Format::f64, (*o.find("y"))[0]), "0x1.cp+2");
}

}  // namespace
}  // namespace poolproof::backends

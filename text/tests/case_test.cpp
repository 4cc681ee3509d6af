// SPDX-License-Identifier: Apache-2.0
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

namespace poolproof {
namespace {

/// The field that a line is rejected for, `none` if it is read.
std::string rejected_field(std::string_view line) {
    const auto c = read_case(line);
    return c ? "none" : c.rejection().field;
}

std::string with_attrs(std::string_view op, const std::string& attrs) {
    return "{\"op\":" + json_string(op) + ",\"attrs\":" + attrs + ",\"input\":{\"shape\":[1],\"data\":[0]}}";
}

std::string with_input(const std::string& input) { return "{\"op\":\"max_pool\",\"input\":" + input + "}"; }

TEST(CaseReader, SettlesNothingThatIsNotWritten) {
    const auto c = read_case(R"({"op":"avg_pool","input":{"shape":[2],"data":["0x1.8p+0",-0]}})");
    ASSERT_TRUE(c);
    Case expected;
    expected.op = Op::avg_pool;
    expected.input = Tensor(Format::f64, {2});
    expected.input.set(0, 0x3FF8000000000000);
    expected.input.set(1, sign_bit(Format::f64));
    EXPECT_EQ(*c, expected);
}

TEST(CaseReader, ReadsBackEveryCaseItWrites) {
    const std::vector<std::string> lines{
        R"({"op":"max_pool","mode":"jvp","dtype":"f32","profile":"onnx",
            "attrs":{"kernel":[2,2],"stride":[1,2],"pad_begin":[0,1],"pad_end":[1,0],"dilation":[1,1],
                     "ceil_mode":true,"memory":"strided"},
            "policy":{"ties":"convex","subnormals":"may_flush","elementary_ulp":0.1},
            "input":{"shape":[1,1],"data":[0.1]},"tangent":{"shape":[1,1],"data":["-inf"]}})",
        R"({"op":"smooth_max_pool","mode":"vjp","dtype":"bf16",
            "attrs":{"kernel":[1],"beta":-0.1,"auto_pad":"same_lower"},
            "input":{"shape":[0,3],"data":[]},"cotangent":{"shape":[],"data":["nan"]}})",
        R"({"op":"avg_pool","dtype":"i64",
            "attrs":{"kernel":[1],"count_include_pad":false,"divisor_override":-3},
            "input":{"shape":[2],"data":[-9223372036854775808,"9223372036854775807"]}})",
        R"({"op":"global_max_pool","dtype":"u8",
            "attrs":{"spatial_rank":1,"keepdims":false,"return_indices":true,"index_form":"row_column"},
            "input":{"shape":[1],"data":[255]}})",
        R"({"op":"graph",
            "attrs":{"nodes":[{"op":"adaptive_avg_pool","attrs":{"output_size":[2]},"input":-1},
                              {"op":"add","inputs":[0,0]}],"memory":"channels_last"},
            "input":{"shape":[1],"data":["0x1p-1074"]}})"};
    for (const std::string& line : lines) {
        const auto c = read_case(line);
        ASSERT_TRUE(c) << message(c.rejection());
        for (const TensorForm form : {TensorForm::data, TensorForm::bits}) {
            const auto again = read_case(write_case(*c, form));
            ASSERT_TRUE(again) << message(again.rejection());
            EXPECT_EQ(*again, *c) << write_case(*c, form);
        }
    }
}

TEST(CaseReader, KeepsTheBytesOfBits) {
    const auto c = read_case(R"({"op":"max_pool","dtype":"f16","input":{"shape":[2],"bits":"01feC07E"}})");
    ASSERT_TRUE(c);
    EXPECT_EQ(c->input[0], 0xFE01U);
    EXPECT_EQ(write_tensor(c->input, TensorForm::bits), R"({"dtype":"f16","shape":[2],"bits":"01fec07e"})");
    EXPECT_EQ(write_tensor(c->input, TensorForm::data),
              R"({"dtype":"f16","shape":[2],"data":["nan","nan"]})");
}

TEST(CaseReader, NamesTheFieldOfACaseThatIsWrong) {
    const std::string input = R"("input":{"shape":[1],"data":[0]})";
    EXPECT_EQ(rejected_field("{" + input + "}"), "op");
    EXPECT_EQ(rejected_field("[]"), "json");
    EXPECT_EQ(rejected_field("{} {}"), "json");
    EXPECT_EQ(rejected_field(R"({"op":"add",)" + input + "}"), "op");
    EXPECT_EQ(rejected_field(R"({"op":"max_pool"})"), "input");
    EXPECT_EQ(rejected_field(R"({"op":"max_pool","mode":"backward",)" + input + "}"), "mode");
    EXPECT_EQ(rejected_field(R"({"op":"max_pool","dtype":"f8",)" + input + "}"), "dtype");
    EXPECT_EQ(rejected_field(R"({"op":"max_pool","profile":null,)" + input + "}"), "profile");
    EXPECT_EQ(rejected_field(R"({"op":"max_pool","atrs":{},)" + input + "}"), "atrs");
    EXPECT_EQ(rejected_field(R"({"op":"max_pool","policy":{"tie":"first"},)" + input + "}"), "policy.tie");
    EXPECT_EQ(rejected_field(R"({"op":"max_pool","policy":{"ties":"none"},)" + input + "}"), "policy.ties");
    EXPECT_EQ(rejected_field(R"({"op":"max_pool","policy":{"elementary_ulp":0},)" + input + "}"),
              "policy.elementary_ulp");
}

TEST(CaseReader, NamesTheAttributeThatIsWrong) {
    EXPECT_EQ(rejected_field(with_attrs("max_pool", R"({"kernel":[-1],"stride":[0]})")), "none");
    EXPECT_EQ(rejected_field(with_attrs("max_pool", R"({"kernel":2})")), "attrs.kernel");
    EXPECT_EQ(rejected_field(with_attrs("max_pool", R"({"kernel":[1,"2"]})")), "attrs.kernel[1]");
    EXPECT_EQ(rejected_field(with_attrs("max_pool", R"({"kernel":[2147483648]})")), "attrs.kernel[0]");
    EXPECT_EQ(rejected_field(with_attrs("max_pool", R"({"ceil_mode":0})")), "attrs.ceil_mode");
    EXPECT_EQ(rejected_field(with_attrs("max_pool", R"({"auto_pad":"same"})")), "attrs.auto_pad");
    EXPECT_EQ(rejected_field(with_attrs("max_pool", R"({"nodes":[]})")), "attrs.nodes");
    EXPECT_EQ(rejected_field(with_attrs("max_pool", R"({"kernels":[1]})")), "attrs.kernels");
    for (const char* beta : {"0", "-0.0", "1e-400", "1e400", "\"inf\"", "\"nan\"", "\"1.5\"", "null"}) {
        EXPECT_EQ(rejected_field(with_attrs("smooth_max_pool", "{\"beta\":" + std::string(beta) + "}")),
                  "attrs.beta")
            << beta;
    }
}

TEST(CaseReader, SuggestsForABetaNothingThatItWouldRefuse) {
    const auto refusal = [](const std::string& beta) {
        const std::string text = with_attrs("smooth_max_pool", "{\"beta\":" + beta + "}");
        const auto c = read_case(R"({"dtype":"f16",)" + text.substr(1));
        return c ? "accepted" : message(c.rejection());
    };
    EXPECT_EQ(refusal("65520"),
              "attrs.beta: found 65520, expected a number that f16 can round to; write a smaller number");
    EXPECT_EQ(
        refusal(R"("1.5")"),
        "attrs.beta: found \"1.5\", expected a hex float that f16 holds exactly; write a hex float such "
        "as \"0x1.8p+0\", or a JSON number to have it rounded");
}

TEST(LayerReader, SaysWhichSizeIsBeyondWhichLimit) {
    const auto refusal = [](const std::string& shape) {
        const auto layers =
            read_layers(R"([{"op":"max_pool","attrs":{"kernel":[2]},"shape":)" + shape + "}]");
        return layers ? "accepted" : message(layers.rejection());
    };
    EXPECT_EQ(refusal("[1,-4]"), "layers[0].shape[1]: found -4, expected 0 or more; write the axis's size");
    EXPECT_EQ(
        refusal("[100000,100000,8,8]"),
        "layers[0].shape: found [100000,100000,8,8], expected at most 268435456 elements, an empty axis "
        "counted as 1; write a smaller shape");
    EXPECT_EQ(refusal("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"),
              "layers[0].shape: found rank 17, expected at most 16; write fewer axes");
}

TEST(CaseReader, SaysWhichOpHasAnAttributeThatThisOneLacks) {
    const auto c = read_case(with_attrs("global_avg_pool", R"({"return_indices":true})"));
    ASSERT_FALSE(c);
    EXPECT_EQ(
        message(c.rejection()),
        "attrs.return_indices: global_avg_pool has no attribute return_indices; it belongs to max_pool, "
        "adaptive_max_pool, global_max_pool; remove it, or change the op");
}

TEST(CaseReader, NamesTheNodeThatIsWrong) {
    const auto field = [](const std::string& node) {
        return rejected_field(
            with_attrs("graph", R"({"nodes":[{"op":"add","inputs":[-1,-1]},)" + node + "]}"));
    };
    EXPECT_EQ(field(R"({"op":"max_pool","attrs":{"kernel":[1]},"input":7})"), "none");
    EXPECT_EQ(field(R"({"op":"graph","attrs":{},"input":0})"), "attrs.nodes[1].op");
    EXPECT_EQ(field(R"({"op":"max_pool"})"), "attrs.nodes[1].input");
    EXPECT_EQ(field(R"({"op":"max_pool","input":0.5})"), "attrs.nodes[1].input");
    EXPECT_EQ(field(R"({"op":"add","inputs":[0]})"), "attrs.nodes[1].inputs");
    EXPECT_EQ(field(R"({"op":"add","inputs":[0,0],"attrs":{"kernel":[1]}})"), "attrs.nodes[1].attrs.kernel");
    EXPECT_EQ(field(R"({"op":"max_pool","attrs":{"return_indices":false},"input":0})"),
              "attrs.nodes[1].attrs.return_indices");
    EXPECT_EQ(field(R"({"op":"avg_pool","attrs":{"memory":"strided"},"input":0})"),
              "attrs.nodes[1].attrs.memory");
    EXPECT_EQ(field("null"), "attrs.nodes[1]");
}

TEST(CaseReader, NamesThePartOfATensorThatIsWrong) {
    EXPECT_EQ(rejected_field(with_input(R"({"data":[1]})")), "input.shape");
    EXPECT_EQ(rejected_field(with_input(R"({"shape":[1]})")), "input");
    EXPECT_EQ(rejected_field(with_input(R"({"shape":[1],"data":[1],"bits":"0000000000000000"})")), "input");
    EXPECT_EQ(rejected_field(with_input(R"({"shape":[2],"data":[1]})")), "input.data");
    EXPECT_EQ(rejected_field(with_input(R"({"shape":[2],"data":[1,"1.5"]})")), "input.data[1]");
    EXPECT_EQ(rejected_field(with_input(R"({"shape":[1],"data":[1e999]})")), "input.data[0]");
    EXPECT_EQ(rejected_field(with_input(R"({"shape":[1],"data":[null]})")), "input.data[0]");
    EXPECT_EQ(rejected_field(with_input(R"({"shape":[1],"bits":"000000000000000"})")), "input.bits");
    EXPECT_EQ(rejected_field(with_input(R"({"shape":[1],"bits":"000000000000000g"})")), "input.bits");
    EXPECT_EQ(rejected_field(with_input(R"({"shape":[1],"dtype":"f32","data":[1]})")), "input.dtype");
    EXPECT_EQ(rejected_field(with_input(R"({"shape":[1],"data":[1],"strides":[1]})")), "input.strides");
    EXPECT_EQ(rejected_field(with_input(R"({"shape":[-1],"data":[]})")), "input.shape[0]");
    EXPECT_EQ(rejected_field(with_input(R"({"shape":[2147483647,2147483647,2147483647,0],"data":[]})")),
              "input.shape");
    EXPECT_EQ(rejected_field(with_input(R"({"shape":[268435456],"data":[]})")), "input.data");
    EXPECT_EQ(rejected_field(with_input(R"({"shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"data":[1]})")),
              "input.shape");
}

TEST(CaseReader, WantsADerivativesTensorInItsModeOnly) {
    const auto field = [](std::string_view mode, const std::string& rest) {
        return rejected_field("{\"op\":\"max_pool\",\"mode\":" + json_string(mode) +
                              R"(,"input":{"shape":[1],"data":[0]})" + rest + "}");
    };
    const std::string tangent = R"(,"tangent":{"shape":[1],"data":[0]})";
    const std::string cotangent = R"(,"cotangent":{"shape":[5],"data":[0,0,0,0,0]})";
    EXPECT_EQ(field("forward", tangent), "tangent");
    EXPECT_EQ(field("forward", cotangent), "cotangent");
    EXPECT_EQ(field("jvp", ""), "tangent");
    EXPECT_EQ(field("jvp", tangent + cotangent), "cotangent");
    EXPECT_EQ(field("jvp", R"(,"tangent":{"shape":[1,1],"data":[0]})"), "tangent.shape");
    EXPECT_EQ(field("vjp", ""), "cotangent");
    EXPECT_EQ(field("vjp", cotangent), "none");
}

}  // namespace
}  // namespace poolproof

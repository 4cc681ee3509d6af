// SPDX-License-Identifier: Apache-2.0
#include <poolproof/plan.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <stdexcept>

namespace poolproof {
namespace {

/// Why a case is rejected, if it is. Reading must succeed.
std::optional<Rejection> refusal(const std::string& json) {
    const auto c = read_case(json);
    if (!c) throw std::invalid_argument(message(c.rejection()) + " in " + json);
    const auto p = plan(*c);
    return p ? std::nullopt : std::optional(p.rejection());
}

/// The first field that a case is rejected for, `none` if it is accepted. Reading must succeed.
std::string field(const std::string& json) {
    const auto r = refusal(json);
    return r ? r->field : "none";
}

/// Over an input of four cells by default; `further` are more fields of the case.
std::string over(const std::string& op, const std::string& attrs, const std::string& further = "",
                 const std::string& input = R"({"shape":[4],"data":[1,2,3,4]})") {
    return field("{\"op\":\"" + op + "\",\"attrs\":{" + attrs + "},\"input\":" + input +
                 (further.empty() ? "" : "," + further) + "}");
}

const std::string square = R"({"shape":[2,2],"data":[1,2,3,4]})";
const std::string batched = R"({"shape":[1,1,4],"data":[1,2,3,4]})";
const std::string batched_image = R"({"shape":[1,1,2,2],"data":[1,2,3,4]})";

TEST(Rejections, NameTheSizeThatIsBelowItsLeast) {
    EXPECT_EQ(over("max_pool", R"("kernel":[2])"), "none");
    EXPECT_EQ(over("max_pool", R"("kernel":[0])"), "attrs.kernel[0]");
    EXPECT_EQ(over("max_pool", R"("kernel":[1,-1])", "", square), "attrs.kernel[1]");
    EXPECT_EQ(over("max_pool", R"("kernel":[2],"stride":[0])"), "attrs.stride[0]");
    EXPECT_EQ(over("max_pool", R"("kernel":[2],"dilation":[0])"), "attrs.dilation[0]");
    EXPECT_EQ(over("max_pool", R"("kernel":[2],"pad_begin":[-1])"), "attrs.pad_begin[0]");
    EXPECT_EQ(over("max_pool", R"("kernel":[2],"pad_end":[-1])"), "attrs.pad_end[0]");
    EXPECT_EQ(over("adaptive_avg_pool", R"("output_size":[0])"), "attrs.output_size[0]");
    EXPECT_EQ(over("adaptive_avg_pool", R"("output_size":[-1])", R"("profile":"pytorch")"),
              "attrs.output_size[0]");
    EXPECT_EQ(over("global_max_pool", R"("spatial_rank":0)"), "attrs.spatial_rank");
    EXPECT_EQ(over("avg_pool", R"("kernel":[2],"divisor_override":0)"), "attrs.divisor_override");
}

TEST(Rejections, NameTheAttributeThatIsMissingOrEmpty) {
    EXPECT_EQ(over("max_pool", ""), "attrs.kernel");
    EXPECT_EQ(over("max_pool", R"("kernel":[])"), "attrs.kernel");
    EXPECT_EQ(over("adaptive_max_pool", ""), "attrs.output_size");
    EXPECT_EQ(over("adaptive_max_pool", R"("output_size":[])"), "attrs.output_size");
    EXPECT_EQ(over("global_avg_pool", ""), "attrs.spatial_rank");
    EXPECT_EQ(over("smooth_max_pool", R"("kernel":[2])"), "attrs.beta");
    EXPECT_EQ(over("graph", R"("nodes":[])"), "attrs.nodes");
}

TEST(Rejections, NameTheRankThatDoesNotMatch) {
    EXPECT_EQ(over("max_pool", R"("kernel":[1,1])"), "attrs.kernel");
    EXPECT_EQ(over("adaptive_max_pool", R"("output_size":[1,1])"), "attrs.output_size");
    EXPECT_EQ(over("global_max_pool", R"("spatial_rank":2)"), "attrs.spatial_rank");
    EXPECT_EQ(over("max_pool", R"("kernel":[1,1],"stride":[1])", "", square), "attrs.stride");
    EXPECT_EQ(over("max_pool", R"("kernel":[1],"pad_begin":[0,0])", "", square), "attrs.pad_begin");
    EXPECT_EQ(over("max_pool", R"("kernel":[1],"pad_end":[])", "", square), "attrs.pad_end");
    EXPECT_EQ(over("max_pool", R"("kernel":[1],"dilation":[1,1])", "", square), "attrs.dilation");
}

TEST(Rejections, NameTheAxisThatIsEmptyOrTheOutputThatIsHuge) {
    const std::string none = R"({"shape":[2,0],"data":[]})", no_batch = R"({"shape":[0,2],"data":[]})";
    EXPECT_EQ(over("max_pool", R"("kernel":[1])", "", none), "input.shape[1]");
    EXPECT_EQ(over("adaptive_avg_pool", R"("output_size":[1])", "", none), "input.shape[1]");
    EXPECT_EQ(over("global_max_pool", R"("spatial_rank":1)", "", none), "input.shape[1]");
    EXPECT_EQ(over("max_pool", R"("kernel":[1])", "", no_batch), "none");
    EXPECT_EQ(over("adaptive_max_pool", R"("output_size":[268435457])"), "attrs");
    EXPECT_EQ(over("avg_pool", R"("kernel":[1],"pad_begin":[2147483647])"), "attrs");
    EXPECT_EQ(
        over("max_pool", R"("kernel":[1,1],"stride":[1,1],"pad_begin":[2147483647,2147483647])", "", square),
        "attrs");
}

TEST(Rejections, NameTheModeOrDtypeThatIntegersAndIndicesDoNotHave) {
    const std::string both = R"("tangent":{"shape":[4],"data":[1,1,1,1]})";
    EXPECT_EQ(over("max_pool", R"("kernel":[2])", R"("dtype":"i8")"), "none");
    EXPECT_EQ(over("max_pool", R"("kernel":[2])", R"("dtype":"i8","mode":"jvp",)" + both), "mode");
    EXPECT_EQ(
        over("graph", R"("nodes":[{"op":"max_pool","attrs":{"kernel":[2]},"input":-1}])", R"("dtype":"i64")"),
        "dtype");
    EXPECT_EQ(over("max_pool", R"("kernel":[2],"return_indices":true)", R"("mode":"jvp",)" + both),
              "attrs.return_indices");
    EXPECT_EQ(over("max_pool", R"("kernel":[2])", R"("mode":"vjp","cotangent":{"shape":[3],"data":[1,1,1]})"),
              "cotangent.shape");
}

TEST(Rejections, NameTheIntegerSmoothMaximum) {
    const auto c = read_case(
        R"({"op":"smooth_max_pool","attrs":{"kernel":[1],"beta":1},"dtype":"i8","input":{"shape":[1],"data":[1]}})");
    const auto refused = c ? plan(*c) : Checked<Plan>(c.rejection());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.rejection().field, "dtype");
}

TEST(Rejections, NameTheChoicesThatExcludeEachOther) {
    EXPECT_EQ(over("max_pool", R"("kernel":[2],"auto_pad":"valid","pad_begin":[0])"), "attrs.auto_pad");
    EXPECT_EQ(over("max_pool", R"("kernel":[2],"auto_pad":"same_upper","pad_end":[0])"), "attrs.auto_pad");
    EXPECT_EQ(over("max_pool", R"("kernel":[2],"return_indices":true,"index_form":"row_column")"),
              "attrs.index_form");
    EXPECT_EQ(over("max_pool", R"("kernel":[2])", R"("profile":"tensorflow")"), "profile");
}

TEST(Rejections, NameTheNodeThatIsInvalidUsedOrNot) {
    const auto nodes = [](const std::string& list) { return over("graph", "\"nodes\":[" + list + "]"); };
    const std::string fine = R"({"op":"max_pool","attrs":{"kernel":[2]},"input":-1})";
    EXPECT_EQ(nodes(fine), "none");
    EXPECT_EQ(nodes(R"({"op":"max_pool","attrs":{"kernel":[0]},"input":-1},)" + fine),
              "attrs.nodes[0].attrs.kernel[0]");
    EXPECT_EQ(nodes(fine + R"(,{"op":"avg_pool","attrs":{"kernel":[1,1]},"input":0})"),
              "attrs.nodes[1].attrs.kernel");
    EXPECT_EQ(nodes(fine + R"(,{"op":"avg_pool","attrs":{"kernel":[1]},"input":1})"), "attrs.nodes[1].input");
    EXPECT_EQ(nodes(fine + R"(,{"op":"avg_pool","attrs":{"kernel":[1]},"input":-2})"),
              "attrs.nodes[1].input");
    EXPECT_EQ(nodes(fine + R"(,{"op":"add","inputs":[0,7]})"), "attrs.nodes[1].inputs");
    EXPECT_EQ(nodes(fine + R"(,{"op":"add","inputs":[0,-1]})"), "attrs.nodes[1].inputs");
}

/// Reading refuses both; a program may make such a case all the same.
TEST(Rejections, NameTheOpThatStandsInTheWrongPlace) {
    Case sum;
    sum.op = Op::add;
    sum.input = Tensor(Format::f64, {2});
    ASSERT_FALSE(plan(sum));
    EXPECT_EQ(message(plan(sum).rejection()),
              "op: is add, which is a node of a graph alone; write a graph with one node 'add'");
    Case nested;
    nested.op = Op::graph;
    nested.nodes = {{Op::graph, {}, {-1}}};
    nested.input = Tensor(Format::f64, {2});
    ASSERT_FALSE(plan(nested));
    EXPECT_EQ(message(plan(nested).rejection()),
              "attrs.nodes[0].op: is graph, but a graph cannot be a node of a graph; write its nodes in its "
              "place");
}

TEST(Rejections, SayWhatWasSeenAndWhatToWriteInstead) {
    const auto c = read_case(
        R"({"op":"max_pool","attrs":{"kernel":[3]},"policy":{"oversized_kernel":"reject"},"input":)" +
        square + "}");
    ASSERT_TRUE(c);
    EXPECT_EQ(
        message(plan(*c).rejection()),
        "attrs.kernel[0]: spans 3 cells of the 2 of the padded input; use a smaller kernel or dilation, more "
        "padding, or another oversized_kernel policy");
}

TEST(Onnx, DoesNotDecideSmoothMaximaUnlessTheCaseDoes) {
    const std::string attrs = R"("kernel":[2],"beta":1)", onnx = R"("profile":"onnx")";
    EXPECT_EQ(over("smooth_max_pool", attrs, onnx), "op");
    EXPECT_EQ(over("smooth_max_pool", attrs, onnx + R"(,"policy":{"smooth_padding":"zero"})"), "none");
    EXPECT_EQ(over("max_pool", R"("kernel":[2])", onnx), "none");
    EXPECT_EQ(over("max_pool", R"("kernel":[5])", onnx), "attrs.kernel[0]");
}

TEST(Pytorch, AllowsHalfAKernelOfPaddingAndAnEmptyAdaptiveOutputWPad) {
    const std::string pytorch = R"("profile":"pytorch")";
    EXPECT_EQ(over("max_pool", R"("kernel":[3],"pad_begin":[1])", pytorch), "none");
    EXPECT_EQ(over("max_pool", R"("kernel":[3],"pad_begin":[2])", pytorch), "attrs.pad_begin[0]");
    EXPECT_EQ(over("max_pool", R"("kernel":[3],"pad_begin":[2])",
                   pytorch + R"(,"policy":{"padding_limit":"none"})"),
              "none");
    EXPECT_EQ(over("adaptive_max_pool", R"("output_size":[0])", pytorch), "none");
    EXPECT_EQ(over("max_pool", R"("kernel":[5])", pytorch), "attrs.kernel[0]");
}

TEST(TinyPool, KnowsItsOwnLayersOnly) {
    const std::string tiny = R"("profile":"tiny_pool","dtype":"f32")";
    const auto of = [&](const std::string& op, const std::string& attrs, const std::string& input = batched) {
        return over(op, attrs, tiny, input);
    };
    EXPECT_EQ(of("max_pool", R"("kernel":[2],"stride":[1],"return_indices":true)"), "none");
    EXPECT_EQ(of("avg_pool", R"("kernel":[2,2])", batched_image), "none");
    EXPECT_EQ(of("global_avg_pool", R"("spatial_rank":1)"), "op");
    EXPECT_EQ(of("adaptive_max_pool", R"("output_size":[1])"), "op");
    EXPECT_EQ(over("max_pool", R"("kernel":[2])", R"("profile":"tiny_pool")", batched), "dtype");
    EXPECT_EQ(over("max_pool", R"("kernel":[2])",
                   tiny + R"(,"mode":"jvp","tangent":{"shape":[1,1,4],"data":[1,1,1,1]})", batched),
              "mode");
}

TEST(TinyPool, SaysWhatItHasInstead) {
    const auto said = [](const std::string& op, const std::string& attrs, const std::string& further) {
        const auto r = refusal("{\"op\":\"" + op + "\",\"profile\":\"tiny_pool\",\"attrs\":{" + attrs + "}," +
                               further + "\"input\":" + batched + "}");
        return r ? message(*r) : "accepted";
    };
    const std::string single = R"("dtype":"f32",)";
    EXPECT_EQ(said("max_pool", R"("kernel":[2])", ""),
              "dtype: 'f64' is outside profile 'tiny_pool'; use f32, or another profile");
    EXPECT_EQ(said("max_pool", R"("kernel":[2])", single + R"("mode":"jvp","tangent":)" + batched + ","),
              "mode: 'jvp' is outside profile 'tiny_pool'; use one of forward, vjp, or another profile");
    const std::string otherwise =
        ", which is outside profile 'tiny_pool'; leave it out, or choose another profile";
    for (const auto& [attribute, value, shown] : {std::array{"divisor_override", "3", "3"},
                                                  {"count_include_pad", "false", "false"},
                                                  {"dilation", "[2]", "[2]"},
                                                  {"auto_pad", "\"valid\"", "valid"},
                                                  {"pad_end", "[1]", "[1] beside pad_begin [0]"}})
        EXPECT_EQ(said("avg_pool", std::string(R"("kernel":[2],")") + attribute + "\":" + value, single),
                  std::string("attrs.") + attribute + ": is " + shown + otherwise);
}

TEST(TinyPool, HasTwoLeadingAxesAndOneOrTwoSpatialOnes) {
    const std::string tiny = R"("profile":"tiny_pool","dtype":"f32")";
    EXPECT_EQ(over("max_pool", R"("kernel":[2])", tiny, square), "input.shape");
    EXPECT_EQ(over("max_pool", R"("kernel":[2])", tiny, batched_image), "input.shape");
    EXPECT_EQ(over("max_pool", R"("kernel":[1,1,1])", tiny, R"({"shape":[1,1,1,2,2],"data":[1,2,3,4]})"),
              "attrs.kernel");
}

TEST(TinyPool, HasNoneOfTheExtensions) {
    const auto of = [&](const std::string& op, const std::string& attrs, const std::string& policy = "") {
        return over(
            op, attrs,
            R"("profile":"tiny_pool","dtype":"f32")" + (policy.empty() ? "" : ",\"policy\":{" + policy + "}"),
            batched);
    };
    EXPECT_EQ(of("max_pool", R"("kernel":[2],"dilation":[2])"), "attrs.dilation");
    EXPECT_EQ(of("max_pool", R"("kernel":[2],"dilation":[1])"), "none");
    EXPECT_EQ(of("max_pool", R"("kernel":[2],"auto_pad":"valid")"), "attrs.auto_pad");
    EXPECT_EQ(of("max_pool", R"("kernel":[2],"pad_begin":[1])"), "attrs.pad_begin[0]");
    EXPECT_EQ(of("max_pool", R"("kernel":[2],"pad_begin":[1])", R"("padding_limit":"none")"),
              "attrs.pad_begin[0]");
    EXPECT_EQ(of("max_pool", R"("kernel":[2],"pad_begin":[1])",
                 R"("padding_limit":"none","max_padding":"ignored")"),
              "none");
    for (const char* unequal :
         {R"("pad_begin":[1],"pad_end":[0])", R"("pad_begin":[0],"pad_end":[1])", R"("pad_end":[1])"})
        EXPECT_EQ(of("avg_pool", std::string(R"("kernel":[2],)") + unequal, R"("padding_limit":"none")"),
                  "attrs.pad_end")
            << unequal;
    for (const char* equal :
         {R"("pad_begin":[1],"pad_end":[1])", R"("pad_begin":[0],"pad_end":[0])", R"("pad_end":[0])"})
        EXPECT_EQ(of("avg_pool", std::string(R"("kernel":[2],)") + equal, R"("padding_limit":"none")"),
                  "none")
            << equal;
    EXPECT_EQ(of("avg_pool", R"("kernel":[2],"count_include_pad":false)"), "attrs.count_include_pad");
    EXPECT_EQ(of("avg_pool", R"("kernel":[2],"divisor_override":2)"), "attrs.divisor_override");
    EXPECT_EQ(of("max_pool", R"("kernel":[2],"ceil_mode":true)"), "attrs.ceil_mode");
    EXPECT_EQ(of("max_pool", R"("kernel":[2],"ceil_mode":true)", R"("ceil_rule":"keep")"), "none");
    EXPECT_EQ(of("smooth_max_pool", R"("kernel":[2],"beta":1)"), "op");
    EXPECT_EQ(of("smooth_max_pool", R"("kernel":[2],"beta":1)", R"("smooth_padding":"zero")"), "none");
    EXPECT_EQ(of("max_pool", R"("kernel":[5])"), "attrs.kernel[0]");
    EXPECT_EQ(of("max_pool", R"("kernel":[2],"return_indices":true,"index_form":"row_column")"),
              "attrs.index_form");
}

TEST(TinyPool, DoesNotDecideAnEmptyWindowUnlessTheCaseDoesWEmpty) {
    const std::string attrs = R"("kernel":[1],"pad_begin":[1])";
    const auto of = [&](const std::string& further) {
        return over(
            "max_pool", attrs,
            R"("profile":"tiny_pool","dtype":"f32","policy":{"padding_limit":"none","max_padding":"ignored")" +
                further + "}",
            batched);
    };
    EXPECT_EQ(of(""), "attrs.kernel");
    EXPECT_EQ(of(R"(,"empty_window":"zero")"), "none");
    EXPECT_EQ(of(R"(,"empty_window":"reject")"), "attrs.kernel");
}

}  // namespace
}  // namespace poolproof

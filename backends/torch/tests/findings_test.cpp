// SPDX-License-Identifier: Apache-2.0
// docs/FINDINGS.md stays true: each reproducer of a fault of PyTorch 2.13.0 still deviates, by the clause it
// names, and generated cases deviate nowhere else.
#include "backends/tests/judged.hpp"
#include "backends/torch/tests/ask.hpp"

#include <algorithm>
#include <csignal>

namespace poolproof::backends {
namespace {

struct Finding {
    std::string claim, text, clause, why;
};

const Finding findings[] = {
    {"IndexPastTheInput",
     R"({"op":"max_pool","mode":"vjp","attrs":{"kernel":[2],"stride":[1],"pad_begin":[1],"dilation":[3]},
        "input":{"shape":[2],"data":[1,2]},"cotangent":{"shape":[1],"data":[1]}})",
     "Answer", "indices reach up to 2 where there are 2 cells"},
    {"GradientOfACellOutsideTheWindow",
     R"({"op":"max_pool","mode":"vjp","attrs":{"kernel":[1,2],"stride":[2,1],"pad_begin":[0,1],"dilation":[1,3]},
        "input":{"shape":[2,2],"data":[1,2,3,4]},"cotangent":{"shape":[1,1],"data":[1]}})",
     "MTie", ""},
    {"TangentOfACellOutsideTheWindow",
     R"({"op":"max_pool","mode":"jvp","attrs":{"kernel":[1,2],"stride":[2,1],"pad_begin":[0,1],"dilation":[1,3]},
        "input":{"shape":[2,2],"data":[1,2,3,4]},"tangent":{"shape":[2,2],"data":[1,1,1,1]}})",
     "DEmpty", ""},
    {"HalfSumsOverflow",
     R"({"op":"adaptive_avg_pool","dtype":"f16","attrs":{"output_size":[1,1,2]},
        "input":{"shape":[1,1,4],"data":[60000,60000,60000,60000]}})",
     "V1", ""},
    {"BfloatSumsLoseOnes",
     R"({"op":"adaptive_avg_pool","dtype":"bf16","attrs":{"output_size":[1,1,2]},
        "input":{"shape":[1,1,6],"data":[256,1,1,256,1,1]}})",
     "V1", ""},
    {"KernelWiderThanTheUnpaddedInput",
     R"({"op":"avg_pool","attrs":{"kernel":[3,1,1],"stride":[1,1,1],"pad_begin":[1,0,0]},
        "input":{"shape":[2,1,1],"data":[1,2]}})",
     "Answer", "smaller than kernel size"},
    {"WindowOf2To32Cells",
     R"({"op":"max_pool","attrs":{"kernel":[65537],"stride":[1],"dilation":[65536]},
        "input":{"shape":[3],"data":[1,2,3]}})",
     "Answer", "must be rejected"},
    {"GradientOverAnInfiniteDivisor",
     R"({"op":"avg_pool","mode":"vjp","dtype":"f16","attrs":{"kernel":[1,1],"divisor_override":65520},
        "input":{"shape":[1,1],"data":[0]},"cotangent":{"shape":[1,1],"data":[60000]}})",
     "VOver", ""},
    {"IndexWithoutItsDepth",
     R"({"op":"max_pool","dtype":"u8","attrs":{"kernel":[1,1,1],"return_indices":true,"memory":"channels_last"},
        "input":{"shape":[1,2,2,1,1],"data":[0,0,0,0]}})",
     "MIdx", ""},
    {"BytesOfMoreThan127Cells",
     R"({"op":"max_pool","dtype":"i8","attrs":{"kernel":[1,1],"stride":[200,1],"memory":"channels_last"},
        "input":{"shape":[1,2,128,1],"bits":")" +
         std::string(512, '0') + R"("}})",
     "Answer", "std::numeric_limits"},
    {"IntegerSumsWrap",
     R"({"op":"avg_pool","dtype":"i64","attrs":{"kernel":[2]},
        "input":{"shape":[2],"data":[4611686018427387904,4611686018427387904]}})",
     "V1", ""},
    {"GradientOfAnEmptyAnswer",
     R"({"op":"adaptive_max_pool","mode":"vjp","attrs":{"output_size":[0]},
        "input":{"shape":[2],"data":[1,2]},"cotangent":{"shape":[0],"data":[]}})",
     "Answer", "non-zero size"},
};

Case pytorch_case(const std::string& text) {
    Case c = read(text);
    c.profile = "pytorch";
    return c;
}

std::unique_ptr<Backend> torch() { return in_process(torch_declaration(), run_torch); }

class FaultOf213 : public testing::TestWithParam<Finding> {};

INSTANTIATE_TEST_SUITE_P(Torch, FaultOf213, testing::ValuesIn(findings),
                         [](const auto& tested) { return tested.param.claim; });

TEST_P(FaultOf213, IsStillThere) {
    if (torch_declaration().version != "2.13.0") GTEST_SKIP() << "LibTorch " << torch_declaration().version;
    const Case c = pytorch_case(GetParam().text);
    const Verdict v = judged(*torch(), c);
    EXPECT_EQ(v.outcome, Outcome::deviates) << shown(c, v);
    EXPECT_EQ(v.clause, GetParam().clause) << shown(c, v);
    EXPECT_NE(v.why.find(GetParam().why), std::string::npos) << shown(c, v);
}

TEST(Torch, DiesOfAnIntegerMeanPastItsType) {
    if (torch_declaration().version != "2.13.0") GTEST_SKIP() << "LibTorch " << torch_declaration().version;
    const Case c =
        pytorch_case(R"({"op":"avg_pool","dtype":"i64","attrs":{"kernel":[1,1],"divisor_override":-1},
        "input":{"shape":[1,1,1],"data":[-9223372036854775808]}})");
    EXPECT_EXIT(torch()->run(c), testing::KilledBySignal(SIGFPE), "");
}

TEST(Torch, IsRightBesideItsFaults) {
    for (const char* text :
         {R"({"op":"max_pool","mode":"vjp","attrs":{"kernel":[2],"stride":[1],"pad_begin":[1],"dilation":[2]},
             "input":{"shape":[2],"data":[1,2]},"cotangent":{"shape":[2],"data":[1,1]}})",
          R"({"op":"adaptive_avg_pool","dtype":"f16","attrs":{"output_size":[1,2]},
             "input":{"shape":[1,4],"data":[60000,60000,60000,60000]}})",
          R"({"op":"adaptive_avg_pool","dtype":"f16","attrs":{"output_size":[1,1,1]},
             "input":{"shape":[1,1,4],"data":[60000,60000,60000,60000]}})",
          R"({"op":"avg_pool","attrs":{"kernel":[3,1],"stride":[1,1],"pad_begin":[1,0]},
             "input":{"shape":[2,1],"data":[1,2]}})",
          R"({"op":"max_pool","attrs":{"kernel":[65536],"stride":[1],"dilation":[32767]},
             "input":{"shape":[3],"data":[1,2,3]}})"}) {
        const Case c = pytorch_case(text);
        const Verdict v = judged(*torch(), c);
        EXPECT_EQ(v.outcome, Outcome::conforms) << shown(c, v);
    }
}

/// Whether a finding is about a node like this one, on an input of this shape if that is known.
bool suspect(Op op, const Attributes& a, const Case& c, const Shape* input) {
    const auto any = [](const auto& list, auto test) {
        return list && std::any_of(list->begin(), list->end(), test);
    };
    const auto wide = [&] {
        for (std::size_t k = 0; input != nullptr && k < 3; ++k)
            if ((*a.kernel)[k] > (*input)[input->size() - 3 + k]) return true;
        return input == nullptr;
    };
    if (op == Op::max_pool && c.attrs.memory == Memory::channels_last && c.mode == Mode::forward)
        return a.kernel->size() == 3 || width(c.format) == 8;
    if (op == Op::max_pool)
        return c.mode != Mode::forward && any(a.dilation, [](Index n) { return n > 1; }) &&
               any(a.pad_begin, [](Index n) { return n > 0; });
    if (op == Op::avg_pool) return c.format == Format::i64 || (a.kernel->size() == 3 && wide());
    if (any(a.output_size, [](Index n) { return n == 0; })) return c.mode == Mode::vjp;
    return op == Op::adaptive_avg_pool && a.output_size->size() == 3 && width(c.format) == 16;
}

bool suspect(const Case& c) {
    if (c.op != Op::graph) return suspect(c.op, c.attrs, c, &c.input.shape);
    return std::any_of(c.nodes.begin(), c.nodes.end(),
                       [&](const Node& n) { return suspect(n.op, n.attrs, c, nullptr); });
}

TEST(Torch, DeviatesOnGeneratedCasesOnlyWhereTheFindingsSaySo) {
    if (torch_declaration().version != "2.13.0") GTEST_SKIP() << "LibTorch " << torch_declaration().version;
    const Generator cases = cases_of({.seed = 5, .profile = "pytorch"});
    const auto backend = torch();
    int conforming = 0;
    for (std::uint64_t k = 0; k < 600; ++k) {
        const Case c = cases(k);
        if (!covers(torch_declaration(), c)) continue;
        const Verdict v = judged(*backend, c);
        EXPECT_NE(v.outcome, Outcome::declined) << shown(c, v);
        EXPECT_TRUE(v.outcome < Outcome::deviates || suspect(c)) << shown(c, v);
        conforming += v.outcome == Outcome::conforms;
    }
    EXPECT_GT(conforming, 250);
}

}  // namespace
}  // namespace poolproof::backends

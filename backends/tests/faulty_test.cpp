// SPDX-License-Identifier: Apache-2.0
#include "backends/faulty/run.hpp"
#include "backends/faulty/table.hpp"
#include "backends/tests/judged.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace poolproof::faulty {
namespace {

/// The liars' base, without a fault.
std::unique_ptr<Backend> base() {
    return in_process({"base", "1", "torchlean", {}}, [](const Case& c) { return run(honest(), c); });
}

void expect_no_deviation(Backend& backend, const Request& request, std::uint64_t count) {
    const Generator cases = cases_of(request);
    std::uint64_t conforming = 0;
    for (std::uint64_t k = 0; k < count; ++k) {
        const Case c = cases(k);
        const Verdict v = judged(backend, c);
        EXPECT_LT(v.outcome, Outcome::deviates) << shown(c, v);
        conforming += v.outcome == Outcome::conforms ? 1 : 0;
    }
    EXPECT_GT(conforming, count / 2);
}

class HonestBaseUnder : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Profiles, HonestBaseUnder, testing::ValuesIn(profile_names()),
                         [](const auto& tested) { return tested.param; });

TEST_P(HonestBaseUnder, NeverDeviatesOnGeneratedCases) {
    expect_no_deviation(*base(), {.seed = 12, .profile = GetParam()}, 300);
}

TEST(HonestBase, NeverDeviatesUnderRarePolicies) {
    Choices one, other;
    one.ties = Ties::last;
    one.nan = Nan::propagate;
    one.nan_index = NanIndex::first;
    one.signed_zero = SignedZero::positive;
    one.max_padding = MaxPadding::zero;
    one.smooth_padding = SmoothPadding::ignored;
    one.ceil_rule = CeilRule::keep;
    one.empty_window = EmptyWindow::lowest;
    one.integer_mean = IntegerMean::half_even;
    one.intermediate_overflow = IntermediateOverflow::forbidden;
    other.ties = Ties::split;
    other.nan = Nan::ignore;
    other.signed_zero = SignedZero::first;
    other.max_padding = MaxPadding::zero;
    other.divisor = Divisor::clipped;
    other.ceil_rule = CeilRule::keep;
    other.empty_window = EmptyWindow::nan;
    other.integer_mean = IntegerMean::floor;
    other.accumulate = other.accumulate_gradient = Accumulate::f32;
    for (const Choices& policy : {one, other})
        expect_no_deviation(*base(), {.seed = 13, .policy = policy}, 200);
}

TEST(Faults, HaveNamesOfTheirOwnAndOneSentenceEach) {
    std::set<std::string> names;
    for (const Liar& l : liars()) {
        EXPECT_TRUE(names.insert(l.name).second) << l.name;
        EXPECT_EQ(l.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string::npos)
            << l.name;
        EXPECT_EQ(l.vice.find('.'), l.vice.size() - 1) << l.vice;
    }
    EXPECT_GE(names.size(), 120U);
}

TEST(Faults, AreCaughtByClausesThatExist) {
    std::ifstream file(std::string(__FILE__).substr(0, std::string(__FILE__).rfind("backends/")) +
                       "docs/SPEC.md");
    std::stringstream spec;
    spec << file.rdbuf();
    ASSERT_FALSE(spec.str().empty());
    for (const Liar& l : liars())
        EXPECT_NE(spec.str().find("**[" + l.clause + "]**"), std::string::npos) << l.name << " " << l.clause;
}

TEST(Faults, AreFoundByNameAndNothingElseIs) {
    EXPECT_TRUE(find_backend("faulty:last_tie_wins"));
    EXPECT_TRUE(find_backend("reference"));
    for (const char* name : {"", "faulty", "faulty:", "faulty:nobody", "last_tie_wins"})
        EXPECT_FALSE(find_backend(name)) << name;
}

/// So many cells of a value, as a list.
std::string cells(int count, const std::string& value) {
    std::string r = "[" + value;
    for (int k = 1; k < count; ++k) r += "," + value;
    return r + "]";
}

/// Cases for faults that ordinary random ones seldom show.
const std::multimap<std::string, std::string>& directed_cases() {
    static const std::multimap<std::string, std::string> all{
        {"bin_begin_by_float_ratio",
         R"({"op":"adaptive_max_pool","attrs":{"output_size":[22]},"input":{"shape":[26],
             "data":[26,25,24,23,22,21,20,19,18,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,2,1]}})"},
        {"bin_end_by_float_ratio",
         R"({"op":"adaptive_max_pool","attrs":{"output_size":[28]},"input":{"shape":[8],"data":[1,2,3,4,5,6,7,8]}})"},
        {"sum_drops_nan",
         R"({"op":"graph","attrs":{"nodes":[{"op":"avg_pool","attrs":{"kernel":[1],"stride":[2]},"input":-1},
             {"op":"avg_pool","attrs":{"kernel":[2]},"input":-1},{"op":"add","inputs":[0,1]}]},
             "input":{"shape":[2],"data":[1,"nan"]}})"},
        {"sum_of_infinities_zero",
         R"({"op":"graph","attrs":{"nodes":[{"op":"avg_pool","attrs":{"kernel":[1],"stride":[2]},"input":-1},
             {"op":"smooth_max_pool","attrs":{"kernel":[2],"beta":-1},"input":-1},{"op":"add","inputs":[0,1]}]},
             "input":{"shape":[2],"data":["inf","-inf"]}})"},
        {"sum_flushes_cancellation",
         R"({"op":"graph","attrs":{"nodes":[{"op":"avg_pool","attrs":{"kernel":[1],"stride":[2]},"input":-1},
             {"op":"smooth_max_pool","attrs":{"kernel":[2],"beta":-1},"input":-1},{"op":"add","inputs":[0,1]}]},
             "input":{"shape":[2],"data":[100,-99]}})"},
        {"nodes_clear_nan",
         R"({"op":"graph","attrs":{"nodes":[{"op":"avg_pool","attrs":{"kernel":[1]},"input":-1},
             {"op":"avg_pool","attrs":{"kernel":[1]},"input":0}]},"input":{"shape":[1],"data":["nan"]}})"},
        {"nodes_saturate",
         R"({"op":"graph","attrs":{"nodes":[{"op":"avg_pool","attrs":{"kernel":[1]},"input":-1},
             {"op":"avg_pool","attrs":{"kernel":[1]},"input":0}]},"input":{"shape":[1],"data":["inf"]}})"},
        {"first_sharpness_for_all",
         R"({"op":"graph","attrs":{"nodes":[{"op":"smooth_max_pool","attrs":{"kernel":[2],"beta":1},"input":-1},
             {"op":"smooth_max_pool","attrs":{"kernel":[2],"beta":2},"input":-1},{"op":"add","inputs":[0,1]}]},
             "input":{"shape":[2],"data":[1,2]}})"},
        {"exponents_capped", R"({"op":"smooth_max_pool","attrs":{"kernel":[2],"beta":3},
             "input":{"shape":[2],"data":["0x1p100",1]}})"},
        {"exponents_on_one_grid", R"({"op":"smooth_max_pool","attrs":{"kernel":[3],"beta":1},
             "input":{"shape":[3],"data":[2,1.5,"-0x1p60"]}})"},
        {"cached_by_shape",
         R"({"op":"graph","attrs":{"nodes":[{"op":"avg_pool","attrs":{"kernel":[1],"stride":[2]},"input":-1},
             {"op":"avg_pool","attrs":{"kernel":[2]},"input":-1},{"op":"add","inputs":[0,1]}]},
             "input":{"shape":[2],"data":[1,3]}})"},
        {"average_of_infinities_zero",
         R"({"op":"avg_pool","attrs":{"kernel":[2]},"input":{"shape":[2],"data":["inf","-inf"]}})"},
        {"average_infinity_sign",
         R"({"op":"avg_pool","attrs":{"kernel":[2],"divisor_override":-2},"input":{"shape":[2],"data":["inf",1]}})"},
        {"compares_i64_in_f64", R"({"op":"max_pool","dtype":"i64","attrs":{"kernel":[2]},
             "input":{"shape":[2],"data":[9007199254740992,9007199254740993]}})"},
        {"sum_overflows_in_f16",
         R"({"op":"avg_pool","dtype":"f16","attrs":{"kernel":[2]},"input":{"shape":[2],"data":[60000,60000]}})"},
        {"i8_answer_saturates_early",
         R"({"op":"max_pool","dtype":"i8","attrs":{"kernel":[1]},"input":{"shape":[1],"data":[-128]}})"},
        {"empty_is_zero", R"({"op":"max_pool","profile":"pytorch","attrs":{"kernel":[2],"pad_begin":[1],
             "dilation":[3]},"input":{"shape":[2],"data":[5,6]}})"},
        {"byte_sums_in_16_bits", R"({"op":"avg_pool","dtype":"i8","attrs":{"kernel":[260]},
             "input":{"shape":[260],"data":)" +
                                     cells(260, "127") + "}}"},
        {"shifted_past_740", R"({"op":"smooth_max_pool","attrs":{"kernel":[2],"beta":1},
             "input":{"shape":[2],"data":[-735,-736]}})"},
        {"divisor_in_its_own", R"({"op":"avg_pool","dtype":"bf16","attrs":{"kernel":[259],"stride":[1],
             "pad_begin":[129]},"input":{"shape":[3],"data":[256,3,77]}})"},
        {"bins_by_reciprocal", R"({"op":"adaptive_max_pool","attrs":{"output_size":[49]},
             "input":{"shape":[7],"data":[7,6,5,4,3,2,1]}})"},
        {"index_stays_unset", R"({"op":"max_pool","attrs":{"kernel":[2],"return_indices":true},
             "input":{"shape":[2],"data":["-inf","-inf"]}})"},
    };
    return all;
}

TEST(EveryLiar, IsCaughtByItsDirectedCase) {
    for (const auto& [name, text] : directed_cases()) {
        const auto c = read_case(text);
        ASSERT_TRUE(c) << name << ": " << message(c.rejection());
        EXPECT_EQ(judged(*base(), *c).outcome, Outcome::conforms) << name;
        EXPECT_EQ(judged(**find_backend("faulty:" + name), *c).outcome, Outcome::deviates) << name;
    }
}

TEST(EveryLiar, IsCaughtByGeneratedCasesUnlessItHasADirectedOne) {
    constexpr std::uint64_t enough = 6000;
    std::map<std::string, std::vector<std::unique_ptr<Backend>>>
        alive;  // by profile: a case is expected once for all
    for (const Liar& l : liars())
        if (directed_cases().count(l.name) == 0) {
            auto b = std::move(*find_backend("faulty:" + l.name));
            alive[b->declaration().profile].push_back(std::move(b));
        }
    for (auto& [profile, backends] : alive) {
        const Generator cases = cases_of({.seed = 1, .profile = profile});
        for (std::uint64_t k = 0; k < enough && !backends.empty(); ++k) {
            const Case c = cases(k);
            const Expected expected = expect(*plan(c), c);
            std::erase_if(backends, [&](const auto& b) {
                return judge(expected, b->run(c)).outcome == Outcome::deviates;
            });
        }
        for (const auto& b : backends)
            ADD_FAILURE() << b->declaration().name << " survived under " << profile;
    }
}

}  // namespace
}  // namespace poolproof::faulty

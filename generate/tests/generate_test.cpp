// SPDX-License-Identifier: Apache-2.0
#include <poolproof/generate.hpp>
#include <poolproof/plan.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <array>
#include <map>

namespace poolproof {
namespace {

Generator made(Request request) {
    auto g = generator(std::move(request));
    if (!g) throw std::runtime_error(message(g.rejection()));
    return *g;
}

Request of_profile(const std::string& name) {
    Request r;
    r.seed = 20260101;
    r.profile = name;
    return r;
}

std::uint64_t fnv1a(std::uint64_t hash, std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

TEST(Generator, GivesTheSameCaseForTheSameIndexInAnyOrder) {
    const Generator g = made({.seed = 5});
    std::vector<Case> forwards;
    for (std::uint64_t k = 0; k < 300; ++k) forwards.push_back(g(k));
    const Generator other = made({.seed = 5});
    for (std::uint64_t k = 300; k-- > 0;) {
        EXPECT_EQ(other(k), forwards[k]) << k;
        EXPECT_EQ(g(k), forwards[k]) << k;
    }
    EXPECT_EQ(generated({.seed = 5}, 17), forwards[17]);
}

TEST(Generator, GivesOtherCasesForOtherSeedsAndIndices) {
    const Generator g = made({.seed = 5});
    const Generator other = made({.seed = 6});
    int equal = 0;
    for (std::uint64_t k = 0; k < 100; ++k) {
        equal += g(k) == other(k) ? 1 : 0;
        equal += g(k) == g(k + 1) ? 1 : 0;
        equal += g(k) == g(k + (std::uint64_t{1} << 32)) ? 1 : 0;
    }
    EXPECT_LE(equal, 2);
}

TEST(Generator, GivesTheCasesOfItsVersion) {
    const Generator g = made({.seed = 1});
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto add = [&](const Case& c) { hash = fnv1a(hash, write_case(c) + "\n"); };
    for (std::uint64_t k = 0; k < 2000; ++k) add(g(k));
    for (std::uint64_t k = 4096; k < 4296; ++k) add(g(k));
    for (std::uint64_t k = 0; k < 64; ++k) add(g.invalid(k));
    EXPECT_EQ(generator_version, 7);
    EXPECT_EQ(hash, 13121288375962529191U) << "a change of cases is a new generator_version";
}

TEST(Generator, PadsByNoMoreThanAnAttributeMayBe) {
    const Generator g = made({.seed = 101, .ops = {Op::graph}, .profile = "torchlean"});
    int found = 0;  // beside a node of the widest dilation
    for (std::uint64_t k = 0; k < 40000; ++k) {
        const Case c = g(k);
        Index widest = 0;
        for (const Node& n : c.nodes)
            for (const Index d : n.attrs.dilation.value_or(std::vector<Index>{}))
                widest = std::max(widest, d);
        if (widest != 2147483647) continue;
        ++found;
        const auto read = read_case(write_case(c));
        ASSERT_TRUE(read) << message(read.rejection());
        EXPECT_EQ(*read, c);
    }
    EXPECT_GT(found, 20);
}

TEST(Generator, DrawsTheLayersThatNetworksAreMadeOf) {
    const Generator g = made({.seed = 5});
    using List = std::vector<Index>;
    std::map<std::array<Index, 3>, int> seen;
    for (std::uint64_t k = 0; k < 20000; ++k) {
        const Case c = g(k);
        const auto& a = c.attrs;
        if (!a.kernel || a.kernel->size() != 2 || a.auto_pad || a.dilation.value_or(List{1, 1}) != List{1, 1})
            continue;
        const List kernel = *a.kernel, stride = a.stride.value_or(kernel),
                   begin = a.pad_begin.value_or(List{0, 0});
        const bool alike = kernel[0] == kernel[1] && stride[0] == stride[1] && begin[0] == begin[1] &&
                           a.pad_end.value_or(begin) == begin;
        if (alike) ++seen[{kernel[0], stride[0], begin[0]}];
    }
    for (const std::array<Index, 3>& layer :
         {std::array<Index, 3>{2, 2, 0}, {3, 2, 1}, {3, 1, 1}, {3, 2, 0}, {3, 3, 0}, {5, 1, 2}, {7, 2, 3}})
        EXPECT_GE(seen[layer], 8) << layer[0] << " " << layer[1] << " " << layer[2];
}

TEST(Generator, RepeatsACaseWithOneAttributeChanged) {
    const Generator g = made({.seed = 6});
    int changed = 0;
    for (std::uint64_t k = 31; k < 6400; k += 32) {
        const Case before = g(k - 1), c = g(k);
        if (c.op != before.op || c.input != before.input) continue;
        EXPECT_NE(c, before);
        EXPECT_EQ(c.format, before.format);
        EXPECT_EQ(c.mode, before.mode);
        ++changed;
    }
    EXPECT_GT(changed, 150);
}

TEST(Generator, PassesWhatNarrowOffsetsAndSumsHold) {
    const Generator g = made({.seed = 7});
    int slices = 0, positions = 0, sums = 0;
    for (std::uint64_t k = 0; k < 40000; ++k) {
        const Case c = g(k);
        if (c.input.size() > 4096) slices += c.input.size() > 4096 && c.input.shape.front() > 1 ? 1 : 0;
        positions += c.input.size() > 65536 ? 1 : 0;
        if (width(c.format) != 8 || !is_integer(c.format) || c.op != Op::global_avg_pool) continue;
        Index sum = 0;
        const auto rank = static_cast<std::size_t>(*c.attrs.spatial_rank);
        Index cells = 1;
        for (std::size_t a = c.input.shape.size() - rank; a < c.input.shape.size(); ++a)
            cells *= c.input.shape[a];
        for (Index i = 0; i < std::min(cells, c.input.size()); ++i)
            sum += integer_value(c.format, c.input[i]);
        sums += std::abs(sum) > 65536 ? 1 : 0;
    }
    EXPECT_GE(slices, 5);
    EXPECT_GE(positions, 3);
    EXPECT_GE(sums, 5);
}

TEST(Generator, GivesValidCasesThatReadBackUnderEveryProfile) {
    for (const std::string& profile : profile_names()) {
        const Generator g = made(of_profile(profile));
        for (std::uint64_t k = 0; k < 5000; ++k) {
            const Case c = g(k);
            const auto settled = plan(c);
            ASSERT_TRUE(settled) << write_case(c) << "\n" << message(settled.rejection());
            ASSERT_LE(c.input.size(), 70000);
            if (k % 10 != 0) continue;
            const auto back = read_case(write_case(c));
            ASSERT_TRUE(back) << write_case(c) << "\n" << message(back.rejection());
            ASSERT_EQ(*back, c) << write_case(c);
        }
    }
}

TEST(Generator, GivesValidCasesWithoutAProfile) {
    const Generator g = made({.seed = 3});
    for (std::uint64_t k = 0; k < 20000; ++k) {
        const Case c = g(k);
        const auto settled = plan(c);
        ASSERT_TRUE(settled) << write_case(c) << "\n" << message(settled.rejection());
        ASSERT_LE(c.input.size(), 70000);
        ASSERT_EQ(c.tangent.has_value(), c.mode == Mode::jvp);
        ASSERT_EQ(c.cotangent.has_value(), c.mode == Mode::vjp);
    }
}

TEST(Generator, KeepsToWhatIsAsked) {
    Request r;
    r.ops = {Op::avg_pool, Op::graph};
    r.modes = {Mode::vjp};
    r.formats = {Format::bf16, Format::i8};
    r.spatial_ranks = {3};
    r.policy.ties = Ties::split;
    const Generator g = made(r);
    int graphs = 0;
    for (std::uint64_t k = 0; k < 500; ++k) {
        const Case c = g(k);
        graphs += c.op == Op::graph ? 1 : 0;
        EXPECT_TRUE(c.op == Op::graph || c.op == Op::avg_pool);
        EXPECT_EQ(c.mode, Mode::vjp);
        EXPECT_EQ(c.format, Format::bf16);
        EXPECT_EQ(c.policy, r.policy);
        if (c.op == Op::avg_pool) { EXPECT_EQ(c.attrs.kernel->size(), 3U); }
    }
    EXPECT_GT(graphs, 100);
}

TEST(Generator, RefusesARequestThatHoldsNoCase) {
    Request derivative_of_integers;
    derivative_of_integers.modes = {Mode::jvp};
    derivative_of_integers.formats = {Format::i32};
    EXPECT_FALSE(generator(derivative_of_integers));
    EXPECT_FALSE(generator(of_profile("nonesuch")));
    Request beyond = of_profile("tiny_pool");
    beyond.spatial_ranks = {3};
    EXPECT_FALSE(generator(beyond));
}

}  // namespace
}  // namespace poolproof

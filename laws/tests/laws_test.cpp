// SPDX-License-Identifier: Apache-2.0
// Every law holds of what is right, and each is broken by a liar of its own that has one vice.
#include <poolproof/kernel.hpp>
#include <poolproof/laws.hpp>
#include <poolproof/plan.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace poolproof {
namespace {

std::vector<Law> law_named(const std::string& name) {
    for (const Law& l : all_laws())
        if (l.name == name) return {l};
    return {};
}

Observation right(const Case& c) {
    static const auto reference = std::move(*find_backend("reference"));
    return reference->run(c);
}

LawTotals asked(const Answers& answers, const std::vector<Law>& laws, const Request& request,
                std::uint64_t count, LawVerdict* first_broken = nullptr) {
    const auto backend = in_process({"kernel", "1", request.profile.value_or("torchlean"), {}}, answers);
    return *judge_laws(*backend, laws, request, 0, count, [&](const LawJudged& j) {
        if (first_broken == nullptr || !j.verdict.broken) return true;
        *first_broken = j.verdict;
        return false;
    });
}

const Request floats{.seed = 3, .formats = {Format::f32}};

/// The right answer with its values changed.
Answers values_changed(const std::function<void(std::vector<float>&, const Case&)>& change) {
    return [change](const Case& c) {
        Observation o = right(c);
        if (o.kind != Observation::Kind::answered) return o;
        auto v = values<float>(o.outputs.front().second);
        change(v, c);
        o.outputs.front().second = tensor<float>(o.outputs.front().second.shape, v);
        return o;
    };
}

std::size_t slices_of(const Case& c) { return static_cast<std::size_t>(slice_count(*plan(c), c)); }

Answers forgets_signs_of_zeros() {
    return [calls = 0](const Case& c) mutable {
        return values_changed([minus = ++calls % 2 == 0](std::vector<float>& v, const Case&) {
            for (float& x : v) x = x == 0 ? (minus ? -0.0F : 0.0F) : x;
        })(c);
    };
}

Answers keeps_an_old_answer_of_nan() {
    return [old = std::optional<Case>()](const Case& c) mutable {
        const bool same_shapes = old && old->op == c.op && old->mode == c.mode && old->attrs == c.attrs &&
                                 old->input.shape == c.input.shape && old->nodes == c.nodes;
        const auto x = values<float>(old ? old->input : c.input);
        const bool stale = same_shapes && std::any_of(x.begin(), x.end(), [](float v) { return v != v; });
        const Case now = stale ? *old : c;
        old = c;
        return right(now);
    };
}

Observation reads_strided_backwards(const Case& c) {
    const bool plain = c.attrs.memory.value_or(Memory::contiguous) == Memory::contiguous;
    return values_changed([plain](std::vector<float>& v, const Case&) {
        if (!plain) std::reverse(v.begin(), v.end());
    })(c);
}

Observation copies_the_first_slice_to_the_last(const Case& c) {
    return values_changed([](std::vector<float>& v, const Case& asked) {
        const std::size_t n = slices_of(asked);
        if (n > 1) std::copy_n(v.begin(), v.size() / n, v.end() - static_cast<std::ptrdiff_t>(v.size() / n));
    })(c);
}

Observation spreads_nan_everywhere(const Case& c) {
    const auto x = values<float>(c.input);
    const bool any = std::any_of(x.begin(), x.end(), [](float v) { return v != v; });
    return values_changed([any](std::vector<float>& v, const Case&) {
        if (any) std::fill(v.begin(), v.end(), std::numeric_limits<float>::quiet_NaN());
    })(c);
}

Observation saturates(const Case& c) {
    return values_changed([](std::vector<float>& v, const Case&) {
        for (float& x : v) x = x > 8 ? 8 : x;
    })(c);
}

Observation clips_below_zero(const Case& c) {
    return values_changed([](std::vector<float>& v, const Case&) {
        for (float& x : v) x = x < 0 ? 0 : x;
    })(c);
}

Observation swaps_two_values(const Case& c) {
    return values_changed([](std::vector<float>& v, const Case&) {
        if (v.size() > 1) std::swap(v[0], v[1]);
    })(c);
}

Observation reports_the_next_index(const Case& c) {
    Observation o = right(c);
    if (o.outputs.size() < 2) return o;
    Tensor& t = o.outputs[1].second;
    const Index block = c.input.size() / std::max<Index>(slice_count(*plan(c), c), 1);
    for (Index i = 0; i < t.size(); ++i) t.set(i, static_cast<Bits>((static_cast<Index>(t[i]) + 1) % block));
    return o;
}

Observation reports_the_last_tie(const Case& c) {
    Case read = c;
    if (c.mode == Mode::forward) read.policy.ties = Ties::last;
    return right(read);
}

Observation doubles_gradients(const Case& c) {
    return values_changed([](std::vector<float>& v, const Case& asked) {
        for (float& x : v) x *= asked.mode == Mode::vjp ? 2 : 1;
    })(c);
}

Observation liar(const Case& c, const char* name) {
    static std::map<std::string, std::unique_ptr<Backend>> all;
    auto& b = all[name];
    if (!b) b = std::move(*find_backend(std::string("faulty:") + name));
    return b->run(c);
}

struct Breach {
    const char* law;
    Answers answers;
    Request request;
};

std::vector<Breach> breaches() {
    const Request forward{.seed = 3, .modes = {Mode::forward}, .formats = {Format::f32}};
    const Request averages{
        .seed = 3, .ops = {Op::avg_pool}, .modes = {Mode::forward}, .formats = {Format::f32}};
    return {
        {"repeated_calls", forgets_signs_of_zeros(), floats},
        {"reused_buffers", keeps_an_old_answer_of_nan(), forward},
        {"memory_formats", reads_strided_backwards, forward},
        {"slices_alone", copies_the_first_slice_to_the_last, floats},
        {"slices_apart", spreads_nan_everywhere, forward},
        {"slices_permuted", copies_the_first_slice_to_the_last, floats},
        {"scaling", saturates, forward},
        {"negation", clips_below_zero, averages},
        {"explicit_padding", [](const Case& c) { return liar(c, "counts_begin_padding_alone"); }, averages},
        {"axes_swapped", swaps_two_values, forward},
        {"indices_and_values", reports_the_next_index, floats},
        {"indices_and_gradients", reports_the_last_tie, floats},
        {"adjointness", doubles_gradients, floats},
    };
}

TEST(Laws, EachIsBrokenByALiarThatIsAskedTwoHundredQuestionsDet) {
    for (const Breach& b : breaches()) {
        ASSERT_EQ(law_named(b.law).size(), 1U) << b.law;
        LawVerdict first;
        const LawTotals t = asked(b.answers, law_named(b.law), b.request, 200, &first);
        EXPECT_GT(t.sum().broken, 0) << b.law << " of " << t.sum().judged() << " judged";
        EXPECT_EQ(first.verdict.outcome, Outcome::deviates);
        EXPECT_EQ(first.verdict.why.rfind(std::string(b.law) + ":", 0) == 0 || first.verdict.clause == "Det",
                  true)
            << first.verdict.why;
        EXPECT_FALSE(first.verdict.clause.empty()) << b.law;
    }
}

TEST(Laws, AreAllShownAbleToFail) {
    const auto all = breaches();
    for (const Law& l : all_laws())
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Breach& b) { return l.name == b.law; }))
            << l.name;
}

TEST(Laws, HoldOfTheReferenceUnderEveryProfileAndSetsAlwaysMeet) {
    for (const std::string& profile : profile_names()) {
        const LawTotals t = asked(right, all_laws(), {.seed = 7, .profile = profile}, 260);
        EXPECT_EQ(t.sum().bad(), 0) << profile;
        EXPECT_EQ(t.unmet, 0) << profile;
        for (std::size_t k = 0; k < t.rows.size() && profile != "tiny_pool"; ++k)
            EXPECT_GT(t.rows[k].judged(), 2) << profile << ": " << all_laws()[k].name;
    }
}

TEST(Laws, CompareBitsAndNotSetsAloneWhereOnePatternIsPermitted) {
    for (const char* name : {"memory_formats", "slices_alone", "slices_apart", "slices_permuted", "scaling",
                             "negation", "explicit_padding", "axes_swapped"})
        EXPECT_GT(asked(right, law_named(name), floats, 60).sum().compared, 10) << name;
}

TEST(Laws, LetADeclaredLimitStand) {
    Declaration d{"kernel", "1", "torchlean", {Capability{}}};
    d.capabilities.front().memory = std::vector{Memory::contiguous};
    const auto backend = in_process(d, right);
    const auto t =
        judge_laws(*backend, law_named("memory_formats"), {}, 0, 20, [](const LawJudged&) { return true; });
    EXPECT_EQ(t->sum().judged(), 0);
}

TEST(Laws, SayThatASideDeviatesWhereTheLawItselfHolds) {
    // Twice the sum is as linear as the mean.
    const auto twice = values_changed([](std::vector<float>& v, const Case&) {
        for (float& x : v) x *= 2;
    });
    LawVerdict first;
    const Request averages{.seed = 3, .ops = {Op::avg_pool}, .formats = {Format::f32}};
    const LawTotals t = asked(twice, law_named("adjointness"), averages, 60, &first);
    EXPECT_EQ(t.sum().broken, 0) << first.verdict.why;
    EXPECT_GT(t.sum().bad(), 0);
}

ExpectedOutput one_value(const Permitted& p) {
    ExpectedOutput e;
    e.format = Format::f32;
    e.shape = {1};
    e.values = {p};
    return e;
}

TEST(Adjoint, AllowsWhatRoundingMayDoAndNoMoreBAdjoint) {
    const ExpectedOutput exact_one = one_value(Permitted::exactly(tensor<float>({1}, {3.0F})[0]));
    const Tensor one = tensor<float>({1}, {1.0F});
    const auto decided = [&](float dy, float dx) {
        const Tensor a = tensor<float>({1}, {dy}), b = tensor<float>({1}, {dx});
        return adjoint({exact_one, a, one}, {exact_one, b, one});
    };
    EXPECT_EQ(decided(3.0F, 3.0F), Decision::permitted);
    EXPECT_EQ(decided(3.0F, std::nextafter(3.0F, 4.0F)), Decision::permitted);
    EXPECT_EQ(decided(3.0F, 3.00001F), Decision::refused);
    EXPECT_EQ(decided(3.0F, std::numeric_limits<float>::infinity()), Decision::undecided);
}

TEST(Adjoint, PassesOverWhatIsPairedWithNothingBAdjoint) {
    const ExpectedOutput open = one_value(Permitted::anything());
    const Tensor zero = tensor<float>({1}, {0.0F}), one = tensor<float>({1}, {1.0F});
    EXPECT_EQ(adjoint({open, one, zero}, {open, one, zero}), Decision::permitted);
    EXPECT_EQ(adjoint({open, one, one}, {open, one, zero}), Decision::undecided);
}

TEST(Laws, AskTheSameOfACaseWhereverARunBegins) {
    const auto backend = in_process({"kernel", "1", "torchlean", {}}, right);
    const auto asked_from = [&](std::uint64_t first, std::uint64_t count) {
        std::map<std::uint64_t, std::string> r;
        const auto totals = judge_laws(*backend, all_laws(), floats, first, count, [&](const LawJudged& j) {
            r[j.number] = j.law.name + write_case(j.relation.cases.back());
            return true;
        });
        EXPECT_TRUE(totals);
        return r;
    };
    const auto all = asked_from(0, 60), later = asked_from(40, 5);
    EXPECT_EQ(later.size(), 5U);
    for (const auto& [number, question] : later) {
        EXPECT_GE(number, 40U);
        EXPECT_EQ(all.at(number), question);
    }
}

TEST(Laws, FailuresOfOneKindAreOneBucket) {
    const auto backend = in_process({"kernel", "1", "torchlean", {}}, forgets_signs_of_zeros());
    std::vector<LawBucket> buckets;
    Index failed = 0, counted = 0, opened = 0;
    const auto totals = judge_laws(*backend, all_laws(), floats, 0, 600, [&](const LawJudged& j) {
        if (j.verdict.verdict.outcome < Outcome::deviates) return true;
        ++failed;
        opened += count_in(buckets, j) ? 1 : 0;
        return true;
    });
    EXPECT_EQ(totals->sum().bad(), failed);
    std::map<std::string, int> names;
    for (const LawBucket& b : buckets) {
        counted += b.questions;
        EXPECT_EQ(++names[b.name()], 1) << b.name();
    }
    EXPECT_EQ(counted, failed);
    EXPECT_EQ(opened, static_cast<Index>(buckets.size()));
    EXPECT_GT(failed, opened);
    EXPECT_TRUE(names.contains("repeated_calls is broken")) << buckets.size();
}

}  // namespace
}  // namespace poolproof

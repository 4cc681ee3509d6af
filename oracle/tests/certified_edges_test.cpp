// SPDX-License-Identifier: Apache-2.0
// The certified path where its special cases are: small windows over few different values, all of them from
// the edges of a format, under every policy. Its sets are the exact oracle's, and what its short way is sure
// of is permitted.
#include "oracle/expect/rounding.hpp"
#include "oracle/tests/certified_difference.hpp"

#include <poolproof/verdict.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

namespace poolproof {
namespace {

constexpr std::array formats{Format::f64, Format::f32, Format::f16, Format::bf16,
                             Format::i8,  Format::u8,  Format::i32, Format::i64};

const std::array betas{Rational(1), Rational(-1), Rational(3), Rational(-1, 4)};

/// The patterns at the edges: of the subnormals, of one, of the range.
std::vector<Bits> edges(Format f) {
    const Bits sign = is_signed(f) ? sign_bit(f) : 0;
    if (is_integer(f)) {
        const Bits all = width(f) == 64 ? ~Bits{0} : (Bits{1} << width(f)) - 1;
        const Bits most = all ^ sign;
        return {0, 1, 2, 3, most, most - 1, sign, sign + 1, all, all - 2};
    }
    const int digits = precision(f) - 1;
    const Bits normal = Bits{1} << digits, one = static_cast<Bits>(max_exponent(f)) << digits;
    return {0,
            sign,
            1,
            sign | 1,
            normal - 1,
            normal,
            normal + 1,
            sign | normal,
            one,
            sign | one,
            one + 1,
            one + normal,
            one | normal / 2,
            largest_bits(f),
            largest_bits(f) - 1,
            largest_bits(f) | sign,
            largest_bits(f) - normal};
}

std::vector<Bits> not_finite(Format f) {
    if (is_integer(f)) return {};
    return {infinity_bits(f), infinity_bits(f) | sign_bit(f), infinity_bits(f) | 1};
}

/// Cases at random, each over a palette of its own: few values, so that many tie.
class HardCases {
public:
    explicit HardCases(std::uint64_t seed) : random_(seed) {}

    /// A case that is valid, with its plan.
    std::pair<Case, Plan> next() {
        for (;;) {
            Case c = some_case();
            if (auto settled = plan(c)) return {std::move(c), *settled};
        }
    }

    Index below(std::size_t n) { return static_cast<Index>(random_() % n); }
    bool one_in(std::size_t n) { return below(n) == 0; }
    template <class List> auto any_of(const List& list) {
        return list[static_cast<std::size_t>(below(list.size()))];
    }

private:
    Case some_case() {
        Case c;
        c.op = any_of(std::array{Op::max_pool, Op::max_pool, Op::avg_pool, Op::avg_pool, Op::smooth_max_pool,
                                 Op::adaptive_avg_pool});
        c.format = any_of(formats);
        c.mode = is_integer(c.format) ? Mode::forward : static_cast<Mode>(below(3));
        for (const ChoiceField& field : choice_fields())
            if (one_in(2) && !field.values.empty())
                field.set(c.policy, static_cast<std::size_t>(below(field.values.size())));
        const std::size_t rank = one_in(3) ? 2 : 1;
        c.input = Tensor(c.format, {2});
        const auto list = [&](std::size_t most, Index least) {
            std::vector<Index> r;
            for (std::size_t k = 0; k < rank; ++k) r.push_back(least + below(most));
            return r;
        };
        for (const Index n : list(5, 1)) c.input.shape.push_back(n);
        c.input = Tensor(c.format, c.input.shape);
        if (c.op == Op::adaptive_avg_pool)
            c.attrs.output_size = list(4, 1);
        else
            sliding(c, list);
        palette(c);
        fill(c.input);
        if (c.mode == Mode::jvp) fill(c.tangent.emplace(c.format, c.input.shape));
        if (c.mode == Mode::vjp) {
            c.cotangent.emplace(c.format, Shape{});
            Case forward = c;
            forward.mode = Mode::forward;
            forward.cotangent.reset();
            if (const auto settled = plan(forward))
                fill(c.cotangent.emplace(c.format, settled->output().shape));
        }
        return c;
    }

    template <class List> void sliding(Case& c, List list) {
        c.attrs.kernel = list(3, 1);
        c.attrs.stride = list(3, 1);
        if (one_in(3)) c.attrs.dilation = list(3, 1);
        if (!one_in(3)) c.attrs.pad_begin = list(3, 0), c.attrs.pad_end = list(3, 0);
        c.attrs.ceil_mode = one_in(3);
        if (c.op == Op::avg_pool) {
            c.attrs.count_include_pad = one_in(2);
            if (one_in(3))
                c.attrs.divisor_override = any_of(std::array<Index, 8>{-3, -2, -1, 1, 2, 3, 4, 49});
        }
        if (c.op == Op::smooth_max_pool && !is_integer(c.format))
            c.attrs.beta = nearest(c.format, any_of(betas));
        if (c.op == Op::max_pool && c.mode == Mode::forward) c.attrs.return_indices = one_in(2);
    }

    void palette(const Case& c) {
        const std::vector<Bits> all = edges(c.format), special = not_finite(c.format);
        palette_.clear();
        for (Index k = 1 + below(4); k >= 0; --k) palette_.push_back(any_of(all));
        if (!special.empty() && one_in(3))
            for (Index k = below(2); k >= 0; --k) palette_.push_back(any_of(special));
    }
    void fill(Tensor& t) {
        for (Index k = 0; k < t.size(); ++k) t.set(k, any_of(palette_));
    }

    std::mt19937_64 random_;
    std::vector<Bits> palette_;
};

/// POOLPROOF_CERTIFIED=N sets their number.
Index wanted_cases() {
    const char* n = std::getenv("POOLPROOF_CERTIFIED");
    return n == nullptr ? 6000 : std::atoll(n);
}

TEST(CertifiedEdges, SetsAreTheExactOnesUnderEveryPolicy) {
    HardCases cases(20260101);
    Stages stages;
    for (Index k = 0; k < wanted_cases(); ++k) {
        const auto [c, settled] = cases.next();
        const Expected certified = expect(settled, c, {0, slice_count(settled, c)}, &stages);
        ASSERT_EQ(difference(expect(settled, c), certified), "") << write_case(c);
    }
    EXPECT_GT(stages.certified, 2 * stages.exact);
    std::printf("%lld certified, %lld exact\n", static_cast<long long>(stages.certified),
                static_cast<long long>(stages.exact));
}

/// Every window of three cells over the first so many of values that tie, slice by slice, padded or not.
Case every_window(bool padded, Index count) {
    constexpr Format f = Format::f16;
    const std::array<Bits, 6> values{infinity_bits(f) | 1, sign_bit(f), 0, 1, sign_bit(f) | 1, 2};
    Case c;
    c.format = f;
    c.attrs.kernel = {3};
    if (padded) c.attrs.kernel = {4}, c.attrs.pad_begin = {1}, c.attrs.pad_end = {0};
    c.input = Tensor(f, {count * count * count, 3});
    for (Index k = 0; k < c.input.size(); ++k) {
        Index rest = k / 3;
        for (Index cell = 0; cell < k % 3; ++cell) rest /= count;
        c.input.set(k, values[static_cast<std::size_t>(rest % count)]);
    }
    return c;
}

/// Calls `use` with each way to choose these policies.
template <class Use>
void for_each_choice(Choices c, const std::vector<std::string_view>& names, std::size_t from, Use use) {
    if (from == names.size()) return use(c);
    const auto field = std::find_if(choice_fields().begin(), choice_fields().end(),
                                    [&](const ChoiceField& one) { return one.name == names[from]; });
    for (std::size_t k = 0; k < field->values.size(); ++k) {
        field->set(c, k);
        for_each_choice(c, names, from + 1, use);
    }
}

void expect_the_exact_sets(const Case& c) {
    const Plan settled = *plan(c);
    const Expected certified = expect(settled, c, {0, slice_count(settled, c)});
    EXPECT_EQ(difference(expect(settled, c), certified), "") << write_case(c).substr(0, 400);
}

TEST(CertifiedEdges, EveryMaximumOfThreeIsTheExactOneUnderEveryPolicyMNanMZeroMIdx) {
    for (const bool padded : {false, true})
        for_each_choice({}, {"nan", "nan_index", "signed_zero", "max_padding", "subnormals", "ties"}, 0,
                        [&](const Choices& policy) {
                            if (policy.ties > Ties::last && policy.nan_index != NanIndex::first) return;
                            Case c = every_window(padded, 6);
                            c.policy = policy;
                            c.attrs.return_indices = true;
                            expect_the_exact_sets(c);
                        });
}

TEST(CertifiedEdges, EveryDerivativeOfAMaximumOfThreeIsTheExactOneMTieDOpen) {
    constexpr Format f = Format::f16;
    for (const bool padded : {false, true})
        for_each_choice({}, {"ties", "max_padding", "subnormals"}, 0, [&](const Choices& policy) {
            Case c = every_window(padded, 6);
            c.policy = policy;
            c.mode = Mode::vjp;
            c.cotangent.emplace(f, Shape{c.input.shape[0], 1});
            for (Index k = 0; k < c.cotangent->size(); ++k) c.cotangent->set(k, nearest(f, Rational(5)));
            expect_the_exact_sets(c);
            c.mode = Mode::jvp;
            c.cotangent.reset();
            c.tangent.emplace(f, c.input.shape);
            for (Index k = 0; k < c.tangent->size(); ++k)
                c.tangent->set(k, nearest(f, Rational(3 + 2 * (k % 3))));
            expect_the_exact_sets(c);
        });
}

/// A pattern about a value's set: an end, just outside one, or an edge of the format.
Bits some_answer(HardCases& cases, Format f, const Permitted& p) {
    if (!p.range || is_integer(f) || cases.one_in(4)) {
        std::vector<Bits> any = edges(f);
        for (const Bits b : not_finite(f)) any.push_back(b);
        return cases.one_in(2) && p.range ? p.lowest : cases.any_of(any);
    }
    const Bits end = cases.one_in(2) ? p.lowest : p.highest;
    return bits_at(f, ordinal(f, end) + cases.below(3) - 1);
}

/// Judges an answer the short way; how many of its values that is sure of.
Index surely_permitted(const Plan& settled, const Case& c, const ExpectedOutput& sets, const Tensor& answer) {
    std::vector<Index> doubtful;
    if (!screen(settled, c, {0, slice_count(settled, c)}, answer, doubtful)) return 0;
    for (Index i = 0; i < answer.size(); ++i) {
        if (std::binary_search(doubtful.begin(), doubtful.end(), i)) continue;
        const Permitted& p = sets.values[static_cast<std::size_t>(i)];
        EXPECT_TRUE(permits(p, c.format, answer[i]) && !p.open && !p.vacuous)
            << write_case(c) << " " << i << ": " << shown(c.format, p) << ", not "
            << shown(c.format, Permitted::exactly(answer[i]));
    }
    return answer.size() - static_cast<Index>(doubtful.size());
}

TEST(CertifiedEdges, TheShortWayIsSureOfNothingThatIsNotPermitted) {
    HardCases cases(20260102);
    Index sure = 0;
    for (Index k = 0; k < wanted_cases(); ++k) {
        const auto [c, settled] = cases.next();
        const ExpectedOutput sets = expect(settled, c, {0, slice_count(settled, c)}).outputs.front();
        Tensor answer(c.format, sets.shape);
        for (Index i = 0; i < answer.size(); ++i)
            answer.set(i, some_answer(cases, c.format, sets.values[static_cast<std::size_t>(i)]));
        sure += surely_permitted(settled, c, sets, answer);
    }
    EXPECT_GT(sure, wanted_cases() / 4);
}

/// Rows of ones whose averages have a bound as wide as they are large, and of fewer that have not [BVac].
TEST(CertifiedEdges, TheShortWayIsSureOfNothingVacuousBVac) {
    Index sure = 0, vacuous = 0;
    for (Index n = 4; n < 280; n += 3) {
        Case c;
        c.op = Op::avg_pool;
        c.format = Format::bf16;
        c.policy.accumulate = Accumulate::any;
        c.attrs.kernel = {n};
        c.input = Tensor(c.format, {n});
        const Bits one = nearest(c.format, Rational(1));
        for (Index k = 0; k < n; ++k) c.input.set(k, one);
        Tensor answer(c.format, {1});
        answer.set(0, one);
        const Plan settled = *plan(c);
        const ExpectedOutput sets = expect(settled, c, {0, 1}).outputs.front();
        vacuous += sets.values.front().vacuous ? 1 : 0;
        sure += surely_permitted(settled, c, sets, answer);
    }
    EXPECT_GT(sure, 5);
    EXPECT_GT(vacuous, 5);
}

}  // namespace
}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// Smooth maxima by the certified path against the exact oracle, bit for bit: small windows in every format
// and mode, aimed at ties, cancellation, spreads and the range's edges; and wrong rules, planted in the place
// of the proved ones, that this comparison must find. POOLPROOF_CERTIFIED=N sets the number of cases.
#include "oracle/certified/block.hpp"
#include "oracle/certified/smooth_set.hpp"
#include "oracle/expect/rounding.hpp"
#include "oracle/expect/smooth_bound.hpp"
#include "oracle/tests/answers.hpp"

#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>

namespace poolproof {

namespace {

Index wanted_cases() {
    const char* n = std::getenv("POOLPROOF_CERTIFIED");
    return n == nullptr ? 1500 : std::atoll(n);
}

class Draw {
public:
    explicit Draw(std::uint64_t seed) : random_(seed) {}

    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
    bool one_in(std::size_t n) { return below(n) == 0; }
    double uniform(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random_);
    }
    template <class T> T any_of(std::initializer_list<T> of) { return of.begin()[below(of.size())]; }

    Bits pattern(Format f, double v) { return nearest(f, Rational(v)); }

    Bits beta(Format f) {
        const double size = any_of({1.0, 1.0, 10.0, 0.1, std::ldexp(1.0, static_cast<int>(below(17)) - 8),
                                    uniform(0.1, 3), std::exp2(uniform(-9, 9))});
        return pattern(f, one_in(3) ? -size : size);
    }

    /// One of several kinds of values; `kind` is common to a case.
    Bits value(Format f, std::size_t kind) {
        const double v = uniform(-4, 4);
        switch (kind) {
            case 0: return pattern(f, std::ldexp(v, static_cast<int>(below(40)) - 30));
            case 1: return pattern(f, static_cast<double>(below(5)) - 2);
            case 2: return pattern(f, 40 * v);
            case 3: return random_() & ((Bits{1} << precision(f)) - 1);  // subnormal, or near it
            case 4: return largest_bits(f) - below(4);
            case 5: return random_() >> (64 - width(f));
            case 6: return pattern(f, 3 + v * 0x1p-9);
            case 7: return one_in(12) ? infinity_bits(f) | (one_in(2) ? sign_bit(f) : 0) : pattern(f, v);
            default: return pattern(f, v);
        }
    }

    Tensor tensor(Format f, const Shape& shape, std::size_t kind) {
        Tensor t(f, shape);
        for (Index i = 0; i < t.size(); ++i) t.set(i, value(f, kind));
        return t;
    }

    Case some_case() {
        Case c;
        c.op = Op::smooth_max_pool;
        c.mode = any_of({Mode::forward, Mode::jvp, Mode::vjp});
        c.format = any_of({Format::f64, Format::f32, Format::f16, Format::bf16});
        const auto kernel = static_cast<Index>(1 + below(6));
        c.attrs.kernel = {kernel};
        c.attrs.stride = {static_cast<Index>(1 + below(3))};
        c.attrs.pad_begin = {static_cast<Index>(below(static_cast<std::size_t>(kernel)))};
        c.attrs.pad_end = {static_cast<Index>(below(static_cast<std::size_t>(kernel)))};
        c.attrs.beta = beta(c.format);
        const auto kept = any_of({Accumulate::any, Accumulate::any, Accumulate::f32, Accumulate::exact});
        c.policy.accumulate = c.policy.accumulate_gradient = kept;
        if (one_in(5)) c.policy.subnormals = Subnormals::may_flush;
        if (one_in(5)) c.policy.elementary_ulp = any_of({0.5, 1.0, 17.0, 70.0});
        if (one_in(4)) c.policy.smooth_padding = SmoothPadding::ignored;
        if (one_in(4)) c.policy.divisor = Divisor::clipped;
        if (one_in(4)) c.policy.empty_window = any_of({EmptyWindow::identity, EmptyWindow::lowest});
        c.input = tensor(c.format, {1, kernel + static_cast<Index>(below(4))}, below(12));
        return c;
    }

    /// In f64, with rows of windows of four or nine cells.
    Case some_layer() {
        Case c;
        c.op = Op::smooth_max_pool;
        c.mode = any_of({Mode::forward, Mode::jvp, Mode::vjp});
        const bool planes = one_in(2);
        const auto some = [&](Index least, std::size_t more) {
            return least + static_cast<Index>(below(more));
        };
        c.attrs.kernel = planes ? std::vector<Index>{3, 3} : std::vector<Index>{4};
        c.attrs.stride = planes ? std::vector<Index>{some(1, 3), some(1, 3)} : std::vector<Index>{some(1, 4)};
        c.attrs.pad_begin =
            planes ? std::vector<Index>{some(0, 2), some(0, 2)} : std::vector<Index>{some(0, 2)};
        if (one_in(3)) c.attrs.dilation = std::vector<Index>(c.attrs.kernel->size(), 2);
        c.attrs.beta = beta(Format::f64);
        if (one_in(3)) c.policy.accumulate = c.policy.accumulate_gradient = Accumulate::exact;
        if (one_in(5)) c.policy.subnormals = Subnormals::may_flush;
        if (one_in(5)) c.policy.elementary_ulp = any_of({0.5, 1.0, 17.0, 70.0});
        if (one_in(4)) c.policy.smooth_padding = SmoothPadding::ignored;
        const Shape shape = planes ? Shape{1, some(5, 2), some(5, 4)} : Shape{1, some(7, 12)};
        c.input = tensor(c.format, shape, any_of<std::size_t>({0, 1, 1, 6, 7, 8, 8, 9}));
        return c;
    }

    /// With a direction of the right shape.
    Case directed(Case (Draw::*some)()) {
        for (;;) {
            Case c = (this->*some)();
            const Mode mode = std::exchange(c.mode, Mode::forward);
            const auto settled = plan(c);
            if (!settled) continue;
            c.mode = mode;
            const std::size_t kind = below(12);
            if (mode == Mode::jvp) c.tangent = tensor(c.format, c.input.shape, kind);
            if (mode == Mode::vjp) c.cotangent = tensor(c.format, settled->output().shape, kind);
            return c;
        }
    }

private:
    std::mt19937_64 random_;
};

/// Both ways to the same sets, over cases of one kind.
std::map<std::string, Stages> compare(Index cases, Case (Draw::*some)()) {
    std::map<std::string, Stages> by;
    Draw draw(20260101);
    for (Index k = 0; k < cases && !testing::Test::HasFailure(); ++k) {
        const Case c = draw.directed(some);
        const Plan settled = *plan(c);
        Stages& stages = by[std::string(name(c.mode)) + " " + std::string(name(c.format))];
        const auto certified = expect(settled, c, {0, slice_count(settled, c)}, &stages).outputs.front();
        const auto exact = expect(settled, c).outputs.front();
        for (std::size_t i = 0; i < exact.values.size(); ++i)
            EXPECT_EQ(shown(c.format, certified.values[i]), shown(c.format, exact.values[i]))
                << "at " << i << " of " << write_case(c);
    }
    for (const auto& [what, s] : by)
        std::printf("%-14s %7lld certified %5lld refined %5lld exact\n", what.c_str(),
                    static_cast<long long>(s.certified), static_cast<long long>(s.refined),
                    static_cast<long long>(s.exact));
    return by;
}

/// One window of a forward, by the exact oracle and by rules.
struct Trial {
    Format format;
    Bits beta;
    Accumulate kept;
    std::vector<Bits> xs;
};

Permitted exact_value(const Trial& t) {
    const WorkingPrecision scope(256);
    Policy policy;
    policy.elementary_ulp = 4;
    std::vector<Interval> xs;
    for (const Bits b : t.xs) xs.emplace_back(rational_value(t.format, b));
    const Arithmetic a(t.format, t.kept, policy);
    const SmoothBound bound = SmoothBounds(rational_value(t.format, t.beta), a).of(xs, 0);
    Span s = point(widened(bound.value, bound.error));
    s.vacuous = !possibly_less(bound.error, bound.size);
    return permitted(s, a);
}

template <class Rules> std::optional<Permitted> certified_value(const Trial& t) {
    Policy policy;
    policy.elementary_ulp = 4;
    const certified::SmoothPlan plan(t.beta, certified::Keeping(t.format, t.kept, policy, false));
    certified::SmoothCells cells;
    for (const Bits b : t.xs) cells.xs.push_back(certified::to_double(t.format, b));
    certified::SmoothExponents window;
    certified::SmoothSums sums;
    auto error = certified::no_smooth_error;
    bool doubt = false;
    if (!plan.in_range() || !window.over(plan, cells)) return std::nullopt;
    window.sums<certified::Quick>(sums);
    if (!window.bound(plan, cells, sums, error, doubt)) return std::nullopt;
    Permitted p;
    const certified::SmoothSets<Rules> sets(plan);
    return sets.of_value(window, sums, error, p) ? std::optional(p) : std::nullopt;
}

struct Comparison {
    Index certified = 0, different = 0, left = 0;
};

template <class Rules> Comparison compared(Index trials) {
    Comparison c;
    Draw draw(20260101);
    for (Index k = 0; k < trials; ++k) {
        Trial t{draw.any_of({Format::f64, Format::f32, Format::f16, Format::bf16}),
                0,
                draw.any_of({Accumulate::any, Accumulate::f32}),
                {}};
        t.beta = draw.beta(t.format);
        const std::size_t n = 1 + draw.below(9), kind = draw.any_of<std::size_t>({0, 1, 2, 6, 8});
        for (std::size_t i = 0; i < n; ++i) t.xs.push_back(draw.value(t.format, kind));
        const auto p = certified_value<Rules>(t);
        if (!p)
            ++c.left;
        else if (++c.certified; !(*p == exact_value(t)))
            ++c.different;
    }
    return c;
}

struct LargerBound : certified::Proved {
    static constexpr double unit = 1 + 0x1p-8;
};
struct NoTail : certified::Proved {
    static constexpr bool keeps_tail = false;
};
struct TiesDownward : certified::Proved {
    static bool up(int, bool) { return false; }
};

}  // namespace

TEST(CertifiedSmooth, IsTheExactOracle) {
    for (const auto& [what, s] : compare(wanted_cases(), &Draw::some_case))
        EXPECT_GT(s.certified, s.exact) << what;
}

/// Windows of four or nine cells, many side by side.
TEST(CertifiedSmooth, IsTheExactOracleOverRows) {
    for (const auto& [what, s] : compare(wanted_cases() / 10, &Draw::some_layer))
        EXPECT_GT(s.certified, 2 * s.exact) << what;
}

/// Answers about the ends of their sets: none that is passed over is refused, and most that are well inside
/// are.
TEST(CertifiedSmooth, AnswersThatAreScreenedArePermitted) {
    Draw draw(7);
    Index passed = 0, outside = 0;
    std::map<Mode, Index> middle;
    for (Index k = 0; k < wanted_cases() / 5; ++k) {
        const Case c = draw.directed(&Draw::some_layer);
        const Plan settled = *plan(c);
        const Slices all{0, slice_count(settled, c)};
        const auto sets = expect(settled, c, all).outputs.front();
        Tensor answer(c.format, sets.shape);
        const bool inside = draw.one_in(2);
        for (Index i = 0; i < answer.size(); ++i) {
            const Permitted& p = sets.values[static_cast<std::size_t>(i)];
            const auto low = ordinal(c.format, p.lowest), high = ordinal(c.format, p.highest);
            const auto off =
                static_cast<std::int64_t>(draw.below(static_cast<std::size_t>(high - low) + 9)) - 4;
            answer.set(i, !p.range ? draw.value(c.format, 5)
                          : inside ? bits_at(c.format, low + (high - low) / 2)
                                   : bits_at(c.format, low + off));
        }
        std::vector<Index> doubtful;
        if (!screen(settled, c, all, answer, doubtful)) continue;
        doubtful.push_back(answer.size());
        std::size_t next = 0;
        for (Index i = 0; i < answer.size(); ++i) {
            if (doubtful[next] == i) {
                ++next;
                continue;
            }
            const Permitted& p = sets.values[static_cast<std::size_t>(i)];
            EXPECT_TRUE(permits(p, c.format, answer[i]) && !p.open && !p.vacuous) << i << write_case(c);
            ++passed;
            middle[c.mode] += inside ? 1 : 0;
        }
        outside += inside ? 0 : answer.size();
    }
    Index inside = 0;
    for (const Mode mode : {Mode::forward, Mode::jvp, Mode::vjp}) {
        EXPECT_GT(middle[mode], wanted_cases() / 50) << name(mode);
        inside += middle[mode];
    }
    EXPECT_GT(outside, wanted_cases() / 50);
    EXPECT_GT(passed, inside);
}

TEST(CertifiedSmooth, ValuesAreTheExactSets) {
    const Comparison c = compared<certified::Proved>(wanted_cases());
    EXPECT_EQ(c.different, 0);
    std::printf("%lld certified, %lld left\n", static_cast<long long>(c.certified),
                static_cast<long long>(c.left));
    EXPECT_GT(c.certified, 8 * c.left);
}

TEST(CertifiedSmooth, AWrongConstantIsFound) { EXPECT_GT(compared<LargerBound>(600).different, 0); }
TEST(CertifiedSmooth, ALostTailIsFound) { EXPECT_GT(compared<NoTail>(600).different, 0); }
TEST(CertifiedSmooth, AWrongRoundingIsFound) { EXPECT_GT(compared<TiesDownward>(600).different, 0); }

}  // namespace poolproof

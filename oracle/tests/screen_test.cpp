// SPDX-License-Identifier: Apache-2.0
// A screen passes over nothing that is not permitted, open or vacuous: answers at the ends of their sets and
// one pattern past them, for inputs aimed at ties of rounding, cancellation, zeros and the edges of the
// range. POOLPROOF_SCREENED=N sets the number of cases of each kind.
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

namespace poolproof {
namespace {

struct Kind {
    Op op;
    Mode mode;
    Format format;
};

/// What terms are like.
enum class Terms : std::uint8_t { near, whole, cancelling, wide, subnormal, large, sparse, special, gaps };
constexpr std::size_t kinds_of_terms = 9;

class Draw {
public:
    explicit Draw(std::uint64_t seed) : random_(seed) {}

    Case next(const Kind& kind) {
        Case c;
        c.op = kind.op;
        c.format = kind.format;
        const Index extent = 3 + below(36);
        c.input = Tensor(c.format, {1 + below(2), 2 + below(5), extent});
        if (kind.op == Op::adaptive_avg_pool || kind.op == Op::adaptive_max_pool) {
            c.attrs.output_size = {1 + below(3), 1 + below(extent)};
        } else {
            const Index k = 1 + below(3), dilation = 1 + below(2);
            c.attrs.kernel = {1 + below(2), k};
            c.attrs.stride = {1 + below(2), 1 + below(4)};
            if (dilation * (k - 1) + 1 <= extent) c.attrs.dilation = {1, dilation};
            c.attrs.pad_begin = {below(2), below(2)};
            if (below(2) == 0) c.attrs.ceil_mode = true;
            if (kind.op == Op::avg_pool && below(4) == 0) c.attrs.count_include_pad = false;
            if (kind.op == Op::avg_pool && below(4) == 0) c.attrs.divisor_override = below(2) == 0 ? 7 : -6;
        }
        const auto kept = std::array{Accumulate::any, Accumulate::f32, Accumulate::exact}[at_most(2)];
        c.policy.accumulate = c.policy.accumulate_gradient = kept;
        c.policy.subnormals = below(4) == 0 ? Subnormals::may_flush : Subnormals::kept;
        c.policy.ties = std::array{Ties::first, Ties::last, Ties::all, Ties::split}[at_most(3)];
        c.policy.signed_zero = below(3) == 0 ? SignedZero::positive : SignedZero::either;
        const auto settled = plan(c);
        if (!settled) return next(kind);
        const auto terms = static_cast<Terms>(at_most(kinds_of_terms - 1));
        fill(c.input, terms);
        c.mode = kind.mode;
        if (c.mode == Mode::jvp) c.tangent = filled(c.format, c.input.shape);
        if (c.mode == Mode::vjp) c.cotangent = filled(c.format, settled->output().shape);
        return c;
    }

    bool coin() { return below(2) == 0; }
    bool once_in(Index n) { return below(n) == 0; }

    /// A pattern at an end of a set, one past it, or inside.
    Bits answer(const Permitted& p, Format f) {
        const Bits odd[] = {0, sign_bit(f), infinity_bits(f), quiet_nan_bits(f)};
        if (!p.range || below(64) == 0) return odd[at_most(3)];
        const std::int64_t low = ordinal(f, p.lowest), high = ordinal(f, p.highest);
        switch (at_most(4)) {
            case 0: return p.lowest;
            case 1: return p.highest;
            case 2: return is_finite(f, low - 1) ? bits_at(f, low - 1) : p.lowest;
            case 3: return is_finite(f, high + 1) ? bits_at(f, high + 1) : p.highest;
            default: {
                const std::uint64_t steps = steps_between(f, p.lowest, p.highest);
                const std::uint64_t up = steps == UINT64_MAX ? random_() : random_() % (steps + 1);
                return bits_at(f, static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + up));
            }
        }
    }

    /// The pattern next to a set's end.
    static Bits past(const Permitted& p, Format f, bool above) {
        return bits_at(f, above ? ordinal(f, p.highest) + 1 : ordinal(f, p.lowest) - 1);
    }

    void fill_with_one_sign_or_both(Tensor& t) {
        const Bits kept = coin() ? ~sign_bit(t.format) : ~Bits{0};
        for (Index i = 0; i < t.size(); ++i) t.set(i, term(t.format, Terms::near) & kept);
    }
    void clear_one(Tensor& t) { t.set(below(t.size()), 0); }

private:
    std::size_t at_most(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n)(random_); }
    Index below(Index n) { return static_cast<Index>(at_most(static_cast<std::size_t>(n - 1))); }

    static bool is_finite(Format f, std::int64_t ordinal) {
        const auto end = static_cast<std::int64_t>(infinity_bits(f));
        return ordinal < end && ordinal > -1 - end;
    }

    Tensor filled(Format f, const Shape& shape) {
        Tensor t(f, shape);
        fill(t, static_cast<Terms>(at_most(kinds_of_terms - 1)));
        return t;
    }

    void fill(Tensor& t, Terms terms) {
        for (Index i = 0; i < t.size(); ++i) {
            const bool opposite = terms == Terms::cancelling && i > 0 && below(2) == 0;
            t.set(i, opposite ? t[i - 1] ^ sign_bit(t.format) : term(t.format, terms));
        }
    }

    Bits term(Format f, Terms terms) {
        const Bits sign = below(2) == 0 ? 0 : sign_bit(f);
        const Bits tail = random_() & ((Bits{1} << (precision(f) - 1)) - 1);
        const int bias = max_exponent(f), spread = terms == Terms::wide ? bias : terms == Terms::near ? 2 : 6;
        const auto exponent = static_cast<Bits>(static_cast<Index>(bias - spread / 2) + below(spread + 1));
        const Bits usual = sign | exponent << (precision(f) - 1) | tail;
        switch (terms) {
            case Terms::whole: return sign | whole(f, below(16));
            case Terms::subnormal: return sign | (random_() & ((Bits{1} << precision(f)) - 1));
            case Terms::large: {
                const auto down =
                    static_cast<Bits>(below(4)) + (static_cast<Bits>(below(3)) << (precision(f) - 1));
                return sign | (largest_bits(f) - down);
            }
            case Terms::sparse: return below(3) == 0 ? usual : sign;
            case Terms::special:
                return below(12) != 0 ? usual : below(2) == 0 ? quiet_nan_bits(f) : sign | infinity_bits(f);
            case Terms::gaps: return below(3) == 0 ? sign : below(24) == 0 ? quiet_nan_bits(f) : usual;
            default: return usual;
        }
    }

    /// The pattern of a small whole number.
    static Bits whole(Format f, Index n) {
        if (n == 0) return 0;
        const int exponent = 63 - std::countl_zero(static_cast<Bits>(n)), fraction = precision(f) - 1;
        const Bits significand = static_cast<Bits>(n) << (fraction - exponent);
        return (static_cast<Bits>(exponent + max_exponent(f)) << fraction) +
               (significand - (Bits{1} << fraction));
    }

    std::mt19937_64 random_;
};

struct Counts {
    Index sure = 0, permitted = 0, doubtful = 0;
};

/// Screens an answer made from the sets, and compares value by value.
void compare(const Case& c, Draw& draw, Counts& counts) {
    const Plan settled = *plan(c);
    const Slices all{0, slice_count(settled, c)};
    const Expected sets = expect(settled, c, all);
    const ExpectedOutput& output = sets.outputs.front();
    const bool mostly_rounded = draw.coin();
    Case exact = c;
    exact.policy.accumulate = exact.policy.accumulate_gradient = Accumulate::exact;
    const Expected rounded = mostly_rounded ? expect(*plan(exact), exact, all) : sets;
    Tensor answer(c.format, output.shape);
    for (Index i = 0; i < answer.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        answer.set(i, mostly_rounded && !draw.once_in(60) ? rounded.outputs.front().values[at].lowest
                                                          : draw.answer(output.values[at], c.format));
    }
    std::vector<Index> doubtful;
    if (!screen(settled, c, all, answer, doubtful)) return;
    auto next = doubtful.begin();
    for (Index i = 0; i < answer.size(); ++i) {
        const Permitted& p = output.values[static_cast<std::size_t>(i)];
        const bool right = permits(p, c.format, answer[i]) && !p.open && !p.vacuous;
        counts.permitted += right ? 1 : 0;
        if (next != doubtful.end() && *next == i) {
            ++next;
            counts.doubtful += right ? 1 : 0;
            continue;
        }
        ++counts.sure;
        ASSERT_TRUE(right) << output.name << "[" << i << "] of " << write_case(c) << " was passed over";
    }
    EXPECT_TRUE(next == doubtful.end());
}

Index wanted_cases() {
    const char* n = std::getenv("POOLPROOF_SCREENED");
    return n == nullptr ? 300 : std::atoll(n);
}

/// `share`: how much of what is permitted must be sure, or the comparison says nothing.
void compare_all(Op op, Mode mode, double share) {
    for (const Format f : {Format::f64, Format::f32, Format::f16, Format::bf16}) {
        Draw draw(20260101 + static_cast<std::uint64_t>(f));
        Counts counts;
        for (Index k = 0; k < wanted_cases() && !testing::Test::HasFatalFailure(); ++k)
            compare(draw.next({op, mode, f}), draw, counts);
        std::printf("%s %s %s: %lld sure of %lld permitted\n", std::string(name(op)).c_str(),
                    std::string(name(mode)).c_str(), std::string(name(f)).c_str(),
                    static_cast<long long>(counts.sure), static_cast<long long>(counts.permitted));
        EXPECT_EQ(counts.sure + counts.doubtful, counts.permitted);
        EXPECT_GT(static_cast<double>(counts.sure), share * static_cast<double>(counts.permitted)) << name(f);
    }
}

TEST(Screen, PassesOverNoAverageThatIsNotPermitted) { compare_all(Op::avg_pool, Mode::forward, 0.3); }
TEST(Screen, PassesOverNoTangentOfAnAverage) { compare_all(Op::avg_pool, Mode::jvp, 0.3); }
TEST(Screen, PassesOverNoGradientOfAnAverage) { compare_all(Op::avg_pool, Mode::vjp, 0.2); }
TEST(Screen, PassesOverNoAdaptiveAverage) { compare_all(Op::adaptive_avg_pool, Mode::forward, 0.3); }
TEST(Screen, PassesOverNoGradientOfAnAdaptiveAverage) { compare_all(Op::adaptive_avg_pool, Mode::vjp, 0.1); }
TEST(Screen, PassesOverNoMaximum) { compare_all(Op::max_pool, Mode::forward, 0.3); }
TEST(Screen, PassesOverNoTangentOfAMaximum) { compare_all(Op::max_pool, Mode::jvp, 0.1); }
TEST(Screen, PassesOverNoGradientOfAMaximum) { compare_all(Op::max_pool, Mode::vjp, 0.1); }
TEST(Screen, PassesOverNoGradientOfAnAdaptiveMaximum) { compare_all(Op::adaptive_max_pool, Mode::vjp, 0.1); }

struct Geometry {
    Index rows, kernel, stride, pad, dilation = 1;
};
constexpr Geometry geometries[] = {{2, 2, 2, 0}, {3, 3, 2, 1}, {3, 3, 2, 0},    {2, 3, 2, 1},   {3, 2, 2, 0},
                                   {1, 3, 2, 1}, {3, 3, 1, 1}, {2, 2, 1, 0},    {5, 5, 2, 2},   {7, 4, 3, 1},
                                   {3, 3, 2, 2}, {2, 2, 2, 1}, {2, 3, 2, 0, 2}, {3, 2, 2, 0, 3}};

/// One output row of windows.
Case row_of_windows(Op op, Format f, const Geometry& g, Index extent) {
    Case c;
    c.op = op;
    c.format = f;
    c.attrs.kernel = {g.rows, g.kernel};
    c.attrs.stride = {1, g.stride};
    c.attrs.pad_begin = {0, g.pad};
    c.attrs.dilation = {1, g.dilation};
    c.input = Tensor(f, {1, g.rows, extent});
    return c;
}

/// A row whose answers are right but for one is passed over in one glance, if at all.
class RightButForOne {
public:
    RightButForOne(const Case& c, const Case& exact) : c_(c), settled_(*plan(c)) {
        const ExpectedOutput rounded = expect(*plan(exact), exact).outputs.front();
        answer_ = Tensor(c.format, rounded.shape);
        for (Index i = 0; i < answer_.size(); ++i)
            answer_.set(i, rounded.values[static_cast<std::size_t>(i)].lowest);
    }

    const Plan& settled() const { return settled_; }
    Index size() const { return answer_.size(); }
    Bits operator[](Index i) const { return answer_[i]; }

    void expect_no_doubt() const { EXPECT_TRUE(doubtful().empty()) << write_case(c_); }
    void expect_doubt(Index i, Bits wrong) {
        const Bits right = answer_[i];
        answer_.set(i, wrong);
        const std::vector<Index> all = doubtful();
        EXPECT_TRUE(std::find(all.begin(), all.end(), i) != all.end())
            << "y[" << i << "] of " << write_case(c_);
        answer_.set(i, right);
    }

private:
    std::vector<Index> doubtful() const {
        std::vector<Index> r;
        EXPECT_TRUE(screen(settled_, c_, {0, 1}, answer_, r));
        return r;
    }

    const Case& c_;
    Plan settled_;
    Tensor answer_;
};

TEST(Screen, PassesOverNoAverageNextToItsSetAmongRightOnes) {
    Draw draw(20261119);
    for (const Format f : {Format::f64, Format::f32})
        for (const Geometry& g : geometries)
            for (Index extent = 5; extent < 75; ++extent) {
                Case c = row_of_windows(Op::avg_pool, f, g, extent);
                c.attrs.ceil_mode = draw.coin();
                c.attrs.count_include_pad = !draw.once_in(4);
                if (draw.once_in(4)) c.attrs.divisor_override = 5000001;  // more bits than half a float's
                draw.fill_with_one_sign_or_both(c.input);
                if (draw.coin()) draw.clear_one(c.input);  // which counts as no term
                Case exact = c;
                exact.policy.accumulate = Accumulate::exact;
                RightButForOne row(c, exact);
                const ExpectedOutput sets = expect(row.settled(), c).outputs.front();
                for (Index i = 0; i < row.size(); ++i)
                    for (const bool above : {false, true})
                        row.expect_doubt(i, Draw::past(sets.values[static_cast<std::size_t>(i)], f, above));
            }
}

TEST(Screen, PassesOverNoSmoothMaximumNextToItsSetAmongRightOnes) {
    Draw draw(20261122);
    for (const double beta : {1.0, 10.0, -3.0, 0.7, 60.0})
        for (const Geometry& g : {Geometry{2, 2, 2, 0}, Geometry{3, 3, 2, 0}, Geometry{3, 3, 1, 0}})
            for (Index extent = 5; extent < 30; ++extent) {
                Case c = row_of_windows(Op::smooth_max_pool, Format::f64, g, extent);
                c.attrs.beta = std::bit_cast<Bits>(beta);
                draw.fill_with_one_sign_or_both(c.input);
                Case exact = c;
                exact.policy.accumulate = Accumulate::exact;
                RightButForOne row(c, exact);
                row.expect_no_doubt();
                const ExpectedOutput sets = expect(row.settled(), c).outputs.front();
                for (Index i = 0; i < row.size(); ++i)
                    for (const bool above : {false, true})
                        row.expect_doubt(
                            i, Draw::past(sets.values[static_cast<std::size_t>(i)], c.format, above));
            }
}

/// Each of a window's cells takes part, and once: of a window alone, as a wrong sum would not be that of
/// others.
TEST(Screen, PassesOverNoSmoothMaximumThatCountsACellForAnother) {
    Draw draw(20261123);
    for (const Geometry& g : {Geometry{2, 2, 2, 0}, Geometry{3, 3, 2, 0}}) {
        Case c = row_of_windows(Op::smooth_max_pool, Format::f64, g, g.kernel);
        c.attrs.beta = std::bit_cast<Bits>(1.5);
        draw.fill_with_one_sign_or_both(c.input);
        Case exact = c;
        exact.policy.accumulate = Accumulate::exact;
        RightButForOne row(c, exact);
        for (Index one = 0; one < c.input.size(); ++one)
            for (Index other = 0; other < c.input.size(); ++other) {
                Case changed = exact;
                changed.input.set(one, c.input[other]);
                const Bits wrong = RightButForOne(changed, changed)[0];
                if (std::fabs(std::bit_cast<double>(wrong) - std::bit_cast<double>(row[0])) > 1e-9)
                    row.expect_doubt(0, wrong);
            }
    }
}

/// Neither a window's other cells are its maximum nor those beside it, be they in the next row.
TEST(Screen, PassesOverNoOtherCellThanAWindowsMaximum) {
    Draw draw(20261120);
    for (const Format f : {Format::f64, Format::f32})
        for (const Geometry& g : geometries)
            for (Index extent = 5; extent < 75; extent += 1 + extent / 8) {
                Case c = row_of_windows(Op::max_pool, f, g, extent);
                draw.fill_with_one_sign_or_both(c.input);
                RightButForOne row(c, c);
                row.expect_no_doubt();
                for (Index i = 0; i < row.size(); ++i)
                    for (Index r = 0; r < g.rows; ++r)
                        for (Index k = -1; k < (g.kernel - 1) * g.dilation + 3; ++k) {
                            const Index cell = r * extent + i * g.stride - g.pad + k;
                            if (cell >= 0 && cell < c.input.size() && c.input[cell] != row[i])
                                row.expect_doubt(i, c.input[cell]);
                        }
            }
}

/// Only their values are compared, which tell neither zeros from each other nor that a NaN was passed over.
TEST(Screen, PassesOverNoMaximumBesideANaNAndNoZeroThatHasASign) {
    Draw draw(20261121);
    for (const Format f : {Format::f64, Format::f32})
        for (const Geometry& g : geometries)
            for (Index extent = 7; extent < 75; ++extent) {
                Case c = row_of_windows(Op::max_pool, f, g, extent);
                c.policy.signed_zero = SignedZero::positive;
                const Case zeros = c;
                RightButForOne all_zero(zeros, zeros);
                for (Index i = 0; i < all_zero.size(); ++i) all_zero.expect_doubt(i, sign_bit(f));
                draw.fill_with_one_sign_or_both(c.input);
                Case with_nan = c;
                const Index middle = g.rows / 2 * extent + extent / 2;
                with_nan.input.set(middle, quiet_nan_bits(f));
                RightButForOne row(with_nan, c);
                const ExpectedOutput sets = expect(row.settled(), with_nan).outputs.front();
                for (Index i = 0; i < row.size(); ++i)
                    if (sets.values[static_cast<std::size_t>(i)].open) row.expect_doubt(i, row[i]);
            }
}

/// What is behind the end of a row, where windows hang over it, is nothing that another row or column left.
TEST(Screen, DoubtsNoRightAnswerAtTheEndOfARow) {
    for (const Op op : {Op::avg_pool, Op::max_pool})
        for (const Format f : {Format::f64, Format::f32})
            for (Index extent = 14; extent < 50; ++extent) {
                Case c;
                c.op = op;
                c.format = f;
                c.attrs.kernel = {4, 40};
                c.attrs.stride = {1, 1};
                c.attrs.pad_begin = {0, 6};
                c.input = Tensor(f, {1, 3, extent});
                const Bits one = static_cast<Bits>(max_exponent(f)) << (precision(f) - 1);
                for (Index i = 0; i < c.input.size(); ++i)
                    c.input.set(i, one + static_cast<Bits>(i * 7919 % 1009) * 0x1357);
                const Plan settled = *plan(c);
                const ExpectedOutput sets = expect(settled, c).outputs.front();
                Tensor answer(f, sets.shape);
                for (Index i = 0; i < answer.size(); ++i) {
                    const Permitted& p = sets.values[static_cast<std::size_t>(i)];
                    answer.set(i, p.lowest + (p.highest - p.lowest) / 2);
                }
                std::vector<Index> doubtful;
                ASSERT_TRUE(screen(settled, c, {0, 1}, answer, doubtful));
                EXPECT_TRUE(doubtful.empty()) << name(op) << " " << name(f) << " " << extent;
            }
}

/// Zeros do not count as terms, whatever stands in other windows.
TEST(Screen, CountsNoZeroBesideANaN) {
    Case c;
    c.op = Op::avg_pool;
    c.attrs.kernel = {3};
    c.attrs.stride = {3};
    c.input = Tensor(c.format, {1, 1, 96});
    for (Index i = 0; i < c.input.size(); ++i) {
        const bool zero = i < 48 && i % 3 == 0, nan = i >= 48 && i < 72;
        c.input.set(i, zero ? 0 : nan ? quiet_nan_bits(c.format) : 0x3ff123456789abcd + static_cast<Bits>(i));
    }
    const Plan settled = *plan(c);
    const ExpectedOutput sets = expect(settled, c).outputs.front();
    Tensor answer(c.format, sets.shape);
    for (Index i = 0; i < answer.size(); ++i)
        answer.set(i, sets.values[static_cast<std::size_t>(i)].highest + 1);
    std::vector<Index> doubtful;
    ASSERT_TRUE(screen(settled, c, {0, 1}, answer, doubtful));
    EXPECT_EQ(static_cast<Index>(doubtful.size()), answer.size());
}

/// 1.5 and half a step is a tie, and 1.5 even; not so what is a little more, however little.
TEST(Screen, TakesNoSumForATieThatItDoesNotKnowExactly) {
    for (const Format f : {Format::f64, Format::f32})
        for (const bool tie : {true, false}) {
            Case c;
            c.op = Op::avg_pool;
            c.format = f;
            c.attrs.kernel = {4};
            c.policy.accumulate = Accumulate::exact;
            c.input = Tensor(f, {1, 1, 4});
            const auto power = [&](int e) {
                return static_cast<Bits>(e + max_exponent(f)) << (precision(f) - 1);
            };
            c.input.set(0, power(2) | Bits{1} << (precision(f) - 2));  // 6
            c.input.set(1, power(2 - precision(f)));
            for (const Index i : {2, 3}) c.input.set(i, tie ? 0 : power(-2 * precision(f) - 12));
            const Plan settled = *plan(c);
            Tensor answer(f, {1, 1, 1});
            answer.set(0, power(0) | Bits{1} << (precision(f) - 2));
            ASSERT_EQ(permits(expect(settled, c).outputs.front().values.front(), f, answer[0]), tie);
            std::vector<Index> doubtful;
            ASSERT_TRUE(screen(settled, c, {0, 1}, answer, doubtful));
            EXPECT_EQ(doubtful.empty(), tie) << name(f);
        }
}

TEST(Screen, PassesOverNoVacuousValue) {
    Case c;
    c.op = Op::avg_pool;
    c.format = Format::bf16;
    c.attrs.kernel = {1, 256};
    c.policy.accumulate = Accumulate::any;
    c.input = Tensor(c.format, {1, 1, 256});
    for (Index i = 0; i < c.input.size(); ++i) c.input.set(i, 0x3f80);  // 1
    const Plan settled = *plan(c);
    ASSERT_TRUE(expect(settled, c).outputs.front().values.front().vacuous);
    Tensor answer(c.format, {1, 1, 1});
    answer.set(0, 0x3f80);
    std::vector<Index> doubtful;
    ASSERT_TRUE(screen(settled, c, {0, 1}, answer, doubtful));
    EXPECT_EQ(doubtful, std::vector<Index>{0});
}

/// Windows at a border, of fewer terms, say nothing of those after them, in this slice or the next.
TEST(Screen, PassesOverNoVacuousValueBesideOthers) {
    Case c;
    c.op = Op::avg_pool;
    c.format = Format::bf16;
    c.attrs.kernel = {8, 40};
    c.attrs.stride = {1, 1};
    c.attrs.pad_begin = {7, 0};
    c.policy.accumulate = Accumulate::any;
    c.input = Tensor(c.format, {2, 8, 40});
    for (Index i = 0; i < c.input.size(); ++i) c.input.set(i, 0x3f80);  // 1
    const Plan settled = *plan(c);
    const ExpectedOutput sets = expect(settled, c).outputs.front();
    Tensor answer(c.format, sets.shape);
    for (Index i = 0; i < answer.size(); ++i) {
        const Permitted& p = sets.values[static_cast<std::size_t>(i)];
        answer.set(i, p.lowest + (p.highest - p.lowest) / 2);
    }
    std::vector<Index> doubtful;
    ASSERT_TRUE(screen(settled, c, {0, 2}, answer, doubtful));
    Index sure = 0, vacuous = 0;
    for (Index i = 0; i < answer.size(); ++i) {
        const bool passed_over = !std::binary_search(doubtful.begin(), doubtful.end(), i);
        sure += passed_over ? 1 : 0;
        if (!sets.values[static_cast<std::size_t>(i)].vacuous) continue;
        ++vacuous;
        EXPECT_FALSE(passed_over) << i;
    }
    EXPECT_GT(sure, 0);
    EXPECT_GT(vacuous, 0);
}

}  // namespace
}  // namespace poolproof

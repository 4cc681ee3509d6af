// SPDX-License-Identifier: Apache-2.0
// Pairs of 16-bit patterns in windows of two, by the certified path. A fraction in the suite, more with
// POOLPROOF_EXHAUSTIVE=1, all 2^32 with POOLPROOF_EXHAUSTIVE=pairs (for smooth maxima each pair in one of its
// two orders): in eighths, which gtest can divide among processes (GTEST_TOTAL_SHARDS).
#include "oracle/tests/honest_arithmetic.hpp"

#include <poolproof/expected.hpp>
#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace poolproof::honest {
namespace {

constexpr Index patterns = 1 << 16, eighths = 8, batch = 4096;

/// The numbers of a 16-bit format, and the way back, quick enough for 2^32 of them.
class Grid {
public:
    explicit Grid(Format f) : _format(f) {
        for (Index b = 0; b < patterns; ++b) {
            const auto bits = static_cast<Bits>(b);
            _values.push_back(is_nan(f, bits)        ? std::numeric_limits<double>::quiet_NaN()
                              : is_infinite(f, bits) ? std::copysign(HUGE_VAL, is_negative(f, bits) ? -1 : 1)
                                                     : decoded(f, bits));
        }
    }

    Format format() const { return _format; }
    double operator[](Bits b) const { return _values[b]; }

    /// The nearest pattern, ties to even.
    Bits nearest(double x) const {
        const auto bits = std::bit_cast<std::uint64_t>(x);
        const Bits sign = (bits >> 63U) != 0 ? sign_bit(_format) : 0;
        if (x != x) return quiet_nan_bits(_format);
        const int p = precision(_format), least = min_normal_exponent(_format);
        const int e = std::max(static_cast<int>((bits >> 52U) & 0x7FFU) - 1023, least);
        if (e > max_exponent(_format)) return sign | infinity_bits(_format);
        // In units of the last place; the sum with 2^52 leaves a whole number.
        const double units = std::abs(x) * power_of_two(p - 1 - e);
        const auto whole = static_cast<Bits>(units + 0x1p52 - 0x1p52);
        const Bits above = (static_cast<Bits>(e - least) << (p - 1)) + whole;
        return sign | std::min(above, infinity_bits(_format));
    }
    double rounded(double x) const { return _values[nearest(x)]; }

private:
    static double power_of_two(int e) {
        return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52U);
    }

    Format _format;
    std::vector<double> _values;
};

/// Windows of two, laid side by side; the pairs are written over from batch to batch.
class Windows {
public:
    Windows(Op op, Format f) {
        _case.op = op;
        _case.format = f;
        _case.attrs.kernel = _case.attrs.stride = {2};
        _case.policy.nan = Nan::propagate;
        _case.policy.accumulate = Accumulate::any;
        if (op == Op::smooth_max_pool) _case.attrs.beta = encoded(f, 1.0);
    }

    std::vector<Permitted> sets(const std::vector<std::pair<Bits, Bits>>& pairs) {
        const auto count = static_cast<Index>(pairs.size());
        if (_case.input.size() != 2 * count) _case.input = Tensor(_case.format, {2 * count});
        for (Index k = 0; k < count; ++k) {
            _case.input.set(2 * k, pairs[static_cast<std::size_t>(k)].first);
            _case.input.set(2 * k + 1, pairs[static_cast<std::size_t>(k)].second);
        }
        const auto checked = plan(_case);
        if (!checked) throw std::logic_error(message(checked.rejection()));
        return std::move(expect(*checked, _case, {0, 1}).outputs.front().values);
    }

private:
    Case _case;
};

/// The first of the pairs that a test has something against.
class Complaint {
public:
    explicit Complaint(const Grid& grid) : _grid(grid) {}
    ~Complaint() {
        if (_count > 0) ADD_FAILURE() << _count << " pairs, the first: " << _first;
    }
    Complaint(const Complaint&) = delete;
    Complaint& operator=(const Complaint&) = delete;

    void unless(bool right, std::string_view rule, const std::pair<Bits, Bits>& pair) {
        if (right) return;
        if (_count++ > 0) return;
        _first = std::string(rule) + ": " + hex_float(_grid.format(), pair.first) + " " +
                 hex_float(_grid.format(), pair.second);
    }

private:
    const Grid& _grid;
    Index _count = 0;
    std::string _first;
};

double width_of(const Grid& grid, const Permitted& p) { return grid[p.highest] - grid[p.lowest]; }

/// What is permitted where the answer is no finite number.
Permitted special(double answer) {
    if (answer != answer) return Permitted::any_nan();
    return Permitted::with(answer < 0 ? &Permitted::minus_infinity : &Permitted::infinity);
}

/// The first parameter is the format, the second which eighth of the first cell's patterns.
class Pairs : public testing::TestWithParam<std::tuple<Format, Index>> {
protected:
    const Grid grid{std::get<0>(GetParam())};
    Complaint complaint{grid};

    Windows windows(Op op) const { return {op, grid.format()}; }

    static std::string_view extent() {
        const char* wanted = std::getenv("POOLPROOF_EXHAUSTIVE");
        return wanted == nullptr ? "" : wanted;
    }

    /// Of (a, b) and (b, a) one is the first of the two: with even sums of patterns the ascending one, with
    /// odd sums the other, so that both kinds are met.
    static bool is_first_order(Index a, Index b) { return a == b || ((a + b) % 2 == 0) == (a < b); }

    template <class Use> void each_batch(Use use, bool one_order = false) const {
        const bool pairs = extent() == "pairs", more = extent() == "1";
        const Index stride = pairs ? 1 : more ? 3 : 331, other = pairs ? 1 : more ? 1021 : 5003;
        const Index share = patterns / eighths, first = std::get<1>(GetParam()) * share;
        std::vector<std::pair<Bits, Bits>> found;
        for (Index a = first; a < first + share; a += stride)
            for (Index b = a % other; b < patterns; b += other) {
                if (one_order && !is_first_order(a, b)) continue;
                found.emplace_back(a, b);
                if (found.size() < batch) continue;
                use(found);
                found.clear();
            }
        if (!found.empty()) use(found);
    }
};

TEST_P(Pairs, HaveTheLargerOneAsMaximumM1) {
    Windows maxima = windows(Op::max_pool);
    each_batch([&](const auto& pairs) {
        const auto allowed = maxima.sets(pairs);
        for (std::size_t k = 0; k < pairs.size(); ++k) {
            const double a = grid[pairs[k].first], b = grid[pairs[k].second];
            const Bits larger = a < b ? pairs[k].second : pairs[k].first;
            const Permitted& p = allowed[k];
            const bool nan = a != a || b != b;
            const bool right = nan || std::isinf(grid[larger])
                                   ? p == special(nan ? a + b : grid[larger])
                                   : permits(p, grid.format(), larger) &&
                                         p == Permitted::between(p.lowest, p.highest) &&
                                         steps_between(grid.format(), p.lowest, p.highest) <=
                                             (is_zero(grid.format(), larger) ? 1U : 0U);
            complaint.unless(right, "maximum", pairs[k]);
        }
    });
}

/// An infinity and a number that roundings may bring to the other one: they can meet [BOver].
bool may_meet(double a, double b, double largest, double unit) {
    return std::isinf(a + b) && std::isinf(a) != std::isinf(b) &&
           std::min(std::abs(a), std::abs(b)) >= largest * (1 - 2 * unit) && (a < 0) != (b < 0);
}

/// One rounding, of a sum or of two halves that are subnormal, is off by half a step of the larger.
TEST_P(Pairs, HaveTheirHonestMeansAndNotManyMoreV1) {
    Windows means = windows(Op::avg_pool);
    const double least = std::ldexp(1.0, min_exponent(grid.format()));
    const double unit = std::ldexp(1.0, 1 - precision(grid.format()));
    const double largest = grid[largest_bits(grid.format())];
    each_batch([&](const auto& pairs) {
        const auto allowed = means.sets(pairs);
        for (std::size_t k = 0; k < pairs.size(); ++k) {
            const double a = grid[pairs[k].first], b = grid[pairs[k].second];
            const Permitted& p = allowed[k];
            if (!std::isfinite(a) || !std::isfinite(b)) {
                Permitted alone = p;
                alone.nan &= !may_meet(a, b, largest, unit);
                complaint.unless(alone == special(a + b), "mean of what is not finite", pairs[k]);
                continue;
            }
            const Bits exactly = grid.nearest((a + b) / 2);
            const Bits sum_first = grid.nearest(grid.rounded(a + b) / 2);
            const Bits halves = grid.nearest(grid.rounded(a / 2) + grid.rounded(b / 2));
            for (const Bits honest : {exactly, sum_first, halves})
                complaint.unless(permits(p, grid.format(), honest), "honest mean", pairs[k]);
            const double step = std::max(std::abs(a), std::abs(b)) * unit;
            complaint.unless(!p.range || width_of(grid, p) <= 2 * step + 2 * least, "wide mean", pairs[k]);
        }
    });
}

/// log(1 + exp(d)) for each d of the format, every operation rounded to it.
std::vector<double> rounded_growths(const Grid& grid) {
    std::vector<double> growths;
    for (Index d = 0; d < patterns; ++d) {
        const double share = grid.rounded(std::exp(grid[static_cast<Bits>(d)]));
        growths.push_back(grid.rounded(std::log(grid.rounded(1 + share))));
    }
    return growths;
}

/// Not wider than the bound of two cells: 26 roundings, and 11 of the largest exponent.
TEST_P(Pairs, HaveTheirHonestSmoothMaximaAndNotManyMoreS1) {
    Windows smooth = windows(Op::smooth_max_pool);
    const auto growths = rounded_growths(grid);
    const double u = std::ldexp(1.0, -precision(grid.format()));
    const auto judge_batch = [&](const auto& pairs) {
        const auto allowed = smooth.sets(pairs);
        for (std::size_t k = 0; k < pairs.size(); ++k) {
            const double a = grid[pairs[k].first], b = grid[pairs[k].second];
            const Permitted& p = allowed[k];
            const double m = std::max(a, b), d = std::min(a, b) - m;
            if (a != a || b != b || std::isinf(m)) {
                complaint.unless(p == special(a != a || b != b ? a + b : m),
                                 "smooth maximum of what is not finite", pairs[k]);
                continue;
            }
            const Bits exactly = grid.nearest(m + std::log1p(std::exp(d)));
            const Bits shifted = grid.nearest(m + growths[grid.nearest(d)]);
            for (const Bits honest : {exactly, shifted})
                complaint.unless(permits(p, grid.format(), honest), "honest smooth maximum", pairs[k]);
            const double largest = std::max(std::abs(a), std::abs(b));
            const double most = 2 * (40 + 14 * largest) * u + 4 * largest * u;
            complaint.unless(!p.range || std::isinf(largest) || width_of(grid, p) <= most,
                             "wide smooth maximum", pairs[k]);
        }
    };
    each_batch(judge_batch, extent() == "pairs");
}

TEST_P(Pairs, HaveTheSameSmoothMaximaInEitherOrderS1) {
    if (extent() == "pairs") GTEST_SKIP() << "half of them are tried";
    Windows smooth = windows(Op::smooth_max_pool);
    each_batch([&](const auto& pairs) {
        auto turned = pairs;
        for (auto& [a, b] : turned) std::swap(a, b);
        const auto one = smooth.sets(pairs), other = smooth.sets(turned);
        for (std::size_t k = 0; k < pairs.size(); ++k)
            complaint.unless(one[k] == other[k], "either order", pairs[k]);
    });
}

/// The quick rounding is the one that the attacks use.
TEST(Grid, RoundsAsTheHonestArithmeticDoes) {
    for (const Format f : {Format::f16, Format::bf16}) {
        const Grid grid(f);
        for (Index b = 0; b + 1 < static_cast<Index>(infinity_bits(f)); ++b) {
            const double low = grid[static_cast<Bits>(b)], high = grid[static_cast<Bits>(b + 1)];
            for (const double x : {low, low + (high - low) / 2, low + (high - low) * 0.51, high})
                EXPECT_EQ(grid.nearest(-x), encoded(f, rounded(f, -x))) << -x;
        }
        for (const double x : {1e300, -1e300, HUGE_VAL, 1e-300, -0.0})
            EXPECT_EQ(grid.nearest(x), encoded(f, rounded(f, x))) << x;
    }
}

INSTANTIATE_TEST_SUITE_P(SixteenBits, Pairs,
                         testing::Combine(testing::Values(Format::f16, Format::bf16),
                                          testing::Range<Index>(0, eighths)),
                         [](const auto& shard) {
                             return std::string(std::get<0>(shard.param) == Format::f16 ? "F16" : "Bf16") +
                                    "Eighth" + std::to_string(std::get<1>(shard.param));
                         });

}  // namespace
}  // namespace poolproof::honest

// SPDX-License-Identifier: Apache-2.0
// One sum at a time: the certified set against the exact one, over terms aimed at ties of rounding,
// cancellation and the edges of the range; and wrong rules, planted in the place of the proved ones, that
// this comparison must find.
#include "oracle/certified/block.hpp"
#include "oracle/certified/sum_set.hpp"
#include "oracle/expect/arithmetic.hpp"
#include "oracle/expect/rounding.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace poolproof {

namespace {

using certified::Keeping;
using certified::Proved;
using certified::Scaling;
using certified::SumSets;
using certified::Terms;

struct Trial {
    Format format = Format::f64;
    std::vector<Bits> terms;
    Index divisor = 1;
    Accumulate kept = Accumulate::any;
    Policy policy;
};

class Draw {
public:
    explicit Draw(std::uint64_t seed) : random_(seed) {}

    Trial trial() {
        Trial t;
        t.format = std::array{Format::f64, Format::f32, Format::f16, Format::bf16}[below(4)];
        t.kept = std::array{Accumulate::any, Accumulate::f32, Accumulate::exact}[below(3)];
        t.policy.subnormals = below(4) == 0 ? Subnormals::may_flush : Subnormals::kept;
        t.policy.intermediate_overflow =
            below(2) == 0 ? IntermediateOverflow::forbidden : IntermediateOverflow::allowed;
        t.divisor = std::array<Index, 12>{1, 2, 3, 4, 5, 6, 7, 9, 12, 16, 49, -3}[below(12)];
        const std::size_t n = 1 + below(9), kind = below(8);
        if (kind >= 6) {
            t.terms = kind == 6 ? about_a_tie(t.format, t.divisor) : about_the_top(t.format, t.divisor);
            return t;
        }
        for (std::size_t k = 0; k < n; ++k) t.terms.push_back(term(t.format, kind));
        if (kind == 2)  // what cancels, and something smaller
            for (std::size_t k = 0; k + 1 < n; k += 2) t.terms[k + 1] = t.terms[k] ^ sign_bit(t.format);
        return t;
    }

private:
    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

    Bits term(Format f, std::size_t kind) {
        const Bits sign = below(2) == 0 ? 0 : sign_bit(f),
                   tail = random_() & ((Bits{1} << (precision(f) - 1)) - 1);
        const int bias = max_exponent(f), spread = kind == 3 ? bias : kind == 0 ? 2 : 6;
        const auto exponent = static_cast<Bits>(
            bias - spread / 2 + static_cast<int>(below(static_cast<std::size_t>(spread) + 1)));
        switch (kind) {
            case 1: return sign | nearest(f, Rational(static_cast<Index>(below(16))));  // sums that tie
            case 4: return sign | (random_() & ((Bits{1} << precision(f)) - 1));  // subnormal, and near it
            case 5: return sign | (largest_bits(f) - below(4) - (below(3) << (precision(f) - 1)));
            default: return sign | exponent << (precision(f) - 1) | tail;
        }
    }

    /// Terms whose quotient lies halfway between two patterns, or so near that what is left over must decide.
    std::vector<Bits> about_a_tie(Format f, Index divisor) {
        const Rational pattern = rational_value(f, term(f, 0));
        const Rational half_step = power_of_two(exponent_of(abs(pattern)) - precision(f));
        const Index side = static_cast<Index>(below(3)) - 1;
        Rational rest = (pattern + half_step) * divisor;
        rest += side * power_of_two(exponent_of(abs(rest)) - 104);
        std::vector<Bits> terms;
        while (!rest.is_zero() && terms.size() < 12) {
            terms.push_back(nearest(f, rest));
            rest -= rational_value(f, terms.back());
            if (is_zero(f, terms.back())) break;
        }
        return terms;
    }

    /// Terms whose mean is so far from the top as its error is large.
    std::vector<Bits> about_the_top(Format f, Index divisor) {
        std::vector<Bits> terms;
        const std::size_t n = divisor < 0 ? 3 : static_cast<std::size_t>(divisor);
        while (terms.size() < n) terms.push_back(largest_bits(f) - below(2 * n + 3));
        return terms;
    }

    std::mt19937_64 random_;
};

Permitted exact_set(const Trial& t) {
    if (t.kept == Accumulate::exact) {
        Rational sum = 0;
        for (const Bits b : t.terms) sum += rational_value(t.format, b);
        const Bits b = nearest(t.format, sum / t.divisor);
        return is_zero(t.format, b) ? Permitted::between(sign_bit(t.format), 0) : Permitted::exactly(b);
    }
    const WorkingPrecision scope(256);
    const Arithmetic a(t.format, t.kept, t.policy);
    const Scale scale = Scale::by(t.divisor, {Integer(t.divisor)}, a);
    BoundedSum sum(a);
    for (const Bits b : t.terms) sum.add(Interval(rational_value(t.format, b)), scale);
    return permitted(sum.span(), a);
}

template <class Rules> std::optional<Permitted> certified_set(const Trial& t) {
    const SumSets<Rules> sets(Keeping(t.format, t.kept, t.policy, t.kept == Accumulate::exact));
    const WorkingPrecision scope(256);
    const Scale scale = Scale::by(t.divisor, {Integer(t.divisor)}, Arithmetic(t.format, t.kept, t.policy));
    Terms terms;
    const double normal = std::ldexp(1.0, min_normal_exponent(t.format));
    for (const Bits b : t.terms) {
        const double v = certified::to_double(t.format, b);
        terms.add(v);
        if (std::fabs(v) < normal) terms.small.add(std::fabs(v));
    }
    Permitted p;
    const Scaling by{static_cast<double>(t.divisor), scale.roundings, scale.scalings};
    return sets.set(terms, by, 0, p) ? std::optional(p) : std::nullopt;
}

struct Comparison {
    Index certified = 0, different = 0, left = 0;
};

/// POOLPROOF_CERTIFIED=N sets their number.
Index wanted_sums() {
    const char* n = std::getenv("POOLPROOF_CERTIFIED");
    return n == nullptr ? 10'000 : std::atoll(n);
}

template <class Rules> Comparison compared(Index trials) {
    Comparison c;
    Draw draw(20260101);
    for (Index k = 0; k < trials; ++k) {
        const Trial t = draw.trial();
        const auto p = certified_set<Rules>(t);
        if (!p)
            ++c.left;
        else if (++c.certified; !(*p == exact_set(t)))
            ++c.different;
    }
    return c;
}

struct TiesUpward : Proved {
    static bool up(int order, bool) { return order >= 0; }
};
struct LargerRoundoff : Proved {
    static constexpr double unit = 1 + 0x1p-8;
};
struct LessDust : Proved {
    static constexpr double dust = 0.5 - 0x1p-8;
};
struct NoTail : Proved {
    static constexpr bool keeps_tail = false;
};

}  // namespace

TEST(CertifiedSums, AreTheExactSets) {
    const Comparison c = compared<Proved>(wanted_sums());
    EXPECT_EQ(c.different, 0);
    std::printf("%lld certified, %lld left to the exact oracle\n", static_cast<long long>(c.certified),
                static_cast<long long>(c.left));
    EXPECT_GT(c.certified, 10 * c.left);
}

TEST(CertifiedSums, AWrongTieIsFound) { EXPECT_GT(compared<TiesUpward>(4000).different, 0); }
TEST(CertifiedSums, AWrongConstantIsFound) { EXPECT_GT(compared<LargerRoundoff>(4000).different, 0); }
TEST(CertifiedSums, TooLittleUnderflowIsFound) { EXPECT_GT(compared<LessDust>(4000).different, 0); }
TEST(CertifiedSums, ALostTailIsFound) { EXPECT_GT(compared<NoTail>(4000).different, 0); }

}  // namespace poolproof

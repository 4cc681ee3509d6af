// SPDX-License-Identifier: Apache-2.0
// A hill-climbing search that tries to break each bound on small windows, and how close it came.
// POOLPROOF_CLIMB=100000 takes so many steps instead of the few that the suite has time for.
#include "oracle/tests/soundness_cases.hpp"

#include <poolproof/text.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

namespace poolproof::honest {
namespace {

Index steps() {
    const char* wanted = std::getenv("POOLPROOF_CLIMB");
    return wanted ? std::max<Index>(std::strtoll(wanted, nullptr, 10), 1) : 60;
}

constexpr std::array<Spread, 3> starts{Spread::plain, Spread::cancelling, Spread::one_and_dust};

/// 1, and after it what is lost when added to 1.
void one_and_dust(Tensor& t) {
    for (Index k = 0; k < t.size(); ++k)
        t.set(k, encoded(t.format, k == 0 ? 1.0 : std::ldexp(1.0, -precision(t.format))));
}

/// One number changed: a bit of it, its sign, its exponent by one, or all of it.
void change(Tensor& t, Rng& rng) {
    const Format f = t.format;
    const Index k = below(rng, t.size());
    Bits b = t[k];
    switch (below(rng, 4)) {
        case 0: b ^= Bits{1} << below(rng, precision(f) - 1); break;
        case 1: b ^= sign_bit(f); break;
        case 2: b += one_in(rng, 2) ? Bits{1} << (precision(f) - 1) : -(Bits{1} << (precision(f) - 1)); break;
        default: b = some_value(f, starts[static_cast<std::size_t>(below(rng, starts.size()))], rng); break;
    }
    b &= sign_bit(f) | (sign_bit(f) - 1);
    const double size = std::abs(decoded(f, b)), least = std::ldexp(1.0, -precision(f) - 4);
    if (size < 64 && (size > least || std::fpclassify(size) == FP_ZERO)) t.set(k, b);  // far from the edges
}

/// The best share over some fixed ways to compute; a refusal is above 1.
double height(const Problem& p, const Target& target, const std::vector<Choice>& ways) {
    const auto allowed = permitted_values(p);
    const auto exact = truth(p);
    double best = 0;
    for (const Choice& how : ways) {
        if (excluded(p, target, 0, how)) continue;
        Rng rng(1);
        const auto got = answered(p, target, 0, how, rng);
        for (std::size_t k = 0; k < got.size(); ++k)
            if (is_wide(allowed[k], target.format) && !allowed[k].vacuous)
                best = std::max(best, share_of(allowed[k], target.format, got[k], exact[k]));
    }
    return best;
}

class Climb : public testing::TestWithParam<Target> {};

TEST_P(Climb, NoBoundBreaks) {
    const Target target = GetParam();
    Rng rng(42);
    double best = 0;
    std::string where;
    constexpr std::array<Index, 3> cells{4, 8, 16};
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const Index n = cells[k];
        const Spread spread = starts[k];
        Problem p = row_problem(target, n);
        const auto start = [&](Tensor& t) {
            if (spread == Spread::one_and_dust && target.method != Method::smooth)
                one_and_dust(t);
            else
                fill(t, target.method == Method::smooth ? Spread::plain : spread, rng);
        };
        start(p.c.input);
        if (p.c.tangent) start(*p.c.tangent);
        if (p.c.cotangent) start(*p.c.cotangent);
        p.decode();
        std::vector<Choice> ways(1);
        while (ways.size() < 10) {  // elementary functions all off to one side reach furthest
            ways.push_back(some_choice(rng));
            ways.back().quality = one_in(rng, 2) ? Quality::high : Quality::low;
        }
        double reached = height(p, target, ways);
        for (Index step = 0; step < steps(); ++step) {
            Problem next = p;
            Tensor& direction = next.c.tangent     ? *next.c.tangent
                                : next.c.cotangent ? *next.c.cotangent
                                                   : next.c.input;
            change(one_in(rng, 2) ? next.c.input : direction, rng);
            next.decode();
            const double there = height(next, target, ways);
            if (there < reached) continue;
            reached = there;
            p = next;
        }
        if (reached > best) where = write_case(p.c);
        best = std::max(best, reached);
    }
    EXPECT_LE(best, 1) << where;
    EXPECT_GE(best, target.method == Method::average ? 0.6 : 0) << where;
    RecordProperty("best_share_per_cent", static_cast<int>(100 * best));
    std::cout << target.name() << ": the climb reached " << static_cast<int>(100 * best) << "%\n";
}

std::vector<Target> climbed() {
    std::vector<Target> r;
    for (const Target& t : every_target()) {
        const bool one_answer = t.method == Method::max && t.mode != Mode::vjp;
        // Sums in f32 use up little of what the last rounding to 16 bits takes.
        if (!one_answer && !t.flushes && t.accumulate == Accumulate::any) r.push_back(t);
    }
    return r;
}

std::string test_name(const testing::TestParamInfo<Target>& info) {
    std::string s = info.param.name();
    s.erase(std::remove(s.begin(), s.end(), ' '), s.end());
    return s;
}

INSTANTIATE_TEST_SUITE_P(Sharpness, Climb, testing::ValuesIn(climbed()), test_name);

}  // namespace
}  // namespace poolproof::honest

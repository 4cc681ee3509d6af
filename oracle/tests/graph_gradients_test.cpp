// SPDX-License-Identifier: Apache-2.0
// Gradients of a value that is used more than once: each use may be summed by itself and added to the others,
// or added to their sum term by term.
#include "oracle/tests/soundness_cases.hpp"

#include <poolproof/text.hpp>
#include <poolproof/verdict.hpp>

#include <gtest/gtest.h>

#include <iostream>

namespace poolproof::honest {
namespace {

/// An average over an odd number of cells around each one, over a divisor of its own.
struct Use {
    Index kernel = 1, divisor = 1;
};

/// The sum of several uses of one row, backwards.
struct Shared {
    Format format = Format::f32;
    Accumulate accumulate = Accumulate::any;
    std::vector<Use> uses;
    Tensor cotangent;

    Case as_case() const {
        Case c;
        c.op = Op::graph;
        c.mode = Mode::vjp;
        c.format = format;
        c.policy.accumulate_gradient = accumulate;
        c.input = Tensor(format, cotangent.shape);
        c.cotangent = cotangent;
        for (const Use& u : uses) {
            Node n{Op::avg_pool, {}, {-1}};
            n.attrs.kernel = {u.kernel};
            n.attrs.stride = {1};
            n.attrs.pad_begin = {u.kernel / 2};
            n.attrs.divisor_override = u.divisor;
            c.nodes.push_back(n);
        }
        for (std::size_t k = 1; k < uses.size(); ++k) {
            const auto sum = static_cast<Index>(k == 1 ? 0 : uses.size() + k - 2);
            c.nodes.push_back({Op::add, {}, {sum, static_cast<Index>(k)}});
        }
        return c;
    }

    std::vector<double> terms(const Use& u, Index cell) const {
        std::vector<double> r;
        const Index reach = u.kernel / 2;
        for (Index o = std::max<Index>(cell - reach, 0); o <= std::min(cell + reach, cotangent.size() - 1);
             ++o)
            r.push_back(decoded(format, cotangent[o]));
        return r;
    }
};

struct Way {
    bool in_place = true, reciprocal = false, last_use_first = false;
    Order order = Order::forward;  ///< of a use that is summed by itself
};

/// The gradient of one cell, in the arithmetic of T and stored in the format after each use.
template <class T> Bits gradient(const Shared& s, Index cell, const Way& how, Rng& rng) {
    auto uses = s.uses;
    if (how.last_use_first) std::reverse(uses.begin(), uses.end());
    T total{};
    for (const Use& u : uses) {
        const T d(static_cast<double>(u.divisor));
        std::vector<T> terms;
        for (const double g : s.terms(u, cell))
            terms.push_back(how.reciprocal ? T(g) * (T(1) / d) : T(g) / d);
        if (how.in_place)
            for (const T& t : terms) total = total + t;
        else
            total = total + T(decoded(s.format, answer(s.format, sum(terms, how.order, rng))));
        total = T(decoded(s.format, answer(s.format, total)));
    }
    return answer(s.format, total);
}

Bits gradient(const Shared& s, Index cell, const Way& how, Rng& rng) {
    if (s.accumulate == Accumulate::f32) return gradient<Rounded<Format::f32>>(s, cell, how, rng);
    switch (s.format) {
        case Format::f64: return gradient<Rounded<Format::f64>>(s, cell, how, rng);
        case Format::f32: return gradient<Rounded<Format::f32>>(s, cell, how, rng);
        case Format::f16: return gradient<Rounded<Format::f16>>(s, cell, how, rng);
        default: return gradient<Rounded<Format::bf16>>(s, cell, how, rng);
    }
}

std::vector<Permitted> permitted_gradients(const Shared& s) {
    const Case c = s.as_case();
    return expect(*plan(c), c).outputs.front().values;
}

/// Nine terms of which each is lost when added to 1: their own sum, 4 units in the last place of 1, is not.
TEST(GraphGradients, MayLoseEveryTermOfASecondUseBSum) {
    Shared s{Format::f32, Accumulate::any, {{1, 1}, {9, Index{1} << 23}}, Tensor(Format::f32, {9})};
    for (Index k = 0; k < 9; ++k) s.cotangent.set(k, encoded(Format::f32, k == 4 ? 1.0 : 0.49));
    Rng rng;
    const auto allowed = permitted_gradients(s)[4];
    const Bits in_place = gradient(s, 4, {}, rng), apart = gradient(s, 4, {false}, rng);
    EXPECT_EQ(steps_between(Format::f32, in_place, apart), 4U);
    EXPECT_TRUE(permits(allowed, Format::f32, in_place));
    EXPECT_TRUE(permits(allowed, Format::f32, apart));
    EXPECT_LE(steps_between(Format::f32, allowed.lowest, allowed.highest), 16U);
}

TEST(GraphGradients, NoHonestSumOverSeveralUsesIsRefusedBSumBScaleBUses) {
    Rng rng(17);
    double share = 0;
    Index values = 0;
    for (const auto& [format, accumulate] :
         std::vector<std::pair<Format, Accumulate>>{{Format::f64, Accumulate::any},
                                                    {Format::f32, Accumulate::any},
                                                    {Format::f16, Accumulate::any},
                                                    {Format::f16, Accumulate::f32},
                                                    {Format::bf16, Accumulate::any},
                                                    {Format::bf16, Accumulate::f32}})
        for (int k = 0; k < 60; ++k) {
            Shared s{format, accumulate, {}, Tensor(format, {1 + below(rng, 11)})};
            const Index uses = 2 + below(rng, 3);
            for (Index n = 0; n < uses; ++n)
                s.uses.push_back({1 + 2 * below(rng, 5),
                                  one_in(rng, 2) ? Index{1} << below(rng, 12) : 1 + below(rng, 30)});
            fill(s.cotangent, static_cast<Spread>(below(rng, static_cast<Index>(Spread::count))), rng);
            const auto allowed = permitted_gradients(s);
            for (int way = 0; way < 12; ++way)
                for (Index cell = 0; cell < s.cotangent.size(); ++cell) {
                    const Way how{one_in(rng, 2), one_in(rng, 2), one_in(rng, 2),
                                  static_cast<Order>(below(rng, 5))};
                    const Bits got = gradient(s, cell, how, rng);
                    const Permitted& p = allowed[static_cast<std::size_t>(cell)];
                    EXPECT_TRUE(permits(p, format, got)) << write_case(s.as_case()) << " " << cell;
                    ++values;
                    long double exact = 0;
                    for (const Use& u : s.uses)
                        for (const double g : s.terms(u, cell))
                            exact += static_cast<long double>(g) / static_cast<long double>(u.divisor);
                    if (is_wide(p, format)) share = std::max(share, share_of(p, format, got, exact));
                }
        }
    EXPECT_GE(share, 0.4);
    std::cout << values << " gradients, largest used share " << static_cast<int>(100 * share) << "%\n";
}

}  // namespace
}  // namespace poolproof::honest

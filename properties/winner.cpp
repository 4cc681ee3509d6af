// SPDX-License-Identifier: Apache-2.0
// A maximum is an input of its window, and its winner is the smallest flat position whose value equals the
// output. The first holds for every policy where the window has a cell, padding as 0 being one more of them;
// the second for `ties: first`, and mirrored for last; the index follows the derivative. Neither adjointness
// nor Euler's identity sees a winner that merely equals the right one.
#include "properties/cases.hpp"

#include <poolproof/expected.hpp>

#include <array>

namespace poolproof::laws {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// The cells of a window that hold its output, ascending.
std::vector<Index> tied_cells(const SlowWindow& w, const std::vector<Rational>& x, const Rational& y) {
    std::vector<Index> r;
    for (const Index cell : w.cells)
        if (x[at(cell)] == y) r.push_back(cell);
    std::sort(r.begin(), r.end());
    return r;
}

RC_GTEST_PROP(Maximum, IsAnInputOfItsWindowAndNoneIsLargerM1MPad, ()) {
    const Case c = some_case(
        {.ops = max_ops, .ties = every_tie, .spread = one_of(std::vector{Spread::tied, Spread::doubles})});
    const Plan plan = settled(c);
    const auto x = numbers(c.input), y = finite<Rational>(c);
    const auto windows = slow_windows(c);
    for (std::size_t k = 0; k < y.size(); ++k) {
        const bool zero_takes_part =
            c.policy.max_padding == MaxPadding::zero && windows[k].padding(pool_of(plan)) > 0;
        seen("padding that takes part", zero_takes_part);
        bool found = zero_takes_part && y[k].is_zero();
        for (const Index cell : windows[k].cells) {
            RC_ASSERT(x[at(cell)] <= y[k]);
            found = found || x[at(cell)] == y[k];
        }
        if (zero_takes_part) RC_ASSERT(sign(y[k]) >= 0);
        seen("an empty window", windows[k].cells.empty());
        if (!windows[k].cells.empty()) RC_ASSERT(found);
    }
}

RC_GTEST_PROP(Winner, IsTheSmallestFlatPositionWhoseValueEqualsTheOutputMTieMIdx, ()) {
    const Case c = some_case({.ops = max_ops, .ties = {Ties::first}, .max_padding = {MaxPadding::ignored}});
    seen("a tie", has_tie(c));
    // Tangents that name their cell, cotangents that name their output.
    std::vector<Rational> names, powers;
    for (Index k = 0; k < c.input.size(); ++k) names.emplace_back(k + 1);
    const Shape shape = output_shape(c);
    for (Index k = 0; k < size(shape); ++k) powers.push_back(power_of_two(k));
    const auto x = numbers(c.input), y = finite<Rational>(c);
    const auto dy = finite<Rational>(as_jvp(c, tensor(c.input.shape, names)));
    const auto dx = finite<Rational>(as_vjp(c, tensor(shape, powers)));
    const auto reported = indices(c);
    const auto windows = slow_windows(c);
    const Index slice = c.input.size() / settled(c).output().leading;
    std::vector<Rational> gradient(x.size());
    for (std::size_t k = 0; k < y.size(); ++k) {
        const auto tied = tied_cells(windows[k], x, y[k]);
        if (tied.empty()) {
            RC_ASSERT(windows[k].cells.empty() && dy[k].is_zero() && !reported[k]);
            continue;
        }
        RC_ASSERT(dy[k] == Rational(tied.front() + 1));
        RC_ASSERT(reported[k] == std::vector{tied.front() % slice});
        gradient[at(tied.front())] += powers[k];
    }
    RC_ASSERT(dx == gradient);
}

RC_GTEST_PROP(Winner, IsChosenAmongTheTiedByThePolicyMTieMIdx, ()) {
    const Case c = some_case({.ops = max_ops, .ties = every_tie, .max_padding = {MaxPadding::ignored}});
    seen("a tie", has_tie(c));
    const Tensor t = some_tensor(c.input.shape, Spread::dyadic);
    const auto x = numbers(c.input), y = finite<Rational>(c), ts = numbers(t);
    const auto dy = evaluated<Rational>(as_jvp(c, t));
    const auto reported = indices(c);
    const auto windows = slow_windows(c);
    const Index slice = c.input.size() / settled(c).output().leading;
    for (std::size_t k = 0; k < y.size(); ++k) {
        auto tied = tied_cells(windows[k], x, y[k]);
        if (tied.empty()) continue;
        Rational sum = 0;
        bool all_agree = true;
        for (const Index cell : tied) {
            sum += ts[at(cell)];
            all_agree = all_agree && ts[at(cell)] == ts[at(tied.front())];
        }
        const auto count = static_cast<Index>(tied.size());
        const Rational first_tangent = ts[at(tied.front())], last_tangent = ts[at(tied.back())];
        for (Index& cell : tied) cell %= slice;
        const std::vector first{tied.front()}, last{tied.back()};
        switch (*c.policy.ties) {
            case Ties::first: RC_ASSERT(dy[k].value == first_tangent && reported[k] == first); break;
            case Ties::last: RC_ASSERT(dy[k].value == last_tangent && reported[k] == last); break;
            case Ties::all: RC_ASSERT(dy[k].value == sum && reported[k] == first); break;
            case Ties::split: RC_ASSERT(dy[k].value == sum / count && reported[k] == first); break;
            case Ties::any:
            case Ties::convex:
                seen("an undetermined tangent", !all_agree);
                RC_ASSERT(dy[k].is_finite() == all_agree && reported[k] == tied);
        }
    }
}

// The fault of scanning row by row
// ------------------------------------------------------------------------------------------------------------

/// A square window of values 0, 1, 2, row by row.
using Square = std::vector<int>;

/// The known fault, on purpose: inside a row a value is compared with the best of the earlier rows, so the
/// last one that beats it stays.
std::size_t faulty_winner(const Square& xs, std::size_t side) {
    std::size_t best = 0;
    for (std::size_t row = 0; row < side; ++row) {
        std::size_t candidate = best;
        for (std::size_t k = row * side; k < (row + 1) * side; ++k)
            if (xs[k] > xs[best]) candidate = k;
        best = candidate;
    }
    return best;
}

/// The law: the winner holds the maximum, and nothing before it does.
bool is_lawful(const Square& xs, std::size_t winner) {
    const int largest = *std::max_element(xs.begin(), xs.end());
    return xs[winner] == largest &&
           std::find(xs.begin(), xs.end(), largest) - xs.begin() == static_cast<std::ptrdiff_t>(winner);
}

std::vector<Square> all_squares(std::size_t side) {
    std::vector<Square> r{{}};
    for (std::size_t k = 0; k < side * side; ++k) {
        std::vector<Square> longer;
        for (const Square& s : r)
            for (const int x : {0, 1, 2}) {
                longer.push_back(s);
                longer.back().push_back(x);
            }
        r = std::move(longer);
    }
    return r;
}

/// The winners that the gradient of the oracle's maximum goes to, all windows at once as slices.
std::vector<std::size_t> oracle_winners(const std::vector<Square>& squares, Index side) {
    std::vector<double> values;
    for (const Square& s : squares) values.insert(values.end(), s.begin(), s.end());
    const auto count = static_cast<Index>(squares.size());
    Case c;
    c.attrs.kernel = {side, side};
    c.input = tensor({count, side, side}, values);
    std::vector<std::size_t> r;
    const auto dx = finite<Dyadic>(as_vjp(c, constant({count, 1, 1}, 1)));
    for (std::size_t k = 0; k < dx.size(); ++k)
        if (!is_exactly_zero(dx[k])) r.push_back(k % at(side * side));
    return r;
}

struct Tally {
    int unlawful = 0, equal_later = 0;
};

std::array<Tally, 2> tallies(std::size_t side) {
    const auto squares = all_squares(side);
    const auto oracle = oracle_winners(squares, static_cast<Index>(side));
    std::array<Tally, 2> r;
    for (std::size_t k = 0; k < squares.size(); ++k) {
        const Square& s = squares[k];
        const int largest = *std::max_element(s.begin(), s.end());
        for (auto& [tally, winner] :
             {std::pair<Tally&, std::size_t>{r[0], oracle.at(k)}, {r[1], faulty_winner(s, side)}})
            if (!is_lawful(s, winner)) {
                ++tally.unlawful;
                tally.equal_later += s[winner] == largest ? 1 : 0;
            }
    }
    return r;
}

TEST(Winner, TheLawCatchesAScanThatComparesWithTheBestOfEarlierRowsM1MTie) {
    const auto [oracle2, faulty2] = tallies(2);
    EXPECT_EQ(oracle2.unlawful, 0);
    EXPECT_EQ(faulty2.unlawful, 6);
    const auto [oracle3, faulty3] = tallies(3);
    EXPECT_EQ(oracle3.unlawful, 0);
    EXPECT_EQ(faulty3.unlawful, 4387);
    EXPECT_EQ(faulty3.equal_later, 4269) << "of which neither adjointness nor Euler's identity sees";
}

TEST(Winner, TheRowZeroFiveThreeSendsItsGradientToFiveM1) {
    Case c;
    c.attrs.kernel = {1, 3};
    c.input = tensor({1, 3}, std::vector<double>{0, 5, 3});
    EXPECT_EQ(finite<Rational>(as_vjp(c, constant({1, 1}, 1))), (std::vector<Rational>{0, 1, 0}));
    EXPECT_EQ(faulty_winner({0, 5, 3, 0, 0, 0, 0, 0, 0}, 3), 2U);
}

// tiny_pool's layers
// ------------------------------------------------------------------------------------------------------------

/// An f32 case of profile tiny_pool: two leading axes, no padding, edge cells dropped.
Case some_tiny_case(Index rank) {
    return *rc::gen::exec([=] {
        Case c;
        c.format = Format::f32;
        c.profile = "tiny_pool";
        c.input.format = Format::f32;
        c.attrs.kernel.emplace();
        c.input.shape = {between(1, 2), between(1, 2)};
        for (Index k = 0; k < rank; ++k) {
            c.attrs.kernel->push_back(between(1, 3));
            c.input.shape.push_back(c.attrs.kernel->back() + between(0, 4));
        }
        if (either()) {
            c.attrs.stride.emplace();
            for (Index k = 0; k < rank; ++k) c.attrs.stride->push_back(between(1, 3));
        }
        c.input = Tensor(Format::f32, c.input.shape);
        for (Index k = 0; k < c.input.size(); ++k)
            c.input.set(k, std::bit_cast<std::uint32_t>(static_cast<float>(between(-2, 2))));
        return c;
    });
}

Case masked(Case c, IndexForm form) {
    c.attrs.return_indices = true;
    c.attrs.index_form = form;
    return c;
}

RC_GTEST_PROP(TinyPool, ItsMaskOfRowsAndColumnsIsTheFlatOneInPairsMIdx, ()) {
    const Case c = some_tiny_case(2);
    const Index columns = c.input.shape[3];
    const Case flat = masked(c, IndexForm::flat), pairs = masked(c, IndexForm::row_column);
    const Exact f = exact(settled(flat), flat), p = exact(settled(pairs), pairs);
    seen("a tie", has_tie(c));
    seen("a row past the first", std::any_of(f.indices.begin(), f.indices.end(),
                                             [&](const auto& i) { return i->front() >= columns; }));
    Shape doubled = f.shape;
    doubled.back() *= 2;
    RC_ASSERT(f.index_shape == f.shape && p.index_shape == doubled);
    RC_ASSERT(p.indices.size() == 2 * f.indices.size());
    for (std::size_t k = 0; k < f.indices.size(); ++k) {
        const auto &row = p.indices[2 * k].value(), &column = p.indices[2 * k + 1].value();
        RC_ASSERT(row.size() == 1U && column.size() == 1U);
        RC_ASSERT(std::vector{row[0] * columns + column[0]} == f.indices[k].value());
    }
}

RC_GTEST_PROP(TinyPool, ABackwardAddsEachCotangentToTheCellOfItsMaskMIdxMTie, ()) {
    const Index rank = between(1, 2);
    const Case c = some_tiny_case(rank);
    seen("an overlap", has_overlap(c));
    const Case flat = masked(c, IndexForm::flat);
    const Exact mask = exact(settled(flat), flat);
    Tensor g(Format::f32, mask.shape);
    std::vector<Rational> gradient(at(c.input.size()));
    const Index slices = c.input.shape[0] * c.input.shape[1];
    const Index cells = c.input.size() / slices, outs = g.size() / slices;
    for (Index k = 0; k < g.size(); ++k) {
        const Index value = between(-3, 3);
        g.set(k, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
        gradient[at(k / outs * cells + mask.indices[at(k)]->front())] += value;
    }
    RC_ASSERT(finite<Rational>(as_vjp(c, g)) == gradient);
}

RC_GTEST_PROP(TinyPool, CellsPastTheLastWholeWindowAreDroppedWOut, ()) {
    Case c = some_tiny_case(1);
    c.op = one_of(std::vector{Op::max_pool, Op::avg_pool});
    const Index extent = c.input.shape[2], kernel = c.attrs.kernel->front();
    const Index stride = c.attrs.stride ? c.attrs.stride->front() : kernel;
    const Index outs = output_shape(c)[2];
    RC_ASSERT(outs == (extent - kernel) / stride + 1);
    const Index reached = (outs - 1) * stride + kernel;
    seen("an edge cell", reached < extent);
    const auto y = finite<Rational>(c);
    for (Index k = 0; k < c.input.size(); ++k)
        if (k % extent >= reached) c.input.set(k, infinity_bits(Format::f32));
    RC_ASSERT(finite<Rational>(c) == y);
}

}  // namespace
}  // namespace poolproof::laws

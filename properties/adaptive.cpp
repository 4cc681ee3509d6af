// SPDX-License-Identifier: Apache-2.0
// Adaptive pooling into bins that divide the extent is sliding pooling; global pooling is adaptive pooling
// into one bin and one window as large as the input. Holds for values always, and for derivatives under one
// and the same `ties`.
#include "properties/cases.hpp"

namespace poolproof::laws {
namespace {

const std::vector<Op> adaptive_ops{Op::adaptive_avg_pool, Op::adaptive_max_pool};

struct Answers {
    std::vector<Rational> y, dy, dx;
    std::vector<PermittedIndices> positions;

    friend bool operator==(const Answers&, const Answers&) = default;
};

/// The directions' data; a global case may want them in another shape.
Answers answers(const Case& c, Tensor t, Tensor g) {
    t.shape = c.input.shape;
    g.shape = output_shape(c);
    const bool is_max = pool_of(settled(c)).reduction == Reduction::max;
    return {finite<Rational>(c), finite<Rational>(as_jvp(c, t)), finite<Rational>(as_vjp(c, g)),
            is_max ? indices(c) : std::vector<PermittedIndices>{}};
}

bool is_average(Op op) { return op == Op::adaptive_avg_pool || op == Op::global_avg_pool; }

RC_GTEST_PROP(Adaptive, BinsThatDivideTheExtentAreSlidingWindowsA1A2W1, ()) {
    Case c = some_case({.ops = adaptive_ops, .small = true});
    auto& bins = *c.attrs.output_size;
    Case sliding = c;
    sliding.op = is_average(c.op) ? Op::avg_pool : Op::max_pool;
    sliding.attrs.kernel.emplace();
    sliding.attrs.output_size.reset();
    Shape shape = c.input.shape;
    for (std::size_t k = 0; k < bins.size(); ++k) {
        bins[k] = between(1, 4);
        sliding.attrs.kernel->push_back(between(1, 3));
        shape[shape.size() - bins.size() + k] = bins[k] * sliding.attrs.kernel->back();
    }
    c.input = sliding.input = some_tensor(shape, Spread::tied);
    RC_ASSERT(output_shape(c) == output_shape(sliding));
    seen("a tie", has_tie(c));
    const Tensor t = some_tensor(shape, Spread::tied), g = some_tensor(output_shape(c), Spread::tied);
    RC_ASSERT(answers(c, t, g) == answers(sliding, t, g));
}

RC_GTEST_PROP(Global, IsOneBinAndOneWindowOverEverything, ()) {
    const Case c = some_case({.ops = {Op::global_avg_pool, Op::global_max_pool}});
    const auto rank = static_cast<std::size_t>(*c.attrs.spatial_rank);
    Case one_bin = c, one_window = c;
    one_bin.op = is_average(c.op) ? Op::adaptive_avg_pool : Op::adaptive_max_pool;
    one_bin.attrs = {};
    one_bin.attrs.output_size = std::vector<Index>(rank, 1);
    one_window.op = is_average(c.op) ? Op::avg_pool : Op::max_pool;
    one_window.attrs = {};
    one_window.attrs.kernel =
        Shape(c.input.shape.end() - static_cast<std::ptrdiff_t>(rank), c.input.shape.end());
    const Shape outs = output_shape(c);
    seen("the flat form", !*c.attrs.keepdims);
    RC_ASSERT(outs.size() == c.input.shape.size() - (*c.attrs.keepdims ? 0 : rank));
    seen("a tie", has_tie(c));
    const Tensor t = some_tensor(c.input.shape, Spread::tied), g = some_tensor(outs, Spread::tied);
    const Answers global = answers(c, t, g);
    RC_ASSERT(answers(one_bin, t, g) == global);
    RC_ASSERT(answers(one_window, t, g) == global);
}

/// torchlean's own choice for global maxima, so under no `ties` of the case.
RC_GTEST_PROP(Global, OfProfileTorchleanGivesEveryTiedCellEverythingMTie, ()) {
    Case c = some_case({.ops = {Op::global_max_pool}});
    c.policy.ties.reset();
    Case all = c;
    all.policy.ties = Ties::all;
    seen("a tie", has_tie(c));
    const Tensor t = some_tensor(c.input.shape, Spread::tied), g = some_tensor(output_shape(c), Spread::tied);
    RC_ASSERT(answers(c, t, g) == answers(all, t, g));
}

RC_GTEST_PROP(Adaptive, BinsCoverEveryCellInOrderAndNoneIsEmptyA1A2, ()) {
    const Case c = some_case({.ops = adaptive_ops, .max_rank = 1});
    const auto windows = slow_windows(c);
    const Index extent = c.input.shape.back(), bins = c.attrs.output_size->front();
    seen("more bins than cells", bins > extent);
    seen("bins of unequal size", extent % bins != 0);
    // A bin's push of the cells' own numbers gives away its first and last cell: of the maximum the last, of
    // the mean their sum.
    std::vector<Rational> names;
    for (Index k = 0; k < c.input.size(); ++k) names.emplace_back(k % extent);
    Case named = c;
    named.input = tensor(c.input.shape, names);
    named.op = Op::adaptive_max_pool;
    const auto last = finite<Rational>(named);
    named.op = Op::adaptive_avg_pool;
    const auto mean = finite<Rational>(named);
    for (std::size_t k = 0; k < last.size(); ++k) {
        const auto bin = static_cast<Index>(k) % bins;
        const Rational first = 2 * mean[k] - last[k];
        RC_ASSERT(first <= last[k]);
        if (bin == 0) RC_ASSERT(first.is_zero());
        if (bin == bins - 1) RC_ASSERT(last[k] == Rational(extent - 1));
        if (bin > 0)
            RC_ASSERT(first - last[k - 1] <= 1 && last[k] >= last[k - 1] &&
                      first >= 2 * mean[k - 1] - last[k - 1]);
        RC_ASSERT(windows[k].cells.size() == (last[k] - first + 1).convert_to<std::size_t>());
    }
}

}  // namespace
}  // namespace poolproof::laws

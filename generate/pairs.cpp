// SPDX-License-Identifier: Apache-2.0
// What each feature needs, and from that which pairs cannot be: a table of needs and a few rules about values
// take the place of a list of thousands of pairs.
#include "generate/steering.hpp"

#include <algorithm>

namespace poolproof::generate {

namespace {

using F = Feature;

constexpr unsigned bit(Op op) { return 1U << static_cast<unsigned>(op); }
constexpr unsigned graphs = bit(Op::graph);
constexpr unsigned sliding_ops = bit(Op::max_pool) | bit(Op::avg_pool) | bit(Op::smooth_max_pool);
constexpr unsigned adaptive_ops = bit(Op::adaptive_avg_pool) | bit(Op::adaptive_max_pool);
constexpr unsigned global_ops = bit(Op::global_avg_pool) | bit(Op::global_max_pool);
constexpr unsigned max_ops = bit(Op::max_pool) | bit(Op::adaptive_max_pool) | bit(Op::global_max_pool);
constexpr unsigned floats = 0xf, derivatives = 0b110, forward = 0b001;

constexpr unsigned nth(F f, F first) {
    return 1U << (static_cast<unsigned>(f) - static_cast<unsigned>(first));
}
constexpr bool in(F f, F first, F last) { return first <= f && f <= last; }

/// The kinds of case that can show a feature, as masks of op, mode and format.
struct Needs {
    unsigned ops = ~0U, modes = ~0U, formats = ~0U;

    bool met_by(const Scope& s, unsigned op, unsigned mode, unsigned format) const {
        if ((ops >> op & modes >> mode & formats >> format & 1U) == 0) return false;
        if (op != static_cast<unsigned>(Op::graph) || (ops & ~graphs) == 0) return true;
        // In a graph it is a node that shows it.
        for (unsigned node = 0; node < single_ops; ++node)
            if ((ops >> node & s.allowed[node][mode] >> format & 1U) != 0) return true;
        return false;
    }
};

Needs needs(F f) {
    if (in(f, F::op_max_pool, F::op_graph)) return {nth(f, F::op_max_pool)};
    if (in(f, F::graph_chain, F::graph_unused_node)) return {graphs};
    if (in(f, F::mode_forward, F::mode_vjp)) return {~0U, nth(f, F::mode_forward)};
    if (in(f, F::dtype_f64, F::dtype_i64)) return {~0U, ~0U, nth(f, F::dtype_f64)};
    if (in(f, F::unequal_kernel, F::auto_pad_odd)) return {sliding_ops | graphs};
    if (in(f, F::counting_omitted, F::negative_divisor)) return {bit(Op::avg_pool) | graphs};
    if (in(f, F::adaptive_even, F::empty_output)) return {adaptive_ops | graphs};
    if (in(f, F::keepdims_omitted, F::keepdims_false)) return {global_ops | graphs};
    if (in(f, F::return_indices, F::row_column)) return {max_ops, forward};
    if (in(f, F::beta_one, F::beta_small)) return {bit(Op::smooth_max_pool) | graphs, ~0U, floats};
    if (in(f, F::special_direction, F::wide_direction)) return {~0U, derivatives, floats};
    const unsigned signed_formats = ~nth(F::dtype_u8, F::dtype_f64);
    switch (f) {
        case F::near_ties:
        case F::signed_zeros:
        case F::nan:
        case F::infinity:
        case F::subnormal:
        case F::wide_spread: return {~0U, ~0U, floats};
        case F::all_negative:
        case F::cancellation: return {~0U, ~0U, signed_formats};
        default: return {};
    }
}

/// Whether only the nodes of a graph can show both, each node one of them: of these, an op has one at most.
bool takes_two_nodes(F a, F b) {
    const auto both = [&](F first, F last) { return in(a, first, last) && in(b, first, last); };
    const auto one_each = [&](auto is, auto other) { return (is(a) && other(b)) || (is(b) && other(a)); };
    const auto is_auto = [](F f) { return in(f, F::auto_pad_valid, F::auto_pad_odd); };
    return both(F::rank_1, F::rank_5) || both(F::leading_0, F::leading_3) ||
           both(F::keepdims_omitted, F::keepdims_false) || both(F::auto_pad_valid, F::auto_pad_same_lower) ||
           one_each([](F f) { return f == F::beta_one; },
                    [](F f) { return f == F::beta_large || f == F::beta_small; }) ||
           one_each([](F f) { return f == F::beta_large; }, [](F f) { return f == F::beta_small; }) ||
           one_each([](F f) { return f == F::floor_remainder; },
                    [](F f) { return in(f, F::ceil_overhang, F::ceil_window_dropped); }) ||
           one_each([](F f) { return f == F::padding_omitted || f == F::end_padding_omitted; }, is_auto);
}

/// A feature of values that leaves no room for the other ones.
struct Excluding {
    F feature;
    const char* because;
    std::vector<F> others;
};

const std::vector<Excluding>& excluding() {
    static const std::vector<Excluding> rules = [] {
        std::vector<F> of_values{F::several_slices, F::leading_0, F::special_direction, F::one_hot_direction,
                                 F::wide_direction};
        for (auto f = static_cast<unsigned>(F::constant); f <= static_cast<unsigned>(F::cancellation); ++f)
            of_values.push_back(static_cast<F>(f));
        return std::vector<Excluding>{
            {F::empty_batch, "an empty batch has no values and no slices", of_values},
            {F::constant,
             "all values are one and the same",
             {F::near_ties, F::one_hot, F::signed_zeros, F::wide_spread, F::cancellation}},
            {F::ones,
             "all values are 1",
             {F::near_ties, F::all_negative, F::one_hot, F::signed_zeros, F::nan, F::infinity, F::subnormal,
              F::format_edge, F::wide_spread, F::cancellation}},
            {F::all_negative,
             "all values are below 0",
             {F::one_hot, F::signed_zeros, F::nan, F::cancellation}},
            {F::one_hot, "one value alone is not 0", {F::wide_spread, F::cancellation}},
            {F::one_hot_direction, "one value alone is not 0", {F::wide_direction}},
            {F::memory_channels_last, "a tensor lies in memory one way", {F::memory_strided}},
            {F::row_column,
             "pairs of row and column are for two axes",
             {F::rank_1, F::rank_3, F::rank_4, F::rank_5}},
        };
    }();
    return rules;
}

bool listed(const std::vector<F>& list, F f) { return std::find(list.begin(), list.end(), f) != list.end(); }

/// What the request's profile does not have at all.
std::optional<std::string> absent(const Scope& s, F f) {
    const auto lacks = [&](bool Scope::Sliding::*what) {
        return std::none_of(s.sliding.begin(), s.sliding.end(),
                            [&](const Scope::Sliding& x) { return x.*what; });
    };
    struct Row {
        bool lacking;
        const char* what;
        std::vector<F> features;
    };
    const Row rows[] = {
        {lacks(&Scope::Sliding::padding),
         "padding",
         {F::unequal_padding, F::padding, F::asymmetric_padding, F::end_padding_omitted,
          F::window_starts_in_padding, F::window_ends_in_padding, F::dilated_padding, F::counting_omitted,
          F::uncounted_padding, F::empty_window}},
        {lacks(&Scope::Sliding::dilation),
         "dilation",
         {F::dilation, F::dilated_padding, F::unequal_dilation}},
        {lacks(&Scope::Sliding::ceil),
         "ceil_mode",
         {F::ceil_overhang, F::ceil_exact, F::ceil_window_dropped}},
        {lacks(&Scope::Sliding::auto_pad),
         "auto_pad",
         {F::auto_pad_valid, F::auto_pad_same_upper, F::auto_pad_same_lower, F::auto_pad_odd}},
        {lacks(&Scope::Sliding::oversized) && lacks(&Scope::Sliding::oversized_by_ceil),
         "a kernel wider than its input",
         {F::oversized_kernel}},
        {lacks(&Scope::Sliding::uncounted), "uncounted padding", {F::uncounted_padding}},
        {lacks(&Scope::Sliding::divisor_override),
         "divisor_override",
         {F::divisor_override, F::negative_divisor}},
        {!s.empty_output, "an empty output", {F::empty_output}},
        {!s.row_column, "the index form 'row_column'", {F::row_column}},
    };
    for (const Row& row : rows)
        if (row.lacking && listed(row.features, f))
            return std::string(name(f)) + " needs " + row.what + ", which the profile does not have";
    const auto ranked = [&](auto is) { return std::any_of(s.ranks.begin(), s.ranks.end(), is); };
    const auto offset = [&](F first) { return static_cast<Index>(f) - static_cast<Index>(first); };
    if ((in(f, F::rank_1, F::rank_5) &&
         !ranked([&](const auto& r) { return r.second == offset(F::rank_1) + 1; })) ||
        (in(f, F::leading_0, F::leading_3) &&
         !ranked([&](const auto& r) { return r.first == offset(F::leading_0); })))
        return std::string(name(f)) + " is not among the shapes of the request";
    return std::nullopt;
}

}  // namespace

std::optional<std::string> impossible(const Scope& scope, Feature a, Feature b) {
    for (const F f : {a, b})
        if (auto why = absent(scope, f)) return why;
    for (const Excluding& x : excluding())
        if ((x.feature == a && listed(x.others, b)) || (x.feature == b && listed(x.others, a)))
            return x.because;
    const Needs first = needs(a), second = needs(b);
    const bool two_nodes = takes_two_nodes(a, b);
    for (unsigned op = 0; op < drawn_ops; ++op)
        for (unsigned mode = 0; mode < 3; ++mode)
            for (unsigned format = 0; format < 8; ++format)
                if ((scope.requested[op][mode] >> format & 1U) != 0 &&
                    first.met_by(scope, op, mode, format) && second.met_by(scope, op, mode, format) &&
                    (!two_nodes || op == static_cast<unsigned>(Op::graph)))
                    return std::nullopt;
    return "no op, mode and dtype of the request has both " + std::string(name(a)) + " and " +
           std::string(name(b));
}

Wish wish_for(const FeaturePair& pair) {
    Wish w;
    const bool two_nodes = takes_two_nodes(pair.first, pair.second);
    if (two_nodes) w.ops = graphs;
    w.mixed_ranks = two_nodes;
    for (const F f : {pair.first, pair.second}) {
        const Needs n = needs(f);
        w.ops &= n.ops;
        if (n.ops != ~0U) w.nodes |= n.ops & ~graphs;
        w.modes &= n.modes;
        w.formats &= n.formats;
        // Of two ranks the input has the greater, of two numbers of leading axes the smaller: a node over it
        // can take the other one.
        if (in(f, F::rank_1, F::rank_5)) w.ranks = nth(f, F::rank_1);
        if (in(f, F::leading_0, F::leading_3) && !(two_nodes && f == pair.second))
            w.leading = nth(f, F::leading_0);
        const auto on = [&](bool Swarm::*feature) { w.swarm.push_back(feature); };
        const auto prefer = [&](Values values) { w.input = w.input.value_or(values); };
        switch (f) {
            case F::empty_batch: w.empty_batch = true; break;
            case F::axis_past_128:
            case F::axis_past_256: w.large = true; break;
            case F::window_past_128:
            case F::window_past_256:
                w.large = true;
                on(&Swarm::whole);
                break;
            case F::asymmetric_padding: on(&Swarm::asymmetric); [[fallthrough]];
            case F::padding:
            case F::unequal_padding:
            case F::end_padding_omitted:
            case F::window_starts_in_padding:
            case F::window_ends_in_padding:
            case F::counting_omitted: on(&Swarm::padding); break;
            case F::empty_window:
                on(&Swarm::padding);
                on(&Swarm::wide_padding);
                break;
            case F::uncounted_padding:
                on(&Swarm::padding);
                on(&Swarm::uncounted);
                break;
            case F::oversized_kernel: on(&Swarm::oversized); break;
            case F::gap: on(&Swarm::gap); break;
            case F::dilated_padding: on(&Swarm::padding); [[fallthrough]];
            case F::dilation:
            case F::unequal_dilation: on(&Swarm::dilation); break;
            case F::ceil_overhang:
            case F::ceil_exact:
            case F::ceil_window_dropped: on(&Swarm::ceil); break;
            case F::auto_pad_valid:
            case F::auto_pad_same_upper:
            case F::auto_pad_same_lower:
            case F::auto_pad_odd: on(&Swarm::auto_pad); break;
            case F::divisor_override:
            case F::negative_divisor: on(&Swarm::divisor_override); break;
            case F::adaptive_more_bins: on(&Swarm::more_bins); break;
            case F::memory_channels_last:
            case F::memory_strided: on(&Swarm::memory); break;
            case F::constant: prefer(Values::constant); break;
            case F::ones: prefer(Values::ones); break;
            case F::near_ties: prefer(Values::near_ties); break;
            case F::all_negative: prefer(Values::all_negative); break;
            case F::one_hot: prefer(Values::impulse); break;
            case F::signed_zeros: prefer(Values::signed_zeros); break;
            case F::nan:
            case F::infinity:
                // Specials stand among all kinds of values, a single one among zeros.
                if (w.input != Values::impulse) w.input = Values::special;
                break;
            case F::subnormal: prefer(Values::subnormals); break;
            case F::format_edge: prefer(Values::edges); break;
            case F::wide_spread: prefer(Values::spread); break;
            case F::cancellation: prefer(Values::cancellation); break;
            case F::special_direction: w.direction = Values::special; break;
            case F::one_hot_direction: w.direction = Values::impulse; break;
            case F::wide_direction:
                if (!w.direction) w.direction = Values::spread;
                break;
            default: break;
        }
    }
    return w;
}

}  // namespace poolproof::generate

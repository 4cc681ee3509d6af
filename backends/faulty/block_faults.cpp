// SPDX-License-Identifier: Apache-2.0
// Faults of one layer, or past one count: in the fast path for a kernel and stride, in a block of lanes, in
// what a number is held in. Each other fault shows almost anywhere; these show in their place alone.
#include "backends/faulty/table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace poolproof::faulty {

namespace {

using Places = std::vector<Index>;

/// A fault in where windows look on their last axis, all axes being known.
std::function<void(Rules&)> on_last_axis(Places (*change)(const std::vector<Axis>&, Index, Places)) {
    return [change](Rules& r) {
        r.places = [change](const std::vector<Axis>& axes, std::size_t k, Index out) {
            Places p = honest().places(axes, k, out);
            return k + 1 == axes.size() ? change(axes, out, std::move(p)) : p;
        };
    };
}

/// Whether all axes are those of one layer of undilated squares.
bool layer(const std::vector<Axis>& axes, std::size_t rank, Index kernel, Index stride, Index pad) {
    return axes.size() == rank && std::all_of(axes.begin(), axes.end(), [&](const Axis& a) {
               return !a.bins && a.kernel == kernel && a.stride == stride && a.dilation == 1 &&
                      a.pad_begin == pad && a.pad_end == pad;
           });
}

Places without_last(Places p) {
    if (p.size() > 1) p.pop_back();
    return p;
}

Places last_of_layer(const std::vector<Axis>& axes, Index out, Places p, bool is_it) {
    return is_it && out + 1 == axes.back().out ? without_last(std::move(p)) : p;
}

Places bin_by_reciprocal(const Axis& a, Index out) {
    const double share = 1 / static_cast<double>(a.out);
    const auto edge = [&](Index i) { return static_cast<double>(i * a.extent) * share; };
    const Index begin = std::min(static_cast<Index>(edge(out)), a.extent - 1);
    const Index end = std::min(static_cast<Index>(std::ceil(edge(out + 1))), a.extent);
    Places p(static_cast<std::size_t>(std::max<Index>(end - begin, 1)));
    std::iota(p.begin(), p.end(), begin);
    return p;
}

/// A fault in which taps are taken for the winners.
std::function<void(Rules&)> won(void (*change)(const Site&, Winners&)) {
    return [change](Rules& r) {
        r.winners = [change](const Rules& rules, const Site& s) {
            Winners w = honest().winners(rules, s);
            change(s, w);
            return w;
        };
    };
}

Number sum_in_16_bits(const Site& s) {
    const Number sum = honest().sum(s);
    return is_integer(s.format) && width(s.format) == 8
               ? static_cast<Number>(static_cast<std::int16_t>(static_cast<std::int64_t>(sum)))
               : sum;
}

/// log-sum-exp without a shift, in double, wherever no exponent is past 740.
Number shifted_past_740(const Site& s) {
    double sum = 0;
    for (const Number x : s.values()) {
        const Number e = x * beta(s);
        if (!(std::abs(e) < 740)) return honest().smooth(s);
        sum += static_cast<double>(std::exp(e));
    }
    return sum == 0 || std::isinf(sum) || s.format != Format::f64 ? honest().smooth(s)
                                                                  : std::log(sum) / beta(s);
}

}  // namespace

std::vector<Fault> block_faults() {
    return {
        {"residual_layer_cut", "Misses the last tap of a row of 3 by 3 windows of stride 2 and padding 1.",
         "W1", on_last_axis([](const std::vector<Axis>& axes, Index out, Places p) {
             return last_of_layer(axes, out, std::move(p), layer(axes, 2, 3, 2, 1));
         })},
        {"inception_layer_cut", "Misses the last tap of a row of 3 by 3 windows of stride 1 and padding 1.",
         "W1", on_last_axis([](const std::vector<Axis>& axes, Index out, Places p) {
             return last_of_layer(axes, out, std::move(p), layer(axes, 2, 3, 1, 1));
         })},
        {"last_layer_cut", "Misses the last tap of a row of 7 by 7 windows of stride 7.", "W1",
         on_last_axis([](const std::vector<Axis>& axes, Index out, Places p) {
             return last_of_layer(axes, out, std::move(p), layer(axes, 2, 7, 7, 0));
         })},
        {"odd_width_moved", "Moves the last of 2 by 2 windows of stride 2 to the end of an odd row.", "W1",
         on_last_axis([](const std::vector<Axis>& axes, Index out, Places p) {
             const Axis& a = axes.back();
             if (layer(axes, 2, 2, 2, 0) && a.extent % 2 == 1 && a.extent > 2 && out + 1 == a.out)
                 p = {a.extent - 2, a.extent - 1};
             return p;
         })},
        {"late_nodes_undilated", "Ignores the dilation of a graph's third node and of later ones.", "W1",
         [](Rules& r) {
             r.wire = [](std::vector<NodePlan>& nodes) {
                 for (std::size_t k = 2; k < nodes.size(); ++k)
                     if (nodes[k].pool)
                         for (Axis& a : nodes[k].pool->axes) a.dilation = 1;
             };
         }},
        {"slices_past_sixteen", "Reads the sixteenth slice for all past it.", "W1",
         [](Rules& r) { r.slice = [](Index s, Index) { return std::min<Index>(s, 15); }; }},
        {"bins_by_reciprocal", "Finds bins by the reciprocal of their number, in double.", "A1",
         binned(bin_by_reciprocal)},
        {"byte_sums_in_16_bits", "Adds up bytes in sixteen bits.", "V1", summed(sum_in_16_bits)},
        {"divisor_in_its_own", "Rounds the divisor to the case's 16-bit format.", "VDiv",
         [](Rules& r) {
             r.divisor = [](const Site& s) {
                 const Number n = honest().divisor(s);
                 const bool narrow = !is_integer(s.format) && width(s.format) == 16;
                 return narrow && std::isfinite(rounded(s.format, n)) ? rounded(s.format, n) : n;
             };
         }},
        {"far_ties_last", "Lets the last win of ties that are more than sixteen taps apart.", "MTie",
         won([](const Site&, Winners& w) {
             if (!w.tied.empty() && w.tied.back() - w.tied.front() > 16)
                 std::reverse(w.tied.begin(), w.tied.end());
         })},
        {"shifted_past_740", "Takes no shift out of exponents of less than 740.", "S1",
         [](Rules& r) { r.smooth = shifted_past_740; }},
    };
}

}  // namespace poolproof::faulty

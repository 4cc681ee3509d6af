// SPDX-License-Identifier: Apache-2.0
// Adaptive and global pooling.
#include "backends/faulty/table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace poolproof::faulty {

namespace {

using Places = std::vector<Index>;

/// The places of a bin from `begin` to before `end`, at least one of them.
Places range(const Axis& a, Index begin, Index end) {
    begin = std::clamp<Index>(begin, 0, a.extent - 1);
    Places p(static_cast<std::size_t>(std::max<Index>(std::min(end, a.extent) - begin, 1)));
    std::iota(p.begin(), p.end(), begin);
    return p;
}

Index begin_of(const Axis& a, Index i) { return i * a.extent / a.out; }
Index end_of(const Axis& a, Index i) { return ((i + 1) * a.extent + a.out - 1) / a.out; }

bool global(const PoolPlan& p) {
    return std::all_of(p.axes.begin(), p.axes.end(), [](const Axis& a) { return a.bins && a.out == 1; });
}

/// A fault of global averages alone.
std::function<void(Rules&)> global_divisor(Number (*divisor)(const Site&)) {
    return [divisor](Rules& r) {
        r.divisor = [divisor](const Site& s) { return global(s.pool) ? divisor(s) : honest().divisor(s); };
    };
}

}  // namespace

std::function<void(Rules&)> binned(Places (*bin)(const Axis&, Index)) {
    return [bin](Rules& r) {
        r.places = [bin](const std::vector<Axis>& axes, std::size_t k, Index out) {
            return axes[k].bins ? bin(axes[k], out) : honest().places(axes, k, out);
        };
    };
}

std::vector<Fault> bin_faults() {
    return {
        {"bin_end_down", "Rounds the end of a bin down.", "A2",
         binned([](const Axis& a, Index i) { return range(a, begin_of(a, i), (i + 1) * a.extent / a.out); })},
        {"bin_end_nearest", "Rounds the end of a bin to the nearest cell.", "A2",
         binned([](const Axis& a, Index i) {
             return range(a, begin_of(a, i), (2 * (i + 1) * a.extent + a.out) / (2 * a.out));
         })},
        {"bin_end_next_begin", "Ends a bin one cell past the next one's begin.", "A2",
         binned([](const Axis& a, Index i) {
             return range(a, begin_of(a, i), (i + 1) * a.extent / a.out + (i + 1 < a.out ? 1 : 0));
         })},
        {"bin_begin_up", "Rounds the begin of a bin up.", "A1", binned([](const Axis& a, Index i) {
             return range(a, (i * a.extent + a.out - 1) / a.out, end_of(a, i));
         })},
        {"bin_begin_nearest", "Rounds the begin of a bin to the nearest cell.", "A1",
         binned([](const Axis& a, Index i) {
             return range(a, (2 * i * a.extent + a.out) / (2 * a.out), end_of(a, i));
         })},
        {"bin_begin_by_float_ratio", "Finds the begin of a bin by a single-precision ratio.", "A1",
         binned([](const Axis& a, Index i) {
             const float ratio = static_cast<float>(a.extent) / static_cast<float>(a.out);
             return range(a, static_cast<Index>(static_cast<float>(i) * ratio), end_of(a, i));
         })},
        {"bin_end_by_float_ratio", "Finds the end of a bin by a single-precision ratio.", "A2",
         binned([](const Axis& a, Index i) {
             const float ratio = static_cast<float>(a.extent) / static_cast<float>(a.out);
             return range(a, begin_of(a, i),
                          static_cast<Index>(std::ceil(static_cast<float>(i + 1) * ratio)));
         })},
        {"bins_uniform", "Uses one kernel and stride for all bins.", "A1", binned([](const Axis& a, Index i) {
             const Index stride = std::max<Index>(a.extent / a.out, 1);
             const Index kernel = std::max<Index>(a.extent - (a.out - 1) * stride, 1);
             return range(a, i * stride, i * stride + kernel);
         })},
        {"bins_of_ceil", "Gives every bin the rounded-up share of cells.", "A2",
         binned([](const Axis& a, Index i) {
             return range(a, begin_of(a, i), begin_of(a, i) + (a.extent + a.out - 1) / a.out);
         })},
        {"last_bin_takes_rest", "Gives bins the rounded-down share and the last one the rest.", "A1",
         binned([](const Axis& a, Index i) {
             const Index share = a.extent / a.out;
             return range(a, i * share, i + 1 == a.out ? a.extent : (i + 1) * share);
         })},
        {"bins_disjoint", "Lets no cell be in two bins.", "A1", binned([](const Axis& a, Index i) {
             const Index begin = i == 0 ? 0 : std::max(begin_of(a, i), end_of(a, i - 1));
             return range(a, begin, end_of(a, i));
         })},
        {"bin_one_long", "Makes bins one cell longer than they are.", "A2",
         binned([](const Axis& a, Index i) { return range(a, begin_of(a, i), end_of(a, i) + 1); })},
        {"bin_one_early", "Begins bins but the first one cell early.", "A1",
         binned([](const Axis& a, Index i) {
             return range(a, begin_of(a, i) - (i > 0 ? 1 : 0), end_of(a, i));
         })},
        {"bin_is_one_cell", "Takes the cell in the middle for the bin.", "A2",
         binned([](const Axis& a, Index i) {
             const Index middle = (2 * i + 1) * a.extent / (2 * a.out);
             return range(a, middle, middle + 1);
         })},
        {"surplus_bins_at_the_end", "Gives bins beyond the number of cells the last cell.", "A1",
         binned([](const Axis& a, Index i) {
             return a.out > a.extent ? range(a, i, i + 1) : range(a, begin_of(a, i), end_of(a, i));
         })},
        {"bins_by_first_axis", "Computes the bins of every axis from the first axis' extent.", "A1",
         [](Rules& r) {
             r.places = [](const std::vector<Axis>& axes, std::size_t k, Index out) {
                 if (!axes[k].bins) return honest().places(axes, k, out);
                 Axis like = axes[k];
                 like.extent = axes[0].extent;
                 return range(axes[k], begin_of(like, out), end_of(like, out));
             };
         }},
        {"bins_reversed", "Fills the bins of the last axis from the end.", "A1",
         [](Rules& r) {
             r.places = [](const std::vector<Axis>& axes, std::size_t k, Index out) {
                 const bool turned = axes[k].bins && k + 1 == axes.size();
                 return honest().places(axes, k, turned ? axes[k].out - 1 - out : out);
             };
         }},
        {"output_size_swapped", "Swaps the output sizes of the last two axes.", "WOut",
         [](Rules& r) {
             r.read = [](Attributes& a, const Reading&) {
                 if (a.output_size && a.output_size->size() > 1)
                     std::swap(a.output_size->back(), a.output_size->end()[-2]);
             };
         }},
        {"bin_divisor_even", "Divides every adaptive average by the rounded-down share of cells.", "VReal",
         [](Rules& r) {
             r.divisor = [](const Site& s) {
                 if (!s.pool.axes[0].bins) return honest().divisor(s);
                 Number d = 1;
                 for (const Axis& a : s.pool.axes)
                     d *= static_cast<Number>(std::max<Index>(a.extent / a.out, 1));
                 return d;
             };
         }},
        {"global_last_two_axes", "Reduces the last two axes only.", "A2",
         [](Rules& r) {
             r.places = [](const std::vector<Axis>& axes, std::size_t k, Index out) {
                 const bool left_out = axes[k].bins && axes[k].out == 1 && k + 2 < axes.size();
                 return left_out ? Places{0} : honest().places(axes, k, out);
             };
         }},
        {"global_misses_last_cell", "Leaves out the last cell of a global window's last axis.", "A2",
         [](Rules& r) {
             r.places = [](const std::vector<Axis>& axes, std::size_t k, Index out) {
                 Places p = honest().places(axes, k, out);
                 if (axes[k].bins && axes[k].out == 1 && k + 1 == axes.size() && p.size() > 1) p.pop_back();
                 return p;
             };
         }},
        {"global_not_divided", "Returns the sum for a global average.", "VReal",
         global_divisor([](const Site&) { return Number{1}; })},
        {"global_divides_by_last_axis", "Divides a global average by the last extent.", "VReal",
         global_divisor([](const Site& s) { return static_cast<Number>(s.pool.axes.back().extent); })},
        {"global_divides_by_square", "Divides a global average by the square of the last extent.", "VReal",
         global_divisor([](const Site& s) {
             const auto n = static_cast<Number>(s.pool.axes.back().extent);
             return s.pool.axes.size() == 2 ? n * n : honest().divisor(s);
         })},
        {"global_first_slice_alone", "Leaves the global averages of all slices but the first at zero.", "A2",
         [](Rules& r) {
             r.sum = [](const Site& s) { return global(s.pool) && s.slice > 0 ? 0 : honest().sum(s); };
         }},
    };
}

}  // namespace poolproof::faulty

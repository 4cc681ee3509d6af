// SPDX-License-Identifier: Apache-2.0
// Right values, wrong derivatives.
#include "backends/faulty/table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace poolproof::faulty {

namespace {

/// The plan as one derivative misreads it; forward stays right.
std::function<void(Rules&)> settled_in(Mode mode, void (*change)(PoolPlan&)) {
    return [mode, change](Rules& r) {
        r.settle = [mode, change](PoolPlan& p, Mode m) {
            if (m == mode) change(p);
        };
    };
}

void each_axis(PoolPlan& p, void (*change)(Axis&)) {
    for (Axis& a : p.axes) change(a);
}

std::function<void(Rules&)> divided_in(Mode mode, Number (*divisor)(const Site&)) {
    return [mode, divisor](Rules& r) {
        r.divisor = [mode, divisor](const Site& s) {
            return s.mode == mode ? divisor(s) : honest().divisor(s);
        };
    };
}

std::function<void(Rules&)> pulled(void (*pull)(const Site&, Number&, Number)) {
    return [pull](Rules& r) { r.pull = pull; };
}

std::function<void(Rules&)> accumulated(Format format) {
    return [format](Rules& r) {
        r.pull = [format](const Site&, Number& to, Number sent) { to = rounded(format, to + sent); };
    };
}

std::function<void(Rules&)> sent_by(std::size_t (*sender)(const Site&, std::size_t)) {
    return [sender](Rules& r) { r.sender = sender; };
}

/// Changes the weights of one reduction.
std::function<void(Rules&)> weighed(Reduction reduction, void (*change)(const Site&, Values&)) {
    return [reduction, change](Rules& r) {
        r.row = [reduction, change](const Rules& rules, const Site& s) {
            Values row = honest().row(rules, s);
            if (s.pool.reduction == reduction) change(s, row);
            return row;
        };
    };
}

/// Where the taps of a maximum over no cell step to first at or after the input's begin, if its number is
/// that of a cell.
std::optional<Index> first_place(const Site& s) {
    if (s.pool.reduction != Reduction::max || s.real_taps() > 0) return std::nullopt;
    Index cell = 0;
    for (std::size_t k = 0; k < s.pool.axes.size(); ++k) {
        Index place = s.window.places[k].front();
        while (place < 0) place += s.pool.axes[k].dilation;
        cell = cell * s.pool.axes[k].extent + place;
    }
    return cell < static_cast<Index>(s.x.size()) ? std::optional(cell) : std::nullopt;
}

Number undivided(const Site&) { return 1; }
Number real_cells(const Site& s) { return static_cast<Number>(s.real_taps()); }
Number all_taps(const Site& s) { return static_cast<Number>(s.taps()); }
Number without_override(const Site& s) { return static_cast<Number>(s.parts()); }

std::size_t transposed(const Site& s, std::size_t output) {
    if (s.pool.axes.size() < 2) return output;
    const Index rows = s.pool.axes.end()[-2].out, columns = s.pool.axes.back().out;
    const Index within = s.output % (rows * columns), row = within / columns, column = within % columns;
    return output - static_cast<std::size_t>(within) + static_cast<std::size_t>(column * rows + row);
}

void give_all_to(Values& row, std::size_t tap) {
    const Number total = std::accumulate(row.begin(), row.end(), Number{0});
    std::fill(row.begin(), row.end(), 0);
    row[tap] = total;
}

}  // namespace

std::vector<Fault> derivative_faults() {
    return {
        {"overlap_assigns", "Lets the last window to send a gradient overwrite the others.", "VDiv",
         pulled([](const Site&, Number& to, Number sent) { to = sent; })},
        {"overlap_keeps_first", "Drops every gradient of a cell but the first.", "VDiv",
         pulled([](const Site&, Number& to, Number sent) { to = to == 0 ? sent : to; })},
        {"overlap_keeps_greatest", "Keeps the greatest of a cell's gradients.", "VDiv",
         pulled([](const Site&, Number& to, Number sent) { to = to == 0 ? sent : std::max(to, sent); })},
        {"overlap_adds_magnitude", "Adds the magnitudes of overlapping gradients.", "VDiv",
         pulled([](const Site&, Number& to, Number sent) {
             to = to == 0 ? sent : std::copysign(std::abs(to) + std::abs(sent), to);
         })},
        {"gradient_in_f16", "Adds gradients up in binary16.", "VDiv", accumulated(Format::f16)},
        {"gradient_in_bf16", "Adds gradients up in bfloat16.", "VDiv", accumulated(Format::bf16)},
        {"gradient_in_f32", "Adds gradients up in binary32.", "VDiv", accumulated(Format::f32)},
        {"gradient_clipped", "Holds gradients between -1 and 1.", "VDiv",
         pulled([](const Site&, Number& to, Number sent) { to = std::clamp<Number>(to + sent, -1, 1); })},
        {"gradient_negated", "Subtracts gradients.", "VDiv",
         pulled([](const Site&, Number& to, Number sent) { to -= sent; })},
        {"gradient_of_first_window", "Sends the first window's cotangent from every window.", "VDiv",
         sent_by(
             [](const Site& s, std::size_t output) { return output - static_cast<std::size_t>(s.output); })},
        {"gradient_of_first_slice", "Sends the first slice's cotangents from every slice.", "VDiv",
         sent_by([](const Site& s, std::size_t) { return static_cast<std::size_t>(s.output); })},
        {"gradient_transposed", "Reads the cotangent with its last two axes swapped.", "VDiv",
         sent_by(transposed)},
        {"gradient_reversed", "Reads a slice's cotangents backwards.", "VDiv",
         sent_by([](const Site& s, std::size_t output) {
             return output + static_cast<std::size_t>(s.outputs - 1 - s.output) -
                    static_cast<std::size_t>(s.output);
         })},
        {"last_window_sends_nothing", "Leaves the last of several windows out of the gradient.", "VDiv",
         [](Rules& r) {
             r.row = [](const Rules& rules, const Site& s) {
                 const bool last = s.mode == Mode::vjp && s.outputs > 1 && s.output == s.outputs - 1;
                 return last ? Values(s.taps()) : honest().row(rules, s);
             };
         }},
        {"every_tie_gets_gradient", "Gives each of tied maxima the whole gradient.", "MTie",
         settled_in(Mode::vjp, [](PoolPlan& p) { p.policy.ties = Ties::all; })},
        {"every_tie_pushes", "Adds the tangents of tied maxima.", "MTie",
         settled_in(Mode::jvp, [](PoolPlan& p) { p.policy.ties = Ties::all; })},
        {"ties_split_gradient", "Shares the gradient evenly among tied maxima.", "MTie",
         settled_in(Mode::vjp, [](PoolPlan& p) { p.policy.ties = Ties::split; })},
        {"ties_average_tangents", "Averages the tangents of tied maxima.", "MTie",
         settled_in(Mode::jvp, [](PoolPlan& p) { p.policy.ties = Ties::split; })},
        {"last_tie_gets_gradient", "Sends the gradient to the last of tied maxima.", "MTie",
         settled_in(Mode::vjp, [](PoolPlan& p) { p.policy.ties = Ties::last; })},
        {"last_tie_pushes", "Pushes the tangent of the last of tied maxima.", "MTie",
         settled_in(Mode::jvp, [](PoolPlan& p) { p.policy.ties = Ties::last; })},
        {"global_first_tie", "Sends a global maximum's gradient to the first of tied cells alone.", "MTie",
         [](Rules& r) {
             r.settle = [](PoolPlan& p, Mode) {
                 if (p.policy.ties == Ties::all) p.policy.ties = Ties::first;
             };
         }},
        {"greatest_tangent", "Pushes the greatest tangent of a maximum's window.", "MTie",
         [](Rules& r) {
             r.push = [](const Site& s, const Values& row, const Values& tangents) {
                 if (s.pool.reduction != Reduction::max || s.real_taps() == 0)
                     return honest().push(s, row, tangents);
                 std::optional<Number> best;
                 for (std::size_t k = 0; k < s.taps(); ++k)
                     if (s.real(k)) best = best ? std::max(*best, tangents[k]) : tangents[k];
                 return *best;
             };
         }},
        {"value_pushed", "Pushes the input in place of the tangent.", "VDiv",
         [](Rules& r) {
             r.push = [](const Site& s, const Values& row, const Values&) {
                 Values x(s.taps());
                 for (std::size_t k = 0; k < x.size(); ++k) x[k] = s.value(k);
                 return honest().push(s, row, x);
             };
         }},
        {"tangent_magnitude", "Pushes the magnitude of a tangent.", "VDiv",
         [](Rules& r) {
             r.push = [](const Site& s, const Values& row, const Values& t) {
                 return std::abs(honest().push(s, row, t));
             };
         }},
        {"first_tap_tangent", "Pushes a maximum's tangent from the window's first cell.", "MTie",
         weighed(Reduction::max,
                 [](const Site& s, Values& row) {
                     if (s.mode == Mode::jvp && s.real(0)) give_all_to(row, 0);
                 })},
        {"gradient_one_further", "Sends a maximum's gradient to the tap after the winner.", "MTie",
         weighed(Reduction::max,
                 [](const Site& s, Values& row) {
                     for (std::size_t k = 0; k + 1 < row.size(); ++k)
                         if (row[k] != 0 && s.real(k + 1)) return give_all_to(row, k + 1);
                 })},
        {"gradient_spread_evenly", "Spreads a maximum's gradient over all cells of the window.", "MTie",
         weighed(Reduction::max,
                 [](const Site& s, Values& row) {
                     for (std::size_t k = 0; k < row.size(); ++k) row[k] = s.real(k) ? 1 / real_cells(s) : 0;
                 })},
        {"near_tie_gets_gradient", "Takes cells equal in binary32, or near in 16 bits, for tied.", "MTie",
         [](Rules& r) {
             r.tie = [](const Site& s, Number x, Number best) {
                 const Format f = s.format == Format::f64 ? Format::f32 : Format::bf16;
                 return s.mode == Mode::forward ? honest().tie(s, x, best)
                                                : rounded(f, x) == rounded(f, best);
             };
             r.settle = [](PoolPlan& p, Mode m) {
                 if (m != Mode::forward && p.policy.ties == Ties::first) p.policy.ties = Ties::last;
             };
         }},
        {"no_cell_has_a_winner", "Sends the gradient of a maximum over no cell to some cell.", "DEmpty",
         [](Rules& r) { r.stray = first_place; }},
        {"zero_winner_gets_nothing", "Sends no gradient to a maximum of zero.", "MTie",
         weighed(Reduction::max,
                 [](const Site& s, Values& row) {
                     for (std::size_t k = 0; k < row.size(); ++k) row[k] *= s.value(k) == 0 ? 0 : 1;
                 })},
        {"negative_winner_gets_nothing", "Sends no gradient to a negative maximum.", "MTie",
         weighed(Reduction::max,
                 [](const Site& s, Values& row) {
                     for (std::size_t k = 0; k < row.size(); ++k) row[k] *= s.value(k) < 0 ? 0 : 1;
                 })},
        {"zeros_of_two_signs_no_tie", "Holds -0 for less than +0 in derivatives.", "MTie",
         [](Rules& r) {
             r.settle = [](PoolPlan& p, Mode m) {
                 if (m != Mode::forward) p.policy.signed_zero = SignedZero::positive;
             };
         }},
        {"average_gradient_to_first", "Sends an average's gradient to the first cell of the window.", "VDiv",
         weighed(Reduction::average,
                 [](const Site& s, Values& row) {
                     if (s.mode == Mode::vjp && s.real(0)) give_all_to(row, 0);
                 })},
        {"average_gradient_to_positive", "Sends no gradient to negative cells of an average.", "VDiv",
         weighed(Reduction::average,
                 [](const Site& s, Values& row) {
                     for (std::size_t k = 0; k < row.size(); ++k) row[k] *= s.value(k) < 0 ? 0 : 1;
                 })},
        {"gradient_not_divided", "Sends an average's gradient undivided.", "VDiv",
         divided_in(Mode::vjp, undivided)},
        {"tangent_not_divided", "Pushes the sum of an average's tangents.", "VDiv",
         divided_in(Mode::jvp, undivided)},
        {"gradient_by_real_cells", "Divides an average's gradient by the real cells.", "VPad",
         divided_in(Mode::vjp, real_cells)},
        {"tangent_by_real_cells", "Divides an average's tangent by the real cells.", "VPad",
         divided_in(Mode::jvp, real_cells)},
        {"gradient_by_all_taps", "Divides an average's gradient by all taps.", "VReal",
         divided_in(Mode::vjp, all_taps)},
        {"gradient_without_override", "Ignores divisor_override in the gradient.", "VOver",
         divided_in(Mode::vjp, without_override)},
        {"tangent_without_override", "Ignores divisor_override in the tangent.", "VOver",
         divided_in(Mode::jvp, without_override)},
        {"gradient_override_unsigned", "Loses the sign of divisor_override in the gradient.", "VOver",
         divided_in(Mode::vjp, [](const Site& s) { return std::abs(honest().divisor(s)); })},
        {"gradient_undilated", "Ignores the dilation in the gradient.", "W1",
         settled_in(Mode::vjp, [](PoolPlan& p) { each_axis(p, [](Axis& a) { a.dilation = 1; }); })},
        {"tangent_undilated", "Ignores the dilation in the tangent.", "W1",
         settled_in(Mode::jvp, [](PoolPlan& p) { each_axis(p, [](Axis& a) { a.dilation = 1; }); })},
        {"gradient_unpadded", "Ignores the begin padding in the gradient.", "W1",
         settled_in(Mode::vjp, [](PoolPlan& p) { each_axis(p, [](Axis& a) { a.pad_begin = 0; }); })},
        {"gradient_stride_is_kernel", "Moves by the kernel in the gradient.", "W1",
         settled_in(Mode::vjp, [](PoolPlan& p) { each_axis(p, [](Axis& a) { a.stride = a.kernel; }); })},
        {"gradient_strides_swapped", "Swaps the strides of the last two axes in the gradient.", "W1",
         settled_in(Mode::vjp,
                    [](PoolPlan& p) {
                        if (p.axes.size() > 1) std::swap(p.axes.back().stride, p.axes.end()[-2].stride);
                    })},
        {"gradient_kernels_swapped", "Swaps the kernels of the last two axes in the gradient.", "W1",
         settled_in(Mode::vjp,
                    [](PoolPlan& p) {
                        if (p.axes.size() > 1) std::swap(p.axes.back().kernel, p.axes.end()[-2].kernel);
                    })},
        {"gradient_bins_uniform", "Sends adaptive gradients by bins that end where the next begins.", "A2",
         [](Rules& r) {
             r.row = [](const Rules& rules, const Site& s) {
                 Values row = honest().row(rules, s);
                 const auto& last = s.pool.axes.back();
                 const auto& p = s.window.places.back();
                 const Index next = (s.output % last.out + 1) * last.extent / last.out;
                 for (std::size_t k = 0; last.bins && s.mode == Mode::vjp && k < row.size(); ++k)
                     if (p[k % p.size()] >= next && next > p.front()) row[k] = 0;
                 return row;
             };
         }},
        {"smooth_gradient_is_hard", "Sends a smooth maximum's gradient to the greatest cell.", "SJvp",
         weighed(Reduction::smooth_max,
                 [](const Site& s, Values& row) {
                     const auto winner = std::max_element(row.begin(), row.end()) - row.begin();
                     if (s.mode == Mode::vjp) give_all_to(row, static_cast<std::size_t>(winner));
                 })},
        {"smooth_gradient_averaged", "Divides a smooth maximum's gradient by its number of taps.", "SJvp",
         weighed(Reduction::smooth_max,
                 [](const Site& s, Values& row) {
                     for (Number& w : row) w /= s.mode == Mode::vjp ? static_cast<Number>(s.parts()) : 1;
                 })},
    };
}

}  // namespace poolproof::faulty

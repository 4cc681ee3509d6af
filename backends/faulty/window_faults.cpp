// SPDX-License-Identifier: Apache-2.0
// Sliding windows in the wrong place, and cells read from the wrong place.
#include "backends/faulty/table.hpp"

#include <algorithm>

namespace poolproof::faulty {

namespace {

using Places = std::vector<Index>;

/// A fault in where a sliding axis looks.
std::function<void(Rules&)> misplaced(Places (*change)(const Axis&, Places)) {
    return [change](Rules& r) {
        r.places = [change](const std::vector<Axis>& axes, std::size_t k, Index out) {
            Places p = honest().places(axes, k, out);
            return axes[k].bins ? p : change(axes[k], std::move(p));
        };
    };
}

/// A fault in which cell is read at a place.
std::function<void(Rules&)> misaddressed(Index (*cell)(const Axis&, Index)) {
    return [cell](Rules& r) { r.cell = cell; };
}

bool on_input(const Axis& a, Index place) { return place >= 0 && place < a.extent; }

Index wrapped(Index place, Index extent) { return ((place % extent) + extent) % extent; }

Places moved(Places p, Index by) {
    for (Index& place : p) place += by;
    return p;
}

}  // namespace

std::vector<Fault> window_faults() {
    return {
        {"dilation_from_first_cell", "Starts the dilated taps at the first cell of the input.", "W1",
         misplaced([](const Axis&, Places p) {
             const auto first = std::find_if(p.begin(), p.end(), [](Index i) { return i >= 0; });
             if (p.front() >= 0 || first == p.end()) return p;
             std::transform(first, p.end(), first, [by = *first](Index i) { return i - by; });
             return p;
         })},
        {"window_moved_inside", "Moves a window that begins in padding until it begins on the input.", "W1",
         misplaced([](const Axis&, Places p) {
             const Index by = std::max<Index>(-p.front(), 0);
             return moved(std::move(p), by);
         })},
        {"window_moved_back", "Moves a window that ends in padding until it ends on the input.", "W1",
         misplaced([](const Axis& a, Places p) {
             const Index by = std::max<Index>(std::min(p.back() - a.extent + 1, p.front()), 0);
             return moved(std::move(p), -by);
         })},
        {"last_tap_missed", "Leaves out the last tap of a window.", "W1",
         misplaced([](const Axis&, Places p) {
             if (p.size() > 1) p.pop_back();
             return p;
         })},
        {"one_tap_too_many", "Takes one tap too many.", "W1", misplaced([](const Axis& a, Places p) {
             p.push_back(p.back() + a.dilation);
             return p;
         })},
        {"padded_window_one_late", "Begins one cell late where there is begin padding.", "W1",
         misplaced([](const Axis& a, Places p) { return moved(std::move(p), a.pad_begin > 0 ? 1 : 0); })},
        {"stride_dilated", "Multiplies the stride by the dilation.", "W1",
         misplaced([](const Axis& a, Places p) {
             const Index start = p.front() + a.pad_begin;
             return moved(std::move(p), start * (a.dilation - 1));
         })},
        {"stride_as_dilation", "Spaces the taps by the stride.", "W1", misplaced([](const Axis& a, Places p) {
             for (std::size_t k = 0; k < p.size(); ++k)
                 p[k] += static_cast<Index>(k) * (a.stride - a.dilation);
             return p;
         })},
        {"begin_pad_twice", "Subtracts the begin padding twice.", "W1",
         misplaced([](const Axis& a, Places p) { return moved(std::move(p), -a.pad_begin); })},
        {"begin_pad_from_end", "Begins the first window by the end padding.", "W1",
         misplaced([](const Axis& a, Places p) { return moved(std::move(p), a.pad_begin - a.pad_end); })},
        {"lane_remainder_dropped", "Drops the taps past the last full group of four.", "W2",
         misplaced([](const Axis&, Places p) {
             if (p.size() > 4) p.resize(p.size() / 4 * 4);
             return p;
         })},
        {"padding_mirrors", "Fills padding with the mirrored input.", "W1",
         misaddressed([](const Axis& a, Index i) {
             const Index m = i < 0 ? -i : 2 * (a.extent - 1) - i;
             return on_input(a, i) ? i : on_input(a, m) ? m : padding;
         })},
        {"padding_repeats_edge", "Fills padding with the nearest cell of the input.", "W1",
         misaddressed([](const Axis& a, Index i) { return std::clamp<Index>(i, 0, a.extent - 1); })},
        {"padding_wraps", "Fills padding from the other side of the input.", "W1",
         misaddressed([](const Axis& a, Index i) { return wrapped(i, a.extent); })},
        {"cell_number_narrow", "Keeps a cell's number in eight bits.", "W1",
         misaddressed([](const Axis& a, Index i) { return on_input(a, i) ? i & 0xff : padding; })},
        {"cell_number_signed", "Keeps a cell's number in seven bits.", "W1",
         misaddressed([](const Axis& a, Index i) { return on_input(a, i) ? i & 0x7f : padding; })},
        {"last_row_dropped", "Never reads the last cell of an axis.", "W1",
         misaddressed([](const Axis& a, Index i) {
             return on_input(a, i) && (i + 1 < a.extent || a.extent == 1) ? i : padding;
         })},
        {"first_row_dropped", "Never reads the first cell of an axis under padding.", "W1",
         misaddressed([](const Axis& a, Index i) {
             return on_input(a, i) && !(i == 0 && a.pad_begin > 0) ? i : padding;
         })},
        {"slice_zero_reused", "Reads the first slice for all of them.", "W1",
         [](Rules& r) { r.slice = [](Index, Index) { return Index{0}; }; }},
        {"slices_reversed", "Reads the slices backwards.", "W1",
         [](Rules& r) { r.slice = [](Index s, Index n) { return n - 1 - s; }; }},
        {"last_slice_repeats", "Reads the slice before the last for the last.", "W1",
         [](Rules& r) { r.slice = [](Index s, Index n) { return s == n - 1 && s > 1 ? s - 1 : s; }; }},
    };
}

}  // namespace poolproof::faulty

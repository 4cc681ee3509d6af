// SPDX-License-Identifier: Apache-2.0
// Attributes misread, dropped, or given another default.
#include "backends/faulty/table.hpp"

#include <algorithm>

namespace poolproof::faulty {

namespace {

using List = std::optional<std::vector<Index>>;

void swap_last_two(List& list) {
    if (list && list->size() > 1) std::swap(list->back(), list->end()[-2]);
}

void spread_first(List& list) {
    if (list) std::fill(list->begin(), list->end(), list->front());
}

std::vector<Index> repeated(const List& like, Index n) { return std::vector<Index>(like->size(), n); }

bool same(const Attributes& a) { return a.auto_pad && *a.auto_pad != AutoPad::valid; }

/// Pads as a list of all begins, then all ends.
void interleave_pads(Attributes& a) {
    if (!a.pad_begin || !a.pad_end) return;
    std::vector<Index> all = *a.pad_begin;
    all.insert(all.end(), a.pad_end->begin(), a.pad_end->end());
    for (std::size_t k = 0; k < a.pad_begin->size(); ++k) {
        (*a.pad_begin)[k] = all[2 * k];
        (*a.pad_end)[k] = all[2 * k + 1];
    }
}

void same_pads_undilated(Attributes& a, const Reading& r) {
    if (!same(a) || !a.dilation || r.input == nullptr) return;
    const std::size_t rank = a.kernel->size(), leading = r.input->size() - rank;
    a.pad_begin = a.pad_end = repeated(a.kernel, 0);
    for (std::size_t k = 0; k < rank; ++k) {
        const Index extent = (*r.input)[leading + k], kernel = (*a.kernel)[k];
        const Index stride = a.stride ? (*a.stride)[k] : kernel;
        const Index total =
            std::max<Index>(((extent + stride - 1) / stride - 1) * stride + kernel - extent, 0);
        (*a.pad_begin)[k] = a.auto_pad == AutoPad::same_upper ? total / 2 : total - total / 2;
        (*a.pad_end)[k] = total - (*a.pad_begin)[k];
    }
    a.auto_pad.reset();
}

/// A fault in reading the attributes of an op that slides.
std::function<void(Rules&)> misread(void (*change)(Attributes&)) {
    return [change](Rules& r) {
        r.read = [change](Attributes& a, const Reading&) {
            if (a.kernel) change(a);
        };
    };
}

}  // namespace

std::vector<Fault> attribute_faults() {
    return {
        {"ceil_ignored", "Rounds the output size down although ceil_mode is on.", "WCeil",
         misread([](Attributes& a) { a.ceil_mode.reset(); })},
        {"ceil_always", "Rounds the output size up although ceil_mode is off.", "WOut",
         misread([](Attributes& a) { a.ceil_mode = true; })},
        {"ceil_default_on", "Takes an omitted ceil_mode for true.", "WOut",
         misread([](Attributes& a) { a.ceil_mode = a.ceil_mode.value_or(true); })},
        {"ceil_keeps_last_window", "Keeps a last window that begins in the end padding.", "WCeil",
         [](Rules& r) { r.choose = [](Choices& c) { c.ceil_rule = CeilRule::keep; }; }},
        {"ceil_as_end_padding", "Rounds up by adding stride - 1 to the end padding.", "WCeil",
         misread([](Attributes& a) {
             if (!a.ceil_mode.value_or(false) || a.auto_pad) return;
             if (!a.pad_end) a.pad_end = a.pad_begin ? a.pad_begin : repeated(a.kernel, 0);
             for (std::size_t k = 0; k < a.kernel->size(); ++k)
                 (*a.pad_end)[k] += (a.stride ? *a.stride : *a.kernel)[k] - 1;
             a.ceil_mode.reset();
         })},
        {"dilation_ignored", "Ignores the dilation.", "W1",
         misread([](Attributes& a) { a.dilation.reset(); })},
        {"dilation_one_more", "Takes the dilation for the number of cells between two taps.", "W1",
         misread([](Attributes& a) {
             if (a.dilation)
                 for (Index& d : *a.dilation) ++d;
         })},
        {"dilation_of_first_axis", "Uses the first axis' dilation for all axes.", "W1",
         misread([](Attributes& a) { spread_first(a.dilation); })},
        {"kernel_axes_swapped", "Swaps the kernel's last two axes.", "W1", misread([](Attributes& a) {
             if (!a.stride) a.stride = a.kernel;
             swap_last_two(a.kernel);
         })},
        {"stride_axes_swapped", "Swaps the strides of the last two axes.", "W1",
         misread([](Attributes& a) { swap_last_two(a.stride); })},
        {"dilation_axes_swapped", "Swaps the dilations of the last two axes.", "W1",
         misread([](Attributes& a) { swap_last_two(a.dilation); })},
        {"padding_axes_swapped", "Swaps the padding of the last two axes.", "W1", misread([](Attributes& a) {
             swap_last_two(a.pad_begin);
             swap_last_two(a.pad_end);
         })},
        {"pads_interleaved", "Reads the pads as begin and end of each axis in turn.", "WOut",
         misread(interleave_pads)},
        {"end_pads_are_begin_pads", "Pads the end as much as the begin.", "WOut",
         misread([](Attributes& a) { a.pad_end.reset(); })},
        {"begin_pads_are_end_pads", "Pads the begin as much as the end.", "W1", misread([](Attributes& a) {
             if (a.pad_end) a.pad_begin = a.pad_end;
         })},
        {"pads_swapped", "Swaps begin and end pads.", "W1", misread([](Attributes& a) {
             if (a.pad_end) {
                 if (!a.pad_begin) a.pad_begin = repeated(a.kernel, 0);
                 std::swap(a.pad_begin, a.pad_end);
             }
         })},
        {"omitted_end_pads_are_zero", "Takes omitted end pads for zero.", "WOut", misread([](Attributes& a) {
             if (a.pad_begin && !a.pad_end) a.pad_end = repeated(a.kernel, 0);
         })},
        {"pads_of_first_axis", "Uses the first axis' pads for all axes.", "W1", misread([](Attributes& a) {
             spread_first(a.pad_begin);
             spread_first(a.pad_end);
         })},
        {"pads_ignored", "Ignores explicit padding.", "W1",
         misread([](Attributes& a) { a.pad_begin = a.pad_end = std::nullopt; })},
        {"same_swapped", "Takes same_upper for same_lower and the other way round.", "WSame",
         misread([](Attributes& a) {
             if (same(a))
                 a.auto_pad = a.auto_pad == AutoPad::same_upper ? AutoPad::same_lower : AutoPad::same_upper;
         })},
        {"same_lower_rounds_down", "Puts the odd pad of same_lower at the end.", "WSame",
         misread([](Attributes& a) {
             if (same(a)) a.auto_pad = AutoPad::same_upper;
         })},
        {"same_is_valid", "Takes automatic padding for none.", "WSame",
         misread([](Attributes& a) { a.auto_pad.reset(); })},
        {"valid_is_same", "Takes auto_pad valid for same_upper.", "WSame", misread([](Attributes& a) {
             if (a.auto_pad == AutoPad::valid) a.auto_pad = AutoPad::same_upper;
         })},
        {"same_ignores_dilation", "Computes automatic padding from the undilated kernel.", "WSame",
         [](Rules& r) { r.read = same_pads_undilated; }},
        {"stride_default_one", "Takes an omitted stride for 1.", "WOut", misread([](Attributes& a) {
             if (!a.stride) a.stride = repeated(a.kernel, 1);
         })},
        {"stride_is_kernel", "Moves by the kernel whatever the stride.", "WOut",
         misread([](Attributes& a) { a.stride.reset(); })},
        {"stride_of_first_axis", "Uses the first axis' stride for all axes.", "WOut",
         misread([](Attributes& a) { spread_first(a.stride); })},
        {"kernel_of_first_axis", "Uses the first axis' kernel size for all axes.", "W1",
         misread([](Attributes& a) {
             if (!a.stride) a.stride = a.kernel;
             spread_first(a.kernel);
         })},
        {"counting_default_off", "Takes an omitted count_include_pad for false.", "VPad",
         [](Rules& r) {
             r.read = [](Attributes& a, const Reading& about) {
                 if (about.op == Op::avg_pool) a.count_include_pad = a.count_include_pad.value_or(false);
             };
         }},
        {"counting_always", "Counts padding although count_include_pad is false.", "VReal",
         misread([](Attributes& a) { a.count_include_pad.reset(); })},
        {"counting_never", "Divides by the real cells although padding counts.", "VPad",
         [](Rules& r) { r.settle = [](PoolPlan& p, Mode) { p.count_padding = false; }; }},
        {"override_ignored", "Ignores divisor_override.", "VOver",
         misread([](Attributes& a) { a.divisor_override.reset(); })},
        {"override_sign_lost", "Divides by the size of a negative divisor_override.", "VOver",
         misread([](Attributes& a) {
             if (a.divisor_override) a.divisor_override = std::abs(*a.divisor_override);
         })},
        {"keepdims_ignored", "Keeps the reduced axes although keepdims is false.", "WOut",
         [](Rules& r) { r.read = [](Attributes& a, const Reading&) { a.keepdims.reset(); }; }},
        {"keepdims_default_off", "Takes an omitted keepdims for false.", "WOut",
         [](Rules& r) {
             r.read = [](Attributes& a, const Reading&) {
                 if (a.spatial_rank && !a.keepdims) a.keepdims = false;
             };
         }},
    };
}

}  // namespace poolproof::faulty

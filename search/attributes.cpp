// SPDX-License-Identifier: Apache-2.0
// Attributes left out, smaller windows, a plainer mode.
#include "search/attempts.hpp"

#include <algorithm>
#include <cstdlib>

namespace poolproof::search {

namespace {

using List = std::optional<std::vector<Index>>;
using Place = Attributes& (*)(Case&, std::size_t);

/// The attributes of the case itself, or of one of its nodes.
Attributes& attributes(Case& c, std::size_t place) { return place == 0 ? c.attrs : c.nodes[place - 1].attrs; }

template <class Change> bool changed(Attempts& a, std::size_t place, const Change& change) {
    Case candidate = a.current();
    change(attributes(candidate, place));
    return candidate != a.current() && a.take(std::move(candidate));
}

template <class T> void leave_out(Attempts& a, std::size_t place, std::optional<T> Attributes::*member) {
    changed(a, place, [&](Attributes& attrs) { (attrs.*member).reset(); });
}

/// Brings each entry of a list down to its least, or as near as it goes.
void lower_entries(Attempts& a, std::size_t place, List Attributes::*member, Index least) {
    Case start = a.current();
    const List& list = attributes(start, place).*member;
    for (std::size_t k = 0; list && k < list->size(); ++k)
        for (bool lowered = true; lowered;) {
            Case now = a.current();
            const Index n = (*(attributes(now, place).*member))[k];
            lowered = false;
            for (const Index to : {least, least + (n - least) / 2, n - 1})
                lowered =
                    lowered ||
                    (to < n && changed(a, place, [&](Attributes& attrs) { (*(attrs.*member))[k] = to; }));
        }
}

/// The same from every list at once, since a limit may tie them together.
void lower_together(Attempts& a, std::size_t place) {
    const auto lower = [](List& list, Index least) {
        if (list)
            for (Index& n : *list) n = std::max(n - 1, least);
    };
    while (changed(a, place, [&](Attributes& attrs) {
        lower(attrs.pad_begin, 0);
        lower(attrs.pad_end, 0);
    })) {}
    while (changed(a, place, [&](Attributes& attrs) {
        lower(attrs.kernel, 1);
        lower(attrs.stride, 1);
    })) {}
}

void simplify_beta(Attempts& a, std::size_t place) {
    Case now = a.current();
    const auto beta = attributes(now, place).beta;
    if (!beta) return;
    const Format f = now.format;
    const Bits fraction = (Bits{1} << (precision(f) - 1)) - 1;
    const Bits one = static_cast<Bits>(max_exponent(f)) << (precision(f) - 1);
    const Bits two = one + fraction + 1;
    for (const Bits to : {one, one | sign_bit(f), two, two | sign_bit(f), *beta & ~fraction})
        if (value_complexity(f, to) < value_complexity(f, *beta) && !is_zero(f, to) &&
            changed(a, place, [&](Attributes& attrs) { attrs.beta = to; }))
            return;
}

void simplify_divisor(Attempts& a, std::size_t place) {
    Case now = a.current();
    const auto divisor = attributes(now, place).divisor_override;
    if (!divisor) return;
    for (const Index to : {Index{1}, Index{2}, Index{3}, Index{-1}, Index{-2}, *divisor / 2})
        if (std::abs(to) < std::abs(*divisor) && to != 0 &&
            changed(a, place, [&](Attributes& attrs) { attrs.divisor_override = to; }))
            return;
}

}  // namespace

void simplify_attributes(Attempts& a) {
    if (a.current().mode != Mode::forward) {
        Case candidate = a.current();
        candidate.mode = Mode::forward;
        candidate.tangent.reset();
        candidate.cotangent.reset();
        a.take(std::move(candidate));
    }
    for (std::size_t place = 0; place <= a.current().nodes.size(); ++place) {
        leave_out(a, place, &Attributes::memory);
        leave_out(a, place, &Attributes::auto_pad);
        leave_out(a, place, &Attributes::ceil_mode);
        leave_out(a, place, &Attributes::index_form);
        leave_out(a, place, &Attributes::return_indices);
        leave_out(a, place, &Attributes::count_include_pad);
        leave_out(a, place, &Attributes::keepdims);
        leave_out(a, place, &Attributes::divisor_override);
        for (auto member :
             {&Attributes::dilation, &Attributes::pad_end, &Attributes::pad_begin, &Attributes::stride})
            leave_out(a, place, member);
        lower_together(a, place);
        for (auto member : {&Attributes::pad_begin, &Attributes::pad_end}) lower_entries(a, place, member, 0);
        for (auto member :
             {&Attributes::dilation, &Attributes::kernel, &Attributes::stride, &Attributes::output_size})
            lower_entries(a, place, member, 1);
        simplify_beta(a, place);
        simplify_divisor(a, place);
    }
}

}  // namespace poolproof::search

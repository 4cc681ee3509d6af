// SPDX-License-Identifier: Apache-2.0
#include "reference/phased.hpp"

#include "reference/sum_kernels.hpp"
#include "reference/weave.hpp"

namespace poolproof::reference {

namespace {

bool planes_of_rows(const Geometry& g, Nan nan) {
    if (level() == Level::baseline || nan != Nan::first) return false;
    if (g.cell != 1 || g.lines.size() != 2 || g.covers.empty()) return false;
    return g.lines[0].kernel <= Phases<Index>::most_kernel;
}

bool planes_with_columns(const Geometry& g, Index most_rows) {
    if (level() == Level::baseline || g.cell > 1 || g.lines.size() < 2) return false;
    return has_columns(g.lines.back()) && g.lines[g.lines.size() - 2].kernel <= most_rows;
}

/// The part of a row's registers of windows that are windows.
double filled(const Line& l, std::size_t size) {
    const Index lanes = register_bytes(level()) / static_cast<Index>(size);
    const Index registers = (l.out() + lanes - 1) / lanes;
    return static_cast<double>(l.out()) / static_cast<double>(registers * lanes);
}

Index all_bytes(const Geometry& g, std::size_t size) {
    return g.blocks * g.inputs * static_cast<Index>(size);
}

Index row_bytes(const Geometry& g, std::size_t size) {
    return g.lines.back().extent * static_cast<Index>(size);
}

bool long_and_far(const Geometry& g, std::size_t size) {
    constexpr Index long_row = 60;
    return g.lines.back().extent >= long_row && all_bytes(g, size) >= far_bytes;
}

}  // namespace

bool better_find_phased(const Geometry& g, Nan nan, std::size_t size) {
    if (!planes_of_rows(g, nan)) return false;
    const Line& l = g.lines.back();
    const bool near = l.stride == 1 && l.kernel == 3 && l.extent < 40;
    if (!near && better_add_found(g, nan, size) && !better_woven(g, Pass::best, size)) return true;
    if (!phased(l)) return false;
    const bool single = size == sizeof(float);
    Index widest = 12;
    if (g.woven && single)
        widest = l.kernel <= 3 && l.stride <= 2 ? 20 : 40;
    else if (g.woven && l.kernel > 2)
        widest = 20;
    return l.extent > widest;
}

bool better_add_found(const Geometry& g, Nan nan, std::size_t size) {
    if (!planes_of_rows(g, nan) || !found_by_phases(g.lines.back())) return false;
    const Line &h = g.lines[0], &l = g.lines.back();
    const bool single = size == sizeof(float);
    if (l.stride == 1) {
        if (l.kernel == 2) return l.extent >= 24 && (!single || h.stride >= h.kernel);
        if (l.kernel == 3) return l.extent >= (single ? 28 : 20);
        return l.extent >= 32 && filled(l, size) >= 0.75;
    }
    if (l.kernel <= l.stride) return false;
    if (l.extent < (single ? 20 : 14)) return false;
    return filled(l, size) >= (l.stride > 2 ? 0.75 : h.kernel <= 4 ? 0.55 : 0.7);
}

bool better_pull_phased(const Geometry& g, Nan nan, std::size_t size) {
    if (!planes_of_rows(g, nan) || !phased(g.lines.back())) return false;
    const Line& l = g.lines.back();
    const bool single = size == sizeof(float);
    const Index more = l.kernel - l.stride;
    Index widest = g.woven && single ? 20 : 12;  // rows that are too short
    if (g.woven && more > 1)
        widest = single ? 190 : 60;
    else if (g.woven && more == 1 && l.stride != 2)
        widest = single ? 40 : 35;
    else if (g.woven && l.stride == 4)
        widest = single ? 35 : 24;
    return l.extent > widest;
}

bool better_mean_phased(const Geometry& g, std::size_t size) {
    // Which other kernels sum one after the other too.
    constexpr Index most_rows = 6, most_columns = 7;
    const Line& l = g.lines.back();
    if (g.covers.empty() || l.kernel > most_columns || !planes_with_columns(g, most_rows)) return false;
    const bool single = size == sizeof(float);
    if (l.extent <= (!g.woven ? 12 : single ? 16 : 14)) return false;
    if (goes_on(l)) return long_and_far(g, size);
    switch (l.stride) {
        case 1: return l.extent <= 30;
        case 2: return true;
        case 3: return l.kernel < 7 && filled(l, size) >= (l.kernel <= 3 ? 0.45 : 0.8);
        default: return l.kernel <= 4 || l.extent > (single ? 35 : 70);
    }
}

bool better_max_phased(const Geometry& g, std::size_t size) {
    if (!planes_with_columns(g, Columns<Index>::most_kernel)) return false;
    const Line& l = g.lines.back();
    if (l.stride == 1) return l.kernel == 2;
    const bool no_rest = l.extent == l.out() * l.stride;
    return l.stride > 2 || l.kernel > 3 || !no_rest || long_and_far(g, size);
}

bool better_spread_phased(const Geometry& g, std::size_t size) {
    constexpr Index line = 64, long_row = 4 * line;
    if (level() == Level::baseline || !summed_by_phases(g)) return false;
    const Line& l = g.lines.back();
    if (l.stride < 3 || (l.stride == 3 && l.kernel <= 3)) return true;
    // Else long rows of whole lines that come from far are better written as others do.
    const Index row = row_bytes(g, size), all = all_bytes(g, size);
    return row % line != 0 || row < long_row || all < far_bytes || all >= streamed_bytes;
}

bool rows_apart(const Geometry& g, std::size_t size) {
    constexpr Index long_row = 512;
    const Index all = all_bytes(g, size);
    return row_bytes(g, size) >= long_row && all >= 2 * far_bytes && all < streamed_bytes;
}

}  // namespace poolproof::reference

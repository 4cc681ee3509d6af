// SPDX-License-Identifier: Apache-2.0
// A slice of a smooth maximum, row by row: which of its windows can go side by side, where their cells are,
// and what came of them.
#pragma once

#include "oracle/certified/block.hpp"
#include "oracle/certified/smooth_rows.hpp"

#include <optional>

namespace poolproof::certified {

/// Memory that slices share.
struct SmoothMemory {
    SmoothShares shares;
    SmoothTangents tangents;
    SmoothColumns columns;
    SmoothGradients gradients;
};

class SmoothLayer {
public:
    SmoothLayer(const Block& b, const SmoothPlan& plan, SmoothMemory& memory);

    /// Whether all of the last slice's windows were tried by quick exponentials.
    bool tried() const { return tried_; }

    /// Settles the outputs it can of the k-th slice, whose cells and tangents these are; the others' flags
    /// stay 0.
    void push(Index k, const std::vector<double>& x, const std::vector<double>& t,
              std::vector<std::uint8_t>& settled);

    /// The same for the cells' gradients.
    void pull(Index k, const std::vector<double>& x, const std::vector<double>& g,
              std::vector<std::uint8_t>& settled);

    /// Adds the outputs of the k-th slice that are not surely permitted, counted within it. Requires bounds.
    void screen(const std::vector<double>& x, const std::vector<double>& y, std::vector<Index>& doubtful);

private:
    /// Brings a slice to where cells that follow one another in windows follow one another in memory.
    void lay_out(const std::vector<double>& from, std::vector<double>& to) const;
    std::size_t place(Index cell) const;
    /// Whether a row of windows goes side by side; their cells' places.
    bool row(const Walk::Outer& o);
    const SmoothConstants& constants(std::size_t taps);

    const Block& b_;
    const SmoothPlan& plan_;
    bool usable_ = false, tried_ = false;
    std::size_t begin_ = 0, count_ = 0;  ///< of the windows along the last axis that see all their cells
    Index extent_ = 1, stride_ = 1, each_ = 1;
    SmoothShares& shares_;
    SmoothTangents& tangents_;
    SmoothColumns& columns_;
    SmoothGradients& gradients_;
    std::size_t places_ = 0;
    std::optional<SmoothConstants> constants_;
    std::vector<std::size_t> taps_;
};

}  // namespace poolproof::certified

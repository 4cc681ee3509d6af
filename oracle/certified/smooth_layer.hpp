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

    /// Adds the outputs of a slice that are not surely permitted, counted within it. Requires bounds.
    void screen_values(const double* x, const double* y, std::vector<Index>& doubtful);
    /// The same of tangents, and of the cells' gradients.
    void screen_tangents(const double* x, const double* t, const double* y, std::vector<Index>& doubtful);
    void screen_gradients(const double* x, const double* g, const double* y, std::vector<Index>& doubtful);

private:
    template <class Compare>
    void screen_windows(bool suits, const double* y, std::vector<Index>& doubtful, Compare compare);
    /// Lays a slice's cells out, with plain exponentials, or with its tangents and all that those need;
    /// whether they suit.
    bool lay_slice_out(const double* x, const double* t);
    /// Sends a slice's cotangents to its cells, if they suit, but those of windows that do not go side by
    /// side, whose cells' flags stay 0. How many cells windows have at most, and the largest cotangent.
    struct Sent {
        std::size_t most = 1;
        double largest = 0;
    };
    bool send(const double* x, const double* g, bool bare, std::vector<std::uint8_t>& settled, Sent& sent);

    /// Brings a slice to where cells that follow one another in windows follow one another in memory.
    void lay_out(const double* from, std::vector<double>& to) const;
    std::size_t column_place(Index column) const;
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
    std::vector<std::size_t> columns_seen_;  ///< places of those of the first window that goes side by side
    std::vector<std::size_t> taps_;
    std::vector<std::uint8_t> settled_;
};

}  // namespace poolproof::certified

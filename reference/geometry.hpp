// SPDX-License-Identifier: Apache-2.0
// Where windows lie. Each axis is a table of windows with bounds in closed form; reductions that separate go
// through the axes one by one, the others visit a window's rows. Padding is counted and never visited.
#pragma once

#include <poolproof/reference.hpp>

#include "reference/convert.hpp"
#include "reference/memory.hpp"
#include "reference/scratch.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>

namespace poolproof::reference {

inline constexpr std::size_t max_axes = 8;
inline constexpr Index strands = 16;  ///< of planes that are woven, see weave.hpp

/// What one output sees of one axis: `count` positions from `first` on, and the padding taps on either side
/// (all of them `before` if `count` is 0).
struct Window {
    Index first = 0, count = 0, before = 0, after = 0;

    Index taps() const { return before + count + after; }
};

/// An axis within a slice. While axes are reduced from the last to the first, this one sees `outer` blocks of
/// `extent` rows of `inner` elements become as many blocks of windows.size() rows.
struct Line {
    Index extent = 1, step = 1;
    std::vector<Window> windows;
    Index outer = 1, inner = 1;

    /// The fullest window's count; and which windows, from `begin` to `end`, have it, each beginning `stride`
    /// after the one before.
    Index kernel = 0, stride = 1, begin = 0, end = 0;
    Index least = 0;  ///< the emptiest window's count

    Index out() const { return static_cast<Index>(windows.size()); }
};

/// Throws std::invalid_argument unless `held`.
void require(bool held, const char* what);

/// Of windows that begin one stride after the other and are as wide as the fullest, but for what borders cut
/// off: how far the first would begin before the line; otherwise -1.
Index cut_off(const Line& l);

/// The line whose window i lies on all the windows of `l` that position i is in. Requires that these are
/// consecutive for every i: l.step is 1.
Line transposed(const Line& l);

/// One window that is its one position, in place of an axis that is not there.
const Line& no_axis();

/// Requires what `Pooling` requires of sizes, and throws std::invalid_argument otherwise.
struct Geometry {
    std::vector<Line> lines;
    std::vector<Line> covers;       ///< of each line, the windows that cover each position; see `transposed`
    Index blocks = 1, cell = 1;     ///< of slices, and how many of them lie interleaved in each
    Index inputs = 1, outputs = 1;  ///< elements of one slice
    Index between = 0;              ///< the most elements of one block between two axes
    Index fullest = 1;              ///< the most input elements in one window
    bool any_empty = false;         ///< some window has no taps
    bool any_padding = false;       ///< some window has taps beside the input
    bool whole = false;             ///< each slice is one window, which may have padding
    /// Of planes that windows of 2 or 3 tile: that of some of them on top of each other as one plane, or
    /// null.
    std::shared_ptr<const Geometry> tall;
    std::shared_ptr<const Geometry>
        woven;  ///< of planes: that of `strands` of them as one block of cells, or null

    explicit Geometry(const Pooling& p);

    Index block_inputs() const { return inputs * cell; }
    Index block_outputs() const { return outputs * cell; }

    /// Throws std::invalid_argument unless `n` elements are all slices' inputs, or outputs.
    void require_inputs(std::size_t n) const;
    void require_outputs(std::size_t n) const;
};

/// That of `p`, of which all is required. The thread keeps the last few, so that equal ones need not be made
/// again; it lives until the thread asks for another.
const Geometry& geometry(const Pooling& p);

/// A product of counts, exact below 2^53 and otherwise within one rounding (up to 2^-100 of its size),
/// however many factors there are.
struct Product {
    double high = 1, low = 0;

    Product times(Index factor) const;
};

/// For each output of a slice, the number of its taps, or of those on the input.
std::vector<double> tap_counts(const Geometry& g);
std::vector<double> real_counts(const Geometry& g);

using Box = std::array<const Window*, max_axes>;

// Not inlined, or g++ 12 unrolls the recursions past the last axis and warns of what it finds there.

/// Calls f(box) for every output of a slice, row-major.
template <class F>
[[gnu::noinline]] void for_each_window(const Geometry& g, F&& f, Box box = {}, std::size_t axis = 0) {
    for (const Window& w : g.lines[axis].windows) {
        box[axis] = &w;
        if (axis + 1 == g.lines.size())
            f(box);
        else
            for_each_window(g, f, box, axis + 1);
    }
}

/// Calls f(position, count, step) for every row of input elements in the window, row-major.
template <class F>
[[gnu::noinline]] void for_each_row(const Geometry& g, const Box& box, F&& f, Index base = 0,
                                    std::size_t axis = 0) {
    const Line& line = g.lines[axis];
    const Window& w = *box[axis];
    if (axis + 1 == g.lines.size()) return f(base * line.extent + w.first, w.count, line.step);
    for (Index j = 0; j < w.count; ++j)
        for_each_row(g, box, f, base * line.extent + w.first + j * line.step, axis + 1);
}

/// Copies the window's input elements to `to`, row-major, and gives the end.
template <class T> double* gather(const Geometry& g, const Box& box, const T* slice, double* to) {
    for_each_row(g, box, [&](Index at, Index count, Index step) {
        for (Index j = 0; j < count; ++j) *to++ = static_cast<double>(slice[(at + j * step) * g.cell]);
    });
    return to;
}

/// Calls f(inner), with a constant in place of 1 so that loops over single elements vanish.
template <class F> void with_inner(Index inner, F&& f) {
    if (inner == 1)
        f(std::integral_constant<Index, 1>{});
    else
        f(inner);
}

inline std::size_t extent_of(Index n) { return static_cast<std::size_t>(n); }

/// Where the gradient of a block is summed: in double, which for double is the output itself unless that is
/// so large that it is better streamed.
template <class T> class Gradient {
public:
    Gradient(Index n, Index all, Scratch& scratch)
        : size_(n), streams_(all * static_cast<Index>(sizeof(T)) >= streamed_bytes) {
        if (in_place()) return;
        sums_ = scratch.take<double>(n);
        std::fill_n(sums_, n, 0.0);
    }

    ~Gradient() {
        if (streams_) streamed();
    }

    /// Zeros. Requires that `finish` has been called for the block before.
    double* zeroed(T* dx) {
        if constexpr (std::is_same_v<T, double>)
            if (in_place()) return std::fill_n(dx, size_, 0.0), dx;
        return sums_;
    }

    void finish(T* dx) const {
        if (!in_place()) drain(sums_, dx, size_, streams_);
    }

private:
    bool in_place() const { return std::is_same_v<T, double> && !streams_; }

    Index size_;
    bool streams_;
    double* sums_ = nullptr;
};

}  // namespace poolproof::reference

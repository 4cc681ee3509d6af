// SPDX-License-Identifier: Apache-2.0
// A naive pooling with every decision in it a replaceable function: the right answer by default, and a liar
// with one of them replaced. It shares nothing with the oracle or the reference but the settled plan.
#pragma once

#include <poolproof/case.hpp>
#include <poolproof/observation.hpp>
#include <poolproof/plan.hpp>

#include <functional>
#include <span>

namespace poolproof::faulty {

/// Holds every format's values exactly, and sums and exponentials of any that overflow a double.
using Number = long double;
using Values = std::vector<Number>;

/// Taps in row-major order.
struct Window {
    std::vector<std::vector<Index>> places;  ///< per axis, on the input or beside it
    std::vector<Index> cells;                ///< of each tap: in the slice, or one of the two below
};
inline constexpr Index padding = -1, outside = -2;  ///< beside the input, and past the padded input

/// One window of one node: where decisions are made.
struct Site {
    const PoolPlan& pool;
    const Window& window;
    Format format;
    Mode mode;
    std::span<const Number> x;  ///< of the slice
    Index slice, output;        ///< which one, and which window of it
    Index outputs;              ///< windows of a slice

    std::size_t taps() const { return window.cells.size(); }
    bool real(std::size_t tap) const { return window.cells[tap] >= 0; }
    bool takes_part(std::size_t tap) const;
    /// 0 for padding.
    Number value(std::size_t tap) const;
    /// Of the taps that take part, padding included.
    Values values() const;
    Index real_taps() const;
    Index parts() const;  ///< taps that take part
};

struct Winners {
    Number value = 0;
    std::vector<std::size_t> tied;  ///< taps, ascending; none where nothing was found
};

/// What reading an attribute may depend on.
struct Reading {
    Op op;
    Mode mode;
    Format format;
    const Shape* input;  ///< of a single op; null in a graph
};

/// Each member is one decision; where it takes Rules, it leaves smaller decisions to them.
struct Rules {
    template <class F> using Rule = std::function<F>;

    // What is asked for.
    Rule<void(Attributes&, const Reading&)> read;  ///< before defaults and sizes
    Rule<void(Choices&)> choose;                   ///< likewise
    Rule<void(PoolPlan&, Mode)> settle;            ///< after them: output sizes are not computed again
    Rule<void(std::vector<NodePlan>&)> wire;       ///< the sizes of values must stay
    Rule<Number(Format, Bits)> load;
    Rule<Bits(Format, Number)> store;

    // What a window sees.
    Rule<Index(Index, Index)> slice;  ///< the slice to read for slice s of n
    Rule<std::vector<Index>(const std::vector<Axis>&, std::size_t, Index)> places;
    Rule<Index(const Axis&, Index)> cell;  ///< at a place: its number, or `padding`
    Rule<bool(const std::vector<Axis>&, std::size_t, Index)> inside;  ///< a place in the padded input

    // What it comes to.
    Rule<Number(const Site&)> empty;
    Rule<Number(const Site&)> divisor;
    Rule<Number(const Site&)> sum;
    bool whole_sums_fit = false;  ///< `sum` gives what it means for any 64-bit integers
    Rule<Number(const Site&, Number, Number)> quotient;
    Rule<std::optional<Number>(const Site&)> seed;  ///< of the maximum; nothing: the first cell
    Rule<bool(const Site&, Number, Number)> better, tie;
    Rule<Winners(const Rules&, const Site&)> winners;
    Rule<Index(const Site&, std::size_t)> index;  ///< of a tap that won
    Rule<Number(const Site&)> smooth;
    Rule<Values(const Site&)> softmax;
    Rule<Number(const Site&, Number)> result;  ///< the last say over a forward value

    // Its derivative: a weight for each tap, applied forward and backward.
    Rule<Values(const Rules&, const Site&)> row;
    Rule<Number(const Site&, const Values& row, const Values& tangents)> push;  ///< one tangent per tap
    Rule<void(const Site&, Number& cell, Number sent)> pull;

    Rule<std::optional<Index>(const Site&)> stray;  ///< a cell whose derivative counts besides, with weight 1

    Rule<std::size_t(const Site&, std::size_t)> sender;  ///< whose cotangent the window sends

    // Between nodes.
    Rule<Number(Number, Number)> add, add_tangents;
    Rule<void(Values& operand, const Values& value)> leave;  ///< a node that is done
    Rule<std::size_t(const NodePlan&)> receivers;            ///< how many of its inputs get its gradient
    bool unused_nodes_send = false;                          ///< a gradient of ones
    Rule<Values(const Values&, Format)> hand_on;
    Rule<void(Values& gradient, const Values& sent)> receive;  ///< the second use of a value, and later ones

    Rule<void(Observation&)> finish;

    /// The honest ones.
    Rules();
};

const Rules& honest();

inline Number beta(const Site& s) { return honest().load(s.format, s.pool.beta); }
inline Number rounded(Format f, Number x) { return honest().load(f, honest().store(f, x)); }

}  // namespace poolproof::faulty

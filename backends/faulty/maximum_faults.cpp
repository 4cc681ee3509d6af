// SPDX-License-Identifier: Apache-2.0
// Identities, comparisons, ties and indices of maxima.
#include "backends/faulty/table.hpp"

#include <cmath>
#include <limits>

namespace poolproof::faulty {

namespace {

using Better = bool (*)(const Site&, Number, Number);

std::function<void(Rules&)> settled(void (*change)(PoolPlan&, Mode)) {
    return [change](Rules& r) { r.settle = change; };
}

std::function<void(Rules&)> compared(Better better) {
    return [better](Rules& r) { r.better = better; };
}

/// A maximum that begins with a value of its own.
std::function<void(Rules&)> seeded(Number (*seed)(Format)) {
    return [seed](Rules& r) { r.seed = [seed](const Site& s) { return std::optional(seed(s.format)); }; };
}

std::function<void(Rules&)> indexed(Index (*index)(const Site&, std::size_t)) {
    return [index](Rules& r) { r.index = index; };
}

/// Compares in another format.
std::function<void(Rules&)> compared_in(Format (*format)(Format)) {
    return [format](Rules& r) {
        const auto through = [format](auto rule) {
            return [format, rule](const Site& s, Number x, Number best) {
                if (is_integer(s.format)) return rule(s, x, best);
                return rule(s, rounded(format(s.format), x), rounded(format(s.format), best));
            };
        };
        r.better = through(r.better);
        r.tie = through(r.tie);
    };
}

/// The coordinates of a tap's cell, then the extents they are in.
struct Cell {
    std::vector<Index> at, extents;
};

Cell cell(const Site& s, std::size_t tap) {
    Cell c;
    Index flat = s.window.cells[tap];
    for (std::size_t k = s.pool.axes.size(); k-- > 0; flat /= s.pool.axes[k].extent) {
        c.at.insert(c.at.begin(), flat % s.pool.axes[k].extent);
        c.extents.insert(c.extents.begin(), s.pool.axes[k].extent);
    }
    return c;
}

Index row_major(const Cell& c) {
    Index flat = 0;
    for (std::size_t k = 0; k < c.at.size(); ++k) flat = flat * c.extents[k] + c.at[k];
    return flat;
}

Index column_major(const Site& s, std::size_t tap) {
    const Cell c = cell(s, tap);
    return row_major({{c.at.rbegin(), c.at.rend()}, {c.extents.rbegin(), c.extents.rend()}});
}

Index in_padded_input(const Site& s, std::size_t tap) {
    Cell c = cell(s, tap);
    for (std::size_t k = 0; k < c.at.size(); ++k) {
        c.at[k] += s.pool.axes[k].pad_begin;
        c.extents[k] += s.pool.axes[k].pad_begin + s.pool.axes[k].pad_end;
    }
    return row_major(c);
}

Index of_window_start(const Site& s, std::size_t) {
    for (const Index i : s.window.cells)
        if (i >= 0) return i;
    return 0;
}

/// Compares the cells of a row with the best of the rows before, so that the last to beat it stays.
Winners row_scan(const Rules& rules, const Site& s) {
    const std::size_t length = s.window.places.back().size();
    std::optional<Winners> outer;
    for (std::size_t row = 0; row < s.taps(); row += length) {
        std::optional<Winners> inner = outer;
        for (std::size_t k = row; k < row + length; ++k)
            if (s.takes_part(k) && (!outer || rules.better(s, s.value(k), outer->value)))
                inner = Winners{s.value(k), {k}};
        if (!outer && inner) {  // the first row is scanned rightly
            for (std::size_t k = row; k < row + length; ++k)
                if (s.takes_part(k) && rules.better(s, s.value(k), inner->value))
                    inner = Winners{s.value(k), {k}};
        }
        outer = inner;
    }
    return outer.value_or(Winners{rules.empty(s), {}});
}

}  // namespace

std::vector<Fault> maximum_faults() {
    using Limits = std::numeric_limits<Number>;
    return {
        {"seed_smallest_positive", "Begins a maximum with the smallest positive normal number.", "M1",
         seeded([](Format f) {
             return is_integer(f) ? Number{1} : honest().load(f, Bits{1} << (precision(f) - 1));
         })},
        {"seed_zero", "Begins a maximum with 0.", "M1", seeded([](Format) { return Number{0}; })},
        {"seed_integer_zero", "Begins an integer maximum with minus infinity cast to 0.", "M1",
         [](Rules& r) {
             r.seed = [](const Site& s) {
                 return is_integer(s.format) ? std::optional<Number>(0) : std::nullopt;
             };
         }},
        {"seed_half_zero", "Begins a 16-bit maximum with a lowest value that became 0.", "M1",
         [](Rules& r) {
             r.seed = [](const Site& s) {
                 const bool narrow = !is_integer(s.format) && width(s.format) == 16;
                 return narrow ? std::optional<Number>(0) : std::nullopt;
             };
         }},
        {"seed_minus_128", "Begins a maximum with -128.", "M1", seeded([](Format) { return Number{-128}; })},
        {"seed_minus_9999", "Begins a maximum with -9999.", "M1",
         seeded([](Format f) { return f == Format::u8 ? Number{0} : Number{-9999}; })},
        {"seed_lowest_finite", "Begins a maximum with the lowest finite number.", "Inf",
         [](Rules& r) {
             r.seed = [](const Site& s) {
                 return is_integer(s.format)
                            ? std::nullopt
                            : std::optional(-honest().load(s.format, largest_bits(s.format)));
             };
         }},
        {"seed_lowest_half", "Begins a maximum with the lowest finite binary16.", "M1",
         seeded([](Format f) { return is_integer(f) ? Limits::lowest() : Number{-65504}; })},
        {"seed_first_cell_of_slice", "Begins a maximum with the slice's first cell.", "M1",
         [](Rules& r) { r.seed = [](const Site& s) { return std::optional(s.x.front()); }; }},
        {"index_stays_unset", "Reports the index -1 where nothing beats minus infinity.", "MIdx",
         [](Rules& r) {
             r.index = [](const Site& s, std::size_t tap) {
                 return s.value(tap) == -Limits::infinity() ? Index{-1} : s.window.cells[tap];
             };
         }},
        {"padding_is_zero", "Lets padding take part in a maximum as 0.", "MPad",
         settled([](PoolPlan& p, Mode) { p.policy.max_padding = MaxPadding::zero; })},
        {"nan_dropped", "Passes over NaNs.", "MNan",
         settled([](PoolPlan& p, Mode) { p.policy.nan = Nan::ignore; }), "pytorch"},
        {"nan_only_first", "Lets a NaN win only in the first cell of a window.", "MNan",
         compared([](const Site&, Number x, Number best) { return x > best; }), "pytorch"},
        {"nan_lost_after", "Lets any number displace a NaN.", "MNan",
         compared([](const Site& s, Number x, Number best) {
             return std::isnan(x) || std::isnan(best) ? !(std::isnan(x) && std::isnan(best))
                                                      : honest().better(s, x, best);
         }),
         "pytorch"},
        {"nan_is_infinity", "Takes NaN for infinity in a maximum.", "MNan",
         [](Rules& r) {
             r.result = [](const Site& s, Number x) {
                 return s.pool.reduction == Reduction::max && std::isnan(x) ? Limits::infinity() : x;
             };
         },
         "pytorch"},
        {"nan_index_first", "Reports the first of several NaNs.", "MIdx",
         settled([](PoolPlan& p, Mode) { p.policy.nan_index = NanIndex::first; }), "pytorch"},
        {"nan_wins", "Lets NaN win where it must be passed over.", "MNan",
         settled([](PoolPlan& p, Mode) { p.policy.nan = Nan::propagate; }), "tiny_pool"},
        {"last_tie_wins", "Lets the last of equal maxima win.", "MTie",
         settled([](PoolPlan& p, Mode) { p.policy.ties = Ties::last; })},
        {"last_index_of_ties", "Reports the last of equal maxima.", "MIdx", settled([](PoolPlan& p, Mode m) {
             if (m == Mode::forward) p.policy.ties = Ties::last;
         })},
        {"negative_zero_loses", "Takes +0 for greater than -0.", "MZero",
         settled([](PoolPlan& p, Mode) { p.policy.signed_zero = SignedZero::positive; }), "tiny_pool"},
        {"sign_of_zero_lost", "Returns +0 for a maximum of -0.", "MZero",
         [](Rules& r) { r.result = [](const Site&, Number x) { return x == 0 ? 0 : x; }; }},
        {"last_zero_wins", "Returns the last of several zeros.", "MZero",
         compared([](const Site& s, Number x, Number best) {
             return (x == 0 && best == 0) || honest().better(s, x, best);
         }),
         "tiny_pool"},
        {"compares_magnitudes", "Returns the cell of the greatest magnitude.", "M1",
         compared([](const Site& s, Number x, Number best) {
             return honest().better(s, std::abs(x), std::abs(best));
         })},
        {"minimum_of_negatives", "Returns the minimum of windows with negative cells only.", "M1",
         compared([](const Site& s, Number x, Number best) {
             return x < 0 && best < 0 ? x < best : honest().better(s, x, best);
         })},
        {"compares_in_f32", "Compares binary64 in binary32.", "M1",
         compared_in([](Format f) { return f == Format::f64 ? Format::f32 : f; })},
        {"compares_in_bf16", "Compares in bfloat16.", "M1", compared_in([](Format) { return Format::bf16; })},
        {"compares_bits", "Compares the patterns as integers.", "M1",
         compared([](const Site& s, Number x, Number best) {
             const auto order = [&](Number v) {
                 const Bits b = honest().store(s.format, v);
                 return is_integer(s.format) ? integer_value(s.format, b)
                                             : integer_value(Format::i64, b << (64 - width(s.format)));
             };
             return order(x) > order(best);
         })},
        {"compares_bytes_signed", "Compares unsigned bytes as signed.", "M1",
         compared([](const Site& s, Number x, Number best) {
             if (s.format != Format::u8) return honest().better(s, x, best);
             const auto as_signed = [](Number v) { return v > 127 ? v - 256 : v; };
             return as_signed(x) > as_signed(best);
         })},
        {"compares_i64_in_f64", "Compares 64-bit integers as doubles.", "M1",
         compared([](const Site& s, Number x, Number best) {
             if (s.format != Format::i64) return honest().better(s, x, best);
             return static_cast<double>(x) > static_cast<double>(best);
         })},
        {"near_ties_are_ties", "Needs a step of one part in a thousand to change the maximum.", "M1",
         compared([](const Site& s, Number x, Number best) {
             if (std::isnan(x) || std::isnan(best) || std::isinf(best)) return honest().better(s, x, best);
             return x > best + std::abs(best) / 1024;
         })},
        {"row_scan", "Compares the cells of a row with the best of the rows before.", "M1",
         [](Rules& r) { r.winners = row_scan; }},
        {"first_tap_skipped", "Leaves out the first tap of a window of several.", "M1",
         [](Rules& r) {
             r.winners = [](const Rules& rules, const Site& s) {
                 Window w = s.window;
                 if (w.cells.size() > 1) w.cells.front() = outside;
                 Site rest{s.pool, w, s.format, s.mode, s.x, s.slice, s.output, s.outputs};
                 return honest().winners(rules, rest);
             };
         }},
        {"infinity_is_no_value", "Leaves infinities out of a maximum.", "Inf",
         [](Rules& r) {
             r.result = [](const Site& s, Number x) {
                 if (s.pool.reduction != Reduction::max || !(x == Limits::infinity())) return x;
                 Number best = -Limits::infinity();
                 for (const Number v : s.values()) best = std::isinf(v) ? best : std::max(best, v);
                 return best;
             };
         }},
        {"empty_is_identity", "Returns minus infinity for an empty window.", "WEmpty",
         settled([](PoolPlan& p, Mode) { p.policy.empty_window = EmptyWindow::identity; })},
        {"empty_is_lowest", "Returns the lowest finite number for an empty window.", "WEmpty",
         settled([](PoolPlan& p, Mode) { p.policy.empty_window = EmptyWindow::lowest; })},
        {"empty_is_nan", "Returns NaN for an empty window.", "WEmpty",
         settled([](PoolPlan& p, Mode) { p.policy.empty_window = EmptyWindow::nan; })},
        {"empty_is_zero", "Returns 0 for an empty window.", "WEmpty",
         settled([](PoolPlan& p, Mode) { p.policy.empty_window = EmptyWindow::zero; }), "pytorch"},
        {"index_local", "Counts the index from the window's first tap.", "MIdx",
         indexed([](const Site&, std::size_t tap) { return static_cast<Index>(tap); })},
        {"index_of_window_start", "Reports the window's first cell.", "MIdx", indexed(of_window_start)},
        {"index_in_padded_input", "Counts the index in the padded input.", "MIdx", indexed(in_padded_input)},
        {"index_in_tensor", "Counts the index in the whole tensor.", "MIdx",
         indexed([](const Site& s, std::size_t tap) {
             return s.window.cells[tap] + s.slice * static_cast<Index>(s.x.size());
         })},
        {"index_column_major", "Counts the index down the columns.", "MIdx", indexed(column_major)},
        {"index_from_one", "Counts the index from 1.", "MIdx",
         indexed([](const Site& s, std::size_t tap) { return s.window.cells[tap] + 1; })},
        {"index_in_eight_bits", "Keeps the index in eight bits.", "MIdx",
         indexed([](const Site& s, std::size_t tap) { return s.window.cells[tap] & 0xff; })},
        {"index_row_by_output", "Counts the index in rows as long as the output's.", "MIdx",
         indexed([](const Site& s, std::size_t tap) {
             Cell c = cell(s, tap);
             c.extents.back() = s.pool.axes.back().out;
             return row_major(c);
         })},
        {"index_column_alone", "Reports the position on the last axis alone.", "MIdx",
         indexed([](const Site& s, std::size_t tap) { return cell(s, tap).at.back(); })},
    };
}

}  // namespace poolproof::faulty

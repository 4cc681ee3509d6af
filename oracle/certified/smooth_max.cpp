// SPDX-License-Identifier: Apache-2.0
// Smooth maxima, window by window: by quick exponentials, and by fine ones where those do not decide.
#include "oracle/certified/block.hpp"
#include "oracle/certified/divisors.hpp"
#include "oracle/certified/lanes.hpp"
#include "oracle/certified/smooth_layer.hpp"
#include "oracle/certified/smooth_set.hpp"

#include <algorithm>
#include <cstring>

namespace poolproof::certified {

double SmoothPlan::pattern_value(Format f, Bits b) { return to_double(f, b); }

double padded_cells(const Block& b, const Walk::Outer& o, const Walk::Inner& i) {
    if (b.pool.policy.smooth_padding != SmoothPadding::zero) return 0;
    const auto counted = [&](const Walk::Counts& c) {
        return static_cast<double>(b.pool.policy.divisor == Divisor::kernel ? c.span : c.clipped);
    };
    double all = counted(i.counts), real = static_cast<double>(i.counts.count);
    for (std::size_t k = 0; k < b.walk.outer_axes; ++k) {
        const Walk::Counts& c = b.walk.outer_counts[o.first_counts + k];
        all *= counted(c);
        real *= static_cast<double>(c.count);
    }
    return all - real;
}

namespace {

void load(std::vector<double>& to, const Tensor& t, Index first, Index count) {
    certified::load(to, t, first, count, [](auto f, Bits b) {
        if constexpr (is_integer(f()))
            return 0.0;
        else
            return to_double(f(), b);
    });
}

/// What slices share.
struct Memory {
    SmoothMemory of_layer;
    std::vector<double> x, t, answers;
    std::vector<std::uint8_t> settled, again;
    std::vector<WeightedSum> gradients;
};

class SmoothMaxima {
public:
    SmoothMaxima(Block& b, Memory& memory)
        : b_(b),
          plan_(b.pool.beta, keeping_of(b)),
          sets_(plan_),
          layer_(b, plan_, memory.of_layer),
          x_(memory.x),
          t_(memory.t),
          settled_(memory.settled),
          again_(memory.again),
          gradients_(memory.gradients) {}

    void run() {
        for (Index k = 0; k < b_.slices.count; ++k) {
            cell_ = b_.first_cell(k);
            load(x_, b_.c.input, cell_, b_.walk.cells);
            if (b_.plan.mode == Mode::jvp) load(t_, *b_.c.tangent, b_.first_cell(k), b_.walk.cells);
            if (b_.plan.mode == Mode::vjp) {
                load(t_, *b_.c.cotangent, b_.first_out(k), b_.walk.outs);
                pull(k);
            } else {
                push(k);
            }
        }
    }

private:
    double at(const std::vector<double>& of, Index i) const { return of[static_cast<std::size_t>(i)]; }

    /// Calls `use(outer, inner)` for the window of an output.
    template <class Use> void at_output(Index out, Use use) const {
        const auto inners = static_cast<Index>(b_.walk.inner.size());
        use(b_.walk.outer[static_cast<std::size_t>(out / inners)],
            b_.walk.inner[static_cast<std::size_t>(out % inners)]);
    }

    // Forward, or the tangents
    // -----------------------------------------------------------------------------------------------------

    void push(Index k) {
        layer_.push(k, x_, t_, settled_);
        mark_unsettled(k);
        for_each_marked([&](std::size_t out) {
            at_output(static_cast<Index>(out), [&](const Walk::Outer& o, const Walk::Inner& i) {
                Permitted& p = value_at(k, out);
                const bool known = b_.plan.mode == Mode::forward ? value(o, i, p) : tangent(o, i, p);
                if (!known) b_.uncertain.push_back(k * b_.walk.outs + static_cast<Index>(out));
            });
        });
    }

    /// Marks the wanted values of a slice that the layer left.
    void mark_unsettled(Index k) {
        const auto each = static_cast<Index>(settled_.size());
        again_.assign(settled_.size(), 0);
        if (b_.wanted == nullptr)
            for (std::size_t at = 0; at < settled_.size(); ++at) again_[at] = settled_[at] ^ 1;
        else
            b_.for_each_wanted(k, each, [&](Index wanted) {
                const auto at = static_cast<std::size_t>(wanted - k * each);
                again_[at] = settled_[at] ^ 1;
            });
    }

    Permitted& value_at(Index k, std::size_t at) {
        return b_.values[static_cast<std::size_t>(k) * settled_.size() + at];
    }

    bool value(const Walk::Outer& o, const Walk::Inner& i, Permitted& p) {
        cells_.padding = padded_cells(b_, o, i);
        if (b_.walk.taps(o, i) == 0 && cells_.padding == 0) {
            p = empty_set(b_);
            return true;
        }
        if (special(o, i, p)) return true;
        if (b_.correctly_rounded && static_cast<double>(cells_.xs.size()) + cells_.padding == 1)
            return copied(o, i, p);
        if (!plan_.in_range() || !window_.over(plan_, cells_)) return false;
        window_.sums<Quick>(sums_);
        bool doubt = false;
        if (!b_.correctly_rounded && !window_.bound(plan_, cells_, sums_, error_, doubt)) return false;
        if (sets_.of_value(window_, sums_, error_, p)) return true;
        window_.sums<Fine>(sums_);
        return refined(sets_.of_value(window_, sums_, error_, p));
    }

    /// One value rounds to itself.
    bool copied(const Walk::Outer& o, const Walk::Inner& i, Permitted& p) const {
        const Format f = b_.plan.format;
        p = Permitted::between(sign_bit(f), 0);
        b_.walk.for_each_tap(o, i, [&](Index tap) {
            const double x = at(x_, tap);
            if (is_finite(x) && x != 0) p = Permitted::exactly(b_.c.input[cell_ + tap]);
        });
        return true;
    }

    /// Gathers the finite values; true where there are others that decide [Nan], [Inf].
    bool special(const Walk::Outer& o, const Walk::Inner& i, Permitted& p) {
        bool nan = false, won = false;
        const double winning = plan_.beta < 0 ? -HUGE_VAL : HUGE_VAL;
        cells_.xs.clear();
        b_.walk.for_each_tap(o, i, [&](Index tap) {
            const double x = at(x_, tap);
            nan |= std::isnan(x);
            won |= x == winning;
            if (is_finite(x)) cells_.xs.push_back(x);
        });
        const auto infinity = [](bool plus) {
            return Permitted::with(plus ? &Permitted::infinity : &Permitted::minus_infinity);
        };
        const bool lost = cells_.xs.empty() && cells_.padding == 0;
        if (nan)
            p = Permitted::any_nan();
        else if (won || lost)
            p = infinity(won == (winning > 0));
        return nan || won || lost;
    }

    bool refined(bool certain) {
        if (certain) ++b_.refined;
        return certain;
    }

    /// Gathers a window of finite cells; false where it holds another one.
    bool finite_cells(const Walk::Outer& o, const Walk::Inner& i) {
        bool finite = true;
        cells_.xs.clear();
        b_.walk.for_each_tap(o, i, [&](Index tap) {
            cells_.xs.push_back(at(x_, tap));
            finite &= is_finite(at(x_, tap));
        });
        return finite;
    }

    bool tangent(const Walk::Outer& o, const Walk::Inner& i, Permitted& p) {
        cells_.padding = padded_cells(b_, o, i);
        bool finite = finite_cells(o, i);
        b_.walk.for_each_tap(o, i, [&](Index tap) { finite &= is_finite(at(t_, tap)); });
        WeightedSum sum;
        sum.open = !finite;
        if (!finite || cells_.xs.empty()) return sets_.of_sum(sum, p);
        const bool quick = !layer_.tried();
        if (!(quick ? weighable(Quick{}) : weighable(Fine{}))) return false;
        const auto by = [&] {
            sum = {};
            std::size_t k = 0;
            b_.walk.for_each_tap(o, i, [&](Index tap) { add(sum, k++, at(t_, tap)); });
            return sets_.of_sum(sum, p);
        };
        if (!quick) return refined(by());
        if (by()) return true;
        window_.sums<Fine>(sums_);
        weigh();
        return refined(by());
    }

    // Weights
    // -----------------------------------------------------------------------------------------------------

    /// Finds the window's weights and their errors; false where these are not known.
    template <class Stage> bool weighable(Stage) {
        if (!plan_.in_range() || !window_.over(plan_, cells_)) return false;
        window_.sums<Stage>(sums_);
        bool doubt = false;
        if (!b_.correctly_rounded && !window_.bound(plan_, cells_, sums_, error_, doubt)) return false;
        weigh();
        weight_errors_.assign(cells_.xs.size(), {Near(0.0), Near(0.0)});
        if (b_.correctly_rounded) return true;
        if (!(error_.common.v < 32)) return false;
        for (std::size_t k = 0; k < cells_.xs.size(); ++k) {
            const Near g(window_.distance(k)), gap(-window_.distance(k));
            weight_errors_[k] = weight_error(plan_.errors, error_, g, gap, Near(sums_.sum.high), doubt);
        }
        return !doubt;
    }

    void weigh() {
        weights_.clear();
        for (const Pair& share : sums_.shares) weights_.push_back(share / sums_.sum);
    }

    void add(WeightedSum& sum, std::size_t k, double t) const {
        if (t != 0)
            sum.add(plan_, weights_[k], 2.01 * sums_.share_error + 0x1p-99, t, weight_errors_[k],
                    error_.chained.v, sums_.sum.high);
    }

    // Gradients
    // -----------------------------------------------------------------------------------------------------

    void pull(Index k) {
        const auto cells = static_cast<std::size_t>(b_.walk.cells);
        layer_.pull(k, x_, t_, settled_);
        gradients_.resize(cells);
        mark_unsettled(k);
        const auto renew = [&](std::size_t cell) { gradients_[cell] = {}; };
        for_each_marked(renew);
        if (!layer_.tried()) {
            for_each_marked_window(
                [&](const Walk::Outer& o, const Walk::Inner& i, Index out) { send(o, i, at(t_, out)); });
            for_each_marked([&](std::size_t cell) {
                again_[cell] = sets_.of_sum(gradients_[cell], value_at(k, cell)) ? 0 : 1;
                renew(cell);
            });
        }
        for_each_marked_window(
            [&](const Walk::Outer& o, const Walk::Inner& i, Index out) { send_again(o, i, at(t_, out)); });
        for_each_marked([&](std::size_t cell) {
            if (!refined(sets_.of_sum(gradients_[cell], value_at(k, cell))))
                b_.uncertain.push_back(k * b_.walk.cells + static_cast<Index>(cell));
        });
    }

    bool marked(Index cell) const { return again_[static_cast<std::size_t>(cell)] != 0; }

    template <class Use> void for_each_marked(Use use) {
        const std::uint8_t *begin = again_.data(), *end = begin + again_.size();
        for (const std::uint8_t* at = begin; (at = next_mark(at, end)) != nullptr; ++at)
            use(static_cast<std::size_t>(at - begin));
    }
    static const std::uint8_t* next_mark(const std::uint8_t* at, const std::uint8_t* end) {
        return at == end
                   ? nullptr
                   : static_cast<const std::uint8_t*>(std::memchr(at, 1, static_cast<std::size_t>(end - at)));
    }

    /// Calls `use` for windows that see a marked cell.
    template <class Use> void for_each_marked_window(Use use) const {
        const Index extent = b_.pool.axes.back().extent;
        Index out = 0;
        for (const Walk::Outer& o : b_.walk.outer) {
            bool any = false;
            for (std::size_t r = 0; r < o.rows && !any; ++r) {
                const std::uint8_t* row = again_.data() + b_.walk.row_starts[o.first_row + r];
                any = next_mark(row, row + extent) != nullptr;
            }
            for (const Walk::Inner& i : b_.walk.inner) {
                bool seen = false;
                if (any) b_.walk.for_each_tap(o, i, [&](Index tap) { seen |= marked(tap); });
                if (seen) use(o, i, out);
                ++out;
            }
        }
    }

    /// By quick exponentials.
    void send(const Walk::Outer& o, const Walk::Inner& i, double g) {
        const auto to_each = [&](auto use) {
            b_.walk.for_each_tap(o, i, [&](Index tap) { use(gradients_[static_cast<std::size_t>(tap)]); });
        };
        cells_.padding = padded_cells(b_, o, i);
        if (!finite_cells(o, i) || !is_finite(g)) return to_each([](WeightedSum& s) { s.open = true; });
        if (g == 0 || cells_.xs.empty()) return;
        if (!weighable(Quick{})) return to_each([](WeightedSum& s) { s.doubt = true; });
        std::size_t k = 0;
        to_each([&](WeightedSum& s) { add(s, k++, g); });
    }

    /// By fine ones, to marked cells alone.
    void send_again(const Walk::Outer& o, const Walk::Inner& i, double g) {
        cells_.padding = padded_cells(b_, o, i);
        const bool open = !finite_cells(o, i) || !is_finite(g);
        if (g == 0 && !open) return;
        const bool known = open || weighable(Fine{});
        std::size_t k = 0;
        b_.walk.for_each_tap(o, i, [&](Index tap) {
            WeightedSum& s = gradients_[static_cast<std::size_t>(tap)];
            s.doubt |= !known;
            s.open |= open;
            if (known && !open && marked(tap)) add(s, k, g);
            ++k;
        });
    }

    Block& b_;
    SmoothPlan plan_;
    SmoothSets<> sets_;
    SmoothLayer layer_;
    Index cell_ = 0;  ///< of the whole tensor, where the slice begins
    std::vector<double>&x_, &t_;
    std::vector<std::uint8_t>&settled_, &again_;
    std::vector<WeightedSum>& gradients_;
    SmoothCells cells_;
    SmoothExponents window_;
    SmoothSums sums_;
    SmoothError<Near> error_ = no_smooth_error;
    std::vector<Pair> weights_;
    std::vector<WeightError<Near>> weight_errors_;
};

Memory& memory() {
    thread_local Memory m;
    return m;
}

}  // namespace

void smooth_max_sets(Block& b) { SmoothMaxima(b, memory()).run(); }

bool smooth_max_screen(const Block& b, const Tensor& answer, std::vector<Index>& doubtful) {
    const SmoothPlan plan(b.pool.beta, keeping_of(b));
    if (b.correctly_rounded || !SmoothConstants::suits(plan)) return false;
    Memory& m = memory();
    SmoothLayer layer(b, plan, m.of_layer);
    const Mode mode = b.plan.mode;
    const bool backward = mode == Mode::vjp;
    for (Index k = 0; k < b.slices.count; ++k) {
        const Index cell = b.first_cell(k), out = b.first_out(k), first = backward ? cell : out;
        const double* const x = numbers_at(b.c.input, cell, b.walk.cells, 0, m.x);
        const double* const y =
            numbers_at(answer, first, backward ? b.walk.cells : b.walk.outs, 0, m.answers);
        const std::size_t before = doubtful.size();
        if (mode == Mode::forward)
            layer.screen_values(x, y, doubtful);
        else if (mode == Mode::jvp)
            layer.screen_tangents(x, numbers_at(*b.c.tangent, cell, b.walk.cells, 0, m.t), y, doubtful);
        else
            layer.screen_gradients(x, numbers_at(*b.c.cotangent, out, b.walk.outs, 0, m.t), y, doubtful);
        for (std::size_t i = before; i < doubtful.size(); ++i) doubtful[i] += first;
    }
    return true;
}

}  // namespace poolproof::certified

// SPDX-License-Identifier: Apache-2.0
// Averages: every window's sum, or every cell's sum of cotangents, as a double-double beside the size of its
// terms.
#include "oracle/certified/block.hpp"
#include "oracle/certified/divisors.hpp"

#include <algorithm>

namespace poolproof::certified {

namespace {

/// A cell's cotangents: their quotients, where windows differ in what they divide by.
struct CellSum {
    Terms terms;
    double size = 0, products = 0;
    Scaling most;
    bool open = false, uncertain = false;
};

class Averages {
public:
    explicit Averages(Block& b) : b_(b), sets_(keeping_of(b)), divisors_(b, sets_.keeping().accumulator) {
        most_divisor_ = greatest_divisor(sets_.keeping().accumulator);
        below_normal_ = sets_.keeping().flushes ? double_power(min_normal_exponent(b.plan.format)) : 0;
    }

    void run() {
        for (Index k = 0; k < b_.slices.count; ++k) b_.plan.mode == Mode::vjp ? pull(k) : push(k);
    }

private:
    /// The cells of a tensor from `first` on as doubles; whether all of them are finite.
    static bool load(std::vector<double>& to, const Tensor& t, Index first, Index count) {
        to.resize(static_cast<std::size_t>(count));
        return load_part(to, t, first, 0, count);
    }
    static bool load_part(std::vector<double>& to, const Tensor& t, Index first, Index at, Index count) {
        double off = 0;
        certified::load_to(to.data() + at, t, first + at, count, [&](auto f, Bits b) {
            if constexpr (is_integer(f())) {
                return 0.0;
            } else {
                const double v = to_double(f(), b);
                off += v * 0;  // NaN from the first that is not finite on
                return v;
            }
        });
        return off == 0;
    }

    /// The same for the cells of the k-th slice; of those, if few values are wanted, only what they see.
    bool load_cells(std::vector<double>& to, const Tensor& t, Index k) const {
        const Index first = b_.first_cell(k);
        if (!b_.few_wanted(k, b_.walk.outs)) return load(to, t, first, b_.walk.cells);
        to.resize(static_cast<std::size_t>(b_.walk.cells));
        bool finite = true;
        b_.for_each_wanted(k, b_.walk.outs, [&](Index at) {
            const auto out = static_cast<std::size_t>(at - k * b_.walk.outs), inners = b_.walk.inner.size();
            const Walk::Outer& o = b_.walk.outer[out / inners];
            const Walk::Inner& i = b_.walk.inner[out % inners];
            const Index width = i.counts.count == 0 ? 0 : (i.counts.count - 1) * i.step + 1;
            for (std::size_t r = 0; r < o.rows; ++r)
                finite &= load_part(to, t, first, b_.walk.row_starts[o.first_row + r] + i.first, width);
        });
        return finite;
    }

    double cell(const std::vector<double>& of, Index i) const { return of[static_cast<std::size_t>(i)]; }

    template <class Of> bool any_tap(const Walk::Outer& o, const Walk::Inner& i, Of of) const {
        bool any = false;
        b_.walk.for_each_tap(o, i, [&](Index tap) { any |= of(tap); });
        return any;
    }

    /// Forward, or the tangents.
    void push(Index k) {
        const bool forward = b_.plan.mode == Mode::forward;
        const bool inputs_finite = load_cells(x_, b_.c.input, k);
        const bool finite = forward ? inputs_finite : load_cells(t_, *b_.c.tangent, k) && inputs_finite;
        const std::vector<double>& of = forward ? x_ : t_;
        const std::size_t inners = b_.walk.inner.size();
        Scaling by;
        bool known = false;
        b_.for_each_wanted(k, b_.walk.outs, [&](Index at) {
            const auto out = static_cast<std::size_t>(at - k * b_.walk.outs);
            const std::size_t outer = out / inners, inner = out % inners;
            if (!known || !divisors_.uniform()) by = divisors_.of(outer, inner);
            known = true;
            const Walk::Outer& o = b_.walk.outer[outer];
            const Walk::Inner& i = b_.walk.inner[inner];
            Permitted& p = b_.values[static_cast<std::size_t>(at)];
            if (by.divisor == 0)
                p = forward ? empty_set(b_) : Permitted::between(sign_bit(b_.plan.format), 0);
            else if (const Special s = finite ? Special::none : special(o, i, by, p); s == Special::uncertain)
                b_.uncertain.push_back(at);
            else if (s == Special::none && !(divides(by) && sum(of, o, i, by, p)))
                b_.uncertain.push_back(at);
        });
    }

    bool divides(const Scaling& by) const { return std::fabs(by.divisor) <= most_divisor_; }

    /// Whether a window holds what is not finite, and that settles its value.
    enum class Special : std::uint8_t { none, settled, uncertain };

    /// Windows that hold what is not finite [Nan], [Inf], [DOpen].
    Special special(const Walk::Outer& o, const Walk::Inner& i, const Scaling& by, Permitted& p) const {
        if (b_.plan.mode == Mode::jvp) {
            const bool open = any_tap(o, i, [&](Index t) { return !is_finite(cell(x_, t)); }) ||
                              any_tap(o, i, [&](Index t) { return !is_finite(cell(t_, t)); });
            if (open) p = Permitted::anything();
            return open ? Special::settled : Special::none;
        }
        const bool nan = any_tap(o, i, [&](Index t) { return std::isnan(cell(x_, t)); });
        const bool plus = any_tap(o, i, [&](Index t) { return cell(x_, t) == HUGE_VAL; });
        const bool minus = any_tap(o, i, [&](Index t) { return cell(x_, t) == -HUGE_VAL; });
        if (nan || (plus && minus))
            p = Permitted::any_nan();
        else if (plus || minus)
            p = Permitted::with(plus == (by.divisor > 0) ? &Permitted::infinity : &Permitted::minus_infinity);
        else
            return Special::none;
        return nan || plus == minus || !may_overflow(o, i) ? Special::settled : Special::uncertain;
    }

    /// Whether the finite cells may overflow to an infinity, not told from one that meets none of the other
    /// sign.
    bool may_overflow(const Walk::Outer& o, const Walk::Inner& i) const {
        const Keeping& k = sets_.keeping();
        if (k.exactly || k.policy.intermediate_overflow != IntermediateOverflow::allowed) return false;
        double size = 0;
        b_.walk.for_each_tap(o, i,
                             [&](Index t) { size += is_finite(cell(x_, t)) ? std::fabs(cell(x_, t)) : 0; });
        const auto taps = static_cast<double>(b_.walk.taps(o, i));
        return size > double_power(max_exponent(k.accumulator) - 8) ||
               taps * double_power(-precision(k.accumulator)) > 0x1p-2;
    }

    bool sum(const std::vector<double>& of, const Walk::Outer& o, const Walk::Inner& i, const Scaling& by,
             Permitted& p) const {
        Terms terms;
        b_.walk.for_each_tap(o, i, [&](Index tap) { add(terms, cell(of, tap)); });
        if (terms.size() < 0x1p900) return sets_.set(terms, by, 0, p);
        Terms down;
        constexpr double scale = 0x1p-300;
        b_.walk.for_each_tap(o, i, [&](Index tap) {
            const double t = cell(of, tap), scaled = t * scale;
            if (t == 0) return;
            add(down, scaled);
            if (std::fabs(scaled) >= 0x1p-900) return;
            down.sum.lost += 0x1p-1074;  // it may have been rounded, or be gone
            if (scaled == 0) ++down.count;
        });
        down.small = terms.small;
        down.small.lost += terms.small.high;  // what may be flushed is lost beside such terms
        return sets_.set(down, by, scaled_down, p);
    }

    void add(Terms& terms, double t) const {
        terms.add(t);
        if (std::fabs(t) < below_normal_) terms.small.add(std::fabs(t));
    }

    /// Brings a slice's cotangents to where neither their sums nor their quotients leave the range of
    /// doubles.
    void scale_cotangents() {
        double most = 0;
        for (const double g : t_)
            if (is_finite(g)) most = std::max(most, std::fabs(g));
        scale_ = most == 0 || b_.plan.format != Format::f64 ? 0
                 : most < 0x1p-300                          ? scaled_up
                 : most > 0x1p800                           ? scaled_down
                                                            : 0;
        flushed_below_ = scale_ == scaled_up ? below_normal_ * double_power(scaled_up) : below_normal_;
    }

    /// The gradient: each window sends its cotangent to its cells.
    void pull(Index k) {
        const Walk& walk = b_.walk;
        const bool inputs = load(x_, b_.c.input, b_.first_cell(k), walk.cells);
        const bool finite = load(t_, *b_.c.cotangent, b_.first_out(k), walk.outs) && inputs;
        scale_cotangents();
        cells_.assign(static_cast<std::size_t>(walk.cells), CellSum{});
        Scaling by;
        std::size_t outer = 0;
        Index out = 0;
        for (const Walk::Outer& o : walk.outer) {
            std::size_t inner = 0;
            for (const Walk::Inner& i : walk.inner) {
                if (!divisors_.uniform() || out == 0) by = divisors_.of(outer, inner);
                send(o, i, by, cell(t_, out), finite);
                ++out;
                ++inner;
            }
            ++outer;
        }
        b_.for_each_wanted(k, walk.cells, [&](Index at) {
            const CellSum& s = cells_[static_cast<std::size_t>(at - k * walk.cells)];
            Permitted& p = b_.values[static_cast<std::size_t>(at)];
            if (s.open)
                p = Permitted::anything();
            else if (s.uncertain || !(divisors_.uniform() ? sets_.set(s.terms, by, scale_, p)
                                                          : sets_.set_of_quotients(s.terms, s.size, s.most,
                                                                                   s.products, scale_, p)))
                b_.uncertain.push_back(at);
        });
    }

    void send(const Walk::Outer& o, const Walk::Inner& i, const Scaling& by, double g, bool finite) {
        const auto to_each = [&](auto use) {
            b_.walk.for_each_tap(o, i, [&](Index tap) { use(cells_[static_cast<std::size_t>(tap)]); });
        };
        const double scaled = scale_ == 0 ? g : g * double_power(scale_);
        if (!finite && (!is_finite(g) || any_tap(o, i, [&](Index t) { return !is_finite(cell(x_, t)); })))
            to_each([](CellSum& s) { s.open = true; });
        else if (g == 0 || by.divisor == 0)
            return;
        else if (!divides(by) || (scale_ < 0 && std::fabs(scaled) < 0x1p-900))
            to_each([](CellSum& s) { s.uncertain = true; });
        else if (divisors_.uniform())
            to_each([&](CellSum& s) {
                s.terms.add(scaled);
                if (std::fabs(scaled) < flushed_below_) s.terms.small.add(std::fabs(scaled));
            });
        else
            send_quotient(to_each, by, scaled);
    }

    template <class ToEach> void send_quotient(ToEach to_each, const Scaling& by, double g) {
        const double q = g / by.divisor;
        const bool in_range = std::fabs(g) > 0x1p-850 && std::fabs(g) < 0x1p850;
        const double rest = by.divisor == 1 || !in_range ? 0 : remainder(g, q, by.divisor) / by.divisor;
        const bool flushed = std::fabs(g) < flushed_below_;
        to_each([&](CellSum& s) {
            s.uncertain |= !in_range;
            s.terms.sum.add(q);
            s.terms.sum.add(rest);
            s.terms.sum.lost += std::fabs(rest) * 0x1p-52;
            ((g > 0) == (by.divisor > 0) ? s.terms.positive : s.terms.negative) += std::fabs(g);
            if (flushed) s.terms.small.add(std::fabs(g));
            ++s.terms.count;
            s.size += std::fabs(q);
            s.products += static_cast<double>(by.scalings);
            s.most.roundings = std::max(s.most.roundings, by.roundings);
            s.most.scalings = std::max(s.most.scalings, by.scalings);
        });
    }

    Block& b_;
    SumSets<> sets_;
    Divisors divisors_;
    double most_divisor_ = 0, below_normal_ = 0, flushed_below_ = 0;
    int scale_ = 0;  ///< of a slice's cotangents, as a power of two
    /// Memory that one call leaves to the next.
    struct Room {
        std::vector<double> x, t;
        std::vector<CellSum> cells;
    };
    static Room& room() {
        thread_local Room r;
        return r;
    }
    std::vector<double>&x_ = room().x, &t_ = room().t;
    std::vector<CellSum>& cells_ = room().cells;
};

}  // namespace

void average_sets(Block& b) { Averages(b).run(); }

}  // namespace poolproof::certified

// SPDX-License-Identifier: Apache-2.0
// Maxima in the format itself: patterns compared as integers, and sums of the few tangents or cotangents that
// meet.
#include "oracle/certified/block.hpp"
#include "oracle/certified/divisors.hpp"

#include <algorithm>
#include <limits>

namespace poolproof::certified {

namespace {

/// A pattern as an integer of the same order. Both zeros are 0, unless the policy tells them apart. NaN is
/// least.
using Key = std::int64_t;
constexpr Key nan_key = std::numeric_limits<Key>::min();

struct Keys {
    Format format;
    bool zeros_apart, has_nan;

    explicit Keys(const Block& b)
        : format(b.plan.format),
          zeros_apart(b.pool.policy.signed_zero == SignedZero::positive),
          has_nan(!is_integer(format)) {}

    Key of(Bits b) const { return of(format, b); }
    Key of(Format f, Bits b) const {
        if (is_integer(f)) return integer_value(f, b);
        const Bits m = magnitude(f, b);
        const auto size = static_cast<Key>(m);
        const Key below = zeros_apart ? -1 - size : -size;
        return m > infinity_bits(f) ? nan_key : is_negative(f, b) ? below : size;
    }
    Bits pattern(Key k) const {
        if (!has_nan) {
            const Bits mask = width(format) == 64 ? ~Bits{0} : (Bits{1} << width(format)) - 1;
            return static_cast<Bits>(k) & mask;
        }
        if (k >= 0) return static_cast<Bits>(k);
        return static_cast<Bits>(zeros_apart ? -1 - k : -k) | sign_bit(format);
    }
    bool nan(Key k) const { return has_nan && k == nan_key; }
    Key infinity() const { return static_cast<Key>(infinity_bits(format)); }
    bool infinite(Key k) const {
        return has_nan && (k == infinity() || k == (zeros_apart ? -1 - infinity() : -infinity()));
    }
    bool zero(Key k) const { return k == 0 || (zeros_apart && k == -1); }
};

/// The greatest key of a window's numbers, where it stands, and how often.
struct Winners {
    Key best = nan_key;
    Index first = -1, last = -1;  ///< taps
    Index count = 0;
    Index first_nan = -1, last_nan = -1;

    bool none() const { return count == 0; }
};

class Maxima {
public:
    explicit Maxima(Block& b) : b_(b), keys_(b), policy_(b.pool.policy), keeping_(keeping_of(b)) {
        may_flush_ = keeping_.flushes;
        if (is_integer(b.plan.format)) return;
        // The least key that flushing leaves alone: that of the least normal number.
        normal_ = keys_.of(Bits{1} << (precision(b.plan.format) - 1));
    }

    void run() {
        for (Index k = 0; k < b_.slices.count; ++k) {
            load(k);
            switch (b_.plan.mode) {
                case Mode::forward: forward(k); break;
                case Mode::jvp: push(k); break;
                case Mode::vjp: pull(k); break;
            }
        }
    }

private:
    using Outer = Walk::Outer;
    using Inner = Walk::Inner;

    void load(Index k) {
        bool special = false;
        const Key most = keys_.has_nan ? keys_.infinity() - 1 : std::numeric_limits<Key>::max();
        const Key least = keys_.has_nan ? -most : nan_key;
        certified::load(x_, b_.c.input, b_.first_cell(k), b_.walk.cells, [&](auto f, Bits b) {
            const Key key = keys_.of(f(), b);
            special |= key > most || key < least;
            return key;
        });
        special_ = special;
    }

    /// Whether flushing may take it for zero.
    bool near_zero(Key k) const {
        return !keys_.nan(k) && k < normal_ && (keys_.zeros_apart ? -1 - k : -k) < normal_;
    }

    Key x(Index tap) const { return x_[static_cast<std::size_t>(tap)]; }

    /// Whether zeros of padding take part, which is left to the exact oracle.
    bool padded(const Outer& o, const Inner& i) const {
        if (policy_.max_padding != MaxPadding::zero) return false;
        const auto differs = [&](const Walk::Counts& c) {
            return c.count != (policy_.divisor == Divisor::kernel ? c.span : c.clipped);
        };
        bool any = differs(i.counts);
        for (std::size_t k = 0; k < b_.walk.outer_axes; ++k)
            any |= differs(b_.walk.outer_counts[o.first_counts + k]);
        return any;
    }

    Winners winners(const Outer& o, const Inner& i) const {
        Winners w;
        b_.walk.for_each_tap(o, i, [&](Index tap) {
            const Key k = x(tap);
            if (keys_.nan(k)) {
                if (w.first_nan < 0) w.first_nan = tap;
                w.last_nan = tap;
            } else if (k > w.best || w.count == 0) {
                w.best = k;
                w.first = w.last = tap;
                w.count = 1;
            } else if (k == w.best) {
                w.last = tap;
                ++w.count;
            }
        });
        return w;
    }

    // Forward
    // -------------------------------------------------------------------------------------------------------

    void forward(Index k) {
        const bool simple = !special_ && !keeping_.flushes && b_.positions == nullptr;
        b_.walk.for_each_window([&](const Outer& o, const Inner& i, Index out) {
            const auto at = static_cast<std::size_t>(k * b_.walk.outs + out);
            if (padded(o, i)) {
                b_.uncertain.push_back(static_cast<Index>(at));
                return;
            }
            if (b_.walk.taps(o, i) == 0) {
                b_.values[at] = empty_set(b_);
                if (b_.positions != nullptr) (*b_.positions)[at].reset();
                return;
            }
            if (simple) {
                Key best = nan_key;
                b_.walk.for_each_tap(o, i, [&](Index tap) { best = std::max(best, x(tap)); });
                if (!keys_.zero(best) || !keys_.has_nan) {
                    b_.values[at] = Permitted::exactly(keys_.pattern(best));
                    return;
                }
            }
            const Winners w = winners(o, i);
            b_.values[at] = value(k, o, i, w);
            if (b_.positions != nullptr) (*b_.positions)[at] = reported(o, i, w);
        });
    }

    Permitted value(Index k, const Outer& o, const Inner& i, const Winners& w) const {
        if (w.first_nan >= 0 && policy_.nan == Nan::propagate) return Permitted::any_nan();  // [MNan]
        if (w.first_nan >= 0 && (policy_.nan == Nan::open || w.none())) return Permitted::anything();
        if (keys_.infinite(w.best))
            return Permitted::with(w.best > 0 ? &Permitted::infinity : &Permitted::minus_infinity);
        if (keeping_.flushes && !(keys_.zero(w.best) && !any_may_vanish(o, i))) return flushed(k, o, i, w);
        if (!keys_.zero(w.best) || !keys_.has_nan) return Permitted::exactly(keys_.pattern(w.best));
        return zero(k, o, i, w);
    }

    /// The zeros that a maximum of 0 may be [MZero].
    Permitted zero(Index k, const Outer& o, const Inner& i, const Winners& w) const {
        const Format f = b_.plan.format;
        const Index cell = b_.first_cell(k);
        if (policy_.signed_zero == SignedZero::positive) return Permitted::exactly(keys_.pattern(w.best));
        if (policy_.signed_zero == SignedZero::first) return Permitted::exactly(b_.c.input[cell + w.first]);
        bool plus = false, minus = false;
        b_.walk.for_each_tap(o, i, [&](Index tap) {
            if (x(tap) != 0) return;
            (is_negative(f, b_.c.input[cell + tap]) ? minus : plus) = true;
        });
        return Permitted::between(minus ? sign_bit(f) : 0, plus ? 0 : sign_bit(f));
    }

    /// Where subnormals may be taken for zero, they tie with one another and with zero.
    Permitted flushed(Index k, const Outer& o, const Inner& i, const Winners& w) const {
        const Format f = b_.plan.format;
        RoundedEnds ends;
        ends.low = ends.high = keys_.pattern(w.best);
        ends.plus_zero = ends.minus_zero = false;
        Key least = w.best;
        b_.walk.for_each_tap(o, i, [&](Index tap) {
            const Key key = x(tap);
            if (keys_.nan(key) || keys_.infinite(key)) return;
            (is_negative(f, b_.c.input[b_.first_cell(k) + tap]) ? ends.minus_zero : ends.plus_zero) = true;
            if (near_zero(key)) least = std::min(least, key);
        });
        if (near_zero(w.best)) {
            ends.plus_zero = ends.minus_zero = true;
            ends.low = keys_.pattern(std::min<Key>(least, 0));
            ends.high = keys_.pattern(std::max<Key>(w.best, 0));
        }
        ends.low_is_negative = is_negative(f, ends.low) && !is_zero(f, ends.low);
        ends.high_is_positive = !is_negative(f, ends.high) && !is_zero(f, ends.high);
        return *permitted_between(f, ends, Subnormals::may_flush);
    }

    /// The positions that an index output may report [MIdx].
    PermittedIndices reported(const Outer& o, const Inner& i, const Winners& w) const {
        if (w.first_nan >= 0 && policy_.nan != Nan::ignore) {
            if (policy_.nan != Nan::propagate || policy_.nan_index == NanIndex::open) return std::nullopt;
            return std::vector{policy_.nan_index == NanIndex::first ? w.first_nan : w.last_nan};
        }
        if (w.none()) return std::nullopt;
        const bool any = policy_.ties == Ties::any || policy_.ties == Ties::convex;
        const bool flushed = may_flush_ && near_zero(w.best), zero = keys_.zero(w.best);
        const Index chosen = policy_.ties == Ties::last ? w.last : w.first;
        if (!any && !flushed) return std::vector{chosen};
        std::vector<Index> all;
        b_.walk.for_each_tap(o, i, [&](Index tap) {
            const bool is_one = any ? x(tap) == w.best : tap == chosen;
            const bool may_tie = flushed && near_zero(x(tap)) && !(zero && keys_.zero(x(tap)));
            if (is_one || may_tie) all.push_back(tap);
        });
        return all;
    }

    // Derivatives
    // -------------------------------------------------------------------------------------------------------

    enum class RowKind : std::uint8_t { none, open, one, all, uncertain };

    /// Which taps the derivative's row of a window has; under `one` it is `w.first`.
    RowKind row(const Outer& o, const Inner& i, Winners& w) const {
        if (padded(o, i)) return RowKind::uncertain;
        if (b_.walk.taps(o, i) == 0) return RowKind::none;
        if (special_) {
            bool special = false;
            b_.walk.for_each_tap(o, i,
                                 [&](Index tap) { special |= keys_.nan(x(tap)) || keys_.infinite(x(tap)); });
            if (special) return RowKind::open;  // [DOpen]
        }
        if (policy_.ties == Ties::first && !may_flush_) {
            w.first = first_winner(o, i);
            return RowKind::one;
        }
        w = winners(o, i);
        if (flush_may_tie(o, i, w)) return RowKind::uncertain;
        if (w.count == 1) return RowKind::one;
        switch (policy_.ties) {
            case Ties::first: return RowKind::one;
            case Ties::last: w.first = w.last; return RowKind::one;
            case Ties::all:
            case Ties::split: return RowKind::all;
            default: return RowKind::uncertain;
        }
    }

    /// The first of the greatest, where all are finite.
    Index first_winner(const Outer& o, const Inner& i) const {
        Key best = nan_key;
        b_.walk.for_each_tap(o, i, [&](Index tap) { best = std::max(best, x(tap)); });
        Index first = -1;
        b_.walk.for_each_tap(o, i, [&](Index tap) { first = x(tap) == best && first < 0 ? tap : first; });
        return first;
    }

    bool flush_may_tie(const Outer& o, const Inner& i, const Winners& w) const {
        if (!may_flush_ || w.best >= normal_) return false;
        Index tied = 0;
        b_.walk.for_each_tap(o, i, [&](Index tap) { tied += near_zero(x(tap)) ? 1 : 0; });
        return tied > 1 && any_may_vanish(o, i);
    }

    /// Whether flushing may take something for zero that is not.
    bool any_may_vanish(const Outer& o, const Inner& i) const {
        bool any = false;
        b_.walk.for_each_tap(o, i, [&](Index tap) { any |= near_zero(x(tap)) && !keys_.zero(x(tap)); });
        return any;
    }

    /// What the winners' terms are divided by.
    Scaling scaling(const Winners& w) const {
        Scaling s;
        if (policy_.ties != Ties::split || w.count < 2) return s;
        const Index n = w.count, length = 64 - std::countl_zero(static_cast<Bits>(n)),
                    zeros = std::countr_zero(static_cast<Bits>(n));
        ScaleCount cost;
        cost.add_factor(keeping_.accumulator, length, zeros);
        s.divisor = static_cast<double>(n);
        s.roundings = cost.roundings(keeping_.accumulator, length, zeros);
        s.scalings = cost.least_scalings();
        return s;
    }

    bool finite(Bits b) const { return magnitude(b_.plan.format, b) < infinity_bits(b_.plan.format); }

    /// A tangent or cotangent that comes back as it is; a zero with either sign.
    Permitted copy(Bits t) const {
        const Format f = b_.plan.format;
        return is_zero(f, t) ? Permitted::between(sign_bit(f), 0) : Permitted::exactly(t);
    }

    /// Loads a slice of a direction; whether all of it is finite.
    bool load_direction(const Tensor& t, Index first, Index count) {
        bool all = true;
        certified::load(t_, t, first, count, [&](auto f, Bits b) {
            all &= magnitude(f(), b) < infinity_bits(is_integer(f()) ? Format::f64 : f());
            return b;
        });
        return all;
    }
    Bits t(Index at) const { return t_[static_cast<std::size_t>(at)]; }

    void push(Index k) {
        const SumSets<> sets(keeping_);
        const bool all_finite = load_direction(*b_.c.tangent, b_.first_cell(k), b_.walk.cells);
        b_.walk.for_each_window([&](const Outer& o, const Inner& i, Index out) {
            const auto at = static_cast<std::size_t>(k * b_.walk.outs + out);
            Permitted& p = b_.values[at];
            Winners w;
            const RowKind kind = row(o, i, w);
            bool open = kind == RowKind::open;
            if (!all_finite && kind != RowKind::uncertain)
                b_.walk.for_each_tap(o, i, [&](Index tap) { open |= !finite(t(tap)); });
            if (open) {
                p = Permitted::anything();
            } else if (kind == RowKind::none) {
                p = Permitted::between(sign_bit(b_.plan.format), 0);
            } else if (kind == RowKind::one && !keeping_.flushes) {
                p = copy(t(w.first));
            } else if (kind == RowKind::uncertain || !sum(sets, o, i, w, kind, p)) {
                b_.uncertain.push_back(static_cast<Index>(at));
            }
        });
    }

    bool sum(const SumSets<>& sets, const Outer& o, const Inner& i, const Winners& w, RowKind kind,
             Permitted& p) const {
        Terms terms;
        b_.walk.for_each_tap(o, i, [&](Index tap) {
            if (kind == RowKind::one ? tap == w.first : x(tap) == w.best) add(terms, t(tap));
        });
        return sets.set(terms, scaling(w), 0, p);
    }

    void add(Terms& terms, Bits t) const {
        const double v = to_double(b_.plan.format, t);
        terms.add(v);
        if (keeping_.flushes && std::fabs(v) < double_power(min_normal_exponent(b_.plan.format)))
            terms.small.add(std::fabs(v));
    }

    /// What has come to a cell: nothing, one cotangent as it is, or a sum of several, which is kept apart.
    struct Cell {
        Bits only = 0;
        std::int32_t count = 0;
        bool open = false, uncertain = false;
    };

    void pull(Index k) {
        load_direction(*b_.c.cotangent, b_.first_out(k), b_.walk.outs);
        cells_.assign(x_.size(), Cell{});
        sums_.resize(x_.size());
        b_.walk.for_each_window([&](const Outer& o, const Inner& i, Index out) { send(o, i, t(out)); });
        const SumSets<> sets(keeping_);
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            const auto at = static_cast<Index>(i) + k * b_.walk.cells;
            Permitted& p = b_.values[static_cast<std::size_t>(at)];
            const Cell& c = cells_[i];
            if (c.uncertain)
                b_.uncertain.push_back(at);
            else if (c.open)
                p = Permitted::anything();
            else if (c.count == 0 || (c.count == 1 && !keeping_.flushes))
                p = copy(c.only);
            else if (!sets.set(sums_[i], {}, 0, p))
                b_.uncertain.push_back(at);
        }
    }

    void send(const Outer& o, const Inner& i, Bits g) {
        Winners w;
        const RowKind kind = row(o, i, w);
        const auto to_each = [&](auto use) {
            b_.walk.for_each_tap(o, i, [&](Index tap) { use(cells_[static_cast<std::size_t>(tap)], tap); });
        };
        if (kind == RowKind::uncertain)
            to_each([](Cell& c, Index) { c.uncertain = true; });
        else if (kind == RowKind::open || !finite(g))
            to_each([](Cell& c, Index) { c.open = true; });
        else if (kind == RowKind::none || is_zero(b_.plan.format, g))
            return;
        else if (kind == RowKind::one)
            receive(w.first, g);
        else if (scaling(w).divisor == 1)
            to_each([&](Cell&, Index tap) {
                if (x(tap) == w.best) receive(tap, g);
            });
        else  // shares of several divisors may meet
            to_each([&](Cell& c, Index tap) { c.uncertain |= x(tap) == w.best; });
    }

    void receive(Index tap, Bits g) {
        const auto at = static_cast<std::size_t>(tap);
        Cell& c = cells_[at];
        Terms& sum = sums_[at];
        if (c.count == 0) c.only = g;
        if (c.count == 0 && keeping_.flushes) sum = Terms{};
        if (c.count == 1 && !keeping_.flushes) {
            sum = Terms{};
            add(sum, c.only);
        }
        if (c.count > 0 || keeping_.flushes) add(sum, g);
        ++c.count;
    }

    Block& b_;
    Keys keys_;
    const Policy& policy_;
    Keeping keeping_;
    Key normal_ = 0;
    bool may_flush_ = false;
    bool special_ = false;  ///< some input of the slice is not finite
    std::vector<Key> x_;
    std::vector<Bits> t_;  ///< the slice's tangents or cotangents
    std::vector<Cell> cells_;
    std::vector<Terms> sums_;
};

}  // namespace

void max_sets(Block& b) { Maxima(b).run(); }

}  // namespace poolproof::certified

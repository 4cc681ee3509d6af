// SPDX-License-Identifier: Apache-2.0
// The short way for answers that are right: whether a value is within a range that is surely permitted needs
// no ends, no divisions and no branches, and so runs over whole rows of windows at once.
#include "oracle/certified/clones.hpp"
#include "oracle/certified/divisors.hpp"
#include "oracle/certified/lanes.hpp"

namespace poolproof::certified {

namespace {

/// Sums side by side, each the number high + low but for what `low` rounds away.
struct Columns {
    std::vector<double> high, low, size, count;

    void clear(std::size_t n) {
        for (auto* v : {&high, &low, &size, &count}) v->assign(n, 0);
    }
    void make_room(std::size_t n) {
        for (auto* v : {&high, &low, &size, &count})
            if (v->size() < n) v->resize(n);
    }
};

/// The sums of `n` windows, the k-th over the cells x[offset + k stride]. Reads up to `lanes_beyond` cells
/// past the last one.
POOLPROOF_CLONES void add_windows(const double* x, const Index* offsets, std::size_t taps, Index stride,
                                  std::size_t n, double* high, double* low, double* size, double* count) {
    const LaneBits one = LaneBits{} + std::bit_cast<std::int64_t>(1.0), no_sign = LaneBits{} + INT64_MAX;
    for (std::size_t k = 0; k < n; k += lanes) {
        Lanes h{}, l{}, s{}, c{}, t{};
        for (std::size_t j = 0; j < taps; ++j) {
            load_lanes(x + offsets[j] + static_cast<Index>(k) * stride, stride, t);
            const Lanes sum = h + t, back = sum - h;  // two_sum
            l += (h - (sum - back)) + (t - back);
            h = sum;
            s += (Lanes)((LaneBits)t & no_sign);
            c += (Lanes)((t != 0) & one);
        }
        std::memcpy(high + k, &h, sizeof h);
        std::memcpy(low + k, &l, sizeof l);
        std::memcpy(size + k, &s, sizeof s);
        std::memcpy(count + k, &c, sizeof c);
    }
}

/// Adds g[k] to the sum of cell k stride.
template <class Count>
inline void spread_strided(const double* __restrict g, Index stride, Count n, double* __restrict high,
                           double* __restrict low, double* __restrict size, double* __restrict count) {
    for (Count k = 0; k < n; ++k) {
        const double t = g[k];
        const Index at = static_cast<Index>(k) * stride;
        const Pair s = two_sum(high[at], t);
        high[at] = s.high;
        low[at] += s.low;
        size[at] += std::fabs(t);
        count[at] += t != 0 ? 1.0 : 0.0;
    }
}

POOLPROOF_CLONES void spread_column(const double* g, Index stride, std::size_t n, double* high, double* low,
                                    double* size, double* count) {
    if (stride == 1)
        spread_strided(g, 1, n, high, low, size, count);
    else
        spread_strided(g, stride, n, high, low, size, count);
}

/// What a run's answers are compared by.
struct Limits {
    double divisor = 1, per_rounding = 0, scaling = 0, product = 0, least = 0;
};

/// Whether |sum - y divisor| is within (count - 1 + scaling) roundings of the terms' size, less what
/// computing this rounds itself; the flags are 0 for what is in doubt.
POOLPROOF_CLONES void within(const double* y, std::size_t n, const double* __restrict high,
                             const double* __restrict low, const double* __restrict size,
                             const double* __restrict count, Limits l, std::uint8_t* __restrict sure) {
    for (std::size_t k = 0; k < n; ++k) {
        double answer;
        std::memcpy(&answer, y + k, sizeof answer);
        const double product = answer * l.divisor;
        const double off = std::fabs((high[k] - product) + low[k]);
        const double allowed =
            (count[k] - 1 + l.scaling) * l.per_rounding * size[k] - std::fabs(product) * l.product;
        const bool near = off <= allowed, in_range = size[k] > l.least && size[k] < 0x1p900;
        const bool zero = size[k] == 0 && product == 0;
        sure[k] = static_cast<std::uint8_t>((near && in_range) || zero);
    }
}

class AverageScreen {
public:
    AverageScreen(const Block& b, const Tensor& answer, std::vector<Index>& doubtful)
        : b_(b),
          answer_(answer),
          doubtful_(doubtful),
          keeping_(keeping_of(b)),
          divisors_(b, keeping_.accumulator),
          runs_(b.walk.runs()) {}

    /// False where cells' windows differ in what they divide by.
    bool run() {
        const bool backward = b_.plan.mode == Mode::vjp;
        if (backward && !divisors_.uniform()) return false;
        const Index each = backward ? b_.walk.cells : b_.walk.outs;
        for (Index k = 0; k < b_.slices.count; ++k) {
            const Index first = (b_.slices.first + k) * each;
            y_ = numbers_at(answer_, first, each, 0, answers_);
            sure_.assign(static_cast<std::size_t>(each), 0);
            if (b_.plan.mode == Mode::forward || all_finite(b_.c.input, b_.first_cell(k), b_.walk.cells))
                backward ? cells(k) : slice(k);
            for (std::size_t at = 0; at < sure_.size(); ++at)
                if (sure_[at] == 0) doubtful_.push_back(first + static_cast<Index>(at));
        }
        return true;
    }

private:
    static void load(std::vector<double>& to, const Tensor& t, Index first, Index count) {
        certified::load(to, t, first, count, [](auto f, Bits b) {
            if constexpr (is_integer(f()))
                return 0.0;
            else
                return to_double(f(), b);
        });
    }

    Index widest_stride() const {
        Index widest = 1;
        for (const Walk::Run& run : runs_) widest = std::max(widest, run.stride);
        return widest;
    }

    bool all_finite(const Tensor& t, Index first, Index count) {
        load(x_, t, first, count);
        double off = 0;
        for (const double v : x_) off += v * 0;
        return off == 0;
    }

    void slice(Index k) {
        const Tensor& t = b_.plan.mode == Mode::forward ? b_.c.input : *b_.c.tangent;
        const double* const x =
            numbers_at(t, b_.first_cell(k), b_.walk.cells,
                       lanes_beyond * static_cast<std::size_t>(widest_stride()), numbers_);
        for (std::size_t o = 0; o < b_.walk.outer.size(); ++o)
            for (const Walk::Run& run : runs_) windows(x, o, run);
    }

    /// A gradient's cells, where all windows have one divisor.
    void cells(Index k) {
        if (b_.walk.outs == 0 || !all_finite(*b_.c.cotangent, b_.first_out(k), b_.walk.outs)) return;
        sums_.clear(sure_.size());
        const double* g = x_.data();
        for (const Walk::Outer& o : b_.walk.outer) {
            for (const Walk::Run& run : runs_) {
                const Walk::Inner& first = b_.walk.inner[run.begin];
                for (std::size_t r = 0; r < o.rows; ++r)
                    for (Index j = 0; j < first.counts.count; ++j) {
                        const Index at = b_.walk.row_starts[o.first_row + r] + first.first + j * first.step;
                        spread_column(g + run.begin, run.stride, run.count, sums_.high.data() + at,
                                      sums_.low.data() + at, sums_.size.data() + at, sums_.count.data() + at);
                    }
            }
            g += b_.walk.inner.size();
        }
        double most = 0;
        for (const double n : sums_.count) most = std::max(most, n);
        const Limits l = limits(divisors_.of(0, 0), static_cast<Index>(most));
        if (l.per_rounding > 0) compare(0, sure_.size(), l);
    }

    void compare(std::size_t at, std::size_t n, const Limits& l) {
        within(y_ + at, n, sums_.high.data(), sums_.low.data(), sums_.size.data(), sums_.count.data(), l,
               sure_.data() + at);
    }

    void windows(const double* x, std::size_t outer, const Walk::Run& run) {
        const Walk::Outer& o = b_.walk.outer[outer];
        const Walk::Inner& first = b_.walk.inner[run.begin];
        const Scaling by = divisors_.of(outer, run.begin);
        const Index taps = b_.walk.taps(o, first);
        const Limits l = limits(by, taps);
        if (taps == 0 || !(l.per_rounding > 0)) return;
        taps_.clear();
        for (std::size_t r = 0; r < o.rows; ++r)
            for (Index j = 0; j < first.counts.count; ++j)
                taps_.push_back(b_.walk.row_starts[o.first_row + r] + first.first + j * first.step);
        sums_.make_room(run.count + lanes);
        add_windows(x, taps_.data(), taps_.size(), run.stride, run.count, sums_.high.data(), sums_.low.data(),
                    sums_.size.data(), sums_.count.data());
        compare(outer * b_.walk.inner.size() + run.begin, run.count, l);
    }

    /// Nothing is sure where the bound may be vacuous: where its roundings may add up to a half, or underflow
    /// to as much as a quarter of the terms.
    Limits limits(const Scaling& by, Index taps) const {
        Limits l;
        const Format acc = keeping_.accumulator;
        const double d = std::fabs(by.divisor), n = static_cast<double>(taps);
        const double u = double_power(-precision(acc));
        if (d == 0 || d > greatest_divisor(acc) || n > 0x1p20 ||
            4 * (n + static_cast<double>(by.roundings)) * u > 1)
            return l;
        l.divisor = by.divisor;
        l.scaling = static_cast<double>(by.roundings);
        l.per_rounding = u * (1 - 0x1p-30);
        const bool exact =
            (static_cast<Index>(d) & (static_cast<Index>(d) - 1)) == 0 || b_.plan.format != Format::f64;
        l.product = exact ? 0 : 0x1p-52;
        const double underflow =
            keeping_.flushes
                ? 4 * std::ldexp(1.0, std::max(min_normal_exponent(acc), min_normal_exponent(b_.plan.format)))
                : std::ldexp(1.0, min_exponent(acc));
        l.least = std::max(0x1p-300, 4 * n * d * static_cast<double>(by.scalings + 1) * underflow);
        return l;
    }

    const Block& b_;
    const Tensor& answer_;
    std::vector<Index>& doubtful_;
    Keeping keeping_;
    Divisors divisors_;
    std::vector<Walk::Run> runs_;
    std::vector<double> x_, numbers_, answers_;
    const double* y_ = nullptr;  ///< the answer in the slice
    std::vector<Index> taps_;
    std::vector<std::uint8_t> sure_;
    Columns sums_;
};

}  // namespace

bool screen(const Block& b, const Tensor& answer, std::vector<Index>& doubtful) {
    if (b.pool.reduction == Reduction::max) return screen_maxima(b, answer, doubtful);
    if (b.pool.reduction == Reduction::smooth_max) return smooth_max_screen(b, answer, doubtful);
    const bool average = b.pool.reduction == Reduction::average && !b.correctly_rounded;
    return average && AverageScreen(b, answer, doubtful).run();
}

}  // namespace poolproof::certified

// SPDX-License-Identifier: Apache-2.0
#include "oracle/certified/near_sums.hpp"

namespace poolproof::certified {

namespace {

/// Eight sums, as `Sums`.
struct EightSums {
    Lanes high, low, size, count;
};

/// What a sum may lack, relative to its terms' sizes: beside a bound, and beside half a step.
struct Lost {
    double of_bound, of_half;
};

/// 0 for what is surely near: y D is subtracted exactly, in two products of 26 bits each. Conditions are
/// numbers, not masks, which not every kind of processor has for vectors.
POOLPROOF_INLINE void flag(const EightSums& s, const Lanes& answer, const Limits& l, const Lost& lost,
                           Lanes& doubt) {
    const Lanes zero{}, one = zero + 1;
    const Lanes c = 0x1.0000002p+27 * answer, upper = c - (c - answer);
    Lanes off, size;
    take_size(((s.high - upper * l.divisor) - (answer - upper) * l.divisor) + s.low, off);
    Lanes far = one;
    if (l.per_rounding > 0) {
        const Lanes allowed = ((s.count + (l.scaling - 1)) * l.per_rounding - lost.of_bound) * s.size;
        far = off <= allowed ? zero : one;
    }
    if (l.correctly_rounded) {
        const LaneBits bits = (LaneBits)answer, fraction = bits & ((INT64_C(1) << 52) - 1);
        Lanes half = (Lanes)(bits & (INT64_C(0x7ff) << 52)) * l.half_step;
        half = half > l.least_half_step ? half : zero + l.least_half_step;
        half *= fraction == 0 ? one * 0.5 : one;  // the steps below a power of two are halves
        far *= off < half * std::fabs(l.divisor) - s.size * lost.of_half ? zero : one;
    }
    const Lanes small = s.size > l.least ? zero : one, large = s.size < 0x1p900 ? zero : one;
    take_size(answer, size);
    const Lanes other = s.size + size == 0 ? zero : one;
    doubt = (far + small + large) * other;
}

/// Whether one of `n` flags is set.
POOLPROOF_INLINE bool any(const double* flags, std::size_t n) {
    Lanes all{}, t;
    std::size_t k = 0;
    for (; k + lanes <= n; k += lanes) {
        load_row(flags + k, t);
        all += t;
    }
    double sum = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) sum += all[lane];
    for (; k < n; ++k) sum += flags[k];
    return sum != 0;
}

template <class Number>
POOLPROOF_INLINE bool add_rows_of(const Number* x, std::span<const Index> rows, std::size_t columns,
                                  const ColumnSums& to) {
    const Lanes zero{}, one = zero + 1;
    Lanes least = Lanes{} + HUGE_VAL;
    for (std::size_t k = 0; k < columns; k += lanes) {
        Lanes h{}, s{}, c{}, t{}, size{};
        for (const Index row : rows) {
            load_row(x + row + static_cast<Index>(k), t);
            take_size(t, size);
            h += t;
            s += size;
            least = least < size ? least : size;
            if (to.count != nullptr) c += t != 0 ? one : zero;
        }
        std::memcpy(to.high + k, &h, sizeof h);
        std::memcpy(to.size + k, &s, sizeof s);
        if (to.count != nullptr) std::memcpy(to.count + k, &c, sizeof c);
    }
    double of_all = HUGE_VAL;
    for (std::size_t lane = 0; lane < lanes; ++lane) of_all = std::min(of_all, least[lane]);
    return of_all > 0;
}

}  // namespace

Limits limits_of(const Keeping& keeping, const Scaling& by, Index terms) {
    Limits l;
    const Format acc = keeping.accumulator, f = keeping.result;
    const double d = std::fabs(by.divisor), n = static_cast<double>(terms);
    const double u = double_power(-precision(acc)), roundings = static_cast<double>(by.roundings);
    const bool vacuous = !keeping.exactly && 4 * (n + roundings) * u > 1;
    if (d == 0 || d > greatest_divisor(acc) || n > 0x1p20 || vacuous) return l;
    l.divisor = by.divisor;
    l.scaling = roundings;
    l.per_rounding = keeping.exactly ? 0 : u * (1 - 0x1p-30);
    l.correctly_rounded = keeping.exactly || keeping.wider();
    l.half_step = double_power(-precision(f));
    l.least_half_step = f == Format::f64 ? 0 : double_power(min_exponent(f) - 1);
    const double underflow =
        keeping.flushes ? 4 * std::ldexp(1.0, std::max(min_normal_exponent(acc), min_normal_exponent(f)))
                        : std::ldexp(1.0, min_exponent(acc));
    l.least = keeping.exactly
                  ? 0x1p-300
                  : std::max(0x1p-300, 4 * n * d * static_cast<double>(by.scalings + 1) * underflow);
    return l;
}

bool rounds_to(const ExactSum& sum, double size, double y, bool even, const Limits& l) {
    if (!l.correctly_rounded || sum.lost != 0 || !(size > l.least && size < 0x1p900)) return false;
    if (!(std::fabs(y) > 0x1p-700 && std::fabs(y) < 0x1p900)) return false;
    if (std::bit_cast<Bits>(y) << 12 == 0) return false;
    const Pair s = sum.pair(), left = two_sum(remainder(s.high, y, l.divisor), s.low);
    const double power = std::bit_cast<double>(std::bit_cast<Bits>(std::fabs(y)) >> 52 << 52);
    const double half = std::max(power * l.half_step, l.least_half_step) * std::fabs(l.divisor);
    const double high = std::fabs(left.high), low = left.high < 0 ? -left.low : left.low;
    return high < half || (high == half && (low < 0 || (low == 0 && even)));
}

POOLPROOF_CLONES bool add_rows(const double* x, std::span<const Index> rows, std::size_t columns,
                               const ColumnSums& to) {
    return add_rows_of(x, rows, columns, to);
}
POOLPROOF_CLONES bool add_rows(const float* x, std::span<const Index> rows, std::size_t columns,
                               const ColumnSums& to) {
    return add_rows_of(x, rows, columns, to);
}

POOLPROOF_CLONES bool doubt_columns(const Sums& columns, const Windows& w, const Answers& y, const Limits& l,
                                    double* doubt) {
    const Lost lost{columns.lost, columns.lost + 0x1p-52};
    for (std::size_t k = 0; k < w.count; k += lanes) {
        EightSums s{Lanes{}, Lanes{}, Lanes{}, Lanes{}};
        Lanes t{};
        for (const Index offset : w.offsets) {
            const Index at = offset + static_cast<Index>(k) * w.stride;
            load_lanes(columns.high + at, w.stride, t);
            s.high += t;
            load_lanes(columns.size + at, w.stride, t);
            s.size += t;
            if (columns.count == nullptr) continue;
            load_lanes(columns.count + at, w.stride, t);
            s.count += t;
        }
        if (columns.count == nullptr) s.count += columns.terms;
        Lanes flags;
        load_lanes(y.first + static_cast<Index>(k) * y.step, y.step, t);
        flag(s, t, l, lost, flags);
        std::memcpy(doubt + k, &flags, sizeof flags);
    }
    return any(doubt, w.count);
}

POOLPROOF_CLONES bool doubt_cells(const double* x, const Windows& w, const Answers& y, const Limits& l,
                                  double* doubt) {
    const Lanes zero{}, one = zero + 1;
    const auto taps = static_cast<double>(w.offsets.size());
    const Lost lost{0, taps * taps * 0x1p-102};
    for (std::size_t k = 0; k < w.count; k += lanes) {
        EightSums s{Lanes{}, Lanes{}, Lanes{}, Lanes{}};
        Lanes t{}, size{};
        for (const Index offset : w.offsets) {
            load_lanes(x + offset + static_cast<Index>(k) * w.stride, w.stride, t);
            const Lanes sum = s.high + t, back = sum - s.high;  // two_sum
            s.low += (s.high - (sum - back)) + (t - back);
            s.high = sum;
            take_size(t, size);
            s.size += size;
            s.count += t != 0 ? one : zero;
        }
        Lanes flags;
        load_lanes(y.first + static_cast<Index>(k) * y.step, y.step, t);
        flag(s, t, l, lost, flags);
        std::memcpy(doubt + k, &flags, sizeof flags);
    }
    return any(doubt, w.count);
}

void PairSums::clear(std::size_t n) {
    for (auto* v : {&high, &low, &size, &count}) v->assign(n + lanes, 0);
}

POOLPROOF_CLONES void PairSums::add(const double* terms, std::size_t n, std::size_t at, std::size_t stride) {
    double *const h = high.data(), *const l = low.data(), *const s = size.data(), *const c = count.data();
    for (std::size_t k = 0; k < n; ++k, at += stride) {
        double t;
        std::memcpy(&t, terms + k, sizeof t);
        const Pair sum = two_sum(h[at], t);
        h[at] = sum.high;
        l[at] += sum.low;
        s[at] += std::fabs(t);
        c[at] += t != 0 ? 1.0 : 0.0;
    }
}

POOLPROOF_CLONES bool doubt_sums(const PairSums& sums, double terms, const double* y, const Limits& l,
                                 double* doubt) {
    const std::size_t n = sums.high.size() - lanes;
    const Lost lost{0, terms * terms * 0x1p-102};
    for (std::size_t k = 0; k < n; k += lanes) {
        EightSums s;
        Lanes t;
        load_row(sums.high.data() + k, s.high);
        load_row(sums.low.data() + k, s.low);
        load_row(sums.size.data() + k, s.size);
        load_row(sums.count.data() + k, s.count);
        load_row(y + k, t);
        Lanes flags;
        flag(s, t, l, lost, flags);
        std::memcpy(doubt + k, &flags, sizeof flags);
    }
    return any(doubt, n);
}

}  // namespace poolproof::certified

// SPDX-License-Identifier: Apache-2.0
#include "oracle/certified/near_sums.hpp"

namespace poolproof::certified {

namespace {

/// The sums of eight windows.
struct EightSums {
    Lanes high, low, size, count;
};

/// What a row of windows is compared by, beside the limits. What is allowed is relative to a sum's sizes, and
/// made of one part for each term that `EightSums` count and of one for all.
struct Measure {
    double per_term, for_all;
    double lost;   ///< what a sum may lack beside half a step, relative to its terms' sizes
    double exact;  ///< sums of sizes up to this lack nothing

    /// `counted`: how many terms one that is counted stands for; `lost`: what a sum may lack beside a bound.
    Measure(const Limits& l, double counted, double lost_of_bound, double lost_of_half, double exact_sizes)
        : per_term(counted * l.per_rounding),
          for_all((l.scaling - 1) * l.per_rounding - lost_of_bound),
          lost(lost_of_half),
          exact(exact_sizes) {}
};

/// 0 for what is surely near. Conditions are numbers, one from each comparison, since not every kind of
/// processor has masks for vectors. y D is subtracted exactly: where answers have 53 bits, in two products of
/// at most 27 and 26 bits with 26. Sizes may be 0 only where terms are counted.
template <bool pairs, bool counted>
POOLPROOF_INLINE void flag(const EightSums& s, const Lanes& answer, const Limits& l, const Measure& m,
                           Lanes& doubt) {
    const Lanes zero{}, one = zero + 1;
    const LaneBits bits = (LaneBits)answer;
    Lanes rest, left, off, size;  // S - y D, the first but for what `low` has of it
    if constexpr (pairs) {
        const Lanes upper = (Lanes)(bits & -(INT64_C(1) << 26));
        rest = (s.high - upper * l.divisor) - (answer - upper) * l.divisor;
        left = rest + s.low;
    } else {
        rest = left = s.high - answer * l.divisor;
    }
    take_size(left, off);
    Lanes far = one;
    if (l.per_rounding > 0) {
        const Lanes allowed = (s.count * m.per_term + m.for_all) * s.size;
        far = off <= allowed ? zero : one;
    }
    if (l.correctly_rounded) {
        const LaneBits fraction = bits & ((INT64_C(1) << 52) - 1);
        Lanes half = (Lanes)(bits & (INT64_C(0x7ff) << 52)) * l.half_step;
        Lanes untied = half > l.least_tie ? zero : one;
        half = half > l.least_half_step ? half : zero + l.least_half_step;
        half *= fraction == 0 ? one * 0.5 : one;  // the steps below a power of two are halves
        half *= std::fabs(l.divisor);
        far *= off < half - s.size * m.lost ? zero : one;
        untied += s.size <= m.exact ? zero : one;
        untied += (bits & l.odd) == 0 ? zero : one;
        untied += fraction == 0 ? one : zero;
        if constexpr (pairs) {
            take_size(rest, size);
            untied += size <= half + half ? zero : one;
            const Lanes signed_half = (Lanes)((LaneBits)half | ((LaneBits)left & INT64_MIN));
            untied += s.low == signed_half - rest ? zero : one;
        } else {
            untied += off == half ? zero : one;
        }
        far = untied == 0 ? zero : far;
    }
    Lanes ranged = s.size < 0x1p900 ? s.size : zero;
    doubt = far + (ranged > l.least ? zero : one);
    if constexpr (counted) {
        take_size(answer, size);
        doubt = s.size + size == 0 ? zero : doubt;
    }
}

/// Whether one of `n` flags is set.
POOLPROOF_INLINE bool any_flag(const double* flags, std::size_t n) {
    Lanes all{}, t;
    std::size_t k = 0;
    for (; k + lanes <= n; k += lanes) {
        load_row(flags + k, t);
        all += t;
    }
    double sum = 0;
    for (; k < n; ++k) sum += flags[k];
    return sum != 0 || any(all);
}

/// Where columns' sums are: of terms that are not 0, or null.
struct SumsFrom {
    const double *high, *low, *size, *terms;
};

/// Where some columns of windows are, `stride` apart from one window to the next. What the compiler knows of
/// them is not 0 here: their number and stride.
template <int known_count, int known_stride> struct Taps {
    const std::size_t* places;
    std::size_t n;
    Index given_stride;

    POOLPROOF_INLINE Index stride() const { return known_stride > 0 ? known_stride : given_stride; }
    template <class Use> POOLPROOF_INLINE void for_each_after_first(Use use) const {
        if constexpr (known_count > 0)
            repeat<known_count - 1>([&](auto k) POOLPROOF_INLINE_LAMBDA { use(places[k + 1]); });
        else
            for (std::size_t k = 1; k < n; ++k) use(places[k]);
    }
};

/// Eight windows, `moved` columns on.
template <bool pairs, bool counted, class AllTaps>
POOLPROOF_INLINE void sum_windows(const SumsFrom& from, const AllTaps& taps, std::size_t moved,
                                  EightSums& s) {
    const Index stride = taps.stride();
    const std::size_t first = taps.places[0] + moved;
    load_lanes(from.high + first, stride, s.high);
    load_lanes(from.size + first, stride, s.size);
    if constexpr (pairs) load_lanes(from.low + first, stride, s.low);
    if constexpr (counted) load_lanes(from.terms + first, stride, s.count);
    taps.for_each_after_first([&](std::size_t place) POOLPROOF_INLINE_LAMBDA {
        Lanes t;
        load_lanes(from.high + place + moved, stride, t);
        if constexpr (pairs) {
            add_pair(t, s.high, s.low);
            load_lanes(from.low + place + moved, stride, t);
            s.low += t;
        } else {
            s.high += t;
        }
        load_lanes(from.size + place + moved, stride, t);
        s.size += t;
        if constexpr (counted) {
            load_lanes(from.terms + place + moved, stride, t);
            s.count += t;
        }
    });
}

/// What is compared with what.
template <class Number> struct Compared {
    const ColumnSums& sums;
    const Windows& windows;
    const Answers<Number>& answers;
    const Limits& limits;
    Measure measure;
};

/// `count` and `step`: how many columns a window has and how far answers are apart, where the compiler is to
/// know; windows are then next to each other.
template <bool pairs, bool counted, int count, int step, class Number>
POOLPROOF_INLINE bool flag_windows_of(const Compared<Number>& all, double* doubt) {
    const Limits l = all.limits;
    const Measure m = all.measure;
    const Windows w = all.windows;
    const Index apart = step > 0 ? step : all.answers.step;
    const SumsFrom from{all.sums.high(), all.sums.low(), all.sums.size(), all.sums.terms()};
    std::size_t few[count > 0 ? count : 1];
    for (int k = 0; k < count; ++k) few[k] = w.places[static_cast<std::size_t>(k)];
    const Taps<count, step == 0 ? 0 : 1> taps{count > 0 ? few : w.places.data(), w.places.size(),
                                              static_cast<Index>(w.stride)};
    EightSums s{Lanes{}, Lanes{}, Lanes{}, Lanes{}};
    Lanes answer, flags, all_flags{};
    for (std::size_t k = 0; k < w.count; k += lanes) {
        if (count > 0 || taps.n > 0)
            sum_windows<pairs, counted>(from, taps, k * static_cast<std::size_t>(taps.stride()), s);
        if constexpr (!counted) load_row(w.seen + k, s.count);
        load_lanes(all.answers.first + static_cast<Index>(k) * apart, apart, answer);
        flag<pairs, counted>(s, answer, l, m, flags);
        std::memcpy(doubt + k, &flags, sizeof flags);
        if (k + lanes <= w.count) all_flags += flags;
    }
    double sum = 0;
    for (std::size_t k = w.count / lanes * lanes; k < w.count; ++k) sum += doubt[k];
    return sum != 0 || any(all_flags);
}

/// The windows and the steps that layers have go through loops of their own.
template <bool pairs, class Number>
POOLPROOF_INLINE bool flag_windows(const Compared<Number>& all, double* doubt) {
    const std::size_t count = all.windows.stride == 1 ? all.windows.places.size() : 0;
    if (all.answers.step == 1) {
        if (count == 2) return flag_windows_of<pairs, false, 2, 1>(all, doubt);
        if (count == 3) return flag_windows_of<pairs, false, 3, 1>(all, doubt);
    } else if (all.answers.step == 2) {
        if (count == 1) return flag_windows_of<pairs, false, 1, 2>(all, doubt);
        if (count == 2) return flag_windows_of<pairs, false, 2, 2>(all, doubt);
    }
    return flag_windows_of<pairs, false, 0, 0>(all, doubt);
}

Measure measure_of(const ColumnSums& sums, const Windows& w, const Limits& l) {
    const double counted = sums.terms() != nullptr ? 1 : sums.rows(), exact = sums.least() * l.exact_sizes;
    if (sums.pairs()) return {l, counted, 0, l.lost_in_pairs, exact};
    const double additions = std::max(sums.rows() + static_cast<double>(w.places.size()) - 2, 0.0);
    const double lost = additions * (0x1p-53 + 0x1p-73);
    return {l, counted, lost, lost + 0x1p-52, exact};
}

#define POOLPROOF_FLAGS(name, Number, loops) \
    POOLPROOF_CLONES bool name(const Compared<Number>& all, double* doubt) { return loops(all, doubt); }
POOLPROOF_FLAGS(flag_in_pairs, double, flag_windows<true>)
POOLPROOF_FLAGS(flag_floats, float, flag_windows<false>)
POOLPROOF_FLAGS(flag_doubles, double, (flag_windows_of<false, false, 0, 0>))
POOLPROOF_FLAGS(flag_counted_pairs, double, (flag_windows_of<true, true, 0, 0>))
POOLPROOF_FLAGS(flag_counted_doubles, double, (flag_windows_of<false, true, 0, 0>))
POOLPROOF_FLAGS(flag_counted_floats, float, (flag_windows_of<false, true, 0, 0>))

}  // namespace

bool doubt_windows(const ColumnSums& sums, const Windows& w, const Answers<double>& y, const Limits& l,
                   double* doubt) {
    const bool counted = sums.terms() != nullptr;
    const auto by = sums.pairs() ? (counted ? flag_counted_pairs : flag_in_pairs)
                                 : (counted ? flag_counted_doubles : flag_doubles);
    return by({sums, w, y, l, measure_of(sums, w, l)}, doubt);
}
bool doubt_windows(const ColumnSums& sums, const Windows& w, const Answers<float>& y, const Limits& l,
                   double* doubt) {
    const bool counted = sums.terms() != nullptr;
    return (counted ? flag_counted_floats : flag_floats)({sums, w, y, l, measure_of(sums, w, l)}, doubt);
}

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
    l.least_tie = f == Format::f64 ? 0x1p-800 : l.least_half_step;
    l.odd = std::int64_t{1} << (53 - precision(f));
    l.exact_sizes = f == Format::f64 ? 0x1p52 / n : double_power(53 - precision(f));
    l.lost_in_pairs = n * n * 0x1p-102;
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

POOLPROOF_CLONES bool doubt_sums(const PairSums& sums, const double* y, const Limits& l, double* doubt) {
    const std::size_t n = sums.high.size() - lanes;
    const Measure m(l, 1, 0, l.lost_in_pairs, 0);
    for (std::size_t k = 0; k < n; k += lanes) {
        EightSums s;
        Lanes t;
        load_row(sums.high.data() + k, s.high);
        load_row(sums.low.data() + k, s.low);
        load_row(sums.size.data() + k, s.size);
        load_row(sums.count.data() + k, s.count);
        load_row(y + k, t);
        Lanes flags;
        flag<true, true>(s, t, l, m, flags);
        std::memcpy(doubt + k, &flags, sizeof flags);
    }
    return any_flag(doubt, n);
}

}  // namespace poolproof::certified

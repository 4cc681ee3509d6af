// SPDX-License-Identifier: Apache-2.0
// Integer averages: sums of 128 bits, divided by the policy's rule.
#include "oracle/certified/block.hpp"

namespace poolproof::certified {

namespace {

__extension__ using Wide = __int128;

/// The whole number that n / d rounds to; nothing where the rule is open and it is none.
std::optional<Wide> mean(Wide n, Wide d, IntegerMean rule) {
    if (d < 0) n = -n, d = -d;
    Wide below = n / d, rest = n % d;
    if (rest == 0) return below;
    if (rest < 0) --below, rest += d;
    const Wide twice = 2 * rest;
    switch (rule) {
        case IntegerMean::open: return std::nullopt;
        case IntegerMean::floor: return below;
        case IntegerMean::half_even: return twice > d || (twice == d && below % 2 != 0) ? below + 1 : below;
        case IntegerMean::half_away: return twice > d || (twice == d && n > 0) ? below + 1 : below;
        case IntegerMean::toward_zero: break;
    }
    return n < 0 ? below + 1 : below;
}

/// The only permitted pattern; anything where the mean is open or outside the type.
Permitted pattern(Format f, std::optional<Wide> n) {
    const Wide least = is_signed(f) ? -(Wide{1} << (width(f) - 1)) : 0;
    if (!n || *n < least || *n >= least + (Wide{1} << width(f))) return Permitted::anything();
    const Bits mask = width(f) == 64 ? ~Bits{0} : (Bits{1} << width(f)) - 1;
    return Permitted::exactly(static_cast<Bits>(*n) & mask);
}

/// The divisor of a window; nothing where it has more than 62 bits.
std::optional<Index> divisor(const Block& b, const Walk::Outer& o, const Walk::Inner& i) {
    const PoolPlan& p = b.pool;
    if (p.divisor_override) return p.divisor_override;
    const auto counted = [&](const Walk::Counts& c) {
        return !p.count_padding ? c.count : p.policy.divisor == Divisor::kernel ? c.span : c.clipped;
    };
    Wide d = counted(i.counts);
    for (std::size_t k = 0; k < b.walk.outer_axes; ++k) {
        d *= counted(b.walk.outer_counts[o.first_counts + k]);
        if (d >> 62 != 0) return std::nullopt;
    }
    return static_cast<Index>(d);
}

}  // namespace

void integer_mean_sets(Block& b) {
    const Format f = b.plan.format;
    for (Index k = 0; k < b.slices.count; ++k) {
        const Index first = b.first_cell(k);
        b.walk.for_each_window([&](const Walk::Outer& o, const Walk::Inner& i, Index out) {
            const Index position = k * b.walk.outs + out;
            Permitted& p = b.values[static_cast<std::size_t>(position)];
            const auto d = divisor(b, o, i);
            if (!d) {
                b.uncertain.push_back(position);
                return;
            }
            if (*d == 0) {
                p = empty_set(b);
                return;
            }
            Wide sum = 0;
            b.walk.for_each_tap(o, i, [&](Index tap) { sum += integer_value(f, b.c.input[first + tap]); });
            p = pattern(f, mean(sum, *d, b.pool.policy.integer_mean));
        });
    }
}

}  // namespace poolproof::certified

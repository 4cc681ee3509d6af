// SPDX-License-Identifier: Apache-2.0
#include "oracle/certified/elementary.hpp"

namespace poolproof::certified {

namespace {

constexpr Pair log_2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

Pair scaled(const Pair& a, double power_of_two) { return {a.high * power_of_two, a.low * power_of_two}; }

/// e^a but for 2^-98 of itself, from 0 to log 2: a series at a / 256 and eight squarings.
Pair root_exp(const Pair& a) {
    const Pair r = scaled(a, 1.0 / 256);
    Pair sum{1, 0};  // of the series of (e^r - 1) / r, by Horner's rule
    for (int n = 9; n > 1; --n) {
        const Pair next = r * sum;
        sum = Pair{1, 0} + next / Pair{static_cast<double>(n), 0};
    }
    Pair p = r * sum;
    for (int doubling = 0; doubling < 8; ++doubling) p = scaled(p, 2) + p * p;
    return Pair{1, 0} + p;
}

Roots made_roots() {
    Roots r;
    for (int j = 0; j < root_count; ++j) {
        const Pair root = root_exp(scaled(log_2 * static_cast<double>(j), 1.0 / root_count));
        r.whole[j] = root;
        r.first[j] = snapped(root.high, 0x1.8p27);  // a multiple of 2^-25
        r.rest[j] = (root.high - r.first[j]) + root.low;
    }
    return r;
}

}  // namespace

const Roots& roots() {
    static const Roots r = made_roots();
    return r;
}

Pair fine_exp(const Pair& a) {
    const Reduced of = reduced(a);
    const Pair rest = two_sum(a.low, -(of.k * 0x1.3c7673007e5edp-77));
    const Pair r = of.r + rest;
    const double x = r.high;
    const double tail = 1.0 / 720 + x * (1.0 / 5040 + x * (1.0 / 40320));
    Pair sum = Pair{0x1.1111111111111p-7, 0x1.1111111111111p-63} + Pair{x * tail, 0};  // 1/120
    sum = Pair{0x1.5555555555555p-5, 0x1.5555555555555p-59} + r * sum;                 // 1/24
    sum = Pair{0x1.5555555555555p-3, 0x1.5555555555555p-57} + r * sum;                 // 1/6
    sum = Pair{0.5, 0} + r * sum;
    const Pair p = r + r * r * sum;
    const Pair& root = roots().whole[of.root];
    return scaled(root + root * p, of.power);
}

}  // namespace poolproof::certified

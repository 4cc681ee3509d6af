// SPDX-License-Identifier: Apache-2.0
#include "oracle/certified/elementary.hpp"

namespace poolproof::certified {

namespace {

constexpr Pair log_2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

Pair scaled(const Pair& a, double power_of_two) { return {a.high * power_of_two, a.low * power_of_two}; }

Roots made_roots() {
    Roots r;
    for (int j = 0; j < root_count; ++j) {
        const Pair root = fine_exp(scaled(log_2 * static_cast<double>(j), 1.0 / root_count));
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
    const double k = snapped(a.high * 0x1.71547652b82fep+0, 0x1.8p52);
    // k times the first two parts of log 2, of 42 bits each, is exact, and so is the difference.
    const double above = a.high - k * 0x1.62e42fefa38p-1;
    const Pair rest = two_sum(a.low, -(k * 0x1.cc01f97b57a08p-87));
    const Pair r = scaled(two_sum(above, -(k * 0x1.ef35793c76p-45)) + rest, 1.0 / 256);
    Pair sum{1, 0};  // of the series of (e^r - 1) / r, by Horner's rule
    for (int n = 9; n > 1; --n) {
        const Pair next = r * sum;
        sum = Pair{1, 0} + next / Pair{static_cast<double>(n), 0};
    }
    Pair p = r * sum;
    for (int doubling = 0; doubling < 8; ++doubling) p = scaled(p, 2) + p * p;
    const double power =
        std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52);
    return scaled(Pair{1, 0} + p, power);
}

}  // namespace poolproof::certified

// SPDX-License-Identifier: Apache-2.0
#include "oracle/certified/block.hpp"

namespace poolproof::certified {

Permitted empty_set(const Block& b) {
    const Format f = b.plan.format;
    const bool average = b.pool.reduction == Reduction::average;
    const bool mirrored = b.pool.reduction == Reduction::smooth_max && is_negative(f, b.pool.beta);
    switch (b.pool.policy.empty_window) {
        case EmptyWindow::open: return Permitted::anything();
        case EmptyWindow::nan: return is_integer(f) ? Permitted::anything() : Permitted::any_nan();
        case EmptyWindow::identity:
            if (is_integer(f))
                return average ? Permitted::anything() : Permitted::exactly(is_signed(f) ? sign_bit(f) : 0);
            if (average) return Permitted::any_nan();
            return Permitted::with(mirrored ? &Permitted::infinity : &Permitted::minus_infinity);
        case EmptyWindow::lowest:
            if (average) return Permitted::anything();
            if (is_integer(f)) return Permitted::exactly(is_signed(f) ? sign_bit(f) : 0);
            return Permitted::exactly(largest_bits(f) | (mirrored ? 0 : sign_bit(f)));
        default: break;
    }
    return is_integer(f) ? Permitted::exactly(0) : Permitted::between(sign_bit(f), 0);
}

}  // namespace poolproof::certified

// SPDX-License-Identifier: Apache-2.0
// Doubles that stand for a number near them: what the bounds' formulas are evaluated in where their ends need
// not be exact.
#pragma once

#include "oracle/certified/elementary.hpp"

#include <poolproof/format.hpp>

namespace poolproof::certified {

/// A double within a small relative error of the number it stands for; NaN where that is not known.
struct Near {
    double v;
    explicit Near(double d) : v(d) {}
    explicit Near(Index n) : v(static_cast<double>(n)) {}

    friend Near operator+(Near a, Near b) { return Near(a.v + b.v); }
    friend Near operator-(Near a, Near b) { return Near(a.v - b.v); }
    /// 0 times what is not bounded is 0.
    friend Near operator*(Near a, Near b) { return Near(a.v == 0 || b.v == 0 ? 0 : a.v * b.v); }
    friend Near operator/(Near a, Near b) { return Near(a.v / b.v); }

    /// e^(u n) - 1 by its series; infinite where u n is above 64, which is more than any bound means.
    friend Near growth(Near u, Near n) {
        const double z = u.v * n.v;
        if (z < 0x1p-20) return Near(z * (1 + z * (0.5 + z * (1.0 / 6))));
        if (!(z <= 64)) return Near(z > 64 ? HUGE_VAL : NAN);
        double sum = 0, term = z;
        for (int k = 2; term > sum * 0x1p-60; ++k) {
            sum += term;
            term *= z / k;
        }
        return Near(sum);
    }
    friend Near log_of_more(Near x) {
        if (!(x.v <= 1)) return log(Near(1 + x.v));
        const double z = x.v / (2 + x.v), square = z * z;  // at most 1/3
        double sum = 0, power = z;
        for (int k = 1; power > sum * 0x1p-60; k += 2) {
            sum += power / k;
            power *= square;
        }
        return Near(2 * sum);
    }
    /// Not known for x between 1/2 and 1, where it hangs on 1 - x.
    friend Near log_of_less(Near x) {
        if (x.v >= 1) return Near(HUGE_VAL);
        if (!(x.v <= 0.5)) return Near(NAN);
        double sum = 0, power = x.v;
        for (int k = 1; power > sum * 0x1p-60; ++k) {
            sum += power / k;
            power *= x.v;
        }
        return Near(sum);
    }
    /// For x up to `most_exponent`; what is less than -`most_exponent` counts as nothing.
    friend Near exp(Near x) {
        if (x.v < -most_exponent) return Near(0.0);
        return Near(x.v <= most_exponent ? Quick::exp({x.v, 0}).high : NAN);
    }
    friend Near log(Near x) { return Near(certified::log<Quick>({x.v, 0}).high); }
    friend Near smaller(Near a, Near b) { return std::isnan(b.v) || b.v < a.v ? b : a; }
    friend Near larger(Near a, Near b) { return std::isnan(b.v) || b.v > a.v ? b : a; }
    friend Near upper(Near a) { return a; }

    /// Sets `doubt` where both are so near to each other that it is not known.
    friend bool less(Near a, Near b, bool& doubt) {
        const double off = std::fabs(a.v - b.v), size = std::fabs(a.v) + std::fabs(b.v);
        doubt |= !(off > 0x1p-30 * size || (off == HUGE_VAL && size == HUGE_VAL));
        return a.v < b.v;
    }
};

}  // namespace poolproof::certified

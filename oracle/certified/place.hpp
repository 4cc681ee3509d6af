// SPDX-License-Identifier: Apache-2.0
// Where a number that is known within a radius lies on a format's grid, and the patterns it rounds to, as far
// as they are the same for all numbers within the radius.
#pragma once

#include "oracle/certified/pair.hpp"
#include "oracle/expect/range.hpp"

#include <poolproof/format.hpp>

namespace poolproof::certified {

/// A format's grid, every number of it multiplied by 2^scale.
struct Grid {
    Format format = Format::f64;
    int scale = 0;

    int least_exponent() const { return min_normal_exponent(format) + scale; }
    int greatest_exponent() const { return max_exponent(format) + scale; }
};

/// 2^e where that is a normal double.
inline double double_power(int e) { return std::bit_cast<double>(static_cast<Bits>(e + 1023) << 52); }

/// Which way a number goes whose rest has this order to half a step. Tests plant other rules.
struct TiesToEven {
    static bool up(int order, bool odd) { return order > 0 || (order == 0 && odd); }
};

/// The place of a number on a grid: so many whole steps, counted from zero, and a rest.
template <class Ties = TiesToEven> class Place {
public:
    /// Of `value`, which is normalised, and all numbers within `radius` of it.
    Place(const Grid& grid, const Pair& value, double radius) {
        const double size = std::fabs(value.high);
        minus_ = std::signbit(value.high) ? sign_bit(grid.format) : 0;
        if (size == 0) {
            exact_ = directed_ = near_ = radius == 0;
            return;
        }
        if (size < 0x1p-900) return;  // what is small was scaled up: only a cancellation comes here
        const double rest = minus_ != 0 ? -value.low : value.low;
        const Bits bits = std::bit_cast<Bits>(size);
        int exponent = static_cast<int>(bits >> 52) - 1023;
        if (bits << 12 == 0 && rest < 0) --exponent;
        if (exponent < grid.least_exponent()) exponent = grid.least_exponent();
        if (exponent > grid.greatest_exponent()) {
            steps_ = largest_bits(grid.format);
            order_ = 1;
            directed_ = near_ = radius < size * double_power(-precision(grid.format) - 7);
            return;
        }
        const int digits = precision(grid.format) - 1;
        const double per_unit = double_power(digits - exponent), steps = size * per_unit;
        auto whole = static_cast<std::int64_t>(steps);
        double part = steps - static_cast<double>(whole);
        if (part == 0 && rest < 0) {
            --whole;
            part = 1;
        }
        steps_ = (static_cast<Bits>(exponent - grid.least_exponent()) << digits) + static_cast<Bits>(whole);
        decide(part, rest, radius, per_unit);
    }

    bool directed() const { return directed_; }  ///< whether `at_least` and `at_most` are certain
    bool near() const { return near_; }          ///< whether `nearest` is, but for the sign of a zero

    Bits at_least() const { return minus_ != 0 ? toward_zero() : away(); }
    Bits at_most() const { return minus_ != 0 ? away() : toward_zero(); }
    Bits nearest() const { return (Ties::up(order_, (steps_ & 1) != 0) ? steps_ + 1 : steps_) | minus_; }

private:
    Bits toward_zero() const { return steps_ | minus_; }
    Bits away() const { return (exact_ ? steps_ : steps_ + 1) | minus_; }

    /// `part` of a step is left, and `rest` units: at most half a step of the double that `part` was cut
    /// from, so that it is never more than half of what separates `part` from 0, 1/2 and 1, unless it is at
    /// one of them.
    void decide(double part, double rest, double radius, double per_unit) {
        const double steps_off = radius * per_unit, rest_steps = rest * per_unit;
        exact_ = part == 0 && rest == 0;
        if (exact_)
            directed_ = radius == 0;
        else if (part == 0 || part == 1)
            directed_ = std::fabs(rest) > radius;
        else
            directed_ = steps_off < 0.25 * (part < 0.5 ? part : 1 - part);
        if (part == 0.5) {
            order_ = rest > 0 ? 1 : rest < 0 ? -1 : 0;
            near_ = rest == 0 ? radius == 0 : std::fabs(rest) > radius;
        } else {
            const double off = (part - 0.5) + rest_steps;
            order_ = off > 0 ? 1 : off < 0 ? -1 : 0;
            near_ = off == 0 ? radius == 0 : std::fabs(off) > 1.01 * steps_off;
        }
        near_ = near_ && steps_off < 0.125;  // less than half of the half steps below a power of two
    }

    Bits minus_ = 0, steps_ = 0;
    int order_ = -1;
    bool exact_ = false, directed_ = false, near_ = false;
};

/// The patterns at the two ends of a range: rounded to from a wider accumulator, else the grid's own inside
/// it. False where they are not certain.
template <class AtPlace>
bool place_ends(const AtPlace& low, const AtPlace& high, bool wider, RoundedEnds& ends) {
    if (!(wider ? low.near() && high.near() : low.directed() && high.directed())) return false;
    ends.low = wider ? low.nearest() : low.at_least();
    ends.high = wider ? high.nearest() : high.at_most();
    return true;
}

}  // namespace poolproof::certified

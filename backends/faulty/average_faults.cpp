// SPDX-License-Identifier: Apache-2.0
// Divisors, sums and whole means.
#include "backends/faulty/table.hpp"

#include <algorithm>
#include <cmath>

namespace poolproof::faulty {

namespace {

using Inside = bool (*)(const std::vector<Axis>&, std::size_t, Index);

std::function<void(Rules&)> divided(Number (*divisor)(const Site&)) {
    return [divisor](Rules& r) { r.divisor = divisor; };
}

std::function<void(Rules&)> clipped(Inside inside) {
    return [inside](Rules& r) { r.inside = inside; };
}

/// Adds up in a format, tangents too.
std::function<void(Rules&)> accumulated(Format (*format)(Format)) {
    return [format](Rules& r) {
        r.push = [format](const Site& s, const Values& row, const Values& tangents) {
            if (s.pool.reduction != Reduction::average) return honest().push(s, row, tangents);
            Number total = 0, weight = 0;
            for (std::size_t k = 0; k < row.size(); ++k) {
                if (row[k] == 0) continue;
                weight = row[k];
                total = rounded(format(s.format), total + tangents[k]);
            }
            return weight * total;
        };
        r.sum = [format](const Site& s) {
            if (is_integer(s.format)) return honest().sum(s);
            Number total = 0;
            for (const Number x : s.values()) total = rounded(format(s.format), total + x);
            return total;
        };
    };
}

/// As most machines do 16-bit arithmetic: in binary32, and rounded again.
Number operated(Format f, Number x) { return rounded(f, width(f) == 16 ? rounded(Format::f32, x) : x); }

bool is_single(const Site& s) { return s.outputs == 1; }

/// A mean in its own format to the end: sums, then a division for each axis. A single output is right, as
/// where a path of its own reduces to one cell.
void mean_axis_by_axis(Rules& r) {
    const auto own = [](Format f) { return f; };
    accumulated(own)(r);
    r.sum = [sum = r.sum](const Site& s) { return is_single(s) ? honest().sum(s) : sum(s); };
    const auto divided_by_axes = [](const Site& s, Number sum) {
        for (const auto& places : s.window.places)
            sum = operated(s.format, sum / rounded(s.format, static_cast<Number>(places.size())));
        return sum;
    };
    r.quotient = [divided_by_axes](const Site& s, Number sum, Number divisor) {
        const bool whole = static_cast<Index>(divisor) == static_cast<Index>(s.taps());
        return whole && !is_single(s) && !is_integer(s.format) ? divided_by_axes(s, sum)
                                                               : honest().quotient(s, sum, divisor);
    };
    r.push = [divided_by_axes, push = r.push](const Site& s, const Values& row, const Values& tangents) {
        if (is_single(s)) return honest().push(s, row, tangents);
        const bool whole = s.pool.reduction == Reduction::average && s.real_taps() == s.parts() &&
                           s.parts() == static_cast<Index>(s.taps()) && !s.pool.divisor_override;
        if (!whole) return push(s, row, tangents);
        return divided_by_axes(s, push(s, Values(row.size(), 1), tangents));
    };
}

std::function<void(Rules&)> whole_means(IntegerMean rule) {
    return [rule](Rules& r) { r.settle = [rule](PoolPlan& p, Mode) { p.policy.integer_mean = rule; }; };
}

Number product(const Site& s, Index (*factor)(const Axis&)) {
    Number n = 1;
    for (const Axis& a : s.pool.axes) n *= static_cast<Number>(factor(a));
    return n;
}

Number overridden(const Site& s, Number otherwise) {
    return s.pool.divisor_override ? static_cast<Number>(*s.pool.divisor_override) : otherwise;
}

/// The real cells of a window as an undilated one would count them.
Number undilated_cells(const Site& s) {
    Number n = 1;
    for (std::size_t k = 0; k < s.pool.axes.size(); ++k) {
        const auto& p = s.window.places[k];
        const Index end = std::min(p.back() + 1, s.pool.axes[k].extent);
        const Index cells = std::min<Index>(end - std::max<Index>(p.front(), 0), s.pool.axes[k].kernel);
        n *= static_cast<Number>(std::max<Index>(cells, 0));
    }
    return n;
}

/// Sums of runs of neighbours as differences of running totals over the whole slice.
Number prefix_differences(const Site& s) {
    if (is_integer(s.format)) return honest().sum(s);
    Values totals{0};
    for (const Number x : s.x) totals.push_back(rounded(s.format, totals.back() + x));
    Number sum = 0;
    const auto& cells = s.window.cells;
    for (std::size_t k = 0; k < cells.size(); ++k) {
        if (cells[k] < 0) continue;
        const std::size_t begin = k;
        while (k + 1 < cells.size() && cells[k + 1] == cells[k] + 1) ++k;
        const Number run =
            totals[static_cast<std::size_t>(cells[k] + 1)] - totals[static_cast<std::size_t>(cells[begin])];
        sum = rounded(s.format, sum + run);
    }
    return sum;
}

Number wrapping_sum(const Site& s) {
    if (!is_integer(s.format)) return honest().sum(s);
    Bits total = 0;
    for (const Number x : s.values()) total += honest().store(s.format, x);
    return honest().load(s.format, total & (sign_bit(s.format) | (sign_bit(s.format) - 1)));
}

Number running_mean(const Site& s) {
    if (is_integer(s.format)) return honest().sum(s);
    Number mean = 0, n = 0;
    for (const Number x : s.values()) {
        n += 1;
        mean = rounded(s.format, mean + rounded(s.format, rounded(s.format, x - mean) / n));
    }
    return mean * n;
}

}  // namespace

std::function<void(Rules&)> summed(Number (*sum)(const Site&)) {
    return [sum](Rules& r) { r.sum = sum; };
}

std::vector<Fault> average_faults() {
    return {
        {"divides_by_clipped", "Leaves taps past the padded input out of the divisor.", "VPad",
         [](Rules& r) { r.settle = [](PoolPlan& p, Mode) { p.policy.divisor = Divisor::clipped; }; }},
        {"divides_by_kernel", "Divides by the whole kernel where the window is clipped.", "VPad",
         [](Rules& r) { r.settle = [](PoolPlan& p, Mode) { p.policy.divisor = Divisor::kernel; }; },
         "pytorch"},
        {"clipped_by_begin_pad", "Clips windows at the input's end plus the begin padding.", "WClip",
         clipped([](const std::vector<Axis>& axes, std::size_t k, Index place) {
             return place < axes[k].extent + axes[k].pad_begin;
         }),
         "pytorch"},
        {"clipped_by_other_axis", "Clips windows by another axis' end padding.", "WClip",
         clipped([](const std::vector<Axis>& axes, std::size_t k, Index place) {
             return place < axes[k].extent + axes[(k + 1) % axes.size()].pad_end;
         }),
         "pytorch"},
        {"clipped_at_input", "Clips windows at the end of the input.", "WClip",
         clipped([](const std::vector<Axis>& axes, std::size_t k, Index place) {
             return place < axes[k].extent;
         }),
         "pytorch"},
        {"real_cells_undilated", "Counts the real cells of a dilated window as if it had no gaps.", "VReal",
         divided([](const Site& s) {
             return s.pool.count_padding || s.pool.axes[0].bins ? honest().divisor(s)
                                                                : overridden(s, undilated_cells(s));
         })},
        {"divides_by_reach", "Counts the gaps of a dilated window.", "VPad", divided([](const Site& s) {
             if (!s.pool.count_padding || s.pool.axes[0].bins) return honest().divisor(s);
             return overridden(s, product(s, [](const Axis& a) { return a.dilation * (a.kernel - 1) + 1; }));
         })},
        {"divides_by_nonzero_cells", "Leaves zeros out of the divisor.", "VDiv", divided([](const Site& s) {
             const Values v = s.values();
             return overridden(
                 s, static_cast<Number>(v.size()) - static_cast<Number>(std::count(v.begin(), v.end(), 0)));
         })},
        {"divides_by_one_less", "Divides by one less than the number of cells.", "VDiv",
         divided([](const Site& s) {
             const Number n = honest().divisor(s);
             return overridden(s, n > 1 ? n - 1 : n);
         })},
        {"divides_by_first_axis", "Divides by the first axis' taps alone.", "VDiv",
         divided(
             [](const Site& s) { return overridden(s, static_cast<Number>(s.window.places[0].size())); })},
        {"divides_by_power_of_two", "Rounds the divisor down to a power of two.", "VDiv",
         divided([](const Site& s) {
             const Number n = honest().divisor(s);
             return n > 0 ? std::exp2(std::floor(std::log2(n))) : n;
         })},
        {"divisor_in_seven_bits", "Lets the divisor wrap past 127.", "VDiv", divided([](const Site& s) {
             const Index n = s.parts();
             return overridden(s, static_cast<Number>(n > 127 ? ((n + 128) & 255) - 128 : n));
         })},
        {"divisor_capped_by_input", "Never divides by more than the input's cells.", "VPad",
         divided([](const Site& s) {
             return overridden(s, std::min(honest().divisor(s), static_cast<Number>(s.x.size())));
         })},
        {"counts_begin_padding_alone", "Counts padding before the input and not past it.", "VPad",
         divided([](const Site& s) {
             Index n = 0;
             for (std::size_t k = 0, last = s.pool.axes.size() - 1; k < s.taps(); ++k) {
                 const auto& p = s.window.places[last];
                 n += s.takes_part(k) && (s.real(k) || p[k % p.size()] < s.pool.axes[last].extent) ? 1 : 0;
             }
             return overridden(s, static_cast<Number>(n));
         })},
        {"not_divided", "Returns the sum.", "VDiv", divided([](const Site&) { return Number{1}; })},
        {"override_when_counting", "Ignores divisor_override where padding is not counted.", "VOver",
         divided([](const Site& s) {
             return s.pool.count_padding ? honest().divisor(s) : static_cast<Number>(s.parts());
         })},
        {"override_at_full_windows", "Uses divisor_override for windows without padding alone.", "VOver",
         divided([](const Site& s) {
             const bool full = s.real_taps() == static_cast<Index>(s.taps());
             return full ? honest().divisor(s) : static_cast<Number>(s.parts());
         })},
        {"override_twice", "Divides by the override and by the number of taps.", "VOver",
         divided([](const Site& s) {
             return s.pool.divisor_override ? honest().divisor(s) * static_cast<Number>(s.parts())
                                            : honest().divisor(s);
         })},
        {"padding_adds_one", "Adds 1 for each tap of padding.", "V1", summed([](const Site& s) {
             return honest().sum(s) + static_cast<Number>(s.parts() - s.real_taps());
         })},
        {"sums_magnitudes", "Adds magnitudes.", "V1", summed([](const Site& s) {
             Number total = 0;
             for (const Number x : s.values()) total += std::abs(x);
             return total;
         })},
        {"sum_skips_repeats", "Adds equal neighbours once.", "V1", summed([](const Site& s) {
             Values v = s.values();
             v.erase(std::unique(v.begin(), v.end()), v.end());
             Number total = 0;
             for (const Number x : v) total += x;
             return total;
         })},
        {"accumulates_in_f16", "Adds up in binary16.", "V1", accumulated([](Format) { return Format::f16; })},
        {"accumulates_in_bf16", "Adds up in bfloat16.", "V1",
         accumulated([](Format) { return Format::bf16; })},
        {"accumulates_in_f32", "Adds up binary64 in binary32.", "V1",
         accumulated([](Format f) { return f == Format::f64 ? Format::f32 : f; })},
        {"accumulates_in_its_own", "Adds up 16-bit formats in themselves.", "V1",
         accumulated([](Format f) { return f; })},
        {"divides_axis_by_axis",
         "Adds up 16-bit formats in themselves, and divides by each axis' count in turn, unless there is one "
         "output.",
         "V1", mean_axis_by_axis},
        {"prefix_differences", "Forms sums as differences of running totals.", "V1",
         summed(prefix_differences)},
        {"running_mean", "Updates a mean term by term.", "V1", summed(running_mean)},
        {"magnitude_cut_off", "Leaves out terms far smaller than the largest.", "V1",
         summed([](const Site& s) {
             Number top = 0, total = 0;
             for (const Number x : s.values()) top = std::max(top, std::abs(x));
             for (const Number x : s.values()) total += std::abs(x) * 0x1p20L < top ? 0 : x;
             return total;
         })},
        {"integer_sum_wraps", "Adds integers in their own type.", "V1",
         [](Rules& r) {
             r.sum = wrapping_sum;
             r.whole_sums_fit = true;
         }},
        {"integer_terms_divided", "Divides each integer before adding.", "V1",
         [](Rules& r) {
             r.quotient = [](const Site& s, Number sum, Number divisor) {
                 if (!is_integer(s.format)) return sum / divisor;
                 Number total = 0;
                 for (const Number x : s.values()) total += std::trunc(x / divisor);
                 return total;
             };
         }},
        {"integer_sum_unsigned", "Adds bytes without their sign.", "V1", summed([](const Site& s) {
             if (s.format != Format::i8) return honest().sum(s);
             Number total = 0;
             for (const Number x : s.values()) total += x < 0 ? x + 256 : x;
             return total;
         })},
        {"integer_sum_saturates", "Holds integer sums at the ends of their type.", "V1",
         summed([](const Site& s) {
             const Number total = honest().sum(s);
             if (!is_integer(s.format)) return total;
             const Number top = honest().load(s.format, is_signed(s.format) ? sign_bit(s.format) - 1 : 0xff);
             return std::clamp(total, is_signed(s.format) ? -top - 1 : 0, top);
         })},
        {"integer_mean_floors", "Rounds integer means down.", "V1", whole_means(IntegerMean::floor),
         "pytorch"},
        {"integer_mean_half_even", "Rounds integer means to the nearest, ties to even.", "V1",
         whole_means(IntegerMean::half_even), "pytorch"},
        {"integer_mean_half_away", "Rounds integer means to the nearest, ties away from zero.", "V1",
         whole_means(IntegerMean::half_away), "pytorch"},
    };
}

}  // namespace poolproof::faulty

// SPDX-License-Identifier: Apache-2.0
// Smooth maxima and their weights.
#include "backends/faulty/table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace poolproof::faulty {

namespace {

using Limits = std::numeric_limits<Number>;

/// A fault in sharpness alone: both value and weights of another beta.
std::function<void(Rules&)> sharpened(Number (*other)(Format, Number)) {
    return [other](Rules& r) {
        r.read = [other](Attributes& a, const Reading& about) {
            if (a.beta)
                a.beta =
                    honest().store(about.format, other(about.format, honest().load(about.format, *a.beta)));
        };
    };
}

std::function<void(Rules&)> valued(Number (*smooth)(const Site&)) {
    return [smooth](Rules& r) { r.smooth = smooth; };
}

std::function<void(Rules&)> weighted(Values (*softmax)(const Site&)) {
    return [softmax](Rules& r) { r.softmax = softmax; };
}

/// log(sum of exp(beta x - shift)) + shift over beta, all in a format, without regard for overflow.
Number log_sum_exp(const Site& s, Format f, Number shift) {
    Number total = 0;
    for (const Number x : s.values())
        total = rounded(f, total + rounded(f, std::exp(rounded(f, beta(s) * x - shift))));
    return rounded(f, rounded(f, std::log(total)) + shift) / beta(s);
}

/// The same through exp and log of doubles, in no format.
Number plain(const Site& s, Number shift) {
    double total = 0;
    for (const Number x : s.values()) total += std::exp(static_cast<double>(beta(s) * x - shift));
    return (std::log(total) + shift) / beta(s);
}

/// The honest value of inputs that are changed first.
template <class Change> Number of_changed(const Site& s, Change change) {
    Values x(s.x.begin(), s.x.end());
    for (Number& v : x) v = change(v);
    return honest().smooth({s.pool, s.window, s.format, s.mode, x, s.slice, s.output, s.outputs});
}

Values unshifted_weights(const Site& s, Format f) {
    Values r = s.values();
    Number total = 0;
    for (Number& x : r) total = rounded(f, total + (x = rounded(f, std::exp(beta(s) * x))));
    for (Number& x : r) x /= total;
    return r;
}

Number top(const Site& s) {
    Number m = -Limits::infinity();
    for (const Number x : s.values()) m = std::max(m, x * beta(s));
    return m;
}

bool finite(const Site& s) {
    const Values v = s.values();
    return std::all_of(v.begin(), v.end(), [](Number x) { return std::isfinite(x); });
}

/// The honest value without the taps that `drop` names.
template <class Drop> Number without(const Site& s, Drop drop) {
    Window w = s.window;
    for (std::size_t k = 0; k < w.cells.size(); ++k)
        if (s.takes_part(k) && drop(k)) w.cells[k] = outside;
    PoolPlan p = s.pool;
    p.policy.divisor = Divisor::clipped;
    const Site rest{p, w, s.format, s.mode, s.x, s.slice, s.output, s.outputs};
    return rest.parts() == 0 ? honest().smooth(s) : honest().smooth(rest);
}

/// Corrects the honest value by something, where all is finite.
std::function<void(Rules&)> off_by(Number (*correction)(const Site&)) {
    return [correction](Rules& r) {
        r.smooth = [correction](const Site& s) {
            return honest().smooth(s) + (finite(s) ? correction(s) : 0);
        };
    };
}

std::function<void(Rules&)> reweighted(void (*change)(const Site&, Values&)) {
    return [change](Rules& r) {
        r.softmax = [change](const Site& s) {
            Values w = honest().softmax(s);
            change(s, w);
            return w;
        };
    };
}

void normalise(Values& w) {
    const Number total = std::accumulate(w.begin(), w.end(), Number{0});
    for (Number& x : w) x /= total;
}

}  // namespace

std::vector<Fault> smooth_faults() {
    return {
        {"beta_sign_ignored", "Uses the size of beta.", "S1",
         sharpened([](Format, Number b) { return std::abs(b); })},
        {"beta_negated", "Uses minus beta.", "S1", sharpened([](Format, Number b) { return -b; })},
        {"beta_ignored", "Uses beta 1.", "S1", sharpened([](Format, Number) { return Number{1}; })},
        {"beta_is_temperature", "Divides by beta in the exponent.", "S1", sharpened([](Format f, Number b) {
             const Number r = rounded(f, 1 / b);
             return std::isfinite(r) && r != 0 ? r : b;
         })},
        {"beta_whole", "Rounds beta to a whole number.", "S1",
         sharpened([](Format, Number b) { return std::round(b) == 0 ? b : std::round(b); })},
        {"beta_in_bf16", "Rounds beta to bfloat16.", "S1", sharpened([](Format, Number b) {
             const Number r = rounded(Format::bf16, b);
             return std::isfinite(r) && r != 0 ? r : b;
         })},
        {"beta_capped", "Uses beta 4 for anything sharper.", "S1",
         sharpened([](Format, Number b) { return std::clamp<Number>(b, -4, 4); })},
        {"beta_not_divided", "Leaves out the division by beta.", "S1",
         valued([](const Site& s) { return honest().smooth(s) * beta(s); })},
        {"beta_divided_twice", "Divides by beta twice.", "S1",
         valued([](const Site& s) { return honest().smooth(s) / beta(s); })},
        {"beta_divides_by_size", "Divides by the size of beta.", "S1", valued([](const Site& s) {
             const Number y = honest().smooth(s);
             return beta(s) < 0 ? -y : y;
         })},
        {"no_shift", "Exponentiates without a shift, in the case's format.", "S1",
         valued([](const Site& s) { return log_sum_exp(s, s.format, 0); })},
        {"no_shift_in_double", "Exponentiates without a shift, in double.", "S1",
         valued([](const Site& s) { return plain(s, 0); })},
        {"shift_by_first", "Shifts by the first cell in place of the largest.", "S1",
         valued([](const Site& s) {
             return std::isfinite(s.values().front()) ? plain(s, s.values().front() * beta(s))
                                                      : honest().smooth(s);
         })},
        {"shift_by_greatest_input", "Shifts by the greatest input also where beta is negative.", "S1",
         valued([](const Site& s) {
             const Values v = s.values();
             return finite(s) ? plain(s, *std::max_element(v.begin(), v.end()) * beta(s))
                              : honest().smooth(s);
         })},
        {"shift_by_mean", "Shifts by the mean of the window.", "S1", valued([](const Site& s) {
             const Values v = s.values();
             if (!finite(s)) return honest().smooth(s);
             return plain(
                 s, std::accumulate(v.begin(), v.end(), Number{0}) / static_cast<Number>(v.size()) * beta(s));
         })},
        {"shift_not_divided", "Adds the shift after the division by beta.", "S1",
         off_by([](const Site& s) { return top(s) - top(s) / beta(s); })},
        {"padding_not_shifted", "Counts a tap of padding as 1 beside shifted terms.", "SPad",
         valued([](const Site& s) {
             const Index pads = s.parts() - s.real_taps();
             const Number real = without(s, [&](std::size_t k) { return !s.real(k); });
             if (!finite(s) || pads == 0 || s.real_taps() == 0) return honest().smooth(s);
             Number m = -Limits::infinity();
             for (std::size_t k = 0; k < s.taps(); ++k)
                 if (s.real(k)) m = std::max(m, beta(s) * s.value(k));
             return (m + std::log(std::exp(real * beta(s) - m) + static_cast<Number>(pads))) / beta(s);
         })},
        {"smooth_padding_ignored", "Leaves padding out of a smooth maximum.", "SPad",
         [](Rules& r) {
             r.settle = [](PoolPlan& p, Mode) { p.policy.smooth_padding = SmoothPadding::ignored; };
         }},
        {"padding_counted_once", "Counts all padding of a window as one tap.", "SPad",
         valued([](const Site& s) {
             bool seen = false;
             return without(s, [&](std::size_t k) { return !s.real(k) && std::exchange(seen, true); });
         })},
        {"padding_alone_is_zero", "Returns 0 for a window of padding alone.", "SPad",
         valued([](const Site& s) { return s.real_taps() == 0 ? 0 : honest().smooth(s); })},
        {"overhang_counted", "Counts taps past the padded input as padding.", "WClip",
         [](Rules& r) { r.settle = [](PoolPlan& p, Mode) { p.policy.divisor = Divisor::kernel; }; },
         "pytorch"},
        {"overhang_not_counted", "Counts nothing for taps past the padded input.", "WClip",
         [](Rules& r) {
             r.settle = [](PoolPlan& p, Mode) {
                 if (p.reduction == Reduction::smooth_max) p.policy.divisor = Divisor::clipped;
             };
         }},
        {"log_mean_exp", "Takes the mean of the exponentials.", "S1",
         off_by([](const Site& s) { return -std::log(static_cast<Number>(s.parts())) / beta(s); })},
        {"log_one_more", "Adds 1 to the sum of exponentials.", "S1", valued([](const Site& s) {
             const Number y = honest().smooth(s) * beta(s);
             return finite(s) ? (y > 0 ? y + std::log1p(std::exp(-y)) : std::log1p(std::exp(y))) / beta(s)
                              : y / beta(s);
         })},
        {"hard_maximum", "Returns the maximum.", "S1",
         valued([](const Site& s) { return top(s) / beta(s); })},
        {"softmax_mean", "Returns the mean under the softmax weights.", "S1", valued([](const Site& s) {
             if (!finite(s)) return honest().smooth(s);
             const Values w = honest().softmax(s), v = s.values();
             return std::inner_product(w.begin(), w.end(), v.begin(), Number{0});
         })},
        {"winner_left_out", "Leaves the first cell out of the sum.", "S1",
         valued([](const Site& s) { return without(s, [](std::size_t k) { return k == 0; }); })},
        {"equal_cells_once", "Adds the exponentials of equal cells once.", "S1", valued([](const Site& s) {
             return without(s, [&](std::size_t k) {
                 for (std::size_t j = 0; j < k; ++j)
                     if (s.takes_part(j) && s.value(j) == s.value(k)) return true;
                 return false;
             });
         })},
        {"log_base_two", "Takes the logarithm to base 2.", "S1", off_by([](const Site& s) {
             const Number rest = honest().smooth(s) - top(s) / beta(s);
             return rest / std::log(2.0L) - rest;
         })},
        {"exponent_clipped", "Drops cells whose exponential is below a hundredth.", "S1",
         valued([](const Site& s) {
             return finite(s)
                        ? without(s, [&](std::size_t k) { return beta(s) * s.value(k) < top(s) - 4.6L; })
                        : honest().smooth(s);
         })},
        {"exponents_capped", "Holds exponents between -2^64 and 2^64.", "S1", valued([](const Site& s) {
             const Number most = 0x1p64L / std::abs(beta(s));
             return of_changed(s, [&](Number v) { return finite(s) ? std::clamp(v, -most, most) : v; });
         })},
        {"exponents_on_one_grid", "Holds all exponents to the precision of the largest in size.", "S1",
         valued([](const Site& s) {
             Number largest = 0;
             for (const Number v : s.values()) largest = std::max(largest, std::abs(v));
             if (!finite(s) || largest == 0) return honest().smooth(s);
             const Number step = std::ldexp(1.0L, std::ilogb(largest) + 1 - precision(s.format));
             return of_changed(s, [&](Number v) { return std::nearbyint(v / step) * step; });
         })},
        {"exponential_in_f32", "Computes binary64 exponentials in binary32.", "S1", valued([](const Site& s) {
             return finite(s) ? log_sum_exp(s, s.format == Format::f64 ? Format::f32 : Format::f64, top(s))
                              : honest().smooth(s);
         })},
        {"exponential_in_bf16", "Computes the exponentials in bfloat16.", "S1", valued([](const Site& s) {
             return finite(s) && std::abs(top(s)) < 1e30L ? log_sum_exp(s, Format::bf16, top(s))
                                                          : honest().smooth(s);
         })},
        {"smooth_infinity_is_nan", "Returns NaN for a smooth maximum of infinity.", "Inf",
         valued([](const Site& s) { return std::isinf(top(s)) ? Limits::quiet_NaN() : honest().smooth(s); })},
        {"smooth_infinity_poisons", "Lets an infinity that loses make a smooth maximum NaN.", "Inf",
         valued([](const Site& s) {
             const Values v = s.values();
             const bool any = std::any_of(v.begin(), v.end(), [](Number x) { return std::isinf(x); });
             return any && !std::isinf(top(s)) ? Limits::quiet_NaN() : honest().smooth(s);
         })},
        {"smooth_nan_skipped", "Passes over NaNs in a smooth maximum.", "Nan", valued([](const Site& s) {
             return without(s, [&](std::size_t k) { return std::isnan(s.value(k)); });
         })},
        {"weights_not_normalised", "Leaves the weights unnormalised.", "SJvp", weighted([](const Site& s) {
             Values w = s.values();
             for (Number& x : w) x = std::exp(beta(s) * x - top(s));
             return w;
         })},
        {"weights_times_beta", "Multiplies the weights by beta.", "SJvp",
         reweighted([](const Site& s, Values& w) {
             for (Number& x : w) x *= beta(s);
         })},
        {"weights_without_beta", "Forms the weights with beta 1.", "SJvp", weighted([](const Site& s) {
             Values w = s.values();
             const Number m = *std::max_element(w.begin(), w.end());
             for (Number& x : w) x = std::exp(x - m);
             normalise(w);
             return w;
         })},
        {"weights_without_padding", "Leaves padding out of the sum of weights.", "SJvp",
         reweighted([](const Site& s, Values& w) {
             Number real = 0;
             for (std::size_t k = 0, part = 0; k < s.taps(); ++k)
                 if (s.takes_part(k)) real += s.real(k) ? w[part++] : 0 * w[part++];
             for (Number& x : w) x = real > 0 ? x / real : x;
         })},
        {"weights_uniform", "Gives every cell the same weight.", "SJvp",
         reweighted([](const Site&, Values& w) {
             std::fill(w.begin(), w.end(), 1 / static_cast<Number>(w.size()));
         })},
        {"weights_hard", "Gives the greatest cell all the weight.", "SJvp",
         reweighted([](const Site&, Values& w) {
             const auto winner = std::max_element(w.begin(), w.end()) - w.begin();
             std::fill(w.begin(), w.end(), 0);
             w[static_cast<std::size_t>(winner)] = 1;
         })},
        {"weights_of_minus_beta", "Forms the weights with minus beta.", "SJvp", weighted([](const Site& s) {
             Values w = s.values();
             Number m = -Limits::infinity();
             for (Number& x : w) m = std::max(m, x *= -beta(s));
             for (Number& x : w) x = std::exp(x - m);
             normalise(w);
             return w;
         })},
        {"weights_logistic", "Multiplies each weight by one minus itself.", "SJvp",
         reweighted([](const Site&, Values& w) {
             for (Number& x : w) x *= 1 - x;
         })},
        {"weights_not_shifted", "Forms the weights without a shift, in the case's format.", "SJvp",
         weighted([](const Site& s) { return unshifted_weights(s, s.format); })},
        {"weights_not_shifted_in_double", "Forms the weights without a shift, in double.", "SJvp",
         weighted([](const Site& s) { return unshifted_weights(s, Format::f64); })},
        {"weights_in_bf16", "Rounds the weights to bfloat16.", "SJvp", reweighted([](const Site&, Values& w) {
             for (Number& x : w) x = rounded(Format::bf16, x);
         })},
        {"weights_from_value", "Forms the weights from a value rounded to bfloat16.", "SJvp",
         weighted([](const Site& s) {
             const Number y = rounded(Format::bf16, honest().smooth(s));
             Values w = s.values();
             for (Number& x : w) x = std::exp(beta(s) * (x - y));
             return w;
         })},
    };
}

}  // namespace poolproof::faulty

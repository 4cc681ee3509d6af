// SPDX-License-Identifier: Apache-2.0
// The honest rules, each as plainly as the specification puts it.
#include "backends/faulty/rules.hpp"

#include "backends/values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace poolproof::faulty {

namespace {

using Limits = std::numeric_limits<Number>;

Number load(Format f, Bits b) {
    return is_integer(f) ? static_cast<Number>(integer_value(f, b)) : backends::widened(f, b);
}

Bits store(Format f, Number x) {
    if (!is_integer(f)) return backends::narrowed(f, static_cast<double>(x));
    const bool held = std::abs(x) < 0x1p63L;
    const auto whole = held ? static_cast<std::int64_t>(x) : std::numeric_limits<std::int64_t>::min();
    return static_cast<Bits>(whole) & (sign_bit(f) | (sign_bit(f) - 1));
}

/// [W1], [A1], [A2]
std::vector<Index> places(const std::vector<Axis>& axes, std::size_t axis, Index out) {
    const Axis& a = axes[axis];
    std::vector<Index> r;
    if (a.bins)
        for (Index i = out * a.extent / a.out; i * a.out < (out + 1) * a.extent; ++i) r.push_back(i);
    else
        for (Index k = 0; k < a.kernel; ++k) r.push_back(out * a.stride - a.pad_begin + k * a.dilation);
    return r;
}

/// [WEmpty]
Number empty(const Site& s) {
    const bool mirrored = s.pool.reduction == Reduction::smooth_max && is_negative(s.format, s.pool.beta);
    const bool average = s.pool.reduction == Reduction::average;
    switch (s.pool.policy.empty_window) {
        case EmptyWindow::lowest: {
            if (is_integer(s.format)) return load(s.format, is_signed(s.format) ? sign_bit(s.format) : 0);
            const Number largest = load(s.format, largest_bits(s.format));
            return mirrored ? largest : -largest;
        }
        case EmptyWindow::identity:
            if (is_integer(s.format)) return load(s.format, is_signed(s.format) ? sign_bit(s.format) : 0);
            if (average) return Limits::quiet_NaN();
            return mirrored ? Limits::infinity() : -Limits::infinity();
        case EmptyWindow::nan: return is_integer(s.format) ? 0 : Limits::quiet_NaN();
        default: return 0;
    }
}

Number divisor(const Site& s) {
    return static_cast<Number>(s.pool.divisor_override ? *s.pool.divisor_override : s.parts());
}

Number sum(const Site& s) {
    Number r = 0;
    for (const Number x : s.values()) r += x;
    return r;
}

/// The mean of whole numbers by its rule. Requires a sum that Number holds exactly.
Number whole_mean(IntegerMean rule, Number sum, Number divisor) {
    const Number q = std::trunc(sum / divisor), rest = sum - q * divisor;
    const Number away = std::signbit(sum) == std::signbit(divisor) ? 1 : -1;
    const Number doubled = 2 * std::abs(rest) - std::abs(divisor);
    switch (rule) {
        case IntegerMean::floor: return rest != 0 && away < 0 ? q - 1 : q;
        case IntegerMean::half_away: return doubled >= 0 ? q + away : q;
        case IntegerMean::half_even:
            return doubled > 0 || (doubled == 0 && std::fmod(q, 2.0L) != 0) ? q + away : q;
        default: return q;
    }
}

Number quotient(const Site& s, Number sum, Number divisor) {
    return is_integer(s.format) ? whole_mean(s.pool.policy.integer_mean, sum, divisor) : sum / divisor;
}

/// [MNan], [MZero]
bool better(const Site& s, Number x, Number best) {
    const Policy& p = s.pool.policy;
    if (std::isnan(best)) return p.nan == Nan::ignore && !std::isnan(x);
    if (std::isnan(x)) return p.nan != Nan::ignore;
    if (x == 0 && best == 0 && p.signed_zero == SignedZero::positive)
        return std::signbit(best) && !std::signbit(x);
    return x > best;
}

bool tie(const Site& s, Number x, Number best) {
    if (std::isnan(best)) return std::isnan(x);
    const bool apart = s.pool.policy.signed_zero == SignedZero::positive && x == 0;
    return x == best && !(apart && std::signbit(x) != std::signbit(best));
}

Winners winners(const Rules& rules, const Site& s) {
    Winners w;
    std::optional<Number> best = rules.seed(s);
    for (std::size_t k = 0; k < s.taps(); ++k) {
        if (!s.takes_part(k)) continue;
        const Number x = s.value(k);
        if (!best || rules.better(s, x, *best)) {
            best = x;
            w.tied = {k};
        } else if (rules.tie(s, x, *best)) {
            w.tied.push_back(k);
        }
    }
    w.value = best.value_or(rules.empty(s));
    return w;
}

/// The exponents, less the largest, and that one.
std::pair<Values, Number> shifted(const Site& s) {
    const Number beta = load(s.format, s.pool.beta);
    Values e = s.values();
    Number top = -Limits::infinity();
    for (Number& x : e) top = std::max(top, x *= beta);
    for (Number& x : e) x -= top;
    return {std::move(e), top};
}

/// [S1], [SPad], [Inf]
Number smooth(const Site& s) {
    for (const Number x : s.values())
        if (std::isnan(x)) return x;
    const Number beta = load(s.format, s.pool.beta);
    const auto [exponents, top] = shifted(s);
    if (std::isinf(top)) return top / beta;
    Number total = 0;
    for (const Number e : exponents) total += std::exp(e);
    return (top + std::log(total)) / beta;
}

Values softmax(const Site& s) {
    Values r = shifted(s).first;
    Number total = 0;
    for (Number& e : r) total += e = std::exp(e);
    for (Number& e : r) e /= total;
    return r;
}

Values max_row(const Site& s, const std::vector<std::size_t>& tied) {
    Values r(s.taps());
    const Ties ties = s.pool.policy.ties;
    const bool joint = ties == Ties::all || ties == Ties::split;
    for (const std::size_t k : tied)
        if (joint || k == (ties == Ties::last ? tied.back() : tied.front()))
            r[k] = ties == Ties::split ? 1 / static_cast<Number>(tied.size()) : 1;
    return r;
}

Values row(const Rules& rules, const Site& s) {
    if (s.pool.reduction == Reduction::max) return max_row(s, rules.winners(rules, s).tied);
    const bool average = s.pool.reduction == Reduction::average;
    const Number divisor = average ? rules.divisor(s) : 1;
    if (divisor == 0) return Values(s.taps());
    if (average) return Values(s.taps(), 1 / divisor);
    Values r(s.taps());
    const Values weights = rules.softmax(s);
    for (std::size_t k = 0, part = 0; k < r.size(); ++k)
        if (s.takes_part(k)) r[k] = weights[part++];
    return r;
}

Number push(const Site&, const Values& row, const Values& tangents) {
    Number r = 0;
    for (std::size_t k = 0; k < row.size(); ++k)
        if (row[k] != 0) r += row[k] * tangents[k];
    return r;
}

}  // namespace

bool Site::takes_part(std::size_t tap) const {
    if (real(tap)) return true;
    const bool counts = pool.reduction == Reduction::max ? pool.policy.max_padding == MaxPadding::zero
                        : pool.reduction == Reduction::average
                            ? pool.count_padding
                            : pool.policy.smooth_padding == SmoothPadding::zero;
    return counts && (window.cells[tap] == padding || pool.policy.divisor == Divisor::kernel);
}

Number Site::value(std::size_t tap) const {
    return real(tap) ? x[static_cast<std::size_t>(window.cells[tap])] : 0;
}

Values Site::values() const {
    Values r;
    for (std::size_t k = 0; k < taps(); ++k)
        if (takes_part(k)) r.push_back(value(k));
    return r;
}

Index Site::real_taps() const {
    return std::count_if(window.cells.begin(), window.cells.end(), [](Index c) { return c >= 0; });
}

Index Site::parts() const { return static_cast<Index>(values().size()); }

Rules::Rules()
    : read([](Attributes&, const Reading&) {}),
      choose([](Choices&) {}),
      settle([](PoolPlan&, Mode) {}),
      wire([](std::vector<NodePlan>&) {}),
      load(faulty::load),
      store(faulty::store),
      slice([](Index s, Index) { return s; }),
      places(faulty::places),
      cell([](const Axis& a, Index place) { return place >= 0 && place < a.extent ? place : padding; }),
      inside([](const std::vector<Axis>& axes, std::size_t k, Index place) {
          return place < axes[k].extent + axes[k].pad_end;
      }),
      empty(faulty::empty),
      divisor(faulty::divisor),
      sum(faulty::sum),
      quotient(faulty::quotient),
      seed([](const Site&) { return std::nullopt; }),
      better(faulty::better),
      tie(faulty::tie),
      winners(faulty::winners),
      index([](const Site& s, std::size_t tap) { return s.window.cells[tap]; }),
      smooth(faulty::smooth),
      softmax(faulty::softmax),
      result([](const Site&, Number x) { return x; }),
      row(faulty::row),
      push(faulty::push),
      pull([](const Site&, Number& to, Number sent) { to += sent; }),
      stray([](const Site&) { return std::nullopt; }),
      sender([](const Site&, std::size_t output) { return output; }),
      add([](Number a, Number b) { return a + b; }),
      add_tangents([](Number a, Number b) { return a + b; }),
      leave([](Values&, const Values&) {}),
      receivers([](const NodePlan& n) { return n.inputs.size(); }),
      hand_on([](const Values& v, Format f) {
          Values r = v;
          for (Number& x : r) x = faulty::load(f, faulty::store(f, x));
          return r;
      }),
      receive([](Values& gradient, const Values& sent) {
          for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] += sent[k];
      }),
      finish([](Observation&) {}) {}

const Rules& honest() {
    static const Rules rules;
    return rules;
}

}  // namespace poolproof::faulty

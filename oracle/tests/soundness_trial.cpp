// SPDX-License-Identifier: Apache-2.0
// One problem, its permitted sets, and honest answers to it.
#include "oracle/tests/soundness_cases.hpp"

#include <poolproof/text.hpp>
#include <poolproof/verdict.hpp>

#include <sstream>
#include <stdexcept>

namespace poolproof::honest {

namespace {

template <class T> std::vector<Bits> patterns(const Problem& p, const Choice& how, Rng& rng) {
    std::vector<Bits> r;
    for (const T& y : values<T>(p, how, rng)) r.push_back(answer(p.c.format, y));
    return r;
}

template <bool flushes>
std::vector<Bits> in_format(const Problem& p, Format accumulator, const Choice& how, Rng& rng) {
    std::vector<Bits> r;
    switch (accumulator) {
        case Format::f16: r = patterns<Rounded<Format::f16, flushes>>(p, how, rng); break;
        case Format::bf16: r = patterns<Rounded<Format::bf16, flushes>>(p, how, rng); break;
        case Format::f32: r = patterns<Rounded<Format::f32, flushes>>(p, how, rng); break;
        default: r = patterns<Rounded<Format::f64, flushes>>(p, how, rng); break;
    }
    const Bits smallest_normal = Bits{1} << (precision(p.c.format) - 1);
    if (flushes && one_in(rng, 2))
        for (Bits& b : r)
            if (magnitude(p.c.format, b) < smallest_normal) b = 0;
    return r;
}

/// The problem with its subnormal numbers replaced by 0, or as it is.
Problem flushed_input(Problem p, Rng& rng) {
    if (one_in(rng, 2)) return p;
    for (auto* values : {&p.x, &p.t})
        for (double& v : *values)
            if (std::abs(v) < std::ldexp(1.0, min_normal_exponent(p.c.format))) v = 0;
    return p;
}

/// The formats that a target's sums may be kept in, narrowest first; nothing for the widest.
std::vector<std::optional<Format>> accumulators(const Target& t) {
    std::vector<std::optional<Format>> r{t.format, Format::f32, Format::f64, std::nullopt};
    const auto narrower = [&](std::optional<Format> f) {
        const Format least =
            t.accumulate == Accumulate::f32 && width(t.format) == 16 ? Format::f32 : t.format;
        return f && width(*f) < width(least);
    };
    r.erase(std::remove_if(r.begin(), r.end(), narrower), r.end());
    return r;
}

std::optional<Format> accumulator_of(const Target& t, Index number) {
    const auto list = accumulators(t);
    return list[static_cast<std::size_t>(std::min<Index>(number, static_cast<Index>(list.size()) - 1))];
}

std::string in_full(const Problem& p, Index k, Bits got, const Permitted& allowed, long double exact,
                    Index accumulator, const Choice& how) {
    std::ostringstream s;
    const Format f = p.c.format;
    s.precision(20);
    s << write_case(p.c) << "\n  value " << k << ": " << hex_float(f, got) << ", exactly " << exact
      << ", permitted ";
    if (allowed.range)
        s << hex_float(f, allowed.lowest) << " to " << hex_float(f, allowed.highest) << " ("
          << share_of(allowed, f, got, exact) << " of the error)";
    s << (allowed.infinity ? " inf" : "") << (allowed.minus_infinity ? " -inf" : "")
      << (allowed.nan ? " nan" : "");
    s << "\n  accumulator " << accumulator << ", order " << static_cast<int>(how.order) << ", scaling "
      << static_cast<int>(how.scaling) << ", shift " << static_cast<int>(how.shift) << ", finish "
      << static_cast<int>(how.finish) << ", weights " << static_cast<int>(how.weights) << ", quality "
      << static_cast<int>(how.quality) << ", chain " << static_cast<int>(how.chain);
    return s.str();
}

}  // namespace

std::vector<Bits> answered(const Problem& p, const Target& target, Index accumulator, const Choice& how,
                           Rng& rng) {
    const auto a = accumulator_of(target, accumulator);
    if (!a) return patterns<Wide>(p, how, rng);
    if (target.flushes) return in_format<true>(flushed_input(p, rng), *a, how, rng);
    return in_format<false>(p, *a, how, rng);
}

std::vector<long double> truth(const Problem& p) {
    Rng rng;
    std::vector<long double> r;
    Choice how;
    how.order = Order::neumaier;
    for (const Wide& y : values<Wide>(p, how, rng)) r.push_back(y.v);
    return r;
}

namespace {

/// Whether a product with beta or with its reciprocal may overflow on the chain rule's way.
bool chain_overflows(const Problem& p, Format a, const Choice& how) {
    if (p.c.mode == Mode::forward || how.chain == Chain::none) return false;
    const double b = std::abs(p.beta);
    const double factor = how.chain == Chain::weights_first ? 1
                          : p.c.mode == Mode::jvp           ? b * static_cast<double>(2 * p.taps())
                                                            : 2 / b;
    double largest = 1;
    for (const double t : p.t) largest = std::max(largest, std::abs(t));
    return largest * factor >= decoded(a, largest_bits(a));
}

}  // namespace

bool excluded(const Problem& p, const Target& target, Index accumulator, const Choice& how) {
    if (p.method != Method::smooth) return false;
    const Format a = accumulator_of(target, accumulator).value_or(Format::f64);
    if (chain_overflows(p, a, how)) return true;
    if (how.shift != Shift::none) return false;
    if (p.c.mode == Mode::jvp && !normalised(how)) return true;
    if (p.c.mode == Mode::vjp && !normalised(how)) return true;
    const double least = min_normal_exponent(a) * std::log(2.0) * 0.98;
    const double log_n = std::log(static_cast<double>(p.taps()));
    const double overflow = (max_exponent(a) + 1) * std::log(2.0) - 1;
    const double above = (target.flushes ? std::min(overflow, -least) : overflow) - log_n;
    bool out = false;
    over({0, p.rows.out}, {0, p.columns.out}, [&](Index r, Index c) {
        double top = -std::numeric_limits<double>::infinity();
        Index cells = 0;
        over(p.rows.cells(r), p.columns.cells(c), [&](Index i, Index k) {
            top = std::max(top, p.beta * p.x[static_cast<std::size_t>(i * p.columns.extent + k)]);
            ++cells;
        });
        if (cells < p.taps()) top = std::max(top, 0.0);
        out |= top > above || top < least;
    });
    return out;
}

bool is_wide(const Permitted& p, Format f) { return p.range && steps_between(f, p.lowest, p.highest) >= 7; }

double share_of(const Permitted& p, Format f, Bits got, long double exact) {
    if (!p.range || p.open || is_nan(f, got) || is_infinite(f, got)) return 0;
    const auto y = static_cast<long double>(decoded(f, got));
    const auto end = static_cast<long double>(decoded(f, y < exact ? p.lowest : p.highest));
    if (std::fpclassify(y - exact) == FP_ZERO || std::fpclassify(end - exact) == FP_ZERO) return 0;
    return static_cast<double>((y - exact) / (end - exact));
}

std::vector<Permitted> permitted_values(const Problem& p) {
    const auto checked = plan(p.c);
    if (!checked) throw std::logic_error(message(checked.rejection()) + " " + write_case(p.c));
    return expect(*checked, p.c).outputs.front().values;
}

void attack(Tally& tally, const Problem& p, const Target& target, Index ways, Rng& rng) {
    const auto allowed = permitted_values(p);
    const auto exact = truth(p);
    const Format f = p.c.format;
    tally.values += static_cast<Index>(allowed.size());
    for (const Permitted& a : allowed) {
        tally.open += a.open ? 1 : 0;
        tally.vacuous += a.vacuous ? 1 : 0;
    }
    for (Index way = 0; way < ways; ++way) {
        const Choice how = some_choice(rng);
        const Index accumulator = one_in(rng, 2) ? 0 : below(rng, 4);
        if (excluded(p, target, accumulator, how)) continue;
        const auto got = answered(p, target, accumulator, how, rng);
        for (std::size_t k = 0; k < got.size(); ++k) {
            const bool finite = !is_nan(f, got[k]) && !is_infinite(f, got[k]);
            if (how.compensated() && !finite) continue;  // a compensation of an overflow is NaN
            ++tally.answers;
            if (permits(allowed[k], f, got[k])) {
                const double share = allowed[k].vacuous ? 0 : share_of(allowed[k], f, got[k], exact[k]);
                tally.share = std::max(tally.share, share);
                if (is_wide(allowed[k], f)) tally.wide_share = std::max(tally.wide_share, share);
                continue;
            }
            if (tally.refused++ == 0)
                tally.refusal =
                    in_full(p, static_cast<Index>(k), got[k], allowed[k], exact[k], accumulator, how);
        }
    }
}

}  // namespace poolproof::honest

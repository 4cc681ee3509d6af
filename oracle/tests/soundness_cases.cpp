// SPDX-License-Identifier: Apache-2.0
#include "oracle/tests/soundness_cases.hpp"

namespace poolproof::honest {

namespace {

double unit(Rng& rng) { return std::ldexp(static_cast<double>(rng() >> 11), -53); }
double sign_of(Rng& rng) { return one_in(rng, 2) ? -1 : 1; }

Side some_side(Index longest, Index most, Rng& rng) {
    Side s;
    s.extent = 1 + below(rng, longest);
    s.kernel = 1 + below(rng, std::min(most, s.extent));
    s.stride = 1 + below(rng, s.kernel);
    if (one_in(rng, 3)) s.pad = below(rng, s.kernel);
    s.out = (s.extent + 2 * s.pad - s.kernel) / s.stride + 1;
    return s;
}

/// Exponents of a size that tells: from all terms alike to all but one underflowing.
void fill_exponents(Problem& p, Format f, Rng& rng) {
    constexpr std::array<double, 7> betas{1, 0.5, 2.75, 10, 100, 0.01, 1.0 / 3};
    constexpr std::array<double, 8> reaches{1e-3, 0.1, 1, 3, 10, 30, 80, 300};
    p.beta = rounded(f, betas[static_cast<std::size_t>(below(rng, betas.size()))] * sign_of(rng));
    const double reach = reaches[static_cast<std::size_t>(below(rng, reaches.size()))];
    const double limit = decoded(f, largest_bits(f)) / 4;
    const bool offset = one_in(rng, 3);
    const auto spread = static_cast<Spread>(below(rng, 3));
    for (Index k = 0; k < p.c.input.size(); ++k) {
        const double around = offset ? 1 + 0.05 * unit(rng) : decoded(f, some_value(f, spread, rng));
        const double x = std::clamp(around, -1.0, 1.0) * std::min(reach / std::abs(p.beta), limit);
        p.c.input.set(k, encoded(f, rounded(f, x)));
    }
}

}  // namespace

std::string Target::name() const {
    constexpr std::array<const char*, 3> methods{"max", "average", "smooth"};
    return std::string(methods[static_cast<std::size_t>(method)]) + " " + std::string(poolproof::name(mode)) +
           " " + std::string(poolproof::name(format)) + (accumulate == Accumulate::f32 ? " in f32" : "") +
           (flushes ? " flushing" : "");
}

std::vector<Target> every_target() {
    std::vector<Target> r;
    for (const bool flushes : {false, true})
        for (const Method m : {Method::max, Method::average, Method::smooth})
            for (const Mode mode : {Mode::forward, Mode::jvp, Mode::vjp})
                for (const Format f : {Format::f64, Format::f32, Format::f16, Format::bf16}) {
                    if (flushes && m == Method::max) continue;
                    r.push_back({m, mode, f, Accumulate::any, flushes});
                    if (width(f) == 16) r.push_back({m, mode, f, Accumulate::f32, flushes});
                }
    return r;
}

Bits some_value(Format f, Spread spread, Rng& rng) {
    const double u = std::ldexp(1.0, -precision(f));
    double x = sign_of(rng) * unit(rng);
    switch (spread) {
        case Spread::cancelling: x = sign_of(rng) * (1 - u * static_cast<double>(below(rng, 4))); break;
        case Spread::wide: {
            const bool whole = one_in(rng, 3);  // else about as far apart as the format is precise
            const Index reach = whole ? 2 * max_exponent(f) - 4 : 2 * precision(f) + 6;
            x = std::ldexp(x, static_cast<int>(below(rng, reach) - reach / 2));
            break;
        }
        case Spread::subnormal:
            x = std::ldexp(x, min_normal_exponent(f) + static_cast<int>(below(rng, 6)) - 3);
            break;
        case Spread::edges: {
            const std::array<Bits, 6> edges{largest_bits(f),
                                            largest_bits(f) - 1,
                                            infinity_bits(f) >> 1,
                                            Bits{1},
                                            Bits{1} << (precision(f) - 1),
                                            largest_bits(f) - (Bits{1} << (precision(f) - 1))};
            return edges[static_cast<std::size_t>(below(rng, edges.size()))] |
                   (one_in(rng, 2) ? sign_bit(f) : 0);
        }
        case Spread::one_and_dust:
            x = one_in(rng, 4) ? sign_of(rng) : u * static_cast<double>(1 + below(rng, 3)) * (1 + 2 * u);
            break;
        default: break;
    }
    return encoded(f, rounded(f, x));
}

void fill(Tensor& t, Spread spread, Rng& rng) {
    const Bits same = some_value(t.format, Spread::plain, rng);
    for (Index k = 0; k < t.size(); ++k)
        t.set(k, spread == Spread::equal ? same : some_value(t.format, spread, rng));
}

void complete(Problem& p, const Target& target, Rng& rng) {
    const Format f = target.format;
    p.method = target.method;
    Case& c = p.c;
    c.mode = target.mode;
    c.format = f;
    c.policy.accumulate = c.policy.accumulate_gradient = target.accumulate;
    if (target.flushes) c.policy.subnormals = Subnormals::may_flush;
    const bool one_axis = p.rows.extent == 1 && p.rows.kernel == 1 && p.rows.pad == 0;
    const auto per_axis = [&](Index Side::*field) {
        return one_axis ? std::vector<Index>{p.columns.*field}
                        : std::vector<Index>{p.rows.*field, p.columns.*field};
    };
    c.attrs.kernel = per_axis(&Side::kernel);
    c.attrs.stride = per_axis(&Side::stride);
    c.attrs.pad_begin = per_axis(&Side::pad);
    c.input = Tensor(f, per_axis(&Side::extent));
    const Tensor output(f, per_axis(&Side::out));
    const auto spread = [&] { return static_cast<Spread>(below(rng, static_cast<Index>(Spread::count))); };
    fill(c.input, spread(), rng);
    switch (p.method) {
        case Method::max: c.op = Op::max_pool; break;
        case Method::average:
            c.op = Op::avg_pool;
            c.attrs.count_include_pad = p.count_padding;
            if (std::fpclassify(p.divisor) != FP_ZERO)
                c.attrs.divisor_override = static_cast<Index>(p.divisor);
            break;
        case Method::smooth:
            c.op = Op::smooth_max_pool;
            fill_exponents(p, f, rng);
            c.attrs.beta = encoded(f, p.beta);
            break;
    }
    if (c.mode == Mode::jvp) fill(c.tangent.emplace(f, c.input.shape), spread(), rng);
    if (c.mode == Mode::vjp) fill(c.cotangent.emplace(f, output.shape), spread(), rng);
    p.decode();
}

Problem some_problem(const Target& target, Rng& rng) {
    Problem p;
    const bool flat = one_in(rng, 2);
    p.columns = flat ? some_side(44, 40, rng) : some_side(7, 6, rng);
    if (!flat) p.rows = some_side(7, 6, rng);
    p.count_padding = one_in(rng, 2);
    if (one_in(rng, 6))
        p.divisor = static_cast<double>(1 + below(rng, one_in(rng, 2) ? 12 : 9000)) * sign_of(rng);
    complete(p, target, rng);
    return p;
}

Problem row_problem(const Target& target, Index n, double beta) {
    Problem p;
    Rng rng(static_cast<std::uint64_t>(n));
    const bool backward = target.mode == Mode::vjp;
    p.columns = {backward ? 2 * n - 1 : n, backward ? n : 1, n, 1, 0};
    complete(p, target, rng);
    p.beta = rounded(target.format, beta);
    if (p.method == Method::smooth) p.c.attrs.beta = encoded(target.format, p.beta);
    return p;
}

}  // namespace poolproof::honest

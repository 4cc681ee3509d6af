// SPDX-License-Identifier: Apache-2.0
// A whole plan, evaluated in a scalar: every node forward, then one derivative. A node's derivative is
// applied window by window, pushed forward or pulled back, so tangent and cotangent are adjoint by
// construction.
#pragma once

#include "oracle/spec/reductions.hpp"

#include <poolproof/expected.hpp>

namespace poolproof::spec {

template <class S> using Values = std::vector<Extended<S>>;

/// Makes scalars of patterns.
template <class S> using Reader = S (*)(Format, Bits);

template <class S> Extended<S> extended_value(Format f, Bits b, Reader<S> read) {
    if (is_nan(f, b)) return Extended<S>(Kind::nan);
    if (is_infinite(f, b)) return Extended<S>(is_negative(f, b) ? Kind::minus_infinity : Kind::infinity);
    const bool minus = !is_integer(f) && is_negative(f, b);
    return Extended<S>(read(f, b), minus ? minus_zero : plus_zero);
}

template <class S> Values<S> values_of(const Tensor& t, Reader<S> read) {
    Values<S> r;
    r.reserve(static_cast<std::size_t>(t.size()));
    for (Index i = 0; i < t.size(); ++i) r.push_back(extended_value(t.format, t[i], read));
    return r;
}

template <class S> struct Evaluator {
    Format format;
    Reader<S> read;

    /// The value of a window without a real cell [WEmpty].
    Extended<S> empty_value(const PoolPlan& p) const {
        const bool lowest_is_top = p.reduction == Reduction::smooth_max && is_negative(format, p.beta);
        const bool integer_mean =
            is_integer(format) && p.reduction == Reduction::average;  // has no NaN to give
        switch (p.policy.empty_window) {
            case EmptyWindow::open: return Extended<S>(Kind::open);
            case EmptyWindow::nan: return Extended<S>(is_integer(format) ? Kind::open : Kind::nan);
            case EmptyWindow::identity:
                if (integer_mean) return Extended<S>(Kind::open);
                if (is_integer(format)) return lowest(false);
                if (p.reduction == Reduction::average) return Extended<S>(Kind::nan);
                return Extended<S>(lowest_is_top ? Kind::infinity : Kind::minus_infinity);
            case EmptyWindow::lowest:
                if (p.reduction == Reduction::average) return Extended<S>(Kind::open);
                return lowest(lowest_is_top);
            default: break;
        }
        return Extended<S>(Index{0});
    }

    Extended<S> lowest(bool mirrored) const {
        if (is_integer(format)) return Extended<S>(read(format, is_signed(format) ? sign_bit(format) : 0));
        return Extended<S>(read(format, largest_bits(format) | (mirrored ? 0 : sign_bit(format))));
    }

    /// Padding that takes part in this window as a value of its own.
    S smooth_padding(const PoolPlan& p, const Window& w) const {
        return p.policy.smooth_padding == SmoothPadding::zero ? S(padding_taps(p, w)) : S(Index{0});
    }

    bool is_empty(const PoolPlan& p, const Window& w) const {
        switch (p.reduction) {
            case Reduction::average: return divisor(p, w).is_zero();
            case Reduction::max:
                return w.taps.empty() &&
                       (p.policy.max_padding == MaxPadding::ignored || padding_taps(p, w).is_zero());
            case Reduction::smooth_max: break;
        }
        return w.taps.empty() &&
               (p.policy.smooth_padding == SmoothPadding::ignored || padding_taps(p, w).is_zero());
    }

    Extended<S> value(const PoolPlan& p, const Window& w, std::span<const Extended<S>> xs) const {
        if (is_empty(p, w)) return empty_value(p);
        if (p.reduction == Reduction::max) return winners<S>(xs, p, w).value;
        if constexpr (Field<S>) {
            if (p.reduction == Reduction::average) {
                const Rational d = divisor(p, w);
                return average<S>(xs, S(d), sign(d));
            }
        }
        if constexpr (Analytic<S>) {
            const int beta_sign = is_negative(format, p.beta) ? -1 : 1;
            return smooth_max<S>(xs, read(format, p.beta), beta_sign, smooth_padding(p, w));
        }
        return Extended<S>(Kind::open);
    }

    /// The row of the derivative at one window, or nothing where it is open: an infinity, a NaN or an
    /// undecided winner in the window [DOpen].
    std::optional<Row<S>> row(const PoolPlan& p, const Window& w, std::span<const Extended<S>> xs) const {
        if (w.taps.empty() || is_empty(p, w)) return Row<S>{};  // [DEmpty]
        for (const auto& x : xs)
            if (!x.is_finite()) return std::nullopt;
        if (p.reduction == Reduction::max) {
            const auto found = winners<S>(xs, p, w);
            if (!found.decided) return std::nullopt;
            return max_row(found, p.policy.ties);
        }
        if constexpr (Field<S>) {
            if (p.reduction == Reduction::average) return average_row<S>(xs.size(), S(divisor(p, w)));
        }
        if constexpr (Analytic<S>) return smooth_max_row<S>(xs, read(format, p.beta), smooth_padding(p, w));
        return std::nullopt;
    }

    /// Calls `visit(slice offset in the input, output position, window)` for each window of each leading
    /// slice.
    template <class Visit> static void for_each_output(const NodePlan& n, Visit visit) {
        Index cells = 1, outs = 1;
        for (const Axis& a : n.pool->axes) cells *= a.extent, outs *= a.out;
        for_each_window(n.pool->axes, [&](Index out, const Window& w) {
            for (Index slice = 0; slice < n.leading; ++slice) visit(slice * cells, slice * outs + out, w);
        });
    }

    static void gather(Values<S>& xs, const Values<S>& x, Index offset, const Window& w) {
        xs.clear();
        for (const Index tap : w.taps) xs.push_back(x[static_cast<std::size_t>(offset + tap)]);
    }

    Values<S> forward(const NodePlan& n, const std::vector<const Values<S>*>& in) const {
        Values<S> y(static_cast<std::size_t>(size(n.shape)));
        if (!n.pool) {
            for (std::size_t k = 0; k < y.size(); ++k) y[k] = (*in[0])[k] + (*in[1])[k];  // [GAdd]
            return y;
        }
        Values<S> xs;
        for_each_output(n, [&](Index offset, Index out, const Window& w) {
            gather(xs, *in[0], offset, w);
            y[static_cast<std::size_t>(out)] = value(*n.pool, w, xs);
        });
        return y;
    }

    /// The tangent of a node's output.
    Values<S> push(const NodePlan& n, const std::vector<const Values<S>*>& in,
                   const std::vector<const Values<S>*>& tangent) const {
        Values<S> dy(static_cast<std::size_t>(size(n.shape)));
        if (!n.pool) {
            for (std::size_t k = 0; k < dy.size(); ++k)
                dy[k] =
                    where_finite((*in[0])[k], where_finite((*in[1])[k], (*tangent[0])[k] + (*tangent[1])[k]));
            return dy;
        }
        Values<S> xs, ts;
        for_each_output(n, [&](Index offset, Index out, const Window& w) {
            gather(xs, *in[0], offset, w);
            gather(ts, *tangent[0], offset, w);
            dy[static_cast<std::size_t>(out)] = pushed(row(*n.pool, w, xs), ts);
        });
        return dy;
    }

    /// A derivative, which is open where the input or the derivative itself is not finite [DOpen].
    static Extended<S> where_finite(const Extended<S>& x, const Extended<S>& derivative) {
        return x.is_finite() && derivative.is_surely_finite() ? derivative : Extended<S>(Kind::open);
    }

    static Extended<S> weighted(const S& share, const Extended<S>& t) {
        return t.is_finite() ? Extended<S>(share * t.value) : t;
    }

    static Extended<S> pushed(const std::optional<Row<S>>& row, const Values<S>& ts) {
        if (!row) return Extended<S>(Kind::open);
        for (const auto& t : ts)
            if (!t.is_surely_finite()) return Extended<S>(Kind::open);
        if (!row->chosen) return agreed(*row, ts);
        Values<S> terms;
        for (const auto& s : row->shares) terms.push_back(weighted(s.share, ts[s.tap]));
        return sum(std::span<const Extended<S>>(terms));
    }

    /// Where any of several taps may win, the tangent is known only if theirs agree [MTie].
    static Extended<S> agreed(const Row<S>& row, const Values<S>& ts) {
        Extended<S> candidate = row.padding_may_take_it ? Extended<S>(Index{0}) : ts[row.shares.front().tap];
        for (const auto& s : row.shares)
            if constexpr (Ordered<S>)
                if (compare(ts[s.tap], candidate) != 0) return Extended<S>(Kind::undetermined);
        return candidate;
    }

    /// Adds to each input's cotangent what the node's output cotangent sends back.
    void pull(const NodePlan& n, const std::vector<const Values<S>*>& in, const Values<S>& cotangent,
              const std::vector<Values<S>*>& out_cotangent) const {
        if (!n.pool) {
            for (std::size_t k = 0; k < cotangent.size(); ++k) {
                const auto g = where_finite((*in[0])[k], where_finite((*in[1])[k], cotangent[k]));
                for (Values<S>* to : out_cotangent) (*to)[k] = (*to)[k] + g;
            }
            return;
        }
        Values<S> xs;
        for_each_output(n, [&](Index offset, Index out, const Window& w) {
            gather(xs, *in[0], offset, w);
            const auto r = row(*n.pool, w, xs);
            const Extended<S>& g = cotangent[static_cast<std::size_t>(out)];
            const auto cell = [&](std::size_t tap) -> Extended<S>& {
                return (*out_cotangent[0])[static_cast<std::size_t>(offset + w.taps[tap])];
            };
            if (!r || !g.is_surely_finite()) {
                for (std::size_t k = 0; k < w.taps.size(); ++k) cell(k) = Extended<S>(Kind::open);
                return;
            }
            const bool known = r->chosen || (g.is_finite() && is_exactly_zero(g.value));
            for (const auto& s : r->shares)
                cell(s.tap) = cell(s.tap) + (known ? weighted(s.share, g) : Extended<S>(Kind::undetermined));
        });
    }

    /// The positions that the index output of a maximum may report.
    std::vector<PermittedIndices> indices(const NodePlan& n, const Values<S>& x) const {
        std::vector<PermittedIndices> r(static_cast<std::size_t>(size(n.shape)));
        Values<S> xs;
        for_each_output(n, [&](Index offset, Index out, const Window& w) {
            gather(xs, x, offset, w);
            if (w.taps.empty()) return;
            if (const auto taps = reported(winners<S>(xs, *n.pool, w), n.pool->policy)) {
                auto& positions = r[static_cast<std::size_t>(out)].emplace();
                for (const std::size_t k : *taps) positions.push_back(w.taps[k]);
            }
        });
        return r;
    }
};

/// What a plan's evaluation gives: `y`, `dy` or `dx`, and the indices of a forward that asks for them.
template <class S> struct Evaluation {
    Values<S> values;
    std::vector<PermittedIndices> indices;
};

template <class S> Evaluation<S> evaluate(const Plan& plan, const Case& c, Reader<S> read) {
    const Evaluator<S> e{plan.format, read};
    const Values<S> input = values_of(c.input, read);
    std::vector<Values<S>> primal;
    const auto of = [](const Values<S>& at_input, std::vector<Values<S>>& nodes, const NodePlan& n) {
        std::vector<const Values<S>*> r;
        for (const Index k : n.inputs) r.push_back(k < 0 ? &at_input : &nodes[static_cast<std::size_t>(k)]);
        return r;
    };
    for (const NodePlan& n : plan.nodes) primal.push_back(e.forward(n, of(input, primal, n)));

    if (plan.mode == Mode::forward) {
        const NodePlan& last = plan.output();
        const bool wanted = last.pool && last.pool->return_indices;
        return {std::move(primal.back()), wanted ? e.indices(last, input) : std::vector<PermittedIndices>{}};
    }
    if (plan.mode == Mode::jvp) {
        const Values<S> tangent = values_of(*c.tangent, read);
        std::vector<Values<S>> pushed;
        for (const NodePlan& n : plan.nodes)
            pushed.push_back(e.push(n, of(input, primal, n), of(tangent, pushed, n)));
        return {std::move(pushed.back()), {}};
    }
    Values<S> gradient(input.size());
    std::vector<Values<S>> pulled;
    pulled.reserve(primal.size());
    for (const Values<S>& y : primal) pulled.emplace_back(y.size());
    pulled.back() = values_of(*c.cotangent, read);
    std::vector<bool> reached(plan.nodes.size(), false);
    reached.back() = true;
    for (std::size_t k = plan.nodes.size(); k-- > 0;) {  // [GVjp]
        if (!reached[k]) continue;
        const NodePlan& n = plan.nodes[k];
        std::vector<Values<S>*> to;
        for (const Index i : n.inputs) {
            to.push_back(i < 0 ? &gradient : &pulled[static_cast<std::size_t>(i)]);
            if (i >= 0) reached[static_cast<std::size_t>(i)] = true;
        }
        e.pull(n, of(input, primal, n), pulled[k], to);
    }
    return {std::move(gradient), {}};
}

}  // namespace poolproof::spec

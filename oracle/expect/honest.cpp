// SPDX-License-Identifier: Apache-2.0
#include "oracle/expect/honest.hpp"

#include "oracle/expect/flushing.hpp"
#include "oracle/expect/smooth_bound.hpp"
#include "oracle/spec/evaluate.hpp"

#include <algorithm>
#include <map>

namespace poolproof {

namespace {

using Value = Extended<Interval>;
using Values = spec::Values<Interval>;
using Spans = std::vector<Span>;
using spec::Window;

constexpr Index usual_precision = 256;

Interval read_interval(Format f, Bits b) { return Interval(rational_value(f, b)); }

Span special(Kind k) {
    Span s;
    s.kind = k;
    return s;
}

Span span_of(const Value& v) {
    if (!v.is_finite()) return special(v.kind);
    Span s = point(v.value);
    s.zeros = v.zeros;
    s.copied = true;
    return s;
}

/// What a later node of the graph sees of a span. Where an infinity may have come in on the way, anything may
/// follow.
Value seen(const Span& s, const Arithmetic& a) {
    if (s.kind != Kind::finite) return Value(may_meet_its_opposite(s) ? Kind::open : s.kind);
    if (s.overflow || s.minus_overflow) return Value(Kind::open);
    if (s.copied) return Value(s.on_grid, s.zeros);
    const Interval all = fused_or_rounded(s, a);
    const Interval top(rational_value(a.result, largest_bits(a.result)));
    return possibly_less(top, upper(abs(all))) ? Value(Kind::open) : Value(all, s.zeros);
}

Scale scale_of(const PoolPlan& p, const Window& w, const Arithmetic& a) {
    const Rational d = spec::divisor(p, w);
    std::vector<Integer> factors;
    if (p.divisor_override)
        factors.push_back(numerator_of(d));
    else
        for (const auto& axis : w.axes)
            factors.emplace_back(!p.count_padding                      ? axis.count
                                 : p.policy.divisor == Divisor::kernel ? axis.span
                                                                       : axis.clipped);
    return Scale::by(d, factors, a);
}

/// One linear form in the inputs of a window: which taps with what weights, and how exactly the weights are
/// known.
struct Linear {
    struct Term {
        std::size_t tap;
        Interval weight;
        Interval relative{Index{0}}, absolute{Index{0}};
    };
    std::vector<Term> terms;
    Scale scale;                 ///< common to all terms, beside their weights
    Interval chained{Index{0}};  ///< what a term may lose whatever it is applied to
    Interval swollen{Index{1}};
    bool none_of_them = false;  ///< or padding does
    bool one_of_them =
        false;  ///< exactly one of the taps holds the weight 1, and rounding may have chosen it
    bool undetermined = false, open = false;
};

class Honest {
public:
    Honest(const Plan& plan, const Case& c)
        : plan_(plan),
          case_(c),
          policy_(plan.policy),
          forward_(plan.format, policy_.accumulate, policy_),
          gradient_(plan.format, policy_.accumulate_gradient, policy_),
          spec_{plan.format, read_interval} {}

    std::vector<Permitted> patterns() {
        std::vector<Permitted> r;
        const Spans spans = answer();
        const Arithmetic& a = plan_.mode == Mode::vjp ? gradient_ : forward_;
        for (const Span& s : spans) r.push_back(permitted(s, a));
        return r;
    }

private:
    Spans answer() {
        const Values input = spec::values_of<Interval>(case_.input, read_interval);
        std::vector<Values> primal;
        for (std::size_t k = 0; k < plan_.nodes.size(); ++k) {
            const NodePlan& n = plan_.nodes[k];
            Spans y = forward(n, operands(n, input, primal));
            if (k + 1 == plan_.nodes.size() && plan_.mode == Mode::forward) return y;
            primal.push_back(all_seen(y, forward_));
        }
        return plan_.mode == Mode::jvp ? pushed(input, primal) : pulled(input, primal);
    }

    static Values all_seen(const Spans& spans, const Arithmetic& a) {
        Values r;
        for (const Span& s : spans) r.push_back(seen(s, a));
        return r;
    }

    static std::vector<const Values*> operands(const NodePlan& n, const Values& input,
                                               const std::vector<Values>& nodes) {
        std::vector<const Values*> r;
        for (const Index k : n.inputs) r.push_back(k < 0 ? &input : &nodes[static_cast<std::size_t>(k)]);
        return r;
    }

    // Forward
    // -------------------------------------------------------------------------------------------------------

    Spans forward(const NodePlan& n, const std::vector<const Values*>& in) const {
        Spans y(static_cast<std::size_t>(size(n.shape)));
        if (!n.pool) {
            for (std::size_t k = 0; k < y.size(); ++k) y[k] = sum_of({(*in[0])[k], (*in[1])[k]}, forward_);
            return y;
        }
        Values xs;
        spec_.for_each_output(n, [&](Index offset, Index out, const Window& w) {
            spec_.gather(xs, *in[0], offset, w);
            y[static_cast<std::size_t>(out)] = value(*n.pool, w, xs);
        });
        return y;
    }

    static Span sum_of(const Values& xs, const Arithmetic& a) {
        BoundedSum sum(a);
        Value kinds(Index{0});
        for (const Value& x : xs) {
            kinds = kinds + x;
            if (x.is_finite()) sum.add(x.value, {});
        }
        return spanned(kinds.kind, sum);
    }

    /// The sum of finite terms beside which there may be infinities or NaNs, which leave a sum of that kind.
    static Span spanned(Kind kind, const BoundedSum& finite) {
        Span s = finite.span();
        s.kind = kind;
        return s;
    }

    Span value(const PoolPlan& p, const Window& w, const Values& xs) const {
        if (spec_.is_empty(p, w)) return span_of(spec_.empty_value(p));
        switch (p.reduction) {
            case Reduction::max: return maximum(p, w, xs);
            case Reduction::average: return average(p, w, xs);
            case Reduction::smooth_max: break;
        }
        return smooth(p, w, xs);
    }

    Span maximum(const PoolPlan& p, const Window& w, const Values& xs) const {
        const auto found = spec::winners<Interval>(xs, p, w);
        const bool zero = found.decided && found.value.is_finite() && found.value.value.sign() == 0;
        const bool flushes =
            policy_.subnormals == Subnormals::may_flush && !(zero && !any_may_vanish(xs, forward_));
        if (found.decided && !flushes) return span_of(found.value);
        if (!found.decided &&
            (found.value.kind == Kind::nan || (!found.nans.empty() && policy_.nan != Nan::ignore)))
            return span_of(found.value);
        std::optional<Value> best;
        bool wins_outright = false;
        const auto candidate = [&](const Value& x) {
            wins_outright |= x.kind == Kind::infinity;
            if (!x.is_finite()) return;
            if (!best) {
                best = x;
                return;
            }
            best->value = larger(best->value, x.value);
            best->zeros |= x.zeros;
        };
        for (const Value& x : xs) {
            if (x.kind == Kind::open) return special(Kind::open);
            candidate(x);
        }
        if (sign(spec::padding_zeros(p, w)) > 0) candidate(Value(Interval(Index{0}), plus_zero));
        if (wins_outright || !best) return span_of(found.value);
        // Subnormals that are taken for zero tie with one another and with zero, and may come out as zero.
        const Interval normal = forward_.least_kept();
        if (flushes && surely_less(abs(best->value), normal)) {
            for (const Value& x : xs)
                if (x.is_finite() && surely_less(abs(x.value), normal))
                    best->value = hull(best->value, x.value);
            best->value = hull(best->value, Interval(Index{0}));
            best->zeros = either_zero;
        }
        return span_of(*best);
    }

    Span average(const PoolPlan& p, const Window& w, const Values& xs) const {
        const Rational d = spec::divisor(p, w);
        const Value exact = spec::average<Interval>(xs, Interval(d), sign(d));
        BoundedSum sum(forward_);
        const Scale scale = scale_of(p, w, forward_);
        for (const Value& x : xs)
            if (x.is_finite()) sum.add(x.value, scale);
        return spanned(exact.kind, sum);
    }

    Span smooth(const PoolPlan& p, const Window& w, const Values& xs) const {
        const Rational beta = rational_value(plan_.format, p.beta);
        const Kind losing = sign(beta) > 0 ? Kind::minus_infinity : Kind::infinity;
        const Kind winning = sign(beta) > 0 ? Kind::infinity : Kind::minus_infinity;
        std::vector<Interval> finite;
        bool won = false, open = false;
        for (const Value& x : xs) {
            if (x.kind == Kind::nan) return special(Kind::nan);
            open |= x.kind == Kind::open;
            won |= x.kind == winning;
            if (x.is_finite()) finite.push_back(x.value);
        }
        if (open) return special(Kind::open);
        if (won) return special(winning);
        const Rational padding = padding_terms(p, w);
        if (finite.empty() && padding.is_zero()) return special(losing);
        const WorkingPrecision scope(std::max(usual_precision, smooth_precision(finite, beta)));
        const SmoothBound bound = bounds_of(p, forward_).of(finite, padding);
        Span s = point(widened(bound.value, bound.error));
        s.vacuous = !possibly_less(bound.error, bound.size);
        return s;
    }

    const SmoothBounds& bounds_of(const PoolPlan& p, const Arithmetic& a) const {
        const std::pair which(p.beta, a.accumulator);
        const auto known = smooth_bounds_.find(which);
        if (known != smooth_bounds_.end()) return known->second;
        return smooth_bounds_.try_emplace(which, rational_value(plan_.format, p.beta), a).first->second;
    }

    static Rational padding_terms(const PoolPlan& p, const Window& w) {
        return p.policy.smooth_padding == SmoothPadding::zero ? spec::padding_taps(p, w) : Rational(0);
    }

    // Derivatives
    // ---------------------------------------------------------------------------------------------------

    /// The derivative's row at one window, as far as rounding leaves it determined.
    Linear linear(const PoolPlan& p, const Window& w, const Values& xs, const Arithmetic& a) const {
        Linear r;
        if (w.taps.empty() || spec_.is_empty(p, w)) return r;
        for (const Value& x : xs) r.open |= !x.is_finite();
        if (r.open) return r;
        switch (p.reduction) {
            case Reduction::max: maximum_row(r, p, w, xs, a); break;
            case Reduction::average:
                r.scale = scale_of(p, w, a);
                for (std::size_t k = 0; k < xs.size(); ++k) r.terms.push_back({k, Interval(Index{1})});
                break;
            case Reduction::smooth_max: smooth_row(r, p, w, xs, a); break;
        }
        return r;
    }

    /// Every cell that may be the greatest; where subnormals may be flushed, two that lie on both sides of 0
    /// may tie.
    std::vector<std::size_t> undecided_winners(const Values& xs, const Arithmetic& a) const {
        const bool flushes = policy_.subnormals == Subnormals::may_flush;
        const Interval slack = flushes ? Interval(Index{2}) * a.least_kept() : Interval(Index{0});
        Interval best = xs.front().value;
        for (const Value& x : xs) best = larger(best, x.value);
        std::vector<std::size_t> r;
        for (std::size_t k = 0; k < xs.size(); ++k)
            if (!surely_less(upper(xs[k].value) + slack, lower(best))) r.push_back(k);
        return r;
    }

    /// Every cell that may be taken for 0. Of several that are, one of which wins by policy, the others do
    /// not tie anew.
    static std::vector<std::size_t> flushed_winners(const spec::Winners<Interval>& found, const Values& xs,
                                                    Ties ties, const Arithmetic& a) {
        const auto row = spec::max_row(found, ties);
        const bool one_zero = found.value.value.sign() == 0 && row.chosen && row.shares.size() == 1;
        std::vector<std::size_t> r;
        for (std::size_t k = 0; k < xs.size(); ++k) {
            const bool loses = one_zero && xs[k].value.sign() == 0 && k != row.shares.front().tap;
            if (!loses && possibly_less(abs(xs[k].value), a.least_kept())) r.push_back(k);
        }
        return r;
    }

    void maximum_row(Linear& r, const PoolPlan& p, const Window& w, const Values& xs,
                     const Arithmetic& a) const {
        const auto found = spec::winners<Interval>(xs, p, w);
        const Interval one(Index{1});
        const bool padded = sign(spec::padding_zeros(p, w)) > 0;
        if (!found.decided || flush_may_tie(xs, padded, a)) {
            r.open = padded || p.policy.ties == Ties::all;
            const auto candidates =
                found.decided ? flushed_winners(found, xs, p.policy.ties, a) : undecided_winners(xs, a);
            for (const std::size_t k : candidates) r.terms.push_back({k, one});
            r.one_of_them = true;
            return;
        }
        const auto row = spec::max_row(found, p.policy.ties);
        // In a graph what follows hangs on the choice; alone, its values are decided together
        // (joint_ties.hpp).
        r.undetermined = !row.chosen && plan_.nodes.size() > 1;
        r.one_of_them = !row.chosen && !r.undetermined;
        r.none_of_them = row.padding_may_take_it;
        if (r.one_of_them &&
            p.policy.ties == Ties::convex) {  // shares are rounded quotients, their products rounded
            r.scale.roundings = 3;
            r.scale.scalings = 2;
        }
        for (const auto& s : row.shares) r.terms.push_back({s.tap, one});
        if (p.policy.ties == Ties::split) {
            const Rational sharers = Rational(found.tied.size()) + found.padding;
            r.scale = Scale::by(sharers, {numerator_of(sharers)}, a);
        }
    }

    void smooth_row(Linear& r, const PoolPlan& p, const Window& w, const Values& xs,
                    const Arithmetic& a) const {
        const Rational beta = rational_value(plan_.format, p.beta);
        std::vector<Interval> values;
        for (const Value& x : xs) values.push_back(x.value);
        const WorkingPrecision scope(std::max(usual_precision, smooth_precision(values, beta)));
        const SmoothBound bound = bounds_of(p, a).of(values, padding_terms(p, w));
        r.scale.roundings = 2;
        r.scale.scalings = 1;
        r.chained = bound.chained;
        r.swollen = bound.partition;
        for (std::size_t k = 0; k < values.size(); ++k) {
            const SmoothBound::Weight& known = bound.weights[k];
            r.terms.push_back({k, known.exact, known.relative, known.absolute});
        }
    }

    static void add_term(BoundedSum& sum, const Linear& row, const Linear::Term& term, const Interval& t) {
        sum.add(term.weight * t, row.scale, term.relative, term.absolute * upper(abs(t)) + row.chained,
                row.swollen);
    }

    Spans pushed(const Values& input, const std::vector<Values>& primal) const {
        const Values tangent = spec::values_of<Interval>(*case_.tangent, read_interval);
        std::vector<Values> tangents;
        for (std::size_t k = 0; k < plan_.nodes.size(); ++k) {
            const NodePlan& n = plan_.nodes[k];
            Spans dy = push(n, operands(n, input, primal), operands(n, tangent, tangents));
            if (k + 1 == plan_.nodes.size()) return dy;
            tangents.push_back(all_seen(dy, forward_));
        }
        return {};
    }

    Spans push(const NodePlan& n, const std::vector<const Values*>& in,
               const std::vector<const Values*>& tangent) const {
        Spans dy(static_cast<std::size_t>(size(n.shape)));
        if (!n.pool) {
            for (std::size_t k = 0; k < dy.size(); ++k)
                dy[k] = both_finite(in, k) && (*tangent[0])[k].is_surely_finite() &&
                                (*tangent[1])[k].is_surely_finite()
                            ? sum_of({(*tangent[0])[k], (*tangent[1])[k]}, forward_)
                            : special(Kind::open);
            return dy;
        }
        Values xs, ts;
        spec_.for_each_output(n, [&](Index offset, Index out, const Window& w) {
            spec_.gather(xs, *in[0], offset, w);
            spec_.gather(ts, *tangent[0], offset, w);
            dy[static_cast<std::size_t>(out)] = applied(linear(*n.pool, w, xs, forward_), ts);
        });
        return dy;
    }

    static bool both_finite(const std::vector<const Values*>& in, std::size_t k) {
        return (*in[0])[k].is_finite() && (*in[1])[k].is_finite();
    }

    Span applied(const Linear& row, const Values& ts) const {
        if (row.open) return special(Kind::open);
        for (const Value& t : ts)
            if (!t.is_surely_finite()) return special(Kind::open);
        BoundedSum sum(forward_);
        std::optional<Interval> any_of;
        for (const Linear::Term& term : row.terms) {
            const Value& t = ts[term.tap];
            if (!t.is_finite()) return special(t.kind);
            add_term(sum, row, term, t.value);
            any_of = any_of ? hull(*any_of, t.value) : t.value;
        }
        if (row.undetermined) return special(Kind::undetermined);
        if (row.one_of_them && any_of) {
            if (row.none_of_them) any_of = hull(*any_of, Interval(Index{0}));
            const Interval u = Interval(static_cast<Index>(row.terms.size()) + 4) * forward_.unit_roundoff();
            return point(widened(*any_of, upper(abs(*any_of)) * u));
        }
        return sum.span();
    }

    /// What one use of a value sends back to it: as it is, and as sums that one may go on adding to.
    struct Sent {
        Spans spans;
        std::vector<BoundedSum> sums;
    };
    using Uses = std::vector<Sent>;

    Spans pulled(const Values& input, const std::vector<Values>& primal) const {
        std::vector<Uses> uses(plan_.nodes.size());
        Uses at_input;
        const Values seed = spec::values_of<Interval>(*case_.cotangent, read_interval);
        for (std::size_t k = plan_.nodes.size(); k-- > 0;) {
            const NodePlan& n = plan_.nodes[k];
            const bool last = k + 1 == plan_.nodes.size();
            if (!last && uses[k].empty()) continue;
            const Values g = last ? seed : all_seen(added(uses[k]), gradient_);
            const auto in = operands(n, input, primal);
            for (const Index to : n.inputs)
                (to < 0 ? at_input : uses[static_cast<std::size_t>(to)]).push_back(pull(n, in, g));
        }
        if (at_input.empty()) return Spans(input.size());
        return added(at_input);
    }

    Spans added(const Uses& uses) const {
        if (uses.size() == 1) return uses.front().spans;
        Spans r;
        for (std::size_t k = 0; k < uses.front().spans.size(); ++k) r.push_back(added(uses, k));
        return r;
    }

    /// Each use summed by itself, stored and added to the others; or added to their sum term by term [BUses].
    Span added(const Uses& uses, std::size_t k) const {
        Values stored;
        BoundedSum in_place(gradient_);
        Interval size(Index{0}), roundings(Index{0});
        std::vector<const Span*> parts;
        for (const Sent& use : uses) {
            const Span& s = use.spans[k];
            stored.push_back(seen(s, gradient_));
            if (stored.back().kind == Kind::open) return special(Kind::open);
            in_place.absorb(use.sums[k]);
            if (s.kind != Kind::finite || !use.sums[k].empty()) parts.push_back(&s);
            const Interval all = hull(s.on_grid, s.rounded);
            size = size + upper(abs(all));
            roundings = roundings + storing(all, gradient_);
        }
        if (parts.size() == 1) return *parts.front();
        Span separate = sum_of(stored, gradient_);
        if (separate.kind != Kind::finite) return separate;
        if (gradient_.wider()) {  // each use, and each sum of some but all, may be rounded to the format
            const auto n = static_cast<Index>(uses.size());
            const Interval u(power_of_two(-precision(plan_.format)));
            const Interval all = roundings + Interval(n - 2) * storing(size, gradient_);
            in_place.bring(all * (Interval(Index{1}) + growth(u, Interval(n))));
        }
        return hull(separate, in_place.span());
    }

    Sent pull(const NodePlan& n, const std::vector<const Values*>& in, const Values& g) const {
        const std::size_t cells = in[0]->size();
        Sent r{{}, std::vector<BoundedSum>(cells, BoundedSum(gradient_))};
        if (!n.pool) {
            for (std::size_t k = 0; k < cells; ++k) {
                const bool known = both_finite(in, k) && g[k].is_surely_finite();
                r.spans.push_back(known ? span_of(g[k]) : special(Kind::open));
                if (g[k].is_finite()) r.sums[k].add(g[k].value, {});
            }
            return r;
        }
        std::vector<Kind> kinds(cells, Kind::finite);
        Values xs;
        spec_.for_each_output(n, [&](Index offset, Index out, const Window& w) {
            spec_.gather(xs, *in[0], offset, w);
            const Linear row = linear(*n.pool, w, xs, gradient_);
            send(row, g[static_cast<std::size_t>(out)], offset, w, r.sums, kinds);
        });
        for (std::size_t k = 0; k < cells; ++k)
            r.spans.push_back(kinds[k] == Kind::finite ? r.sums[k].span() : special(kinds[k]));
        return r;
    }

    void send(const Linear& row, const Value& g, Index offset, const Window& w, std::vector<BoundedSum>& sums,
              std::vector<Kind>& kinds) const {
        const auto cell = [&](std::size_t tap) { return static_cast<std::size_t>(offset + w.taps[tap]); };
        if (row.open || !g.is_surely_finite()) {
            for (std::size_t k = 0; k < w.taps.size(); ++k) kinds[cell(k)] = Kind::open;
            return;
        }
        const bool zero = g.is_finite() && g.value.sign() == 0;
        for (Linear::Term term : row.terms) {
            Kind& kind = kinds[cell(term.tap)];
            if (!zero && (!g.is_finite() || row.undetermined)) {
                if (kind != Kind::open) kind = Kind::undetermined;
                continue;
            }
            // Whether this tap is the one is not known: its share is anything from nothing to all.
            if (row.one_of_them && (row.none_of_them || row.terms.size() > 1))
                term.weight = hull(term.weight, Interval(Index{0}));
            if (!zero) add_term(sums[cell(term.tap)], row, term, g.value);
        }
    }

    const Plan& plan_;
    const Case& case_;
    Policy policy_;
    Arithmetic forward_, gradient_;
    spec::Evaluator<Interval> spec_;
    mutable std::map<std::pair<Bits, Format>, SmoothBounds> smooth_bounds_;  ///< by beta and accumulator
};

}  // namespace

std::vector<Permitted> honest_patterns(const Plan& plan, const Case& c) {
    const WorkingPrecision scope(usual_precision);
    return Honest(plan, c).patterns();
}

}  // namespace poolproof

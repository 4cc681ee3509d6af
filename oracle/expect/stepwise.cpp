// SPDX-License-Identifier: Apache-2.0
#include "oracle/expect/stepwise.hpp"

#include "oracle/expect/rounding.hpp"

#include <algorithm>

namespace poolproof {

namespace {

using Patterns = std::vector<Permitted>;

/// The one pattern that is permitted; zeros count as one.
std::optional<Bits> only_pattern(Format f, const Permitted& p) {
    if (p.open) return std::nullopt;
    const int special = int{p.nan} + int{p.infinity} + int{p.minus_infinity};
    if (special + int{p.range} != 1) return std::nullopt;
    if (p.nan) return quiet_nan_bits(f);
    if (p.infinity) return infinity_bits(f);
    if (p.minus_infinity) return infinity_bits(f) | sign_bit(f);
    if (is_zero(f, p.lowest) && is_zero(f, p.highest)) return p.highest;
    return p.lowest == p.highest ? std::optional(p.lowest) : std::nullopt;
}

std::optional<Tensor> tensor_of(Format f, const Shape& shape, const Patterns& patterns) {
    Tensor t(f, shape);
    for (std::size_t k = 0; k < patterns.size(); ++k) {
        const auto b = only_pattern(f, patterns[k]);
        if (!b) return std::nullopt;
        t.set(static_cast<Index>(k), *b);
    }
    return t;
}

/// Correctly rounded sums, element by element.
Patterns added(const Tensor& x, const Tensor& y) {
    Patterns r;
    const Format f = x.format;
    for (Index i = 0; i < x.size(); ++i) {
        const bool special =
            is_nan(f, x[i]) || is_nan(f, y[i]) || is_infinite(f, x[i]) || is_infinite(f, y[i]);
        if (!special) {
            const Bits b = nearest(f, rational_value(f, x[i]) + rational_value(f, y[i]));
            const bool overflows = is_infinite(f, b);
            Permitted p = overflows ? Permitted::with(is_negative(f, b) ? &Permitted::minus_infinity
                                                                        : &Permitted::infinity)
                                    : Permitted::exactly(b);
            if (is_zero(f, b)) p = Permitted::between(sign_bit(f), 0);
            r.push_back(p);
        } else if (is_nan(f, x[i]) || is_nan(f, y[i]) ||
                   (is_infinite(f, x[i]) && is_infinite(f, y[i]) && x[i] != y[i])) {
            r.push_back(Permitted::any_nan());
        } else {
            const Bits b = is_infinite(f, x[i]) ? x[i] : y[i];
            r.push_back(
                Permitted::with(is_negative(f, b) ? &Permitted::minus_infinity : &Permitted::infinity));
        }
    }
    return r;
}

class Stepwise {
public:
    Stepwise(const Plan& plan, const Case& c) : plan_(plan), case_(c) {}

    std::optional<Patterns> patterns() {
        for (std::size_t k = 0; k < plan_.nodes.size(); ++k) {
            const NodePlan& n = plan_.nodes[k];
            const Patterns y = n.pool ? single(n, Mode::forward, at(n, 0, case_.input, primal_), nullptr)
                                      : added(at(n, 0, case_.input, primal_), at(n, 1, case_.input, primal_));
            const bool last = k + 1 == plan_.nodes.size();
            if (last && plan_.mode == Mode::forward) return with_either_zero(y);
            if (last) break;
            auto t = tensor_of(plan_.format, n.shape, y);
            if (!t) return std::nullopt;
            primal_.push_back(std::move(*t));
        }
        return plan_.mode == Mode::jvp ? pushed() : pulled();
    }

private:
    static const Tensor& at(const NodePlan& n, std::size_t operand, const Tensor& input,
                            const std::vector<Tensor>& nodes) {
        const Index k = n.inputs[operand];
        return k < 0 ? input : nodes[static_cast<std::size_t>(k)];
    }

    /// One pooling node as a case of its own.
    Patterns single(const NodePlan& n, Mode mode, const Tensor& x, const Tensor* direction) const {
        Plan plan{mode, plan_.format, {n}, plan_.policy};
        plan.nodes.front().inputs = {-1};
        Case c;
        c.mode = mode;
        c.format = plan_.format;
        c.input = x;
        if (mode == Mode::jvp) c.tangent = *direction;
        if (mode == Mode::vjp) c.cotangent = *direction;
        return std::move(expect(plan, c).outputs.front().values);
    }

    /// A zero that was computed on the way may have either sign, and so may a maximum of such zeros.
    Patterns with_either_zero(Patterns y) const {
        for (Permitted& p : y)
            if (p.range && is_zero(plan_.format, p.lowest) && is_zero(plan_.format, p.highest))
                p = Permitted::between(sign_bit(plan_.format), 0);
        return y;
    }

    /// Where a sum's own inputs are not finite its derivative is open [DOpen].
    Patterns opened(const NodePlan& n, Patterns p) const {
        const Format f = plan_.format;
        for (std::size_t operand = 0; operand < n.inputs.size(); ++operand) {
            const Tensor& x = at(n, operand, case_.input, primal_);
            for (Index i = 0; i < x.size(); ++i)
                if (is_nan(f, x[i]) || is_infinite(f, x[i]))
                    p[static_cast<std::size_t>(i)] = Permitted::anything();
        }
        return p;
    }

    std::optional<Patterns> pushed() const {
        std::vector<Tensor> tangents;
        for (std::size_t k = 0; k < plan_.nodes.size(); ++k) {
            const NodePlan& n = plan_.nodes[k];
            const Tensor& t = at(n, 0, *case_.tangent, tangents);
            const Patterns dy = n.pool ? single(n, Mode::jvp, at(n, 0, case_.input, primal_), &t)
                                       : opened(n, added(t, at(n, 1, *case_.tangent, tangents)));
            if (k + 1 == plan_.nodes.size()) return dy;
            auto next = tensor_of(plan_.format, n.shape, dy);
            if (!next) return std::nullopt;
            tangents.push_back(std::move(*next));
        }
        return std::nullopt;
    }

    std::optional<Patterns> pulled() const {
        std::vector<std::vector<Patterns>> uses(plan_.nodes.size() + 1);  // of the input, then of each node
        for (std::size_t k = plan_.nodes.size(); k-- > 0;) {
            const NodePlan& n = plan_.nodes[k];
            std::optional<Tensor> g;
            if (k + 1 == plan_.nodes.size())
                g = *case_.cotangent;
            else if (uses[k + 1].empty())
                continue;
            else if (const auto sum = gathered(uses[k + 1], n.shape))
                g = tensor_of(plan_.format, n.shape, *sum);
            if (!g) return std::nullopt;
            const Patterns dx =
                n.pool ? single(n, Mode::vjp, at(n, 0, case_.input, primal_), &*g) : opened(n, exactly(*g));
            for (const Index i : n.inputs) uses[static_cast<std::size_t>(i + 1)].push_back(dx);
        }
        if (uses.front().empty())
            return Patterns(static_cast<std::size_t>(case_.input.size()),
                            Permitted::between(sign_bit(plan_.format), 0));
        return gathered(uses.front(), case_.input.shape);
    }

    Patterns exactly(const Tensor& t) const {
        Patterns r;
        for (Index i = 0; i < t.size(); ++i) {
            const bool finite = !is_nan(t.format, t[i]) && !is_infinite(t.format, t[i]);
            r.push_back(finite ? Permitted::exactly(t[i]) : Permitted::anything());
        }
        return r;
    }

    /// The sum of at most two gradients; of more, the order would matter.
    std::optional<Patterns> gathered(const std::vector<Patterns>& uses, const Shape& shape) const {
        if (uses.size() == 1) return uses.front();
        if (uses.size() > 2) return std::nullopt;
        const auto x = tensor_of(plan_.format, shape, uses[0]);
        const auto y = tensor_of(plan_.format, shape, uses[1]);
        if (!x || !y) return std::nullopt;
        return added(*x, *y);
    }

    const Plan& plan_;
    const Case& case_;
    std::vector<Tensor> primal_;
};

}  // namespace

std::optional<std::vector<Permitted>> stepwise_patterns(const Plan& plan, const Case& c) {
    return Stepwise(plan, c).patterns();
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
#include "backends/reference/backend.hpp"

#include "backends/reference/pooling.hpp"
#include "backends/values.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

namespace poolproof::backends {

namespace {

/// Computes in T; what leaves a node is rounded to the format of the case, which T contains.
template <class T> class Evaluation {
public:
    Evaluation(const Plan& plan, const Case& c) : plan_(plan), case_(c), input_(read(c.input)) {}

    Observation answer() {
        for (const NodePlan& n : plan_.nodes) primal_.push_back(rounded(forward(n)));
        Observation o;
        switch (plan_.mode) {
            case Mode::forward:
                o.outputs.emplace_back("y", written(primal_.back(), plan_.output().shape));
                break;
            case Mode::jvp: o.outputs.emplace_back("dy", written(pushed(), plan_.output().shape)); break;
            case Mode::vjp: o.outputs.emplace_back("dx", written(pulled(), case_.input.shape)); break;
        }
        if (asks_for_indices()) o.outputs.emplace_back("indices", indices());
        return o;
    }

private:
    using Values = std::vector<T>;
    static constexpr Format own = sizeof(T) == sizeof(double) ? Format::f64 : Format::f32;

    static Values read(const Tensor& t) {
        Values r(static_cast<std::size_t>(t.size()));
        if (r.empty()) return r;
        if (t.format == own) {
            std::memcpy(r.data(), t.data.data(), t.data.size());
            return r;
        }
        for (std::size_t k = 0; k < r.size(); ++k)
            r[k] = static_cast<T>(widened(t.format, t[static_cast<Index>(k)]));
        return r;
    }

    Tensor written(const Values& v, const Shape& shape) const {
        Tensor t(plan_.format, shape);
        if (v.empty()) return t;
        if (plan_.format == own) {
            std::memcpy(t.data.data(), v.data(), t.data.size());
            return t;
        }
        for (std::size_t k = 0; k < v.size(); ++k)
            t.set(static_cast<Index>(k), narrowed(plan_.format, static_cast<double>(v[k])));
        return t;
    }

    Values rounded(Values v) const {
        if (width(plan_.format) < 32)
            for (T& x : v)
                x = static_cast<T>(widened(plan_.format, narrowed(plan_.format, static_cast<double>(x))));
        return v;
    }

    const Values& operand(const NodePlan& n, std::size_t k = 0) const {
        return n.inputs[k] < 0 ? input_ : primal_[static_cast<std::size_t>(n.inputs[k])];
    }

    T beta(const PoolPlan& p) const { return static_cast<T>(widened(plan_.format, p.beta)); }

    bool asks_for_indices() const {
        return plan_.mode == Mode::forward && plan_.output().pool && plan_.output().pool->return_indices;
    }

    static Values sum(const Values& a, const Values& b) {
        Values r = a;
        for (std::size_t k = 0; k < r.size(); ++k) r[k] += b[k];
        return r;
    }

    Values forward(const NodePlan& n) {
        if (!n.pool) return sum(operand(n), operand(n, 1));
        const reference::Pooling p = pooling(*n.pool, n.leading);
        const std::span<const T> x = operand(n);
        Values y(static_cast<std::size_t>(size(n.shape)));
        switch (n.pool->reduction) {
            case Reduction::max:
                if (n.pool->return_indices) winners_.resize(y.size());
                reference::max_forward<T>(p, x, y, winners_);
                break;
            case Reduction::average: reference::average_forward<T>(p, x, y); break;
            case Reduction::smooth_max: reference::smooth_max_forward<T>(p, beta(*n.pool), x, y); break;
        }
        return y;
    }

    Values pushed() const {
        const Values tangent = read(*case_.tangent);
        std::vector<Values> tangents;
        const auto of = [&](Index k) -> const Values& {
            return k < 0 ? tangent : tangents[static_cast<std::size_t>(k)];
        };
        for (const NodePlan& n : plan_.nodes)
            tangents.push_back(
                rounded(n.pool ? push(n, of(n.inputs[0])) : sum(of(n.inputs[0]), of(n.inputs[1]))));
        return tangents.back();
    }

    Values push(const NodePlan& n, std::span<const T> tangent) const {
        const reference::Pooling p = pooling(*n.pool, n.leading);
        const std::span<const T> x = operand(n);
        Values dy(static_cast<std::size_t>(size(n.shape)));
        switch (n.pool->reduction) {
            case Reduction::max: reference::max_jvp<T>(p, x, tangent, dy); break;
            case Reduction::average: reference::average_jvp<T>(p, tangent, dy); break;
            case Reduction::smooth_max: reference::smooth_max_jvp<T>(p, beta(*n.pool), x, tangent, dy); break;
        }
        return dy;
    }

    Values pulled() const {
        Values at_input(input_.size());
        std::vector<Values> gradients(plan_.nodes.size());  // empty: no use has sent one yet
        gradients.back() = read(*case_.cotangent);
        for (std::size_t k = plan_.nodes.size(); k-- > 0;) {
            const NodePlan& n = plan_.nodes[k];
            const bool sends = size(n.shape) > 0 && !gradients[k].empty();
            for (std::size_t i = 0; sends && i < n.inputs.size(); ++i) {
                const Values sent = rounded(n.pool ? pull(n, gradients[k]) : gradients[k]);
                Values& to = n.inputs[i] < 0 ? at_input : gradients[static_cast<std::size_t>(n.inputs[i])];
                to = to.empty() ? sent : rounded(sum(to, sent));
            }
        }
        return at_input;
    }

    Values pull(const NodePlan& n, std::span<const T> cotangent) const {
        const reference::Pooling p = pooling(*n.pool, n.leading);
        const std::span<const T> x = operand(n);
        Values dx(x.size());
        switch (n.pool->reduction) {
            case Reduction::max: reference::max_vjp<T>(p, x, cotangent, dx); break;
            case Reduction::average: reference::average_vjp<T>(p, cotangent, dx); break;
            case Reduction::smooth_max:
                reference::smooth_max_vjp<T>(p, beta(*n.pool), x, cotangent, dx);
                break;
        }
        return dx;
    }

    Tensor indices() const {
        const PoolPlan& p = *plan_.output().pool;
        Shape shape = plan_.output().shape;
        if (p.index_form == IndexForm::flat) {
            Tensor t(Format::i64, std::move(shape));
            for (std::size_t k = 0; k < winners_.size(); ++k)
                t.set(static_cast<Index>(k), static_cast<Bits>(winners_[k]));
            return t;
        }
        shape.back() *= 2;
        Values pairs;
        for (const Index at : winners_) {
            const Index row_length = p.axes[1].extent;
            pairs.push_back(static_cast<T>(at < 0 ? -1 : at / row_length));
            pairs.push_back(static_cast<T>(at < 0 ? -1 : at % row_length));
        }
        return written(pairs, shape);
    }

    const Plan& plan_;
    const Case& case_;
    Values input_;
    std::vector<Values> primal_;
    std::vector<Index> winners_;  ///< of a case that asks for them
};

Observation refused(Observation::Kind kind, std::string why) { return {kind, {}, std::move(why)}; }

}  // namespace

Observation run_reference(const Case& c) {
    const auto settled = plan(c);
    if (!settled) return refused(Observation::Kind::rejected, message(settled.rejection()));
    if (auto why = declined(*settled)) return refused(Observation::Kind::declined, *why);
    try {
        return c.format == Format::f64 ? Evaluation<double>(*settled, c).answer()
                                       : Evaluation<float>(*settled, c).answer();
    } catch (const std::exception& e) { return refused(Observation::Kind::failed, e.what()); }
}

}  // namespace poolproof::backends

// SPDX-License-Identifier: Apache-2.0
// The walk: slices, windows, taps; then nodes. It decides nothing: that is up to the rules.
#include "backends/faulty/run.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

namespace poolproof::faulty {

namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// All windows of one node.
class Node {
public:
    Node(const Rules& rules, PoolPlan pool, Format format, Mode mode, Index slices)
        : rules_(rules), pool_(std::move(pool)), format_(format), mode_(mode), slices_(slices) {
        for (const Axis& a : pool_.axes) {
            inputs_ *= a.extent;
            outputs_ *= a.out;
        }
    }

    /// Calls f(site, first element of its slice, its output) for every window.
    template <class F> void for_each_site(const Values& x, F f) const {
        std::vector<Window> windows;
        for (Index o = 0; slices_ > 0 && o < outputs_; ++o) windows.push_back(window(o));
        for (Index s = 0; s < slices_; ++s) {
            const Index from = rules_.slice(s, slices_) * inputs_;
            for (Index o = 0; o < outputs_; ++o)
                f(Site{pool_, windows[at(o)], format_, mode_, std::span(x).subspan(at(from), at(inputs_)), s,
                       o, outputs_},
                  from, at(s * outputs_ + o));
        }
    }

    Number value(const Site& s) const {
        switch (pool_.reduction) {
            case Reduction::max: return rules_.winners(rules_, s).value;
            case Reduction::smooth_max: return s.parts() == 0 ? rules_.empty(s) : rules_.smooth(s);
            case Reduction::average: break;
        }
        const Number divisor = rules_.divisor(s);
        return divisor == 0 ? rules_.empty(s) : rules_.quotient(s, rules_.sum(s), divisor);
    }

    /// The position that a maximum reports [MIdx]; -1 where there is none.
    Index winner(const Site& s) const {
        const Winners w = rules_.winners(rules_, s);
        if (w.tied.empty()) return padding;
        const bool last =
            std::isnan(w.value) ? pool_.policy.nan_index == NanIndex::last : pool_.policy.ties == Ties::last;
        return rules_.index(s, last ? w.tied.back() : w.tied.front());
    }

private:
    Window window(Index output) const {
        Window w;
        w.places.resize(pool_.axes.size());
        for (std::size_t k = pool_.axes.size(); k-- > 0; output /= pool_.axes[k].out)
            w.places[k] = rules_.places(pool_.axes, k, output % pool_.axes[k].out);
        w.cells = {0};
        for (std::size_t k = 0; k < pool_.axes.size(); ++k) {
            std::vector<Index> cells;
            for (const Index row : w.cells)
                for (const Index place : w.places[k]) cells.push_back(combined(row, k, place));
            w.cells = std::move(cells);
        }
        return w;
    }

    Index combined(Index row, std::size_t axis, Index place) const {
        const Index cell = rules_.cell(pool_.axes[axis], place);
        if (row == outside || (cell < 0 && !rules_.inside(pool_.axes, axis, place))) return outside;
        return row < 0 || cell < 0 ? padding : row * pool_.axes[axis].extent + cell;
    }

    const Rules& rules_;
    PoolPlan pool_;
    Format format_;
    Mode mode_;
    Index slices_, inputs_ = 1, outputs_ = 1;
};

class Evaluation {
public:
    Evaluation(const Rules& rules, Plan plan, const Case& c)
        : rules_(rules), plan_(std::move(plan)), case_(c), input_(read(c.input)) {
        rules_.wire(plan_.nodes);
        for (NodePlan& n : plan_.nodes)
            if (n.pool) rules_.settle(*n.pool, plan_.mode);
    }

    Observation answer() {
        for (const NodePlan& n : plan_.nodes) {
            primal_.push_back(rules_.hand_on(forward(n), plan_.format));
            rules_.leave(n.inputs[0] < 0 ? input_ : primal_[at(n.inputs[0])], primal_.back());
        }
        Observation o;
        const Shape& out = plan_.output().shape;
        switch (plan_.mode) {
            case Mode::forward: o.outputs.emplace_back("y", written(last_, out)); break;
            case Mode::jvp: o.outputs.emplace_back("dy", written(pushed(), out)); break;
            case Mode::vjp: o.outputs.emplace_back("dx", written(pulled(), case_.input.shape)); break;
        }
        const auto& pool = plan_.output().pool;
        if (plan_.mode == Mode::forward && pool && pool->return_indices)
            o.outputs.emplace_back("indices", indices(*pool));
        rules_.finish(o);
        return o;
    }

private:
    Values read(const Tensor& t) const {
        Values r(at(t.size()));
        for (std::size_t k = 0; k < r.size(); ++k) r[k] = rules_.load(t.format, t[static_cast<Index>(k)]);
        return r;
    }

    Tensor written(const Values& v, const Shape& shape) const {
        Tensor t(plan_.format, shape);
        for (std::size_t k = 0; k < v.size(); ++k)
            t.set(static_cast<Index>(k), rules_.store(plan_.format, v[k]));
        return t;
    }

    const Values& operand(const NodePlan& n, std::size_t k = 0) const {
        return n.inputs[k] < 0 ? input_ : primal_[at(n.inputs[k])];
    }

    Node windows(const NodePlan& n) const { return {rules_, *n.pool, plan_.format, plan_.mode, n.leading}; }

    Values forward(const NodePlan& n) {
        last_.assign(at(size(n.shape)), 0);
        if (!n.pool) {
            for (std::size_t k = 0; k < last_.size(); ++k)
                last_[k] = rules_.add(operand(n)[k], operand(n, 1)[k]);
            return last_;
        }
        const Node node = windows(n);
        node.for_each_site(operand(n), [&](const Site& s, Index, std::size_t out) {
            last_[out] = rules_.result(s, node.value(s));
        });
        return last_;
    }

    Values pushed() const {
        const Values given = read(*case_.tangent);
        std::vector<Values> tangents;
        const auto of = [&](Index k) -> const Values& { return k < 0 ? given : tangents[at(k)]; };
        for (const NodePlan& n : plan_.nodes) {
            Values dy(at(size(n.shape)));
            if (n.pool)
                windows(n).for_each_site(operand(n), [&](const Site& s, Index from, std::size_t out) {
                    Values t(s.taps());
                    for (std::size_t k = 0; k < t.size(); ++k)
                        if (s.real(k)) t[k] = of(n.inputs[0])[at(from + s.window.cells[k])];
                    dy[out] = rules_.push(s, rules_.row(rules_, s), t);
                    if (const auto cell = rules_.stray(s)) dy[out] += of(n.inputs[0])[at(from + *cell)];
                });
            else
                for (std::size_t k = 0; k < dy.size(); ++k)
                    dy[k] = rules_.add_tangents(of(n.inputs[0])[k], of(n.inputs[1])[k]);
            tangents.push_back(rules_.hand_on(dy, plan_.format));
        }
        return tangents.back();
    }

    Values pulled() const {
        std::vector<std::optional<Values>> gradients(plan_.nodes.size() +
                                                     1);  // of the input, then of the nodes
        gradients.back() = read(*case_.cotangent);
        for (std::size_t k = plan_.nodes.size(); k-- > 0;) {
            const NodePlan& n = plan_.nodes[k];
            if (!gradients[k + 1] && rules_.unused_nodes_send)
                gradients[k + 1] = Values(at(size(n.shape)), 1);
            if (!gradients[k + 1]) continue;
            for (std::size_t i = 0; i < rules_.receivers(n); ++i) {
                auto& to = gradients[at(n.inputs[i] + 1)];
                const Values sent =
                    rules_.hand_on(n.pool ? pull(n, *gradients[k + 1]) : *gradients[k + 1], plan_.format);
                if (to)
                    rules_.receive(*to, sent);
                else
                    to = sent;
            }
        }
        return gradients.front().value_or(Values(input_.size()));
    }

    Values pull(const NodePlan& n, const Values& cotangent) const {
        Values dx(operand(n).size());
        windows(n).for_each_site(operand(n), [&](const Site& s, Index from, std::size_t out) {
            const Values row = rules_.row(rules_, s);
            for (std::size_t k = 0; k < row.size(); ++k)
                if (s.real(k) && row[k] != 0)
                    rules_.pull(s, dx[at(from + s.window.cells[k])],
                                row[k] * cotangent[rules_.sender(s, out)]);
            if (const auto cell = rules_.stray(s))
                rules_.pull(s, dx[at(from + *cell)], cotangent[rules_.sender(s, out)]);
        });
        return dx;
    }

    Tensor indices(const PoolPlan& p) const {
        const NodePlan& n = plan_.output();
        std::vector<Index> flat(at(size(n.shape)));
        const Node node = windows(n);
        node.for_each_site(operand(n),
                           [&](const Site& s, Index, std::size_t out) { flat[out] = node.winner(s); });
        if (p.index_form == IndexForm::flat) {
            Tensor t(Format::i64, n.shape);
            for (std::size_t k = 0; k < flat.size(); ++k)
                t.set(static_cast<Index>(k), static_cast<Bits>(flat[k]));
            return t;
        }
        Values pairs;
        for (const Index i : flat) {
            const Index row = i / p.axes[1].extent, column = i % p.axes[1].extent;
            pairs.push_back(static_cast<Number>(row));
            pairs.push_back(static_cast<Number>(column));
        }
        Shape shape = n.shape;
        shape.back() *= 2;
        return written(pairs, shape);
    }

    const Rules& rules_;
    Plan plan_;
    const Case& case_;
    Values input_, last_;
    std::vector<Values> primal_;
};

const char* declined(const Rules& rules, const Plan& plan, const Case& c) {
    for (const NodePlan& n : plan.nodes) {
        if (!n.pool) continue;
        const PoolPlan& p = *n.pool;
        Index taps = 1;
        for (const Axis& a : p.axes)
            if ((taps *= a.bins ? a.extent : a.kernel) > 1'000'000) return "a window of over a million taps";
        if (size(n.shape) > 4'000'000) return "an output of over four million values";
        const Accumulate kept = plan.mode == Mode::vjp ? p.policy.accumulate_gradient : p.policy.accumulate;
        if (kept == Accumulate::exact && (p.reduction != Reduction::max || plan.mode != Mode::forward))
            return "accumulate 'exact'";
        if (plan.format != Format::i64 || p.reduction == Reduction::max || rules.whole_sums_fit) continue;
        for (Index k = 0; k < c.input.size(); ++k)
            if (std::abs(static_cast<double>(integer_value(Format::i64, c.input[k]))) *
                    static_cast<double>(taps) >
                0x1p62)
                return "64-bit sums past 2^63";
    }
    return nullptr;
}

Observation refused(Observation::Kind kind, std::string why) { return {kind, {}, std::move(why)}; }

/// Whether there is one entry per axis, as faults in reading rely on. Other cases are rejected by the plan.
bool lists_fit(const Attributes& a, const Shape* input) {
    const auto& of_op = a.kernel ? a.kernel : a.output_size;
    const std::size_t rank = of_op ? of_op->size() : 0;
    if (of_op && (rank == 0 || (input != nullptr && rank > input->size()))) return false;
    for (const auto* list : {&a.stride, &a.pad_begin, &a.pad_end, &a.dilation})
        if (*list && (*list)->size() != rank) return false;
    return !(a.stride && std::find(a.stride->begin(), a.stride->end(), 0) != a.stride->end());
}

}  // namespace

Observation run(const Rules& rules, const Case& c) {
    Case understood = c;
    rules.choose(understood.policy);
    if (lists_fit(c.attrs, &c.input.shape))
        rules.read(understood.attrs, {c.op, c.mode, c.format, &c.input.shape});
    for (auto& n : understood.nodes)
        if (lists_fit(n.attrs, nullptr)) rules.read(n.attrs, {n.op, c.mode, c.format, nullptr});
    auto settled = plan(understood);
    if (!settled) return refused(Observation::Kind::rejected, message(settled.rejection()));
    if (const char* why = declined(rules, *settled, c)) return refused(Observation::Kind::declined, why);
    try {
        return Evaluation(rules, std::move(*settled), c).answer();
    } catch (const std::exception& e) { return refused(Observation::Kind::failed, e.what()); }
}

}  // namespace poolproof::faulty

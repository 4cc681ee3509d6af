// SPDX-License-Identifier: Apache-2.0
#include "oracle/expect/joint_ties.hpp"

#include "oracle/expect/arithmetic.hpp"
#include "oracle/expect/feasible.hpp"
#include "oracle/expect/flushing.hpp"
#include "oracle/expect/slices.hpp"
#include "oracle/spec/evaluate.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace poolproof {

namespace {

/// A window whose winner is open: the cells it may choose, and what it sends to the one it chooses.
struct Choice {
    std::vector<std::size_t> cells;
    Rational gradient;
    bool padding = false;  ///< it may also choose padding, and send nothing
};

struct Cell {
    std::vector<Rational> settled;     ///< what decided windows send here
    std::vector<std::size_t> choices;  ///< the undecided ones that may, ascending
    bool open = false;                 ///< a window that is open reaches it, so that nothing is asked of it
    Bits got = 0;
};

struct Problem {
    Arithmetic arithmetic;
    std::vector<Choice> choices;
    std::map<std::size_t, Cell> cells;  ///< those that some choice touches
};

BoundedSum sum_of(const Problem& p, const std::vector<Rational>& terms) {
    BoundedSum sum(p.arithmetic);
    for (const Rational& t : terms) sum.add(Interval(t), {});
    return sum;
}

/// Tries every combination of winners, checking a cell as soon as all windows that reach it have chosen.
class Search {
public:
    explicit Search(const Problem& p) : problem_(p) {
        for (const auto& [index, cell] : p.cells) sent_[index] = cell.settled;
    }

    Decision run() {
        const bool found = extend(0);
        if (found) return Decision::permitted;
        return tried_ > max_choices ? Decision::undecided : Decision::refused;
    }

private:
    bool extend(std::size_t next) {
        if (next == problem_.choices.size()) return true;
        const Choice& choice = problem_.choices[next];
        for (std::size_t k = 0; k < choice.cells.size() + (choice.padding ? 1 : 0); ++k) {
            if (++tried_ > max_choices) return false;
            const bool sends = k < choice.cells.size();
            if (sends) sent_[choice.cells[k]].push_back(choice.gradient);
            if (complete_cells_fit(next) && extend(next + 1)) return true;
            if (sends) sent_[choice.cells[k]].pop_back();
        }
        return false;
    }

    bool complete_cells_fit(std::size_t last) const {
        for (const std::size_t index : problem_.choices[last].cells) {
            const Cell& cell = problem_.cells.at(index);
            if (cell.open || cell.choices.back() != last) continue;
            const Permitted p = permitted(sum_of(problem_, sent_.at(index)).span(), problem_.arithmetic);
            if (!permits(p, problem_.arithmetic.result, cell.got)) return false;
        }
        return true;
    }

    const Problem& problem_;
    std::map<std::size_t, std::vector<Rational>> sent_;
    std::size_t tried_ = 0;
};

/// How far rounding may move a cell's sum, whatever shares its windows take.
Rational rounding_box(const Problem& p, const Cell& cell) {
    const Arithmetic& a = p.arithmetic;
    BoundedSum sum(a);
    for (const Rational& t : cell.settled) sum.add(Interval(t), {});
    // A share may be a rounded quotient, and its product is rounded.
    Scale shared;
    shared.roundings = 3;
    shared.scalings = 2;
    for (const std::size_t k : cell.choices)
        sum.add(hull(Interval(p.choices[k].gradient), Interval(Index{0})), shared);
    const Index floor = min_exponent(a.result) - 64;
    const auto exact = sum.exact().ends(floor);
    const auto honest = fused_or_rounded(sum.span(), a).ends(floor);
    return std::max(Rational(exact->first - honest->first), Rational(honest->second - exact->second));
}

Decision decide_convex(const Problem& p) {
    std::size_t variables = 0;
    for (const Choice& c : p.choices) variables += c.cells.size();
    if (variables + p.cells.size() > max_program) return Decision::undecided;
    std::vector<Constraint> constraints;
    std::map<std::size_t, std::size_t> row_of;
    const Format f = p.arithmetic.result;
    for (const auto& [index, cell] : p.cells) {
        if (cell.open) continue;
        if (is_nan(f, cell.got) || is_infinite(f, cell.got)) return Decision::undecided;
        Rational settled = 0;
        for (const Rational& t : cell.settled) settled += t;
        const Rational middle = rational_value(f, cell.got) - settled;
        const Rational box = rounding_box(p, cell);
        row_of[index] = constraints.size();
        constraints.push_back({std::vector<Rational>(variables, Rational(0)), middle - box, middle + box});
    }
    std::size_t next = 0;
    for (const Choice& c : p.choices) {
        Constraint whole{std::vector<Rational>(variables, Rational(0)), c.padding ? 0 : 1, 1};
        for (const std::size_t index : c.cells) {
            whole.coefficients[next] = 1;
            if (const auto row = row_of.find(index); row != row_of.end())
                constraints[row->second].coefficients[next] = c.gradient;
            ++next;
        }
        constraints.push_back(std::move(whole));
    }
    return feasible(variables, constraints) ? Decision::permitted : Decision::refused;
}

/// Collects what the windows of a VJP send, settled or to be chosen; nothing where no window has a choice to
/// make.
std::shared_ptr<Problem> gradient_problem(const Plan& plan, const Case& c) {
    const PoolPlan& pool = *plan.output().pool;
    const spec::Evaluator<Rational> spec{plan.format, rational_value};
    const auto input = spec::values_of<Rational>(c.input, rational_value);
    const auto cotangent = spec::values_of<Rational>(*c.cotangent, rational_value);
    auto problem = std::make_shared<Problem>(
        Problem{Arithmetic(plan.format, pool.policy.accumulate_gradient, pool.policy), {}, {}});
    std::map<std::size_t, std::vector<Rational>> settled;
    std::set<std::size_t> open;
    spec::Values<Rational> xs;
    spec.for_each_output(plan.output(), [&](Index offset, Index out, const spec::Window& w) {
        spec.gather(xs, input, offset, w);
        auto row = spec.row(pool, w, xs);
        if (row && flush_may_tie(xs, sign(spec::padding_zeros(pool, w)) > 0, problem->arithmetic))
            row.reset();
        const auto& g = cotangent[static_cast<std::size_t>(out)];
        const auto cell = [&](std::size_t tap) { return static_cast<std::size_t>(offset + w.taps[tap]); };
        if (!row || !g.is_finite())
            for (std::size_t k = 0; k < w.taps.size(); ++k) open.insert(cell(k));
        if (!row || !g.is_finite() || g.value.is_zero()) return;
        if (row->chosen) {
            for (const auto& s : row->shares) settled[cell(s.tap)].push_back(s.share * g.value);
            return;
        }
        Choice choice{{}, g.value, row->padding_may_take_it};
        for (const auto& s : row->shares) {
            choice.cells.push_back(cell(s.tap));
            problem->cells[cell(s.tap)].choices.push_back(problem->choices.size());
        }
        problem->choices.push_back(std::move(choice));
    });
    for (auto& [index, cell] : problem->cells) {
        cell.settled = settled[index];
        cell.open = open.count(index) > 0;
    }
    return problem->choices.empty() ? nullptr : problem;
}

std::optional<Joint> gradient_joint(const Plan& plan, const Case& c) {
    const auto problem = gradient_problem(plan, c);
    if (!problem) return std::nullopt;
    const bool any = plan.output().pool->policy.ties == Ties::any;
    return Joint{any ? "any" : "convex", [problem, any](const Tensor& dx) {
                     Problem filled = *problem;
                     for (auto& [index, cell] : filled.cells) cell.got = dx[static_cast<Index>(index)];
                     return any ? Search(filled).run() : decide_convex(filled);
                 }};
}

/// Under `any` a tangent is one of those of its window's winners, and nothing between them.
std::optional<Joint> tangent_joint(const Plan& plan, const Case& c) {
    const PoolPlan& pool = *plan.output().pool;
    if (pool.policy.ties != Ties::any) return std::nullopt;
    const spec::Evaluator<Rational> spec{plan.format, rational_value};
    const auto input = spec::values_of<Rational>(c.input, rational_value);
    const Arithmetic arithmetic(plan.format, pool.policy.accumulate, pool.policy);
    const bool flushes = pool.policy.subnormals == Subnormals::may_flush;
    std::map<Index, std::vector<Bits>> choices;
    spec::Values<Rational> xs;
    spec.for_each_output(plan.output(), [&](Index offset, Index out, const spec::Window& w) {
        spec.gather(xs, input, offset, w);
        const auto row = spec.row(pool, w, xs);
        if (!row || row->chosen || flush_may_tie(xs, sign(spec::padding_zeros(pool, w)) > 0, arithmetic))
            return;
        auto& list = choices[out];
        for (const auto& s : row->shares) list.push_back((*c.tangent)[offset + w.taps[s.tap]]);
        const auto subnormal = [&](Bits b) {
            return magnitude(plan.format, b) < Bits{1} << (precision(plan.format) - 1);
        };
        if (row->padding_may_take_it || (flushes && std::any_of(list.begin(), list.end(), subnormal)))
            list.push_back(0);
        const auto special = [&](Bits b) { return is_nan(plan.format, b) || is_infinite(plan.format, b); };
        for (std::size_t k = 0; k < w.taps.size(); ++k)
            if (special((*c.tangent)[offset + w.taps[k]])) choices.erase(out);
    });
    if (choices.empty()) return std::nullopt;
    return Joint{"any", [choices, f = plan.format](const Tensor& dy) {
                     for (const auto& [out, list] : choices) {
                         const Bits got = dy[out];
                         const auto same = [&](Bits b) {
                             return b == got || (is_zero(f, b) && is_zero(f, got));
                         };
                         if (std::none_of(list.begin(), list.end(), same)) return Decision::refused;
                     }
                     return Decision::permitted;
                 }};
}

}  // namespace

std::optional<Joint> joint_ties(const Plan& plan, const Case& c) {
    if (plan.nodes.size() > 1 || !plan.output().pool || plan.mode == Mode::forward) return std::nullopt;
    const PoolPlan& pool = *plan.output().pool;
    const bool open = pool.policy.ties == Ties::any || pool.policy.ties == Ties::convex;
    if (pool.reduction != Reduction::max || !open) return std::nullopt;
    const auto of_part = plan.mode == Mode::vjp ? gradient_joint : tangent_joint;
    const Index count = slice_count(plan, c);
    if (count == 1) return of_part(plan, c);
    std::optional<Joint> all;
    for (Index k = 0; k < count; ++k) {  // no choice in one slice has a say in another
        const Part part = part_of(plan, c, {k, 1});
        all = combined(std::move(all), of_whole(of_part(part.plan, part.c), part));
    }
    return all;
}

}  // namespace poolproof

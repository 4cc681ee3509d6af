// SPDX-License-Identifier: Apache-2.0
// Shrinking: all ways to simplify in turn, from the coarsest to the finest, until none is left.
#include "search/attempts.hpp"

#include <poolproof/plan.hpp>
#include <poolproof/text.hpp>

#include <algorithm>

namespace poolproof {

namespace search {

namespace {

/// Elements that stand at equal coordinates, counted from the begin or from the end of each axis; a shape of
/// another rank takes them in row-major order, over and over.
Tensor fitted(const Tensor& t, const Shape& shape, bool from_end) {
    Tensor r(t.format, shape);
    if (t.size() == 0) return r;
    const bool same_rank = t.shape.size() == shape.size();
    for (Index i = 0; i < r.size(); ++i) {
        Index from = 0, rest = i, step = 1;
        for (std::size_t k = shape.size(); same_rank && k-- > 0;) {
            const Index coordinate = rest % shape[k], shift = from_end ? t.shape[k] - shape[k] : 0;
            from += step * std::clamp<Index>(coordinate + shift, 0, t.shape[k] - 1);
            rest /= shape[k];
            step *= t.shape[k];
        }
        r.set(i, t[same_rank ? from : i % t.size()]);
    }
    return r;
}

}  // namespace

bool Attempts::fails_twice(const Case& c) {
    for (int k = 0; k < 2; ++k) {
        if (left_ == 0 || (stop_ && stop_())) {
            cut_off_ = true;
            return false;
        }
        --left_;
        if (!fails_(c)) return false;
    }
    return true;
}

bool Attempts::take(Case candidate) {
    if (!candidate.cotangent) return take_fitted(std::move(candidate));
    const Tensor cotangent = std::move(*candidate.cotangent);
    candidate.cotangent.reset();
    const auto settled = plan(candidate);
    if (!settled) return false;
    const Shape& shape = settled->output().shape;
    candidate.cotangent = fitted(cotangent, shape, false);
    Case other = candidate;
    other.cotangent = fitted(cotangent, shape, true);
    const bool two = other.cotangent != candidate.cotangent;
    return take_fitted(std::move(candidate)) || (two && take_fitted(std::move(other)));
}

bool Attempts::take_fitted(Case candidate) {
    if (spent() || !(complexity(candidate) < simplicity_) || !plan(candidate)) return false;
    if (!tried_.insert(write_case(candidate, TensorForm::bits)).second) return false;
    if (!fails_twice(candidate)) return false;
    current_ = std::move(candidate);
    simplicity_ = complexity(current_);
    ++accepted_;
    return true;
}

}  // namespace search

Shrunk shrunk(const Case& c, const Fails& fails, const ShrinkLimits& limits) {
    using namespace search;
    Attempts a(c, fails, limits);
    Shrunk r;
    r.reproduced = a.fails_twice(c);
    r.cut_off = a.cut_off();
    while (r.reproduced && !a.spent()) {
        const Index before = a.accepted();
        for (auto* simplify :
             {simplify_graph, simplify_axes, simplify_attributes, simplify_values, simplify_format})
            simplify(a);
        if (a.accepted() > before) continue;
        r.finished = !a.spent();
        break;
    }
    r.smallest = a.current();
    r.evaluations = limits.evaluations - a.left();
    return r;
}

}  // namespace poolproof

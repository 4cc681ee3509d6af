// SPDX-License-Identifier: Apache-2.0
// One step of shrinking: a simpler candidate is tried, and taken if it still fails.
#pragma once

#include <poolproof/search.hpp>

#include <tuple>
#include <unordered_set>

namespace poolproof::search {

/// How simple a value is to read: 0, 1, small integers, numbers of few bits, special values, all others.
Index value_complexity(Format f, Bits b);

/// What shrinking makes smaller, the most important first. Every accepted step lowers it, so there is an end.
struct Complexity {
    Index nodes, elements, axes, mode, attributes, format, values, distinct;

    friend auto operator<=>(const Complexity&, const Complexity&) = default;
};
Complexity complexity(const Case& c);

class Attempts {
public:
    Attempts(Case c, const Fails& fails, const ShrinkLimits& limits)
        : current_(std::move(c)),
          simplicity_(complexity(current_)),
          fails_(fails),
          stop_(limits.stop),
          left_(limits.evaluations) {}

    const Case& current() const { return current_; }
    bool spent() const { return left_ < 2 || (stop_ && stop_()); }
    Index left() const { return left_; }
    Index accepted() const { return accepted_; }
    bool cut_off() const { return cut_off_; }

    /// Whether the case fails twice. Not to be told once it is time to stop.
    bool fails_twice(const Case& c);

    /// Takes the candidate for the current case if it is simpler, valid, not yet tried, and fails twice. A
    /// cotangent is cut to the output's shape, once from the begin and once from the end of each axis.
    bool take(Case candidate);

private:
    bool take_fitted(Case candidate);

    Case current_;
    Complexity simplicity_;
    const Fails& fails_;
    const std::function<bool()>& stop_;
    Index left_, accepted_ = 0;
    bool cut_off_ = false;
    std::unordered_set<std::string> tried_;
};

void simplify_graph(Attempts& a);
void simplify_axes(Attempts& a);
void simplify_attributes(Attempts& a);
void simplify_values(Attempts& a);
void simplify_format(Attempts& a);

/// The tensor without `count` positions of one axis from `from` on.
Tensor without(const Tensor& t, std::size_t axis, Index from, Index count);

/// The tensor at one position of an axis, which it loses.
Tensor at_position(const Tensor& t, std::size_t axis, Index position);

}  // namespace poolproof::search

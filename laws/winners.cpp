// SPDX-License-Identifier: Apache-2.0
// Laws about the index of a maximum: the value stands there, and the gradient goes there.
#include "laws/parts.hpp"

namespace poolproof::law {

namespace {

std::string at_place(const char* output, Index i) {
    return std::string(output) + "[" + std::to_string(i) + "]";
}

/// The single case asked forward with flat indices; nothing where it is no maximum.
std::optional<Case> with_indices(const Case& c) {
    if (c.op == Op::graph || !is_maximum(c.op)) return std::nullopt;
    auto r = in_mode(c, Mode::forward, 0);
    if (!r) return std::nullopt;
    r->attrs.return_indices = true;
    r->attrs.index_form = IndexForm::flat;
    return plan(*r) ? r : std::nullopt;
}

/// Where the reported index of an output points in the whole input; nothing where no clause decides it.
/// -1 for an index beside the slice.
std::optional<Index> cell_of(const LawSide& side, Index output) {
    const ExpectedOutput& e = side.expected.outputs.back();
    if (!e.positions[static_cast<std::size_t>(output)]) return std::nullopt;
    const Index slices = side.plan.output().leading;
    const Index block = side.c.input.size() / slices, outputs = size(side.plan.output().shape) / slices;
    const Index index = integer_value(Format::i64, (*side.answer.find("indices"))[output]);
    return index < 0 || index >= block ? -1 : output / outputs * block + index;
}

std::optional<std::string> values_at_indices(const std::vector<LawSide>& sides) {
    const LawSide& s = sides.front();
    const Tensor& y = *s.answer.find("y");
    const Format f = s.c.format;
    for (Index i = 0; i < y.size(); ++i) {
        const auto cell = cell_of(s, i);
        if (!cell) continue;
        if (*cell < 0) return at_place("indices", i) + " is beside the slice";
        const Bits x = s.c.input[*cell];
        const bool alike =
            x == y[i] || (is_nan(f, x) && is_nan(f, y[i])) || (is_zero(f, x) && is_zero(f, y[i]));
        if (!alike) return at_place("indices", i) + " is a cell that does not hold y there";
    }
    return std::nullopt;
}

Relation index_and_value(const Case& c, std::uint64_t) {
    auto asked = with_indices(c);
    if (!asked) return {};
    Relation r;
    r.cases = {std::move(*asked)};
    r.also = values_at_indices;
    return r;
}

/// A cell that one index names gets that window's cotangent, and one that none names gets nothing. Those
/// named several times are left to the judgment of their sums.
std::optional<std::string> gradients_at_indices(const std::vector<LawSide>& sides) {
    const LawSide &forward = sides[0], &backward = sides[1];
    const Tensor &cotangent = *backward.c.cotangent, &dx = *backward.answer.find("dx");
    std::vector<Index> named(static_cast<std::size_t>(dx.size())), window(named.size());
    for (Index i = 0; i < cotangent.size(); ++i) {
        const auto cell = cell_of(forward, i);
        if (!cell || *cell < 0) return std::nullopt;
        ++named[static_cast<std::size_t>(*cell)];
        window[static_cast<std::size_t>(*cell)] = i;
    }
    const Format f = dx.format;
    for (std::size_t k = 0; k < named.size(); ++k) {
        const Permitted& p = backward.expected.outputs.front().values[k];
        if (p.open || p.vacuous || named[k] > 1) continue;
        const auto i = static_cast<Index>(k);
        const Bits sent = named[k] == 0 ? 0 : cotangent[window[k]];
        if (sent != dx[i] && !(is_zero(f, sent) && is_zero(f, dx[i])) && p.lowest == p.highest)
            return at_place("dx", i) + " is not what the windows send whose index it is";
    }
    return std::nullopt;
}

Relation index_and_gradient(const Case& c, std::uint64_t number) {
    auto asked = with_indices(c);
    auto pulled = in_mode(c, Mode::vjp, number);
    if (!asked || !pulled) return {};
    const Ties ties = plan(*asked)->output().pool->policy.ties,
               backward = plan(*pulled)->output().pool->policy.ties;
    if (ties != backward || (ties != Ties::first && ties != Ties::last)) return {};
    Relation r;
    r.cases = {std::move(*asked), std::move(*pulled)};
    r.also = gradients_at_indices;
    return r;
}

}  // namespace

std::vector<Law> winner_laws() {
    return {
        {"indices_and_values", "A maximum stands where its index says.", "MIdx", index_and_value},
        {"indices_and_gradients", "The gradient of a maximum goes where its index says.", "MTie",
         index_and_gradient},
    };
}

}  // namespace poolproof::law

// SPDX-License-Identifier: Apache-2.0
// Laws about the leading axes: pooling acts on every slice by itself, whichever stand beside it.
#include "laws/parts.hpp"

#include <algorithm>
#include <numeric>

namespace poolproof::law {

namespace {

/// How many leading axes hold the slices; nothing if there are fewer than two slices.
std::optional<std::size_t> slice_axes(const Case& c, Index slices) {
    if (slices < 2) return std::nullopt;
    Index n = 1;
    std::size_t axes = 0;
    while (axes < c.input.shape.size() && n < slices) n *= c.input.shape[axes++];
    return n == slices ? std::optional(axes) : std::nullopt;
}

/// The chosen slices of a tensor whose `leading` first axes hold `slices` of them.
Tensor chosen(const Tensor& t, Index slices, std::size_t leading, const Shape& to,
              const std::vector<Index>& which) {
    Shape shape = to;
    shape.insert(shape.end(), t.shape.begin() + static_cast<std::ptrdiff_t>(leading), t.shape.end());
    Tensor r(t.format, shape);
    const std::size_t bytes = t.data.size() / static_cast<std::size_t>(slices);
    for (std::size_t k = 0; k < which.size() && bytes > 0; ++k)
        std::copy_n(t.data.begin() + which[k] * static_cast<std::ptrdiff_t>(bytes), bytes,
                    r.data.begin() + static_cast<std::ptrdiff_t>(k * bytes));
    return r;
}

/// The case with these slices of its own, in this order, as leading axes `to`.
Case with_slices(const Case& c, Index slices, std::size_t leading, const Shape& to,
                 const std::vector<Index>& which) {
    Case r = c;
    r.input = chosen(c.input, slices, leading, to, which);
    if (c.tangent) r.tangent = chosen(*c.tangent, slices, leading, to, which);
    if (c.cotangent) r.cotangent = chosen(*c.cotangent, slices, leading, to, which);
    return r;
}

/// Side 0 holds all slices, side 1 these. Positions follow slice by slice, indices too: they are counted
/// within a slice.
Relation related(const Case& c, Case other, Index slices, const std::vector<Index>& which) {
    const auto one = plan(c), two = plan(other);
    if (!two) return {};
    const auto outputs = [&](const Plan& p, const Case& x, const std::string& name) {
        const Index n = name == "dx" ? x.input.size() : size(p.output().shape);
        return name == "indices" && x.attrs.index_form == IndexForm::row_column ? 2 * n : n;
    };
    Relation r;
    for (Pairing p : all_outputs(c, 1, 0)) {
        const Index block = outputs(*one, c, p.output) / slices;
        if (block * static_cast<Index>(which.size()) != outputs(*two, other, p.output)) return {};
        p.at = [block, which](Index i) -> std::optional<Index> {
            const Index from = which[static_cast<std::size_t>(i / block)];
            return from < 0 ? std::nullopt : std::optional(from * block + i % block);
        };
        r.pairings.push_back(std::move(p));
    }
    r.cases = {c, std::move(other)};
    return r;
}

Relation alone(const Case& c, std::uint64_t number) {
    const Index slices = slice_count(*plan(c), c);
    const auto axes = slice_axes(c, slices);
    if (!axes) return {};
    const std::vector<Index> which{static_cast<Index>(number % static_cast<std::uint64_t>(slices))};
    return related(c, with_slices(c, slices, *axes, Shape(*axes, 1), which), slices, which);
}

/// One slice stays, and all others hold something else.
Relation apart(const Case& c, std::uint64_t number) {
    const Index slices = slice_count(*plan(c), c);
    auto other = filled(c, c.mode, Hardness::special, number);
    if (slices < 2 || !other) return {};
    const auto kept = static_cast<Index>(number % static_cast<std::uint64_t>(slices));
    const auto keep = [&](const Tensor& from, Tensor& to) {
        const auto bytes = static_cast<std::ptrdiff_t>(from.data.size()) / slices;
        std::copy_n(from.data.begin() + kept * bytes, bytes, to.data.begin() + kept * bytes);
    };
    keep(c.input, other->input);
    if (c.tangent) keep(*c.tangent, *other->tangent);
    if (c.cotangent) keep(*c.cotangent, *other->cotangent);
    std::vector<Index> which(static_cast<std::size_t>(slices), -1);
    which[static_cast<std::size_t>(kept)] = kept;
    return related(c, std::move(*other), slices, which);
}

/// The slices the other way round; where they fill several axes, the first two change places as well.
Relation permuted(const Case& c, std::uint64_t) {
    const Index slices = slice_count(*plan(c), c);
    const auto axes = slice_axes(c, slices);
    if (!axes) return {};
    Shape to(c.input.shape.begin(), c.input.shape.begin() + static_cast<std::ptrdiff_t>(*axes));
    if (*axes > 1) std::swap(to[0], to[1]);
    std::vector<Index> which(static_cast<std::size_t>(slices));
    std::iota(which.rbegin(), which.rend(), Index{0});
    return related(c, with_slices(c, slices, *axes, to, which), slices, which);
}

}  // namespace

std::vector<Law> slice_laws() {
    return {
        {"slices_alone", "A slice by itself has the answer that it has among others.", "", alone},
        {"slices_apart", "What stands in other slices, NaN and infinities too, does not change a slice.", "",
         apart},
        {"slices_permuted", "Slices in another order have their answers in that order.", "", permuted},
    };
}

}  // namespace poolproof::law

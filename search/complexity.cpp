// SPDX-License-Identifier: Apache-2.0
#include "search/attempts.hpp"

#include <bit>
#include <cstdlib>
#include <set>

namespace poolproof::search {

namespace {

/// The whole number that a pattern stands for, if it is one below 2^7 in size.
std::optional<Index> small_integer(Format f, Bits b) {
    if (is_integer(f)) {
        const Index n = integer_value(f, b);
        return n > -128 && n < 128 ? std::optional(n) : std::nullopt;
    }
    if (is_zero(f, b)) return 0;
    if (is_nan(f, b) || is_infinite(f, b)) return std::nullopt;
    const int fraction = precision(f) - 1;
    const int e = static_cast<int>(magnitude(f, b) >> fraction) - max_exponent(f);
    if (e < 0 || e > 6 || e > fraction) return std::nullopt;
    const Bits significand = (magnitude(f, b) & ((Bits{1} << fraction) - 1)) | Bits{1} << fraction;
    if ((significand & ((Bits{1} << (fraction - e)) - 1)) != 0) return std::nullopt;
    const auto n = static_cast<Index>(significand >> (fraction - e));
    return is_negative(f, b) ? -n : n;
}

Index complexity(const std::optional<std::vector<Index>>& list) {
    if (!list) return 0;
    Index r = 10;
    for (const Index n : *list) r += std::min<Index>(std::abs(n), 1000);
    return r;
}

Index complexity(Format f, const Attributes& a) {
    Index r = 0;
    for (const auto* list : {&a.kernel, &a.stride, &a.pad_begin, &a.pad_end, &a.dilation, &a.output_size})
        r += complexity(*list);
    for (const bool present :
         {a.auto_pad.has_value(), a.ceil_mode.has_value(), a.count_include_pad.has_value(),
          a.keepdims.has_value(), a.return_indices.has_value(), a.index_form.has_value(),
          a.memory.has_value(), a.divisor_override.has_value()})
        r += present ? 10 : 0;
    if (a.divisor_override) r += std::min<Index>(std::abs(*a.divisor_override), 1000);
    if (a.beta) r += value_complexity(f, *a.beta);
    return r + a.spatial_rank.value_or(0);
}

void add_values(const Tensor& t, Complexity& c, std::set<Bits>& distinct) {
    for (Index i = 0; i < t.size(); ++i) {
        c.values += value_complexity(t.format, t[i]);
        distinct.insert(t[i]);
    }
}

}  // namespace

Index value_complexity(Format f, Bits b) {
    if (const auto n = small_integer(f, b))
        return 2 * std::abs(*n) + (is_integer(f) ? *n < 0 : is_negative(f, b) ? 1 : 0);
    if (is_integer(f)) {
        const Index value = integer_value(f, b);
        const auto pattern = static_cast<Bits>(value);
        return 300 + static_cast<Index>(std::bit_width(value < 0 ? ~pattern : pattern + 1));
    }
    if (is_nan(f, b)) return b == quiet_nan_bits(f) ? 300 : 301;
    if (is_infinite(f, b)) return is_negative(f, b) ? 303 : 302;
    const Bits m = magnitude(f, b), fraction = m & ((Bits{1} << (precision(f) - 1)) - 1);
    const int used = fraction == 0 ? 0 : precision(f) - 1 - std::countr_zero(fraction);
    const int e = std::abs(static_cast<int>(m >> (precision(f) - 1)) - max_exponent(f));
    return 310 + used + static_cast<int>(std::bit_width(static_cast<unsigned>(e))) +
           (is_negative(f, b) ? 1 : 0);
}

Complexity complexity(const Case& c) {
    // In order of how plainly a case of this format reads.
    static constexpr std::array<Index, 8> format_rank{0, 1, 2, 3, 6, 7, 4, 5};
    Complexity r{};
    r.nodes = static_cast<Index>(c.nodes.size());
    r.elements = c.input.size();
    r.axes = static_cast<Index>(c.input.shape.size());
    r.mode = static_cast<Index>(c.mode);
    r.attributes = complexity(c.format, c.attrs);
    for (const Node& n : c.nodes) r.attributes += complexity(c.format, n.attrs) + (n.op == Op::add ? 20 : 0);
    r.format = format_rank[static_cast<std::size_t>(c.format)];
    std::set<Bits> distinct;
    add_values(c.input, r, distinct);
    for (const auto* t : {&c.tangent, &c.cotangent})
        if (*t) add_values(**t, r, distinct);
    r.distinct = static_cast<Index>(distinct.size());
    return r;
}

}  // namespace poolproof::search

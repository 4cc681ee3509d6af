// SPDX-License-Identifier: Apache-2.0
// Laws about values: a power of two goes through every pooling, and a minus sign through those without a
// maximum. Both are exact, so that what was one pattern is one pattern again.
#include "laws/parts.hpp"

namespace poolproof::law {

namespace {

using Change = std::function<std::optional<Bits>(Bits)>;

/// A pattern times 2^k, nothing where that is not exact for every such pattern: subnormals and the ends.
Change times_power(Format f, int k) {
    return [f, k](Bits b) -> std::optional<Bits> {
        if (is_zero(f, b) || is_nan(f, b) || is_infinite(f, b)) return b;
        const int fraction = precision(f) - 1;
        const auto field = static_cast<int>(magnitude(f, b) >> fraction);
        const int largest = static_cast<int>(infinity_bits(f) >> fraction);
        if (field == 0 || field + k < 1 || field + k >= largest) return std::nullopt;
        return b + (static_cast<Bits>(static_cast<std::int64_t>(k)) << fraction);
    };
}

Change negated(Format f) {
    return [f](Bits b) -> std::optional<Bits> { return b ^ sign_bit(f); };
}

bool replace(Tensor& t, const Change& change) {
    auto r = each(t, change);
    if (r) t = std::move(*r);
    return r.has_value();
}

bool replace(std::optional<Tensor>& t, const Change& change) { return !t || replace(*t, change); }

bool replace_beta(Case& c, const Change& change) {
    const auto at = [&](Attributes& a) {
        if (!a.beta) return true;
        const auto b = change(*a.beta);
        if (b) a.beta = *b;
        return b.has_value();
    };
    bool all = at(c.attrs);
    for (Node& n : c.nodes) all = at(n.attrs) && all;
    return all;
}

/// An empty window that has a number of its own does not scale.
bool scales(const Plan& plan) {
    return !has_pool(plan, [](const PoolPlan& p) { return p.policy.empty_window == EmptyWindow::lowest; });
}

/// The input by one power of two, beta by its inverse, the direction by another.
Relation scaled(const Case& c, std::uint64_t number) {
    const auto settled = plan(c);
    if (is_integer(c.format) || !scales(*settled)) return {};
    static constexpr int steps[]{1, -1, 3, -3};
    const int of_input = steps[number % 4], of_direction = steps[number / 4 % 4];
    Case other = c;
    const bool exact = replace(other.input, times_power(c.format, of_input)) &&
                       replace_beta(other, times_power(c.format, -of_input)) &&
                       replace(other.tangent, times_power(c.format, of_direction)) &&
                       replace(other.cotangent, times_power(c.format, of_direction));
    if (!exact) return {};
    Relation r;
    r.pairings = all_outputs(c, 0, 1);
    r.pairings.front().map = times_power(c.format, c.mode == Mode::forward ? -of_input : -of_direction);
    r.cases = {c, std::move(other)};
    return if_valid(std::move(r));
}

Relation negative(const Case& c, std::uint64_t) {
    if (is_integer(c.format) || any_node(c, is_maximum) || !scales(*plan(c))) return {};
    const Change minus = negated(c.format);
    Case other = c;
    replace(other.input, minus);
    replace(other.tangent, minus);
    replace(other.cotangent, minus);
    replace_beta(other, minus);
    Relation r;
    r.pairings = all_outputs(c, 0, 1);
    r.pairings.front().map = minus;
    r.cases = {c, std::move(other)};
    return if_valid(std::move(r));
}

}  // namespace

std::vector<Law> arithmetic_laws() {
    return {
        {"scaling", "Values times a power of two (and beta over it) give answers times it.", "", scaled},
        {"negation", "Averages and smooth maxima of the negative, with -beta, are the negative.", "",
         negative},
    };
}

}  // namespace poolproof::law

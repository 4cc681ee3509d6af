// SPDX-License-Identifier: Apache-2.0
// Laws about being asked: again, after something else, and with the input laid out otherwise.
#include "laws/parts.hpp"

namespace poolproof::law {

namespace {

Relation repeated(const Case& c, std::uint64_t) {
    Relation r;
    r.cases = {c, c};
    r.repeats = true;
    return r;
}

/// Between the two, a case of the same shapes with other values, NaN among them: what it leaves in a buffer
/// or a cache must not come back.
Relation reused(const Case& c, std::uint64_t number) {
    auto other = filled(c, c.mode, Hardness::special, number);
    if (!other || c.input.size() == 0) return {};
    Relation r;
    r.cases = {c, std::move(*other), c};
    r.repeats = true;
    return r;
}

Relation laid_out(const Case& c, std::uint64_t number) {
    Case contiguous = c, other = c;
    contiguous.attrs.memory = Memory::contiguous;
    other.attrs.memory = number % 2 == 0 ? Memory::channels_last : Memory::strided;
    Relation r;
    r.pairings = all_outputs(c, 0, 1);
    r.cases = {std::move(contiguous), std::move(other)};
    return if_valid(std::move(r));
}

}  // namespace

std::vector<Law> call_laws() {
    return {
        {"repeated_calls", "Asked twice in a row, it answers twice the same.", "Det", repeated},
        {"reused_buffers", "What was asked in between, in the same shapes, does not change an answer.", "Det",
         reused},
        {"memory_formats", "How the input is laid out in memory does not change an answer.", "Answer",
         laid_out},
    };
}

}  // namespace poolproof::law

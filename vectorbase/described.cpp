// SPDX-License-Identifier: Apache-2.0
#include "vectorbase/described.hpp"

#include <algorithm>

namespace poolproof {

/// docs/SPEC.md under its name; written by the build.
extern const std::vector<std::pair<std::string_view, std::string_view>> clause_texts;

namespace vectorbase {

namespace {

bool has_extension(const Attributes& a) {
    const auto uneven = [](const std::optional<std::vector<Index>>& v, Index usual) {
        return v && std::any_of(v->begin(), v->end(), [&](Index i) { return i != usual; });
    };
    return uneven(a.dilation, 1) || (a.pad_end && a.pad_end != a.pad_begin) || a.auto_pad ||
           a.ceil_mode.value_or(false) || !a.count_include_pad.value_or(true) || a.divisor_override ||
           a.return_indices.value_or(false);
}

}  // namespace

Level level_of(const Case& c) {
    if (c.policy != Choices{}) return Level::informative;
    bool extension = is_integer(c.format) || has_extension(c.attrs) || *c.profile != "torchlean";
    for (const Node& n : c.nodes) extension |= has_extension(n.attrs) || n.op == Op::add;
    return extension ? Level::recommended : Level::required;
}

bool has_note(const VectorBase& base, std::string_view flag) {
    return std::any_of(base.flags.begin(), base.flags.end(),
                       [&](const FlagNote& n) { return n.name == flag; });
}

bool is_clause(std::string_view label) {
    return clause_texts.front().second.find("**[" + std::string(label) + "]**") != std::string_view::npos;
}

std::vector<std::string> flags_of(const Case& c, const VectorBase& base) {
    std::vector<std::string> r;
    for (const Feature f : features(c))
        if (has_note(base, name(f))) r.emplace_back(name(f));
    std::sort(r.begin(), r.end());
    return r;
}

std::vector<std::string> profiles_from(const std::string& first) {
    std::vector<std::string> r{first};
    for (const std::string& p : profile_names())
        if (p != first) r.push_back(p);
    return r;
}

std::string free_id(const VectorBase& base, const std::string& name) {
    std::string id = name;
    for (int n = 2; base.find(id) != nullptr; ++n) id = name + "-" + std::to_string(n);
    return id;
}

}  // namespace vectorbase
}  // namespace poolproof

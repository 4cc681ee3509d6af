// SPDX-License-Identifier: Apache-2.0
// The public nouns' own small functions: names of formats and policies, sizes, a rejection as one line.
#include <poolproof/policy.hpp>
#include <poolproof/rejection.hpp>
#include <poolproof/tensor.hpp>

#include <algorithm>

namespace poolproof {
namespace {

template <auto Member> ChoiceField choice_field(std::string_view name, std::vector<std::string_view> values) {
    return {name, std::move(values),
            [](const Choices& c) -> std::optional<std::size_t> {
                if (!(c.*Member)) return std::nullopt;
                return static_cast<std::size_t>(*(c.*Member));
            },
            [](Choices& c, std::size_t value) {
                using Value = std::decay_t<decltype(*(c.*Member))>;
                c.*Member = static_cast<Value>(value);
            }};
}

}  // namespace

std::optional<Format> format_named(std::string_view name) {
    const auto hit = std::find(format_names.begin(), format_names.end(), name);
    if (hit == format_names.end()) return std::nullopt;
    return static_cast<Format>(hit - format_names.begin());
}

std::optional<Index> valid_size(const Shape& shape) {
    if (shape.size() > static_cast<std::size_t>(max_rank)) return std::nullopt;
    Index capacity = 1;  // with every zero taken as one
    bool empty = false;
    for (const Index extent : shape) {
        if (extent < 0) return std::nullopt;
        empty |= extent == 0;
        if (extent > max_elements / capacity) return std::nullopt;
        capacity *= std::max(extent, Index{1});
    }
    return empty ? 0 : capacity;
}

const std::vector<ChoiceField>& choice_fields() {
    static const std::vector<ChoiceField> fields{
        choice_field<&Choices::ties>("ties", {"first", "last", "all", "split", "any", "convex"}),
        choice_field<&Choices::nan>("nan", {"propagate", "ignore", "open"}),
        choice_field<&Choices::nan_index>("nan_index", {"first", "last", "open"}),
        choice_field<&Choices::signed_zero>("signed_zero", {"either", "first", "positive"}),
        choice_field<&Choices::max_padding>("max_padding", {"ignored", "zero"}),
        choice_field<&Choices::smooth_padding>("smooth_padding", {"zero", "ignored"}),
        choice_field<&Choices::divisor>("divisor", {"kernel", "clipped"}),
        choice_field<&Choices::ceil_rule>("ceil_rule", {"drop_window_in_end_padding", "keep"}),
        choice_field<&Choices::empty_window>("empty_window",
                                             {"zero", "identity", "lowest", "nan", "reject", "open"}),
        choice_field<&Choices::oversized_kernel>("oversized_kernel",
                                                 {"reject", "reject_empty", "one_window"}),
        choice_field<&Choices::padding_limit>("padding_limit", {"none", "half_kernel", "zero"}),
        choice_field<&Choices::accumulate>("accumulate", {"any", "f32", "exact"}),
        choice_field<&Choices::integer_mean>("integer_mean",
                                             {"toward_zero", "floor", "half_even", "half_away", "open"}),
        choice_field<&Choices::accumulate_gradient>("accumulate_gradient", {"any", "f32", "exact"}),
        choice_field<&Choices::deterministic>("deterministic", {"required", "open"}),
        choice_field<&Choices::intermediate_overflow>("intermediate_overflow", {"allowed", "forbidden"}),
        choice_field<&Choices::subnormals>("subnormals", {"kept", "may_flush"})};
    return fields;
}

Choices overlaid(Choices under, const Choices& over) {
    for (const ChoiceField& field : choice_fields())
        if (const auto value = field.get(over)) field.set(under, *value);
    if (over.elementary_ulp) under.elementary_ulp = over.elementary_ulp;
    return under;
}

std::string message(const Rejection& r) {
    std::string out = r.field;
    if (!r.reason.empty()) out += (out.empty() ? "" : ": ") + r.reason;
    if (!r.remedy.empty()) out += (out.empty() ? "" : "; ") + r.remedy;
    return out;
}

}  // namespace poolproof

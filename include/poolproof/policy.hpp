// SPDX-License-Identifier: Apache-2.0
// What the common spec leaves open, as named choices. A profile settles all of them; a case may override
// single ones.
#pragma once

#include <poolproof/format.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace poolproof {

/// Each enumeration lists its values in the order of `choice_names`.
enum class Ties : std::uint8_t { first, last, all, split, any, convex };
enum class Nan : std::uint8_t { propagate, ignore, open };
enum class NanIndex : std::uint8_t { first, last, open };
enum class SignedZero : std::uint8_t { either, first, positive };
enum class MaxPadding : std::uint8_t { ignored, zero };
enum class SmoothPadding : std::uint8_t { zero, ignored };
enum class Divisor : std::uint8_t { kernel, clipped };
enum class CeilRule : std::uint8_t { drop_window_in_end_padding, keep };
enum class EmptyWindow : std::uint8_t { zero, identity, lowest, nan, reject, open };
enum class OversizedKernel : std::uint8_t { reject, reject_empty, one_window };
enum class PaddingLimit : std::uint8_t { none, half_kernel, zero };
enum class Accumulate : std::uint8_t { any, f32, exact };
enum class IntegerMean : std::uint8_t { toward_zero, floor, half_even, half_away, open };
enum class Deterministic : std::uint8_t { required, open };
enum class IntermediateOverflow : std::uint8_t { allowed, forbidden };
enum class Subnormals : std::uint8_t { kept, may_flush };

/// Choices as a case or a profile states them: what is absent is left to the next in line.
struct Choices {
    std::optional<Ties> ties;
    std::optional<Nan> nan;
    std::optional<NanIndex> nan_index;
    std::optional<SignedZero> signed_zero;
    std::optional<MaxPadding> max_padding;
    std::optional<SmoothPadding> smooth_padding;
    std::optional<Divisor> divisor;
    std::optional<CeilRule> ceil_rule;
    std::optional<EmptyWindow> empty_window;
    std::optional<OversizedKernel> oversized_kernel;
    std::optional<PaddingLimit> padding_limit;
    std::optional<Accumulate> accumulate;
    std::optional<IntegerMean> integer_mean;
    std::optional<Accumulate> accumulate_gradient;
    std::optional<double> elementary_ulp;
    std::optional<Deterministic> deterministic;
    std::optional<IntermediateOverflow> intermediate_overflow;
    std::optional<Subnormals> subnormals;

    friend bool operator==(const Choices&, const Choices&) = default;
};

/// A policy by its name in the contract, its values' names in the order of its enumeration (none for a
/// number), and access to it as an index into those names.
struct ChoiceField {
    std::string_view name;
    std::vector<std::string_view> values;
    std::optional<std::size_t> (*get)(const Choices&);
    void (*set)(Choices&, std::size_t);
};

/// Every choice but `elementary_ulp`, which is a number.
const std::vector<ChoiceField>& choice_fields();

/// `over` where it has a value, else `under`.
Choices overlaid(Choices under, const Choices& over);

/// A policy with nothing left open: what a resolved case carries. A choice that its profile does not have and
/// its case does not name keeps the value here, and is never read.
struct Policy {
    Ties ties = Ties::first;
    Nan nan = Nan::open;
    NanIndex nan_index = NanIndex::open;
    SignedZero signed_zero = SignedZero::either;
    MaxPadding max_padding = MaxPadding::ignored;
    SmoothPadding smooth_padding = SmoothPadding::zero;
    Divisor divisor = Divisor::kernel;
    CeilRule ceil_rule = CeilRule::drop_window_in_end_padding;
    EmptyWindow empty_window = EmptyWindow::zero;
    OversizedKernel oversized_kernel = OversizedKernel::one_window;
    PaddingLimit padding_limit = PaddingLimit::none;
    Accumulate accumulate = Accumulate::any;
    IntegerMean integer_mean = IntegerMean::open;
    Accumulate accumulate_gradient = Accumulate::any;
    double elementary_ulp = 4;
    Deterministic deterministic = Deterministic::open;
    IntermediateOverflow intermediate_overflow = IntermediateOverflow::allowed;
    Subnormals subnormals = Subnormals::kept;

    friend bool operator==(const Policy&, const Policy&) = default;
};

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// Cases by number: each a pure function of a request (its seed included), the generator's version and an
// index, the same on every compiler; and the features a case shows, computed from the case itself.
#pragma once

#include <poolproof/case.hpp>
#include <poolproof/rejection.hpp>

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace poolproof {

/// Raised whenever some (request, index) gives another case than before.
inline constexpr int generator_version = 7;

/// What cases to make; an empty list means every value.
struct Request {
    std::uint64_t seed = 0;
    std::vector<Op> ops{};
    std::vector<Mode> modes{};
    std::vector<Format> formats{};
    std::vector<Index> spatial_ranks{};    ///< of the input; those of a graph's nodes may differ
    std::optional<std::string> profile{};  ///< copied into every case, and decides what is valid
    Choices policy{};                      ///< likewise
};

namespace generate {
struct Scope;
}

enum class Feature : std::uint8_t;

/// Makes the cases of one request. Cheap to copy; any number of threads may share one.
class Generator {
public:
    /// A valid case: `plan` accepts it, and `read_case` gives it back from `write_case`. Its input has at
    /// most 5000 elements, usually below 200; in one case of a thousand at most 70,000.
    Case operator()(std::uint64_t index) const;

    const Request& request() const;

    /// A case that must be rejected: one of the request with a single defect, a rule of `plan` for each
    /// number in turn. A pure function like the above, `read_case` gives it back from `write_case`.
    Case invalid(std::uint64_t index) const;

    /// Why no case of the request shows both features; nothing if one may. Each pair that may be shown is
    /// shown within the first 20,000 cases of a request that leaves everything open.
    std::optional<std::string> impossible(Feature a, Feature b) const;

private:
    friend Checked<Generator> generator(Request request);
    explicit Generator(std::shared_ptr<const generate::Scope> scope) : scope_(std::move(scope)) {}

    std::shared_ptr<const generate::Scope> scope_;
};

/// A rejection if the profile is not known or no case of the request is within it.
Checked<Generator> generator(Request request);

/// The case alone, for a replay: equal to `(*generator(request))(index)`, and much slower.
/// Requires a request that `generator` accepts.
Case generated(const Request& request, std::uint64_t index);

/// How hard a layer's values are: everyday ones, ones that strain sums and comparisons, or NaN and infinities
/// among them.
enum class Hardness : std::uint8_t { ordinary, hard, special };

/// The case with its input, and the tangent or cotangent that its mode needs, filled by such values: a pure
/// function. The case of a layer, whose tensors have no values yet; a rejection if it cannot be computed.
Checked<Case> filled(Case layer, Mode mode, Hardness hardness, std::uint64_t seed);

// clang-format off
enum class Feature : std::uint8_t {
    op_max_pool, op_avg_pool, op_smooth_max_pool, op_adaptive_avg_pool, op_adaptive_max_pool,
    op_global_avg_pool, op_global_max_pool, op_graph,
    graph_chain,         ///< a node takes another node's output
    graph_add, graph_reuse, graph_unused_node,
    mode_forward, mode_jvp, mode_vjp,
    dtype_f64, dtype_f32, dtype_f16, dtype_bf16, dtype_i8, dtype_u8, dtype_i32, dtype_i64,
    rank_1, rank_2, rank_3, rank_4, rank_5,
    leading_0, leading_1, leading_2, leading_3,
    empty_batch,         ///< a leading axis of size 0
    several_slices,
    single_cell_axis, axis_past_lane, axis_past_128, axis_past_256, window_past_128, window_past_256,
    unequal_axes, unequal_kernel, unequal_stride, unequal_padding, unequal_dilation,
    unit_kernel, whole_input_kernel, oversized_kernel,
    padding, asymmetric_padding, padding_omitted, end_padding_omitted,
    window_starts_in_padding, window_ends_in_padding, empty_window,
    stride_omitted, stride_one, overlap, gap,
    dilation, dilated_padding,
    ceil_overhang,       ///< the last window reaches past the padded input
    ceil_exact, ceil_window_dropped, floor_remainder,
    auto_pad_valid, auto_pad_same_upper, auto_pad_same_lower, auto_pad_odd,
    counting_omitted,    ///< an average with padding that does not say whether it counts
    uncounted_padding, divisor_override, negative_divisor,
    adaptive_even, adaptive_uneven, adaptive_more_bins, empty_output,
    keepdims_omitted, keepdims_true, keepdims_false,
    return_indices, row_column, memory_channels_last, memory_strided,
    beta_one, beta_negative, beta_large, beta_small,
    constant, ones, ties, near_ties, all_negative, one_hot, signed_zeros, nan, infinity, subnormal,
    format_edge,         ///< the largest, smallest normal or smallest magnitude
    wide_spread,         ///< magnitudes further apart than the format's precision
    cancellation,        ///< x and -x beside something smaller
    special_direction,   ///< NaN or an infinity in the tangent or cotangent
    one_hot_direction, wide_direction,
};
// clang-format on

inline constexpr std::size_t feature_count = static_cast<std::size_t>(Feature::wide_direction) + 1;

const std::array<std::string_view, feature_count>& feature_names();
inline std::string_view name(Feature f) { return feature_names()[static_cast<std::size_t>(f)]; }

/// What a case shows, in the order of the enumeration. Of attributes and windows it is enough that one node
/// shows it; `op_*` is the case's own. Nothing for a case that `plan` rejects.
std::vector<Feature> features(const Case& c);

/// Which pairs of features have met in a case.
class PairTable {
public:
    void add(const std::vector<Feature>& shown) {
        for (const Feature a : shown)
            for (const Feature b : shown)
                if (a < b) met_.set(at(a, b));
    }
    bool met(Feature a, Feature b) const { return met_.test(a < b ? at(a, b) : at(b, a)); }
    std::size_t count() const { return met_.count(); }

private:
    static constexpr std::size_t at(Feature a, Feature b) {
        return static_cast<std::size_t>(a) * feature_count + static_cast<std::size_t>(b);
    }
    std::bitset<feature_count * feature_count> met_;
};

}  // namespace poolproof

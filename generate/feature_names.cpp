// SPDX-License-Identifier: Apache-2.0
// The published names of the features, in the order of the enumeration.
#include <poolproof/generate.hpp>

namespace poolproof {

const std::array<std::string_view, feature_count>& feature_names() {
    // clang-format off
    static constexpr std::array<std::string_view, feature_count> names{
        "op_max_pool", "op_avg_pool", "op_smooth_max_pool", "op_adaptive_avg_pool", "op_adaptive_max_pool",
        "op_global_avg_pool", "op_global_max_pool", "op_graph", "graph_chain", "graph_add", "graph_reuse",
        "graph_unused_node", "mode_forward", "mode_jvp", "mode_vjp", "dtype_f64", "dtype_f32", "dtype_f16",
        "dtype_bf16", "dtype_i8", "dtype_u8", "dtype_i32", "dtype_i64", "rank_1", "rank_2", "rank_3",
        "rank_4", "rank_5", "leading_0", "leading_1", "leading_2", "leading_3", "empty_batch",
        "several_slices", "single_cell_axis", "axis_past_lane", "axis_past_128", "axis_past_256",
        "window_past_128", "window_past_256", "unequal_axes", "unequal_kernel", "unequal_stride",
        "unequal_padding", "unequal_dilation", "unit_kernel", "whole_input_kernel", "oversized_kernel",
        "padding", "asymmetric_padding", "padding_omitted", "end_padding_omitted",
        "window_starts_in_padding", "window_ends_in_padding", "empty_window", "stride_omitted",
        "stride_one", "overlap", "gap", "dilation", "dilated_padding", "ceil_overhang", "ceil_exact",
        "ceil_window_dropped", "floor_remainder", "auto_pad_valid", "auto_pad_same_upper",
        "auto_pad_same_lower", "auto_pad_odd", "counting_omitted", "uncounted_padding", "divisor_override",
        "negative_divisor", "adaptive_even", "adaptive_uneven", "adaptive_more_bins", "empty_output",
        "keepdims_omitted", "keepdims_true", "keepdims_false", "return_indices", "row_column",
        "memory_channels_last", "memory_strided", "beta_one", "beta_negative", "beta_large", "beta_small",
        "constant", "ones", "ties", "near_ties", "all_negative", "one_hot", "signed_zeros", "nan",
        "infinity", "subnormal", "format_edge", "wide_spread", "cancellation", "special_direction",
        "one_hot_direction", "wide_direction",
    };
    // clang-format on
    return names;
}

}  // namespace poolproof

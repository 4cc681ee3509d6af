// SPDX-License-Identifier: Apache-2.0
// A case: one thing to compute, complete and as its author wrote it. What an absent attribute means is
// settled by the plan, not here.
#pragma once

#include <poolproof/policy.hpp>
#include <poolproof/tensor.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace poolproof {

enum class Op : std::uint8_t {
    max_pool,
    avg_pool,
    smooth_max_pool,
    adaptive_avg_pool,
    adaptive_max_pool,
    global_avg_pool,
    global_max_pool,
    graph,
    add,  ///< inside graphs only
};
inline constexpr std::array<std::string_view, 9> op_names{"max_pool",
                                                          "avg_pool",
                                                          "smooth_max_pool",
                                                          "adaptive_avg_pool",
                                                          "adaptive_max_pool",
                                                          "global_avg_pool",
                                                          "global_max_pool",
                                                          "graph",
                                                          "add"};
constexpr std::string_view name(Op op) { return op_names[static_cast<std::size_t>(op)]; }

enum class Mode : std::uint8_t { forward, jvp, vjp };
inline constexpr std::array<std::string_view, 3> mode_names{"forward", "jvp", "vjp"};
constexpr std::string_view name(Mode m) { return mode_names[static_cast<std::size_t>(m)]; }

enum class AutoPad : std::uint8_t { valid, same_upper, same_lower };
enum class IndexForm : std::uint8_t { flat, row_column };
enum class Memory : std::uint8_t { contiguous, channels_last, strided };
inline constexpr std::array<std::string_view, 3> auto_pad_names{"valid", "same_upper", "same_lower"};
inline constexpr std::array<std::string_view, 2> index_form_names{"flat", "row_column"};
inline constexpr std::array<std::string_view, 3> memory_names{"contiguous", "channels_last", "strided"};

/// The attributes as given; absent means not written.
struct Attributes {
    std::optional<std::vector<Index>> kernel, stride, pad_begin, pad_end, dilation, output_size;
    std::optional<AutoPad> auto_pad;
    std::optional<bool> ceil_mode, count_include_pad, keepdims, return_indices;
    std::optional<Index> divisor_override, spatial_rank;
    std::optional<Bits> beta;  ///< a pattern of the case's format
    std::optional<IndexForm> index_form;
    std::optional<Memory> memory;

    friend bool operator==(const Attributes&, const Attributes&) = default;
};

/// A node of a graph. `inputs` holds one earlier node (two for `add`); -1 is the graph's input.
struct Node {
    Op op = Op::max_pool;
    Attributes attrs;
    std::vector<Index> inputs;

    friend bool operator==(const Node&, const Node&) = default;
};

struct Case {
    Op op = Op::max_pool;
    Mode mode = Mode::forward;
    Format format = Format::f64;
    std::optional<std::string> profile;
    Attributes attrs;
    std::vector<Node> nodes;  ///< of a graph
    Choices policy;
    Tensor input;
    std::optional<Tensor> tangent, cotangent;

    friend bool operator==(const Case&, const Case&) = default;
};

}  // namespace poolproof

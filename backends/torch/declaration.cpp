// SPDX-License-Identifier: Apache-2.0
// What PyTorch's functions have arguments for is written here; what they have kernels for is found out.
#include "backends/torch/calls.hpp"
#include "backends/torch/torch.hpp"

#include <algorithm>

namespace poolproof::backends {

namespace {

constexpr std::size_t pools = 7;  ///< the ops up to `graph`
constexpr Index ranks = 3;
using Formats = unsigned;  ///< one bit each

constexpr bool is_sliding(Op op) { return op <= Op::smooth_max_pool; }
constexpr bool is_global(Op op) { return op == Op::global_avg_pool || op == Op::global_max_pool; }

/// A plain case: two channels of 3 cells per axis, windows of 2 or two bins.
Case plain(Op op, Mode mode, Format format, Index rank, Memory memory) {
    const std::vector<Index> twos(static_cast<std::size_t>(rank), 2);
    Case c;
    c.op = op;
    c.mode = mode;
    c.format = format;
    c.attrs.memory = memory;
    if (is_sliding(op))
        c.attrs.kernel = twos;
    else if (is_global(op))
        c.attrs.spatial_rank = rank;
    else
        c.attrs.output_size = twos;
    if (op == Op::smooth_max_pool)
        c.attrs.beta = Bits{1} << (precision(format) - 1);  // the least normal number
    Shape input(static_cast<std::size_t>(rank + 2), 3),
        output(input.size(), is_sliding(op) || is_global(op) ? 1 : 2);
    input[0] = output[0] = 1;
    input[1] = output[1] = 2;
    c.input = Tensor(format, input);
    if (mode == Mode::jvp) c.tangent = c.input;
    if (mode == Mode::vjp) c.cotangent = Tensor(format, output);
    return c;
}

bool answers(Op op, Mode mode, Format format, Index rank) {
    if (is_integer(format) && (mode != Mode::forward || op == Op::smooth_max_pool)) return false;
    const auto in = [&](Memory memory) {
        return call_torch(plain(op, mode, format, rank, memory)).kind == Observation::Kind::answered;
    };
    return in(Memory::contiguous) && in(Memory::channels_last) && in(Memory::strided);
}

/// One bit for each format that the op answers.
Formats answered(Op op, Mode mode, Index rank) {
    Formats found = 0;
    for (std::size_t f = 0; f < format_names.size(); ++f)
        if (answers(op, mode, static_cast<Format>(f), rank)) found |= 1U << f;
    return found;
}

std::vector<Format> listed(Formats formats) {
    std::vector<Format> r;
    for (std::size_t f = 0; f < format_names.size(); ++f)
        if ((formats >> f & 1U) != 0) r.push_back(static_cast<Format>(f));
    return r;
}

std::vector<std::string> attributes(Op op, Index rank) {
    switch (op) {
        case Op::max_pool: return {"dilation", "ceil_mode", "return_indices"};
        case Op::avg_pool:
            if (rank == 1) return {"ceil_mode", "count_include_pad"};
            return {"ceil_mode", "count_include_pad", "divisor_override"};
        case Op::smooth_max_pool: return {"dilation", "ceil_mode", "asymmetric_padding", "beta"};
        default: return {"return_indices", "keepdims"};
    }
}

/// Builds the list, one capability for all ranks that are alike.
class Capabilities {
public:
    Capabilities() {
        for (std::size_t op = 0; op < pools; ++op)
            for (Index rank = 1; rank <= ranks; ++rank) add_pool(static_cast<Op>(op), rank);
        const std::vector<Op> others{Op::max_pool,          Op::smooth_max_pool, Op::adaptive_avg_pool,
                                     Op::adaptive_max_pool, Op::global_avg_pool, Op::global_max_pool};
        add_graphs(others, {"dilation", "ceil_mode", "beta", "keepdims"});
        std::vector<Op> all = others;
        all.push_back(Op::avg_pool);
        add_graphs(all, {"ceil_mode", "count_include_pad", "beta", "keepdims"});
    }

    std::vector<Capability> list;

private:
    void add(std::vector<Op> ops, std::vector<Mode> modes, Formats formats, Index rank,
             std::vector<std::string> attrs) {
        if (formats == 0) return;
        Capability c;
        c.ops = std::move(ops);
        c.modes = std::move(modes);
        c.formats = listed(formats);
        c.attrs = std::move(attrs);
        auto to = std::find_if(list.begin(), list.end(), [&](const Capability& k) {
            return k.ops == c.ops && k.modes == c.modes && k.formats == c.formats && k.attrs == c.attrs;
        });
        if (to == list.end()) {
            c.spatial_ranks.emplace();
            to = list.insert(to, std::move(c));
        }
        to->spatial_ranks->push_back(rank);
    }

    void add_pool(Op op, Index rank) {
        const Formats forward = answered(op, Mode::forward, rank), jvp = answered(op, Mode::jvp, rank),
                      vjp = answered(op, Mode::vjp, rank), all = forward & jvp & vjp;
        every_[static_cast<std::size_t>(op)][static_cast<std::size_t>(rank - 1)] = all;
        add({op}, {Mode::forward, Mode::jvp, Mode::vjp}, all, rank, attributes(op, rank));
        add({op}, {Mode::forward}, forward & ~all, rank, attributes(op, rank));
        add({op}, {Mode::jvp}, jvp & ~all, rank, attributes(op, rank));
        add({op}, {Mode::vjp}, vjp & ~all, rank, attributes(op, rank));
    }

    /// Graphs of these ops: the formats that all of them answer up to a rank go with that and every lower
    /// one.
    void add_graphs(std::vector<Op> ops, const std::vector<std::string>& attrs) {
        Formats common = ~0U;
        std::array<Formats, ranks> up_to{};
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            for (const Op op : ops) common &= every_[static_cast<std::size_t>(op)][rank];
            up_to[rank] = common;
        }
        ops.push_back(Op::graph);
        for (std::size_t most = 0; most < ranks; ++most) {
            const Formats beyond = most + 1 < ranks ? up_to[most + 1] : 0;
            for (Index rank = 1; rank <= static_cast<Index>(most + 1); ++rank)
                add(ops, {Mode::forward, Mode::jvp, Mode::vjp}, up_to[most] & ~beyond, rank, attrs);
        }
    }

    std::array<std::array<Formats, ranks>, pools> every_{};  ///< answered in every mode
};

}  // namespace

const Declaration& torch_declaration() {
    static const Declaration declaration{"torch", torch_version(), "pytorch", Capabilities().list, true};
    return declaration;
}

Observation run_torch(const Case& c) {
    if (covers(torch_declaration(), c)) return call_torch(c);
    Observation o;
    o.kind = Observation::Kind::declined;
    o.why = "PyTorch's pooling has no argument or no kernel for this";
    return o;
}

}  // namespace poolproof::backends

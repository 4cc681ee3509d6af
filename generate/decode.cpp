// SPDX-License-Identifier: Apache-2.0
// A case from bytes, for fuzzers that make bytes: each field takes the next one, so that a change of a byte
// is a change of a field.
#include "generate/patterns.hpp"
#include "generate/scope.hpp"

#include <poolproof/fuzz.hpp>
#include <poolproof/plan.hpp>

#include <algorithm>

namespace poolproof {

namespace {

using generate::drawn_ops;
using generate::is_sliding;

constexpr Index most_elements = 2048, most_outputs = 4096, most_taps = 50'000;

class Bytes {
public:
    explicit Bytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    unsigned next() { return at_ < bytes_.size() ? bytes_[at_++] : 0U; }
    Index below(Index n) { return static_cast<Index>(next()) % n; }
    bool flag() { return (next() & 1U) != 0; }
    Bits bits(int width) {
        Bits r = 0;
        for (int k = 0; k < width; k += 8) r |= Bits{next()} << k;
        return r;
    }
    template <class T> T one_of(const std::vector<T>& list) {
        return list[static_cast<std::size_t>(below(static_cast<Index>(list.size())))];
    }

private:
    std::span<const std::uint8_t> bytes_;
    std::size_t at_ = 0;
};

template <class Enum> std::vector<Enum> or_all(const std::vector<Enum>& asked, std::size_t count) {
    if (!asked.empty()) return asked;
    std::vector<Enum> r;
    for (std::size_t k = 0; k < count; ++k) r.push_back(static_cast<Enum>(k));
    return r;
}

/// Half of the bytes are small whole numbers; then come the marked places of the format, and free patterns.
Bits value(Bytes& bytes, Format f) {
    const unsigned b = bytes.next();
    if (b < 128) {
        const Index n = static_cast<Index>(b) - (is_signed(f) ? 64 : 0);
        return generate::integer_bits(f, b < 16 ? n + (is_signed(f) ? 64 : 0) : n);
    }
    if (is_integer(f)) return b < 144 ? sign_bit(f) - 1 + (b & 1U) : bytes.bits(width(f));
    const Bits smallest_normal = Bits{1} << (precision(f) - 1);
    const std::array<Bits, 7> marked{0,
                                     1,
                                     smallest_normal,
                                     largest_bits(f),
                                     infinity_bits(f),
                                     quiet_nan_bits(f),
                                     generate::integer_bits(f, 1) + 1};
    if (b < 128 + 2 * marked.size()) return marked[(b - 128) / 2] | ((b & 1U) != 0 ? sign_bit(f) : 0);
    return bytes.bits(width(f));
}

Tensor tensor_of(Bytes& bytes, Format f, const Shape& shape) {
    Tensor t(f, shape);
    for (Index i = 0; i < t.size(); ++i) t.set(i, value(bytes, f));
    return t;
}

std::vector<Index> list(Bytes& bytes, Index rank, Index low, Index count) {
    std::vector<Index> r;
    for (Index k = 0; k < rank; ++k) r.push_back(low + bytes.below(count));
    return r;
}

void read_sliding(Bytes& bytes, Op op, Format f, Index rank, Attributes& a) {
    const unsigned written = bytes.next(), more = bytes.next();
    const auto has = [&](unsigned bit) { return (written >> bit & 1U) != 0; };
    a.kernel = list(bytes, rank, 1, 20);
    if (has(0)) a.stride = list(bytes, rank, 1, 8);
    if (has(1)) a.pad_begin = list(bytes, rank, 0, 8);
    if (has(2)) a.pad_end = list(bytes, rank, 0, 8);
    if (has(3)) a.dilation = list(bytes, rank, 1, 6);
    if (has(4)) a.ceil_mode = has(5);
    if (has(6) && !has(1) && !has(2)) a.auto_pad = static_cast<AutoPad>(bytes.below(3));
    if (op == Op::avg_pool && has(7)) a.count_include_pad = (more & 1U) != 0;
    if (op == Op::avg_pool && (more & 2U) != 0)
        a.divisor_override = 1 + bytes.below(255) - ((more & 4U) ? 256 : 0);
    if (op == Op::smooth_max_pool) {
        const Bits beta = (more & 8U) != 0 ? bytes.bits(width(f)) : value(bytes, f);
        a.beta = is_zero(f, beta) ? generate::integer_bits(f, 1) : beta;
    }
}

Attributes attributes(Bytes& bytes, Op op, Format f, Index rank) {
    Attributes a;
    if (is_sliding(op))
        read_sliding(bytes, op, f, rank, a);
    else if (generate::is_adaptive(op))
        a.output_size = list(bytes, rank, 1, 40);
    else
        a.spatial_rank = rank;
    if (op == Op::global_avg_pool || op == Op::global_max_pool)
        if (const unsigned b = bytes.next(); b % 3 != 0) a.keepdims = b % 3 == 1;
    return a;
}

/// Values are numbered from -1, the input.
std::vector<Node> nodes(Bytes& bytes, Format f, Index rank) {
    std::vector<Node> r;
    const Index count = 1 + bytes.below(4);
    for (Index k = 0; k < count; ++k) {
        const Index kind = bytes.below(static_cast<Index>(generate::single_ops) + 2);
        Node n;
        n.op = kind < static_cast<Index>(generate::single_ops) ? static_cast<Op>(kind) : Op::add;
        n.inputs = {bytes.below(k + 1) - 1};
        if (n.op == Op::add)
            n.inputs.push_back(bytes.below(k + 1) - 1);
        else
            n.attrs = attributes(bytes, n.op, f, rank);
        r.push_back(std::move(n));
    }
    return r;
}

void read_outer(Bytes& bytes, Case& c) {
    const unsigned b = bytes.next();
    if ((b & 1U) != 0) c.attrs.memory = static_cast<Memory>(bytes.below(3));
    if (generate::is_max(c.op) && c.mode == Mode::forward && (b & 2U) != 0)
        c.attrs.return_indices = (b & 4U) != 0;
}

/// Whether judging it is quick.
bool affordable(const Plan& plan) {
    return std::all_of(plan.nodes.begin(), plan.nodes.end(), [](const NodePlan& n) {
        Index taps = size(n.shape);
        if (taps > most_outputs) return false;
        if (n.pool)
            for (const Axis& a : n.pool->axes)
                taps *= a.bins ? a.extent / std::max<Index>(a.out, 1) + 1 : a.kernel;
        return taps <= most_taps;
    });
}

}  // namespace

Checked<Case> decoded(std::span<const std::uint8_t> from, const Request& request) {
    Bytes bytes(from);
    Case c;
    c.profile = request.profile;
    c.policy = request.policy;
    c.op = bytes.one_of(or_all(request.ops, drawn_ops));
    c.mode = bytes.one_of(or_all(request.modes, mode_names.size()));
    c.format = bytes.one_of(or_all(request.formats, format_names.size()));
    const Index rank =
        request.spatial_ranks.empty() ? 1 + bytes.below(3) : bytes.one_of(request.spatial_ranks);
    Shape shape = list(bytes, bytes.below(4), 1, 3);
    const Index most = rank == 1 ? 130 : rank == 2 ? 20 : 8;
    for (const Index extent : list(bytes, rank, 1, most)) shape.push_back(extent);
    if (size(shape) > most_elements) return Rejection{"input", "is too large", "ask for less"};
    if (c.op == Op::graph)
        c.nodes = nodes(bytes, c.format, rank);
    else
        c.attrs = attributes(bytes, c.op, c.format, rank);
    read_outer(bytes, c);
    c.input = Tensor(c.format, shape);
    auto settled = plan(c);
    if (!settled) return settled.rejection();
    if (!affordable(*settled)) return Rejection{"attrs", "ask for too much output", "ask for less"};
    c.input = tensor_of(bytes, c.format, shape);
    if (c.mode == Mode::jvp) c.tangent = tensor_of(bytes, c.format, shape);
    if (c.mode == Mode::vjp) c.cotangent = tensor_of(bytes, c.format, settled->output().shape);
    if (auto whole = plan(c); !whole) return whole.rejection();
    return c;
}

}  // namespace poolproof

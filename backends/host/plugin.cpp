// SPDX-License-Identifier: Apache-2.0
#include "backends/host/plugin.hpp"

#include "backends/values.hpp"

#include <poolproof/plugin.h>
#include <poolproof/plan.hpp>
#include <poolproof/protocol.hpp>
#include <poolproof/run.hpp>
#include <poolproof/text.hpp>

#include <dlfcn.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace poolproof::host {

namespace {

constexpr const char* entry_point = "poolproof_plugin_v1";
constexpr std::size_t guard_bytes = 64;
constexpr std::uint8_t guard = 0xA5, poison = 0xCB;
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= 16, "plugin.h promises as much of every tensor");

/// One output with a guard before and behind it, poisoned until the plugin fills it.
struct Buffer {
    std::string name;
    Format format;
    Shape shape;
    std::vector<std::uint8_t> bytes;

    std::size_t size() const { return bytes.size() - 2 * guard_bytes; }
    std::uint8_t* data() { return bytes.data() + guard_bytes; }
    bool intact() const {
        const auto is_guard = [](std::uint8_t b) { return b == guard; };
        return std::all_of(bytes.begin(), bytes.begin() + guard_bytes, is_guard) &&
               std::all_of(bytes.end() - guard_bytes, bytes.end(), is_guard);
    }
};

/// The answer as the plugin sees it, first, and what we keep behind it.
struct Answer {
    poolproof_answer seen{};
    std::vector<Buffer> buffers;
    std::string complaint;
};

void* give_output(poolproof_answer* seen, const char* name, poolproof_dtype dtype, int32_t rank,
                  const int64_t* shape) {
    auto& answer = *reinterpret_cast<Answer*>(seen);  // its first member
    const auto refuse = [&](std::string why) {
        answer.complaint = std::move(why);
        return nullptr;
    };
    if (name == nullptr || dtype < POOLPROOF_F64 || dtype > POOLPROOF_I64 || rank < 0 || rank > max_rank)
        return refuse("asked for an output without a name, of an unknown dtype or of an absurd rank");
    Buffer b{name, static_cast<Format>(dtype), Shape(shape, shape + rank), {}};
    const auto n = valid_size(b.shape);
    if (!n) return refuse("asked for an output beyond all measure");
    b.bytes.assign(static_cast<std::size_t>(*n * bytes(b.format)) + 2 * guard_bytes, poison);
    std::fill_n(b.bytes.begin(), guard_bytes, guard);
    std::fill_n(b.bytes.end() - guard_bytes, guard_bytes, guard);
    answer.buffers.push_back(std::move(b));
    return answer.buffers.back().data();
}

/// A case's nodes in the plugin's terms, and the lists that they point to. Pads are the plan's, where there
/// is one.
class Nodes {
public:
    Nodes(const Case& c, const Plan* plan) {
        std::vector<Node> from = c.nodes;
        if (c.op != Op::graph) from.push_back({c.op, c.attrs, {-1}});
        lists_.resize(from.size());
        for (std::size_t k = 0; k < from.size(); ++k) {
            const PoolPlan* pool = plan != nullptr && plan->nodes[k].pool ? &*plan->nodes[k].pool : nullptr;
            nodes.push_back(described(from[k], pool, c.format, lists_[k]));
            expressible = expressible && fits(lists_[k], static_cast<std::size_t>(nodes[k].spatial_rank));
        }
    }

    std::vector<poolproof_node> nodes;
    bool expressible = true;  ///< whether every list is as long as the op has axes

private:
    using Lists = std::array<std::vector<int64_t>, 6>;

    static bool fits(const Lists& lists, std::size_t rank) {
        return std::all_of(lists.begin(), lists.end(),
                           [&](const auto& list) { return list.empty() || list.size() == rank; });
    }

    static poolproof_node described(const Node& from, const PoolPlan* pool, Format f, Lists& lists) {
        const Attributes& a = from.attrs;
        poolproof_node to{};
        to.size = sizeof to;
        to.op = static_cast<poolproof_op>(from.op);
        for (std::size_t i = 0; i < std::min<std::size_t>(from.inputs.size(), 2); ++i)
            to.inputs[i] = static_cast<int32_t>(from.inputs[i]);
        const auto keep = [&](std::size_t slot, const std::optional<std::vector<Index>>& list) {
            lists[slot] = list.value_or(std::vector<Index>());
            return lists[slot].empty() ? nullptr : lists[slot].data();
        };
        to.kernel = keep(0, a.kernel);
        to.stride = keep(1, a.stride);
        to.pad_begin = keep(2, pool != nullptr && a.kernel ? pads(*pool, &Axis::pad_begin) : a.pad_begin);
        to.pad_end = keep(3, pool != nullptr && a.kernel ? pads(*pool, &Axis::pad_end) : a.pad_end);
        to.dilation = keep(4, a.dilation);
        to.output_size = keep(5, a.output_size);
        to.spatial_rank = static_cast<int32_t>(
            a.spatial_rank.value_or(static_cast<Index>(std::max(lists[0].size(), lists[5].size()))));
        to.ceil_mode = a.ceil_mode.value_or(false) ? 1 : 0;
        to.count_include_pad = a.count_include_pad.value_or(true) ? 1 : 0;
        to.keepdims = a.keepdims.value_or(true) ? 1 : 0;
        to.return_indices = a.return_indices.value_or(false) ? 1 : 0;
        to.divisor_override = a.divisor_override.value_or(0);
        to.beta = a.beta ? backends::widened(f, *a.beta) : 0;
        return to;
    }

    static std::optional<std::vector<Index>> pads(const PoolPlan& p, Index Axis::*side) {
        std::vector<Index> r;
        for (const Axis& axis : p.axes) r.push_back(axis.*side);
        return r;
    }

    std::vector<Lists> lists_;
};

poolproof_tensor seen(const Tensor& t) {
    return {static_cast<poolproof_dtype>(t.format), static_cast<int32_t>(t.shape.size()), t.shape.data(),
            t.data.data()};
}

Observation because(Observation::Kind kind, std::string why) {
    Observation o;
    o.kind = kind;
    o.why = std::move(why);
    return o;
}

Observation observed(Answer& answer, int code) {
    for (const Buffer& b : answer.buffers)
        if (!b.intact())
            return because(Observation::Kind::failed, "wrote outside the output '" + b.name + "' of " +
                                                          std::to_string(b.size()) + " bytes");
    answer.seen.why[sizeof answer.seen.why - 1] = '\0';
    const std::string why = answer.complaint.empty() ? answer.seen.why : answer.complaint;
    switch (code) {
        case POOLPROOF_ANSWERED: break;
        case POOLPROOF_DECLINED: return because(Observation::Kind::declined, why);
        case POOLPROOF_REJECTED: return because(Observation::Kind::rejected, why);
        case POOLPROOF_FAILED: return because(Observation::Kind::failed, why);
        default:
            return because(Observation::Kind::failed, "returned the unknown code " + std::to_string(code));
    }
    if (!answer.complaint.empty()) return because(Observation::Kind::failed, answer.complaint);
    Observation o;
    for (Buffer& b : answer.buffers) {
        Tensor t(b.format, b.shape);
        std::copy_n(b.data(), b.size(), t.data.begin());
        o.outputs.emplace_back(b.name, std::move(t));
    }
    return o;
}

Observation call(const poolproof_plugin& plugin, const Case& as_sent) {
    const Case c = completed(as_sent);
    const auto settled = plan(c);
    const Nodes nodes(c, settled ? &*settled : nullptr);
    if (!nodes.expressible) return because(Observation::Kind::rejected, message(settled.rejection()));
    Case bare = c;
    for (Tensor* t :
         {&bare.input, bare.tangent ? &*bare.tangent : nullptr, bare.cotangent ? &*bare.cotangent : nullptr})
        if (t != nullptr) *t = Tensor(t->format, {0});
    const std::string json = write_case(bare);
    poolproof_case request{};
    request.size = sizeof request;
    request.mode = static_cast<poolproof_mode>(c.mode);
    request.json = json.c_str();
    request.nodes = nodes.nodes.data();
    request.node_count = static_cast<int32_t>(nodes.nodes.size());
    request.op = static_cast<poolproof_op>(c.op);
    request.input = seen(c.input);
    if (c.tangent) request.direction = seen(*c.tangent);
    if (c.cotangent) request.direction = seen(*c.cotangent);
    Answer answer;
    answer.seen.size = sizeof answer.seen;
    answer.seen.output = give_output;
    answer.buffers.reserve(8);
    const int code = plugin.run(&request, &answer.seen);
    if (c.input != as_sent.input || c.tangent != as_sent.tangent || c.cotangent != as_sent.cotangent)
        return because(Observation::Kind::failed, "wrote into its input");
    return observed(answer, code);
}

}  // namespace

Checked<Plugin> load_plugin(const std::string& file) {
    // A name without a slash would be looked for among the system's libraries.
    const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return Rejection{"plugin", dlerror(), "name a shared library that loads"};
    const auto entry = reinterpret_cast<const poolproof_plugin* (*)()>(dlsym(library, entry_point));
    if (entry == nullptr)
        return Rejection{"plugin", "'" + file + "' does not export " + entry_point,
                         "see include/poolproof/plugin.h"};
    const poolproof_plugin* table = entry();
    if (table == nullptr || table->size < sizeof(poolproof_plugin) || table->run == nullptr)
        return Rejection{"plugin", "'" + file + "' gives no complete table", "set its size and run"};
    const auto text = [](const char* s) { return s == nullptr ? std::string() : std::string(s); };
    std::string hello = R"({"type":"hello","protocol":1,"name":)" + json_string(text(table->name)) +
                        ",\"version\":" + json_string(text(table->version));
    if (table->profile != nullptr) hello += ",\"profile\":" + json_string(table->profile);
    if (table->capabilities != nullptr) hello += ",\"capabilities\":" + text(table->capabilities);
    const auto declared = protocol::read_hello(hello + "}");
    if (!declared) return declared.rejection();
    return Plugin{declared->declaration, [table](const Case& c) { return call(*table, c); }};
}

}  // namespace poolproof::host

// SPDX-License-Identifier: Apache-2.0
// ONNX's protocol buffers, as far as a model of one node and its tensors need them (onnx.proto, IR version
// 10).
#include "vectorbase/export.hpp"

#include <array>

namespace poolproof::vectorbase {

namespace {

/// A message of protocol buffers in the making.
class Message {
public:
    Message& integer(int field, Index value) {
        varint(static_cast<std::uint64_t>(field) << 3);
        varint(static_cast<std::uint64_t>(value));
        return *this;
    }
    Message& bytes(int field, std::string_view value) {
        varint(static_cast<std::uint64_t>(field) << 3 | 2);
        varint(value.size());
        out_ += value;
        return *this;
    }
    Message& message(int field, const Message& m) { return bytes(field, m.out_); }
    const std::string& text() const { return out_; }

private:
    void varint(std::uint64_t v) {
        for (; v >= 128; v >>= 7) out_ += static_cast<char>(v | 128);
        out_ += static_cast<char>(v);
    }

    std::string out_;
};

constexpr int opset = 22, ir_version = 10;

int data_type(Format f) {
    constexpr std::array<int, 8> types{11, 1, 10, 16, 3, 2, 6, 7};
    return types[static_cast<std::size_t>(f)];
}

Message tensor(const Tensor& t, const std::string& tensor_name) {
    Message m;
    for (const Index n : t.shape) m.integer(1, n);
    m.integer(2, data_type(t.format)).bytes(8, tensor_name);
    return m.bytes(9, {reinterpret_cast<const char*>(t.data.data()), t.data.size()});
}

Message value_info(const std::string& value, Format f, const Shape& shape) {
    Message dimensions, type, whole, info;
    for (const Index n : shape) dimensions.message(1, Message().integer(1, n));
    type.integer(1, data_type(f)).message(2, dimensions);
    whole.message(1, type);
    info.bytes(1, value).message(2, whole);
    return info;
}

Message integers(const std::string& attribute, const std::vector<Index>& values) {
    Message m;
    m.bytes(1, attribute);
    for (const Index v : values) m.integer(8, v);
    return m.integer(20, 7);
}

Message integer(const std::string& attribute, Index value) {
    return Message().bytes(1, attribute).integer(3, value).integer(20, 2);
}

const char* op_type(Op op) {
    switch (op) {
        case Op::max_pool: return "MaxPool";
        case Op::avg_pool: return "AveragePool";
        case Op::global_max_pool: return "GlobalMaxPool";
        case Op::global_avg_pool: return "GlobalAveragePool";
        default: return nullptr;
    }
}

/// Whether ONNX has it, and a comparison of stored outputs means something.
bool is_node_test(const VectorInstance& one, const Plan& plan) {
    const Case& c = one.c;
    if (op_type(c.op) == nullptr || c.mode != Mode::forward || one.expected == nullptr ||
        c.policy != Choices{})
        return false;
    const auto& p = *plan.nodes.front().pool;
    if (c.input.shape.size() > p.axes.size() + 2 || p.divisor_override || p.return_indices ||
        c.attrs.memory.value_or(Memory::contiguous) != Memory::contiguous)
        return false;
    if (!c.attrs.keepdims.value_or(true) || size(c.input.shape) == 0) return false;
    if (is_integer(c.format) && (p.reduction != Reduction::max || width(c.format) != 8)) return false;
    for (const Permitted& v : one.expected->outputs.front().values)
        if (v.open) return false;
    return true;
}

Message node(const Case& c, const PoolPlan& p) {
    Message n;
    n.bytes(1, "x").bytes(2, "y").bytes(4, op_type(c.op));
    if (c.op == Op::global_max_pool || c.op == Op::global_avg_pool) return n;
    std::vector<Index> kernel, strides, pads, ends, dilations;
    for (const Axis& a : p.axes) {
        kernel.push_back(a.kernel);
        strides.push_back(a.stride);
        pads.push_back(a.pad_begin);
        ends.push_back(a.pad_end);
        dilations.push_back(a.dilation);
    }
    pads.insert(pads.end(), ends.begin(), ends.end());
    n.message(5, integers("kernel_shape", kernel)).message(5, integers("strides", strides));
    n.message(5, integers("dilations", dilations));
    if (c.attrs.auto_pad)
        n.message(5, Message()
                         .bytes(1, "auto_pad")
                         .bytes(4, *c.attrs.auto_pad == AutoPad::valid        ? "VALID"
                                   : *c.attrs.auto_pad == AutoPad::same_upper ? "SAME_UPPER"
                                                                              : "SAME_LOWER")
                         .integer(20, 3));
    else
        n.message(5, integers("pads", pads));
    n.message(5, integer("ceil_mode", c.attrs.ceil_mode.value_or(false) ? 1 : 0));
    if (c.op == Op::avg_pool) n.message(5, integer("count_include_pad", p.count_padding ? 1 : 0));
    return n;
}

Message model(const Case& c, const Plan& plan, const std::string& id) {
    Message graph, domain, m;
    graph.message(1, node(c, *plan.nodes.front().pool)).bytes(2, id);
    graph.message(11, value_info("x", c.format, c.input.shape));
    graph.message(12, value_info("y", c.format, plan.output().shape));
    domain.bytes(1, "").integer(2, opset);
    return m.integer(1, ir_version).bytes(2, "poolproof").message(7, graph).message(8, domain);
}

/// With a batch and a channel axis, which pooling acts on independently: of size 1 where there were none.
Case with_leading_axes(Case c, std::size_t spatial) {
    while (c.input.shape.size() < spatial + 2) c.input.shape.insert(c.input.shape.begin(), 1);
    return c;
}

std::string test_name(const VectorInstance& one) {
    std::string s = "test_" + one.vector->id + "_" + std::string(name(one.format));
    for (char& ch : s)
        if (ch == '-') ch = '_';
    return s;
}

}  // namespace

Exported export_onnx(const std::vector<VectorInstance>& all, const std::filesystem::path& out) {
    auto reference = find_backend("reference");
    std::size_t n = 0;
    for (const VectorInstance& one : all) {
        auto settled = plan(one.c);
        if (!settled || settled->nodes.size() != 1 || !is_node_test(one, *settled)) continue;
        if (judge(*one.expected, (*reference)->run(one.c)).outcome != Outcome::conforms) continue;
        const Case c = with_leading_axes(one.c, settled->nodes.front().pool->axes.size());
        settled = plan(c);
        const Observation o = (*reference)->run(c);
        const auto folder = out / test_name(one), data = folder / "test_data_set_0";
        std::error_code error;
        std::filesystem::create_directories(data, error);
        if (error) return Rejection{data.string(), error.message(), "check the folder's rights and space"};
        for (const auto& [file, bytes] :
             {std::pair(folder / "model.onnx", model(c, *settled, one.vector->id).text()),
              std::pair(data / "input_0.pb", tensor(c.input, "x").text()),
              std::pair(data / "output_0.pb", tensor(*o.find("y"), "y").text())})
            if (auto r = write_file(file, bytes)) return *r;
        ++n;
    }
    return n;
}

}  // namespace poolproof::vectorbase

// SPDX-License-Identifier: Apache-2.0
// Cases and tensors as JSON: what is set is written, in a fixed order.
#include "text/attributes.hpp"
#include "text/write.hpp"

#include <charconv>

namespace poolproof {
namespace {

using text::list;

/// Fields of an object in the order they are added.
class ObjectWriter {
public:
    void add(std::string_view name, std::string_view value) {
        out_ += out_.size() > 1 ? ",\"" : "\"";
        out_ += name;
        out_ += "\":";
        out_ += value;
    }
    void add_string(std::string_view name, std::string_view value) { add(name, json_string(value)); }
    bool empty() const { return out_.size() == 1; }
    std::string text() const { return out_ + "}"; }

private:
    std::string out_ = "{";
};

std::string value_text(const std::vector<Index>& v, Format) {
    return list(v, [](Index i) { return std::to_string(i); });
}
std::string value_text(bool v, Format) { return v ? "true" : "false"; }
std::string value_text(Index v, Format) { return std::to_string(v); }
std::string value_text(Bits v, Format f) { return text::element(f, v); }
template <class Enum> std::string value_text(Enum v, Format) {
    return json_string(text::names_of(v)[static_cast<std::size_t>(v)]);
}

ObjectWriter attributes(const Attributes& a, Format f) {
    ObjectWriter out;
    text::for_each_attribute(a, [&](std::string_view name, text::Ops, const auto& value) {
        if (value) out.add(name, value_text(*value, f));
    });
    return out;
}

std::string node_text(const Node& node, Format f) {
    ObjectWriter out;
    out.add_string("op", name(node.op));
    if (node.op == Op::add) {
        out.add("inputs", value_text(node.inputs, f));
        return out.text();
    }
    out.add("attrs", attributes(node.attrs, f).text());
    for (const Index k : node.inputs) out.add("input", std::to_string(k));
    return out.text();
}

std::string number_text(double x) {
    std::array<char, 32> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x);
    return std::string(buffer.data(), end.ptr);
}

std::string policy_text(const Choices& choices) {
    ObjectWriter out;
    for (const ChoiceField& field : choice_fields())
        if (const auto value = field.get(choices)) out.add_string(field.name, field.values[*value]);
    if (choices.elementary_ulp) out.add("elementary_ulp", number_text(*choices.elementary_ulp));
    return out.text();
}

std::string bits_text(const Tensor& t) {
    std::string out = "\"";
    out.reserve(2 * t.data.size() + 2);
    for (const std::uint8_t byte : t.data) {
        out += "0123456789abcdef"[byte >> 4];
        out += "0123456789abcdef"[byte & 15];
    }
    return out + '"';
}

std::string data_text(const Tensor& t) {
    std::string out = "[";
    for (Index i = 0; i < t.size(); ++i) {
        if (i > 0) out += ',';
        out += text::element(t.format, t[i]);
    }
    return out + ']';
}

}  // namespace

std::string write_tensor(const Tensor& t, TensorForm form) {
    ObjectWriter out;
    out.add_string("dtype", name(t.format));
    out.add("shape", value_text(t.shape, t.format));
    if (form == TensorForm::bits) {
        out.add("bits", bits_text(t));
    } else {
        out.add("data", data_text(t));
    }
    return out.text();
}

std::string write_case(const Case& c, TensorForm form) {
    ObjectWriter out;
    out.add_string("op", name(c.op));
    out.add_string("mode", name(c.mode));
    out.add_string("dtype", name(c.format));
    if (c.profile) out.add_string("profile", *c.profile);
    ObjectWriter attrs = attributes(c.attrs, c.format);
    if (!c.nodes.empty()) {
        attrs.add("nodes", list(c.nodes, [&c](const Node& node) { return node_text(node, c.format); }));
    }
    if (!attrs.empty()) out.add("attrs", attrs.text());
    if (c.policy != Choices{}) out.add("policy", policy_text(c.policy));
    out.add("input", write_tensor(c.input, form));
    if (c.tangent) out.add("tangent", write_tensor(*c.tangent, form));
    if (c.cotangent) out.add("cotangent", write_tensor(*c.cotangent, form));
    return out.text();
}

}  // namespace poolproof

// SPDX-License-Identifier: Apache-2.0
// Cases and tensors as JSON: what is set is written, in a fixed order.
#include "text/attributes.hpp"
#include "text/write.hpp"

#include <charconv>

namespace poolproof {
namespace {

using text::list;
using text::ObjectWriter;

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

std::string text::policy_text(const Choices& choices) {
    ObjectWriter out;
    for (const ChoiceField& field : choice_fields())
        if (const auto value = field.get(choices)) out.add_string(field.name, field.values[*value]);
    if (choices.elementary_ulp) out.add("elementary_ulp", number_text(*choices.elementary_ulp));
    return out.text();
}

std::string text::tensor_text(const Tensor& t, TensorForm form, Body* body) {
    ObjectWriter out;
    out.add_string("dtype", name(t.format));
    out.add("shape", value_text(t.shape, t.format));
    if (body != nullptr) {
        body->resize((body->size() + 7) / 8 * 8);
        out.add("at", std::to_string(body->size()));
        out.add("size", std::to_string(t.data.size()));
        body->insert(body->end(), t.data.begin(), t.data.end());
    } else if (form == TensorForm::bits) {
        out.add("bits", bits_text(t));
    } else {
        out.add("data", data_text(t));
    }
    return out.text();
}

std::string text::case_text(const Case& c, TensorForm form, Body* body) {
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
    if (c.policy != Choices{}) out.add("policy", text::policy_text(c.policy));
    out.add("input", tensor_text(c.input, form, body));
    if (c.tangent) out.add("tangent", tensor_text(*c.tangent, form, body));
    if (c.cotangent) out.add("cotangent", tensor_text(*c.cotangent, form, body));
    return out.text();
}

std::string write_tensor(const Tensor& t, TensorForm form) { return text::tensor_text(t, form, nullptr); }
std::string write_case(const Case& c, TensorForm form) { return text::case_text(c, form, nullptr); }

}  // namespace poolproof

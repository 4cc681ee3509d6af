// SPDX-License-Identifier: Apache-2.0
// Reads a case: names, types, integrality and sizes. Whether the op can be computed is for the plan to say.
#include "text/case_reader.hpp"

#include "text/attributes.hpp"
#include "text/fields.hpp"
#include "text/tensor_reader.hpp"

#include <poolproof/text.hpp>

namespace poolproof {
namespace {

using text::Fields;
using text::Json;
using text::Ops;
using text::Reading;
using text::shown;

std::string op_list(Ops ops) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < op_names.size(); ++i)
        if ((ops >> i & 1) != 0) names.push_back(op_names[i]);
    return text::listed(names);
}

std::optional<Bits> finite_beta(Fields& fields, Format format, Reading& reading) {
    const Json* value = fields.find("beta");
    if (value == nullptr) return std::nullopt;
    const std::optional<Bits> bits = text::number_at(*value, fields.path("beta"), format, reading);
    if (!bits) return std::nullopt;
    if (!is_zero(format, *bits) && !is_nan(format, *bits) && !is_infinite(format, *bits)) return bits;
    reading.reject(fields.path("beta"),
                   "found " + shown(*value) + ", which is " + hex_float(format, *bits) + " in " +
                       std::string(name(format)) + "; expected a finite number other than 0",
                   "write a finite, non-zero beta");
    return std::nullopt;
}

/// Reads the attributes that an op has, each by its type.
struct AttributeReader {
    Fields& fields;
    Reading& reading;
    const Json& json;
    Op op;
    bool in_graph;
    Format format;

    /// Whether to read an attribute; one that does not belong here is a rejection.
    bool has(std::string_view attribute, Ops ops) const {
        const bool of_case =
            attribute == "return_indices" || attribute == "index_form" || attribute == "memory";
        const bool owned = (ops & text::only(op)) != 0;
        if (owned && !(in_graph && of_case)) return true;
        if (json.find(attribute) == nullptr) return false;
        const std::string label(attribute), own(name(op));
        if (owned) {
            reading.reject(fields.path(attribute), "a node of a graph has no " + label, "remove it");
        } else {
            reading.reject(fields.path(attribute),
                           own + " has no attribute " + label + "; it belongs to " + op_list(ops),
                           "remove it, or change the op");
        }
        return false;
    }

    void operator()(std::string_view n, Ops ops, std::optional<std::vector<Index>>& out) const {
        if (has(n, ops)) out = fields.integers(n);
    }
    void operator()(std::string_view n, Ops ops, std::optional<bool>& out) const {
        if (has(n, ops)) out = fields.boolean(n);
    }
    void operator()(std::string_view n, Ops ops, std::optional<Index>& out) const {
        if (has(n, ops)) out = fields.integer(n);
    }
    void operator()(std::string_view n, Ops ops, std::optional<Bits>& out) const {
        if (has(n, ops)) out = finite_beta(fields, format, reading);
    }
    template <class Enum> void operator()(std::string_view n, Ops ops, std::optional<Enum>& out) const {
        if (!has(n, ops)) return;
        if (const auto i = fields.choice(n, text::names_of(Enum{}))) out = static_cast<Enum>(*i);
    }
};

Node node_at(const Json& json, const std::string& path, Format format, Reading& reading);

std::vector<Node> node_list(const Json& json, const std::string& path, Format format, Reading& reading) {
    std::vector<Node> nodes;
    if (!json.is(Json::Kind::array)) {
        reading.reject(path, "found " + shown(json) + ", expected a list of nodes",
                       "write the nodes in brackets");
    }
    for (const Json& item : json.items()) {
        nodes.push_back(node_at(item, path + "[" + std::to_string(nodes.size()) + "]", format, reading));
        if (reading.failed()) break;
    }
    return nodes;
}

}  // namespace

Attributes text::attributes_at(const Json& json, std::string path, Op op, Format format,
                               std::vector<Node>* nodes, Reading& reading) {
    Attributes attrs;
    Fields fields(json, std::move(path), reading);
    const AttributeReader reader{fields, reading, json, op, nodes == nullptr, format};
    text::for_each_attribute(attrs, reader);
    if (reader.has("nodes", text::only(Op::graph))) {
        const Json* list = fields.find("nodes");
        if (list != nullptr) *nodes = node_list(*list, fields.path("nodes"), format, reading);
    }
    fields.close();
    return attrs;
}

namespace {

Node node_at(const Json& json, const std::string& path, Format format, Reading& reading) {
    Node node;
    Fields fields(json, path, reading);
    fields.required("op", "write the node's op");
    const auto op = fields.choice("op", op_names);
    if (!op) return node;
    node.op = static_cast<Op>(*op);
    if (node.op == Op::graph) {
        reading.reject(fields.path("op"), "a graph cannot be a node of a graph",
                       "write its nodes in its place");
        return node;
    }
    if (const Json* attrs = fields.find("attrs")) {
        node.attrs = text::attributes_at(*attrs, fields.path("attrs"), node.op, format, nullptr, reading);
    }
    if (node.op == Op::add) {
        fields.required("inputs", "write the two nodes to add, -1 for the graph's input");
        node.inputs = fields.integers("inputs").value_or(std::vector<Index>{});
        if (node.inputs.size() != 2) {
            reading.reject(
                fields.path("inputs"),
                "found a list of length " + std::to_string(node.inputs.size()) + ", expected two nodes",
                "add two at a time");
        }
    } else {
        fields.required("input", "write the node's input, -1 for the graph's");
        node.inputs = {fields.integer("input").value_or(-1)};
    }
    fields.close();
    return node;
}

/// A derivative's second tensor: required in its mode, refused in the others.
std::optional<Tensor> companion(Fields& fields, std::string_view field, Mode mode, const Case& c,
                                Reading& reading) {
    const Json* json = fields.find(field);
    const std::string wanted(name(mode)), given(name(c.mode));
    if (c.mode != mode) {
        if (json != nullptr) {
            reading.reject(std::string(field), "mode " + given + " has none; it belongs to mode " + wanted,
                           "remove it, or write \"mode\":\"" + wanted + "\"");
        }
        return std::nullopt;
    }
    if (json == nullptr) {
        reading.reject(std::string(field), "missing; mode " + wanted + " needs it",
                       mode == Mode::jvp ? "write a tensor of the input's shape"
                                         : "write a tensor of the output's shape");
        return std::nullopt;
    }
    return text::tensor_at(*json, std::string(field), c.format, reading);
}

}  // namespace

Choices text::choices_of(Fields& fields, Reading& reading) {
    Choices choices;
    for (const ChoiceField& field : choice_fields())
        if (const auto value = fields.choice(field.name, field.values)) field.set(choices, *value);
    constexpr const char* ulp = "elementary_ulp";
    choices.elementary_ulp = fields.number(ulp);
    if (choices.elementary_ulp && !(*choices.elementary_ulp > 0))
        reading.reject(fields.path(ulp), "found " + shown(*fields.find(ulp)) + ", expected a number above 0",
                       "write how many units in the last place exp and log may be off");
    return choices;
}

Case text::case_at(const Json& json, Reading& reading) {
    Case c;
    Fields fields(json, "", reading);
    fields.required("op", "write the op to compute");
    const auto ops = std::span(op_names).first(op_names.size() - 1);  // `add` lives in graphs
    c.op = static_cast<Op>(fields.choice("op", ops).value_or(0));
    c.mode = static_cast<Mode>(fields.choice("mode", mode_names).value_or(0));
    c.format = static_cast<Format>(fields.choice("dtype", format_names).value_or(0));
    c.profile = fields.string("profile");
    if (reading.failed()) return c;
    if (const Json* attrs = fields.find("attrs"))
        c.attrs = text::attributes_at(*attrs, "attrs", c.op, c.format, &c.nodes, reading);
    if (const Json* policy = fields.find("policy")) {
        Fields choices(*policy, "policy", reading);
        c.policy = choices_of(choices, reading);
        choices.close();
    }
    const Json* input = fields.required("input", "write the tensor to pool");
    if (input != nullptr && !reading.failed()) c.input = text::tensor_at(*input, "input", c.format, reading);
    if (!reading.failed()) c.tangent = companion(fields, "tangent", Mode::jvp, c, reading);
    if (!reading.failed()) c.cotangent = companion(fields, "cotangent", Mode::vjp, c, reading);
    if (c.tangent && c.tangent->shape != c.input.shape) {
        reading.reject("tangent.shape",
                       "found " + shown(c.tangent->shape) + ", expected the input's " + shown(c.input.shape),
                       "give the tangent the input's shape");
    }
    fields.close();
    return c;
}

Checked<Case> read_case(std::string_view json) {
    const Checked<text::Document> document = text::parse(json);
    if (!document) return document.rejection();
    Reading reading;
    Case c = text::case_at(document->root, reading);
    if (reading.failed()) return *reading.rejection;
    return c;
}

}  // namespace poolproof

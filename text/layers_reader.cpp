// SPDX-License-Identifier: Apache-2.0
// A list of layers: cases without values, each by its op, attributes, shape, dtype and profile.
#include "text/case_reader.hpp"
#include "text/tensor_reader.hpp"

#include <poolproof/text.hpp>

namespace poolproof {

namespace {

using text::Fields;
using text::Json;
using text::Reading;

Case layer_at(const Json& json, const std::string& path, Reading& reading) {
    Case c;
    Fields fields(json, path, reading);
    fields.required("op", "write the op of the layer");
    c.op = static_cast<Op>(fields.choice("op", std::span(op_names).first(op_names.size() - 1)).value_or(0));
    c.format = static_cast<Format>(fields.choice("dtype", format_names).value_or(0));
    c.profile = fields.string("profile");
    fields.required("shape", "write the size of every axis of its input");
    c.input.shape = fields.integers("shape").value_or(Shape{});
    c.input.format = c.format;
    const Json* attrs = fields.find("attrs");
    if (attrs != nullptr && !reading.failed())
        c.attrs = text::attributes_at(*attrs, fields.path("attrs"), c.op, c.format, &c.nodes, reading);
    fields.close();
    if (!reading.failed()) text::checked_size(fields.path("shape"), c.input.shape, reading);
    return c;
}

}  // namespace

Checked<std::vector<Case>> read_layers(std::string_view json) {
    const auto document = text::parse(json);
    if (!document) return document.rejection();
    if (!document->root.is(Json::Kind::array))
        return Rejection{"layers", "found " + text::shown(document->root) + ", expected a list of layers",
                         "write the layers in brackets"};
    Reading reading;
    std::vector<Case> layers;
    for (const Json& item : document->root.items()) {
        layers.push_back(layer_at(item, "layers[" + std::to_string(layers.size()) + "]", reading));
        if (reading.failed()) return *reading.rejection;
    }
    if (layers.empty()) return Rejection{"layers", "the list is empty", "write at least one layer"};
    return layers;
}

}  // namespace poolproof

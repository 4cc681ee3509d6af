// SPDX-License-Identifier: Apache-2.0
// A backend's reply: exactly one of outputs, declined, rejected, failed. Unknown fields are ignored, so that
// the protocol can grow.
#include "text/case_reader.hpp"
#include "text/tensor_reader.hpp"

#include <poolproof/text.hpp>

namespace poolproof {

namespace {

using text::Fields;
using text::Reading;

void read_outputs(const text::Json& json, Format format, Reading& reading, Observation& o) {
    if (!json.is(text::Json::Kind::object)) {
        reading.reject("outputs", "is not an object", "name each output tensor");
        return;
    }
    for (std::size_t k = 0; k < json.names().size(); ++k) {
        const std::string name(json.names()[k]);
        const Format otherwise = name == "indices" ? Format::i64 : format;
        o.outputs.emplace_back(
            name, text::tensor_at(json.items()[k], "outputs." + name, otherwise, reading, text::Dtype::own));
    }
}

}  // namespace

Observation text::answer_at(Fields& fields, Format format, Reading& reading) {
    Observation o;
    int replies = 0;
    if (const text::Json* outputs = fields.find("outputs")) {
        ++replies;
        read_outputs(*outputs, format, reading, o);
    }
    const std::pair<const char*, Observation::Kind> others[] = {{"declined", Observation::Kind::declined},
                                                                {"rejected", Observation::Kind::rejected},
                                                                {"failed", Observation::Kind::failed}};
    for (const auto& [name, kind] : others) {
        if (const auto why = fields.string(name)) {
            ++replies;
            o.kind = kind;
            o.why = *why;
        }
    }
    if (!reading.failed() && replies != 1)
        reading.reject("reply",
                       "holds " + std::to_string(replies) + " of outputs, declined, rejected, failed",
                       "send exactly one of them");
    return o;
}

Checked<Observation> read_answer(std::string_view json, Format format) {
    const auto document = text::parse(json);
    if (!document) return document.rejection();
    Reading reading;
    Fields fields(document->root, "", reading);
    Observation o = text::answer_at(fields, format, reading);
    if (reading.failed()) return *reading.rejection;
    return o;
}

}  // namespace poolproof

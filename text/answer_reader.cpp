// SPDX-License-Identifier: Apache-2.0
// A backend's reply: exactly one of outputs, declined, rejected, failed. Unknown fields are ignored, outputs
// that nobody asked for among them, so that the protocol can grow.
#include "text/case_reader.hpp"
#include "text/tensor_reader.hpp"

#include <poolproof/text.hpp>

#include <algorithm>
#include <array>

namespace poolproof {

namespace {

using text::Fields;
using text::Reading;

void read_outputs(const text::Json& json, const std::vector<AskedOutput>& asked, Reading& reading,
                  Observation& o) {
    if (!json.is(text::Json::Kind::object)) {
        reading.reject("outputs", "is not an object", "name each output tensor");
        return;
    }
    for (std::size_t k = 0; k < json.names().size(); ++k) {
        const std::string name(json.names()[k]);
        const auto hit =
            std::find_if(asked.begin(), asked.end(), [&](const AskedOutput& a) { return a.name == name; });
        if (hit == asked.end()) continue;
        o.outputs.emplace_back(name, text::tensor_at(json.items()[k], "outputs." + name, hit->format, reading,
                                                     text::Dtype::own));
    }
}

}  // namespace

std::vector<AskedOutput> asked_outputs(const Case& c) {
    static constexpr std::array<std::string_view, 3> names{"y", "dy", "dx"};
    std::vector<AskedOutput> r{{names[static_cast<std::size_t>(c.mode)], c.format}};
    if (c.mode != Mode::forward || !c.attrs.return_indices.value_or(false)) return r;
    r.push_back({"indices", c.attrs.index_form == IndexForm::row_column ? c.format : Format::i64});
    return r;
}

Observation text::answer_at(Fields& fields, const std::vector<AskedOutput>& asked, Reading& reading) {
    Observation o;
    int replies = 0;
    if (const text::Json* outputs = fields.find("outputs")) {
        ++replies;
        read_outputs(*outputs, asked, reading, o);
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

Checked<Observation> read_answer(std::string_view json, const std::vector<AskedOutput>& asked) {
    const auto document = text::parse(json);
    if (!document) return document.rejection();
    Reading reading;
    Fields fields(document->root, "", reading);
    Observation o = text::answer_at(fields, asked, reading);
    if (reading.failed()) return *reading.rejection;
    return o;
}

}  // namespace poolproof

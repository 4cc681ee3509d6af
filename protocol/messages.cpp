// SPDX-License-Identifier: Apache-2.0
// The protocol's messages as JSON, both directions.
#include "text/case_reader.hpp"
#include "text/write.hpp"

#include <poolproof/protocol.hpp>
#include <poolproof/text.hpp>

#include <algorithm>
#include <span>

namespace poolproof::protocol {

namespace {

using text::Fields;
using text::Json;
using text::ObjectWriter;
using text::Reading;

constexpr Index version = 1;
constexpr Index max_id = Index{1} << 62;

/// What a greeting holds that is not known, as the protocol may grow. To be told, and passed over.
using Unknown = std::vector<Rejection>;

Rejection unknown_name(std::string field, std::string_view found, std::span<const std::string_view> names) {
    const auto near = nearest(found, names);
    return {std::move(field), "'" + printable(found) + "' is not known",
            near ? "did you mean '" + std::string(*near) + "'?" : "known are " + text::listed(names)};
}

const Json* list_at(Fields& fields, std::string_view field, Reading& reading) {
    const Json* json = fields.find(field);
    if (json == nullptr || json->is(Json::Kind::array)) return json;
    reading.reject(fields.path(field), "found " + text::shown(*json) + ", expected a list of names",
                   "write the names in brackets");
    return nullptr;
}

std::optional<std::vector<std::string>> words(Fields& fields, std::string_view field, Reading& reading) {
    const Json* json = list_at(fields, field, reading);
    if (json == nullptr) return std::nullopt;
    std::vector<std::string> r;
    for (const Json& item : json->items()) r.emplace_back(item.text());
    return r;
}

void tell_unknown(Fields& fields, std::string_view field,
                  const std::optional<std::vector<std::string>>& found,
                  std::span<const std::string_view> names, Unknown& unknown) {
    for (std::size_t k = 0; found && k < found->size(); ++k)
        if (std::find(names.begin(), names.end(), (*found)[k]) == names.end())
            unknown.push_back(
                unknown_name(fields.path(field) + "[" + std::to_string(k) + "]", (*found)[k], names));
}

/// The known ones among the names in a list, as their enumerators.
template <class Enum, class Names>
std::optional<std::vector<Enum>> known(Fields& fields, std::string_view field, const Names& names,
                                       Reading& reading, Unknown& unknown) {
    const auto found = words(fields, field, reading);
    if (!found) return std::nullopt;
    tell_unknown(fields, field, found, names, unknown);
    std::vector<Enum> r;
    for (const std::string& one : *found)
        if (const auto hit = std::find(names.begin(), names.end(), one); hit != names.end())
            r.push_back(static_cast<Enum>(hit - names.begin()));
    return r;
}

void reject_negative(std::optional<Index> value, std::string path, Reading& reading) {
    if (value && *value < 0)
        reading.reject(std::move(path), "found " + std::to_string(*value) + ", expected 0 or more",
                       "write how many there may be, or leave it out where there is no limit");
}

std::optional<Index> most(Fields& fields, std::string_view field, Reading& reading) {
    const auto value = fields.integer(field, max_id);
    reject_negative(value, fields.path(field), reading);
    return value;
}

/// A list of counts, or a single one.
std::optional<std::vector<Index>> counts(Fields& fields, std::string_view field, Reading& reading) {
    const Json* json = fields.find(field);
    if (json != nullptr && json->is(Json::Kind::number)) {
        const auto one = fields.integer(field);
        reject_negative(one, fields.path(field), reading);
        if (one) return std::vector<Index>{*one};
        return std::nullopt;
    }
    auto list = fields.integers(field);
    for (std::size_t k = 0; list && k < list->size(); ++k)
        reject_negative((*list)[k], fields.path(field) + "[" + std::to_string(k) + "]", reading);
    return list;
}

void tell_unknown_fields(const Json& json, const std::string& path, std::span<const std::string_view> known,
                         Unknown& unknown) {
    for (const std::string_view name : json.names())
        if (std::find(known.begin(), known.end(), name) == known.end())
            unknown.push_back(unknown_name(path, name, known));
}

Choices policy_at(const Json& json, const std::string& path, Reading& reading, Unknown& unknown) {
    std::vector<std::string_view> names;
    for (const ChoiceField& f : choice_fields()) names.push_back(f.name);
    names.emplace_back("elementary_ulp");
    tell_unknown_fields(json, path, names, unknown);
    Fields fields(json, path, reading);
    return text::choices_of(fields, reading);
}

constexpr std::array<std::string_view, 11> capability_fields{
    "ops",    "modes",        "dtypes",     "spatial_ranks", "leading_axes", "attrs",
    "memory", "max_elements", "max_kernel", "rejects",       "policy"};
constexpr std::array<std::string_view, 10> hello_fields{"type",         "protocol", "name",    "version",
                                                        "profile",      "rejects",  "framing", "checksum",
                                                        "capabilities", "warnings"};

/// Attributes that every case may use are no limit, but no mistake either.
constexpr auto attrs_that_may_be_named = [] {
    constexpr std::array<std::string_view, 7> usual{"kernel",      "stride",       "pad_begin", "pad_end",
                                                    "output_size", "spatial_rank", "memory"};
    std::array<std::string_view, capability_attrs.size() + usual.size()> all{};
    std::copy(usual.begin(), usual.end(),
              std::copy(capability_attrs.begin(), capability_attrs.end(), all.begin()));
    return all;
}();

Capability capability_at(const Json& json, const std::string& path, Reading& reading, Unknown& unknown) {
    Fields fields(json, path, reading);
    tell_unknown_fields(json, path, capability_fields, unknown);
    Capability c;
    c.ops = known<Op>(fields, "ops", op_names, reading, unknown);
    c.modes = known<Mode>(fields, "modes", mode_names, reading, unknown);
    c.formats = known<Format>(fields, "dtypes", format_names, reading, unknown);
    c.spatial_ranks = counts(fields, "spatial_ranks", reading);
    if (c.spatial_ranks &&
        std::find(c.spatial_ranks->begin(), c.spatial_ranks->end(), 0) != c.spatial_ranks->end())
        unknown.push_back({fields.path("spatial_ranks"), "holds 0, which no case has", "begin at 1"});
    c.leading_axes = counts(fields, "leading_axes", reading);
    c.attrs = words(fields, "attrs", reading);
    tell_unknown(fields, "attrs", c.attrs, attrs_that_may_be_named, unknown);
    c.memory = known<Memory>(fields, "memory", memory_names, reading, unknown);
    c.max_elements = most(fields, "max_elements", reading);
    c.max_kernel = most(fields, "max_kernel", reading);
    c.rejects = fields.boolean("rejects").value_or(false);
    if (const Json* policy = fields.find("policy"))
        c.policy = policy_at(*policy, fields.path("policy"), reading, unknown);
    return c;
}

/// What covers no case.
Capability nothing() {
    Capability c;
    c.ops.emplace();
    return c;
}

template <class Enum, class Names>
void add_names(ObjectWriter& out, std::string_view field, const std::optional<std::vector<Enum>>& values,
               const Names& names) {
    if (values)
        out.add(field,
                text::list(*values, [&](Enum e) { return json_string(names[static_cast<std::size_t>(e)]); }));
}

void add_numbers(ObjectWriter& out, std::string_view field, const std::optional<std::vector<Index>>& values) {
    if (values) out.add(field, text::list(*values, [](Index i) { return std::to_string(i); }));
}

std::string capability_text(const Capability& c) {
    ObjectWriter out;
    add_names(out, "ops", c.ops, op_names);
    add_names(out, "modes", c.modes, mode_names);
    add_names(out, "dtypes", c.formats, format_names);
    add_numbers(out, "spatial_ranks", c.spatial_ranks);
    add_numbers(out, "leading_axes", c.leading_axes);
    if (c.attrs) out.add("attrs", text::list(*c.attrs, [](const std::string& s) { return json_string(s); }));
    add_names(out, "memory", c.memory, memory_names);
    if (c.max_elements) out.add("max_elements", std::to_string(*c.max_elements));
    if (c.max_kernel) out.add("max_kernel", std::to_string(*c.max_kernel));
    if (c.rejects) out.add("rejects", "true");
    if (c.policy != Choices{}) out.add("policy", text::policy_text(c.policy));
    return out.text();
}

/// The reading of a message, whose tensors may point into its body.
Reading reading_of(const Message& m) {
    Reading r;
    if (!m.body.empty())
        r.body = std::string_view(reinterpret_cast<const char*>(m.body.data()), m.body.size());
    else
        r.body = std::string_view();
    return r;
}

std::optional<Index> id_of(Fields& fields) {
    fields.required("id", "repeat the id of the request");
    return fields.integer("id", max_id);
}

}  // namespace

std::string write_hello(bool offers_binary) {
    return std::string(R"({"type":"hello","protocol":1)") +
           (offers_binary ? R"(,"framings":["binary"])" : "") + "}";
}

std::string write_hello(const Declaration& d, Framing framing) {
    ObjectWriter out;
    out.add_string("type", "hello");
    out.add("protocol", std::to_string(version));
    out.add_string("name", d.name);
    out.add_string("version", d.version);
    out.add_string("profile", d.profile);
    if (d.rejects) out.add("rejects", "true");
    if (!d.capabilities.empty()) out.add("capabilities", text::list(d.capabilities, capability_text));
    if (!d.unknown.empty())
        out.add("warnings",
                text::list(d.unknown, [](const Rejection& r) { return json_string(message(r)); }));
    if (framing == Framing::binary) out.add_string("framing", "binary");
    return out.text();
}

Checked<Hello> read_hello(std::string_view line) {
    const auto document = text::parse(line);
    if (!document) return document.rejection();
    Reading reading;
    Fields fields(document->root, "", reading);
    Hello h;
    if (const auto type = fields.string("type"); !reading.failed() && type != "hello")
        reading.reject("type", "found " + text::shown(type.value_or("nothing")) + ", expected \"hello\"",
                       "answer the greeting before anything else");
    fields.required("protocol", "write \"protocol\":1");
    if (const auto v = fields.integer("protocol"); v && *v != version)
        reading.reject("protocol", "found " + std::to_string(*v) + ", expected 1", "speak version 1");
    h.declaration.name = printable(fields.string("name").value_or(""));
    h.declaration.version = printable(fields.string("version").value_or(""));
    h.declaration.profile = printable(fields.string("profile").value_or(h.declaration.profile));
    h.declaration.rejects = fields.boolean("rejects").value_or(false);
    for (std::string& warning : words(fields, "warnings", reading).value_or(std::vector<std::string>{}))
        h.declaration.unknown.push_back({"", printable(warning), ""});
    if (fields.string("framing") == "binary") h.framing = Framing::binary;
    if (fields.string("checksum") == "crc32") h.checksum = Checksum::crc32;
    if (const Json* c = fields.find("capabilities")) {
        if (c->is(Json::Kind::array)) {
            if (c->items().empty()) h.declaration.capabilities.push_back(nothing());
            for (std::size_t k = 0; k < c->items().size(); ++k)
                h.declaration.capabilities.push_back(capability_at(c->items()[k],
                                                                   "capabilities[" + std::to_string(k) + "]",
                                                                   reading, h.declaration.unknown));
        } else {
            h.declaration.capabilities.push_back(
                capability_at(*c, "capabilities", reading, h.declaration.unknown));
        }
    }
    if (reading.failed()) return *reading.rejection;
    // Another field of the greeting may be of a later version; a long one that looks like ours is misspelt.
    constexpr std::size_t is_long = 6;
    for (const std::string_view name : document->root.names())
        if (std::find(hello_fields.begin(), hello_fields.end(), name) == hello_fields.end() &&
            name.size() >= is_long && nearest(name, hello_fields))
            h.declaration.unknown.push_back(unknown_name("hello", name, hello_fields));
    return h;
}

Message write_run(Index id, const Case& c, Framing framing) {
    Message m;
    m.head = R"({"type":"run","id":)" + std::to_string(id) + ",\"case\":" +
             text::case_text(c, TensorForm::bits, framing == Framing::binary ? &m.body : nullptr) + "}";
    return m;
}

Message write_reply(Index id, const Observation& o, Framing framing) {
    static constexpr std::array<std::string_view, 5> names{"outputs", "declined", "rejected", "failed",
                                                           "failed"};
    Message m;
    m.head = "{\"id\":" + std::to_string(id) + ",\"";
    m.head += names[static_cast<std::size_t>(o.kind)];
    m.head += "\":";
    if (o.kind == Observation::Kind::answered) {
        text::Body* body = framing == Framing::binary ? &m.body : nullptr;
        m.head += "{" +
                  text::joined(o.outputs,
                               [&](const auto& output) {
                                   return json_string(output.first) + ":" +
                                          text::tensor_text(output.second, TensorForm::bits, body);
                               }) +
                  "}";
    } else {
        m.head += json_string(o.why);
    }
    m.head += "}";
    return m;
}

Checked<Request> read_request(const Message& m) {
    const auto document = text::parse(m.head);
    if (!document) return document.rejection();
    Reading reading = reading_of(m);
    Fields fields(document->root, "", reading);
    Request r;
    const auto type = fields.string("type").value_or("");
    if (type == "hello") {
        r.hello = true;
        const auto framings = words(fields, "framings", reading).value_or(std::vector<std::string>{});
        r.offers_binary = std::find(framings.begin(), framings.end(), "binary") != framings.end();
    } else if (type == "run") {
        r.id = id_of(fields).value_or(0);
        const Json* c = fields.required("case", "send the case to run");
        if (reading.failed()) return *reading.rejection;
        Case read = text::case_at(*c, reading);
        r.run = reading.failed() ? Checked<Case>(*reading.rejection) : Checked<Case>(std::move(read));
        return r;
    } else {
        reading.reject("type", "found " + text::shown(type) + ", expected hello or run", "send one of these");
    }
    if (reading.failed()) return *reading.rejection;
    return r;
}

Checked<Reply> read_reply(const Message& m, const Case& c) {
    const auto document = text::parse(m.head);
    if (!document) return document.rejection();
    Reading reading = reading_of(m);
    Fields fields(document->root, "", reading);
    Reply r;
    r.id = id_of(fields).value_or(0);
    r.observation = text::answer_at(fields, asked_outputs(c), reading);
    if (reading.failed()) return *reading.rejection;
    r.observation.why = printable(r.observation.why);
    for (auto& output : r.observation.outputs) output.first = printable(output.first);
    return r;
}

}  // namespace poolproof::protocol

// SPDX-License-Identifier: Apache-2.0
// Reads a file of vectors. Every rejection's field is `FILE: SLUG.FIELD`.
#include "vectorbase/form.hpp"

#include <poolproof/text.hpp>

#include <algorithm>

namespace poolproof {

namespace {

using text::Fields;
using text::Json;
using text::Reading;

constexpr std::size_t max_file_bytes = std::size_t{64} << 20;

/// The answers, each group once for every format that shares it.
void read_answers(const Json& json, const std::string& path, Vector& v, Reading& reading) {
    if (!json.is(Json::Kind::array) || json.items().empty())
        reading.reject(path, "found " + text::shown(json), "write a list of answers");
    std::vector<StoredAnswer> found;
    for (std::size_t k = 0; k < json.items().size() && !reading.failed(); ++k) {
        const std::string at = path + "[" + std::to_string(k) + "]";
        std::vector<Format> formats;
        if (const Json* names = json.items()[k].find("dtypes"))
            formats = vectorbase::formats_at(*names, at + ".dtypes", reading);
        if (formats.empty())
            reading.reject(at + ".dtypes", "is missing", "name the dtypes that share the answer");
        for (const Format f : formats) {
            Fields fields(json.items()[k], at, reading);
            fields.find("dtypes");
            found.push_back({f, vectorbase::outputs_at(fields, f, reading)});
            fields.close();
            if (found.back().expected.outputs.empty())
                reading.reject(at, "holds no output", "write y, dy or dx");
            if (reading.failed()) return;
        }
    }
    for (const Format f : v.formats) {
        const auto one =
            std::find_if(found.begin(), found.end(), [f](const StoredAnswer& a) { return a.format == f; });
        if (one == found.end()) {
            reading.reject(path, "has no answer in " + std::string(name(f)),
                           "write one for each of the dtypes");
            return;
        }
        v.answers.push_back(*one);
    }
}

/// Whether the case can be read in every format.
void check_question(const Vector& v, const std::string& path, Reading& reading) {
    for (const Format f : v.formats) {
        const auto c = read_case("{\"dtype\":" + json_string(name(f)) + "," + v.question.substr(1));
        if (!c) {
            reading.reject(path + ".case." + c.rejection().field,
                           "in " + std::string(name(f)) + ": " + c.rejection().reason, c.rejection().remedy);
            return;
        }
        if (f == v.formats.front() && vectorbase::question_text(*c) != v.question)
            reading.reject(path + ".case", "is not written canonically",
                           "let `poolproof vectors add` write it");
    }
}

void check_content(const Vector& v, const std::string& path, Reading& reading) {
    if (v.profiles.empty()) reading.reject(path + ".profiles", "is empty", "name a profile");
    for (const std::string& p : v.profiles)
        if (const auto& all = profile_names(); std::find(all.begin(), all.end(), p) == all.end())
            reading.reject(path + ".profiles", "holds " + text::shown(p), "name profiles that there are");
    if (v.formats.empty()) reading.reject(path + ".dtypes", "is empty", "name a dtype");
    if (!std::is_sorted(v.formats.begin(), v.formats.end()))
        reading.reject(path + ".dtypes", "are not in order",
                       "write them in the order " + text::listed(format_names));
    if (!reading.failed()) check_question(v, path, reading);
    if (!reading.failed() && content_hash(v) != v.hash)
        reading.reject(path + ".hash",
                       "found " + text::shown(v.hash) + ", but the content gives " + content_hash(v),
                       "let `poolproof vectors add` write vectors, with the reason for a change");
}

/// `{"shape":[..],"exact":[..]}` or the same with `lower` and `upper`; lint computes what stands in it.
void check_exact(const Json& json, const std::string& path, Reading& reading) {
    Fields fields(json, path, reading);
    const auto shape = fields.integers("shape", max_elements);
    const auto n = shape ? valid_size(*shape) : std::nullopt;
    if (!n && !reading.failed())
        reading.reject(path + ".shape", "is no shape", "write the sizes of the output");
    const bool rational = fields.find("exact") != nullptr;
    for (const char* side :
         rational ? std::vector<const char*>{"exact"} : std::vector<const char*>{"lower", "upper"}) {
        const Json* values = fields.required(side, "write one entry for each value");
        if (values == nullptr || !n) return;
        if (vectorbase::strings_at(*values, fields.path(side), reading).size() !=
            static_cast<std::size_t>(*n))
            reading.reject(fields.path(side), "found " + text::shown(*values),
                           "write one entry for each value");
    }
    fields.find("indices");
    fields.close();
}

Vector vector_at(const Json& json, const std::string& file, std::size_t k, const std::string& op,
                 Reading& reading) {
    Vector v;
    const Json* id = json.find("id");
    const std::string path =
        file + ": " +
        (id != nullptr && vectorbase::is_slug(id->text()) ? std::string(id->text())
                                                          : "vectors[" + std::to_string(k) + "]");
    Fields fields(json, path, reading);
    vectorbase::read_description(fields, v, reading);
    v.hash = fields.string("hash").value_or("");
    if (const Json* p = fields.required("profiles", "name the profiles under which it holds"))
        v.profiles = vectorbase::strings_at(*p, fields.path("profiles"), reading);
    if (const Json* d = fields.required("dtypes", "name the dtypes in which it holds"))
        v.formats = vectorbase::formats_at(*d, fields.path("dtypes"), reading);
    if (const Json* c = fields.required("case", "write the case")) {
        v.question = vectorbase::compact(*c);
        if (c->find("dtype") != nullptr || c->find("profile") != nullptr)
            reading.reject(fields.path("case"), "names a dtype or a profile",
                           "name them in dtypes and profiles");
        if (const Json* o = c->find("op"); o == nullptr || o->text() != op)
            reading.reject(fields.path("case.op"), "is not that of the file",
                           "move the vector to its op's file");
    }
    if (auto field = fields.string("rejected")) {
        v.rejected = std::move(*field);
    } else {
        if (const Json* exact = fields.required("exact", "write the exact result, or `rejected`")) {
            v.exact = vectorbase::compact(*exact);
            check_exact(*exact, fields.path("exact"), reading);
        }
        if (const Json* answers = fields.required("answers", "write the permitted answers"))
            if (!reading.failed()) read_answers(*answers, fields.path("answers"), v, reading);
    }
    fields.close();
    if (!reading.failed()) check_content(v, path, reading);
    return v;
}

}  // namespace

Checked<VectorFile> read_vector_file(const std::string& file_name, std::string_view text) {
    if (text.size() > max_file_bytes)
        return Rejection{file_name, "is larger than 64 MiB", "split it by theme"};
    const auto document = text::parse(text);
    if (!document) {
        Rejection r = document.rejection();
        r.field = file_name + ": " + r.field;
        return r;
    }
    Reading reading;
    VectorFile file;
    Fields fields(document->root, file_name + ": file", reading);
    if (fields.integer("format").value_or(0) != 1)
        reading.reject(fields.path("format"), "is not 1", "read the file with the program of its time");
    file.op = fields.string("op").value_or("");
    file.theme = fields.string("theme").value_or("");
    if (file.name() != file_name)
        reading.reject(fields.path("theme"), "and op make " + text::shown(file.name()),
                       "name the file after them");
    const Index count = fields.integer("count").value_or(-1);
    const Json* vectors = fields.required("vectors", "write the vectors");
    fields.close();
    if (vectors != nullptr && !reading.failed()) {
        if (static_cast<std::size_t>(count) != vectors->items().size())
            reading.reject(
                fields.path("count"),
                "is " + std::to_string(count) + ", but there are " + std::to_string(vectors->items().size()),
                "write the number of vectors");
        for (std::size_t k = 0; k < vectors->items().size() && !reading.failed(); ++k)
            file.vectors.push_back(vector_at(vectors->items()[k], file_name, k, file.op, reading));
    }
    for (std::size_t k = 1; k < file.vectors.size() && !reading.failed(); ++k)
        if (file.vectors[k].id <= file.vectors[k - 1].id)
            reading.reject(file_name + ": " + file.vectors[k].id + ".id", "is out of order",
                           "sort the vectors by id");
    if (reading.failed()) return *reading.rejection;
    const std::string canonical = write_vector_file(file);
    if (canonical != text) {
        const auto apart = std::mismatch(text.begin(), text.end(), canonical.begin(), canonical.end());
        const auto line = 1 + std::count(text.begin(), apart.first, '\n');
        return Rejection{file_name + ": line " + std::to_string(line), "is not in canonical form",
                         "let `poolproof vectors add` write it"};
    }
    return file;
}

}  // namespace poolproof

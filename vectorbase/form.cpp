// SPDX-License-Identifier: Apache-2.0
#include "vectorbase/form.hpp"

#include "text/tensor_reader.hpp"
#include "vectorbase/sha256.hpp"

#include <poolproof/text.hpp>

#include <algorithm>

namespace poolproof {

namespace vectorbase {

using text::Json;
using text::list;
using text::ObjectWriter;
using text::Reading;

std::string compact(const Json& json) {
    switch (json.kind()) {
        case Json::Kind::null: return "null";
        case Json::Kind::boolean: return json.truth() ? "true" : "false";
        case Json::Kind::number: return std::string(json.text());
        case Json::Kind::string: return json_string(json.text());
        case Json::Kind::array: return list(json.items(), compact);
        case Json::Kind::object: break;
    }
    ObjectWriter out;
    for (std::size_t k = 0; k < json.names().size(); ++k)
        out.add(json_string(json.names()[k]).substr(1, json_string(json.names()[k]).size() - 2),
                compact(json.items()[k]));
    return out.text();
}

std::string question_text(Case c) {
    c.profile.reset();
    std::string s = write_case(c);
    const std::string dtype = "\"dtype\":" + json_string(name(c.format)) + ",";
    for (std::size_t at = s.find(dtype); at != std::string::npos; at = s.find(dtype, at))
        s.erase(at, dtype.size());
    return s;
}

namespace {

std::string number(Index i) { return std::to_string(i); }

std::string further(const Permitted& p) {
    if (p.open) return "[\"open\"]";
    std::vector<std::string_view> names;
    if (p.nan) names.emplace_back("nan");
    if (p.infinity) names.emplace_back("inf");
    if (p.minus_infinity) names.emplace_back("-inf");
    return list(names, json_string);
}

std::string ends_text(const ExpectedOutput& o, Bits Permitted::*end) {
    return list(o.values, [&](const Permitted& p) {
        return p.range && !p.open ? text::element(o.format, p.*end) : std::string("null");
    });
}

std::string positions_text(const PermittedIndices& p) { return p ? list(*p, number) : "[\"open\"]"; }

std::string output_text(const ExpectedOutput& o) {
    ObjectWriter out;
    if (o.name == "indices" && o.format != Format::i64) out.add_string("dtype", name(o.format));
    out.add("shape", list(o.shape, number));
    if (o.name == "indices") {
        out.add("any_of", list(o.positions, positions_text));
        return out.text();
    }
    const std::string lowest = ends_text(o, &Permitted::lowest), highest = ends_text(o, &Permitted::highest);
    out.add("lowest", lowest);
    if (highest != lowest) out.add("highest", highest);
    if (std::any_of(o.values.begin(), o.values.end(), [](const Permitted& p) { return further(p) != "[]"; }))
        out.add("also", list(o.values, further));
    return out.text();
}

/// One output of a stored answer, read.
class OutputReader {
public:
    OutputReader(const Json& json, std::string path, Reading& reading)
        : fields_(json, std::move(path), reading), reading_(reading) {}

    ExpectedOutput values(std::string_view output, Format format) {
        ExpectedOutput o = begun(output, format);
        const Json* lowest = sized("lowest", true);
        const Json* highest = sized("highest", false);
        const Json* also = sized("also", false);
        for (std::size_t k = 0; k < count_ && !reading_.failed(); ++k) {
            Permitted p;
            if (!lowest->items()[k].is(Json::Kind::null)) {
                const Json* ends = highest != nullptr ? highest : lowest;
                p.range = true;
                p.lowest = end(lowest->items()[k], "lowest", k, format);
                p.highest = end(ends->items()[k], "highest", k, format);
                if (!reading_.failed() && ordinal(format, p.highest) < ordinal(format, p.lowest))
                    reading_.reject(at("highest", k), "lies below the lowest", "swap the two");
            }
            if (also != nullptr) read_further(also->items()[k], at("also", k), p);
            o.values.push_back(p);
        }
        fields_.close();
        return o;
    }

    ExpectedOutput indices() {
        const auto format = fields_.choice("dtype", format_names);
        ExpectedOutput o = begun("indices", format ? static_cast<Format>(*format) : Format::i64);
        const Json* any_of = sized("any_of", true);
        for (std::size_t k = 0; k < count_ && !reading_.failed(); ++k) {
            const Json& one = any_of->items()[k];
            if (one.items().size() == 1 && one.items()[0].is(Json::Kind::string) &&
                one.items()[0].text() == "open") {
                o.positions.emplace_back();
                continue;
            }
            std::vector<Index> positions;
            for (const Json& i : one.items())
                positions.push_back(text::integer_at(i, at("any_of", k), reading_).value_or(0));
            if (positions.empty())
                reading_.reject(at("any_of", k), "names no position",
                                "list at least one, or write [\"open\"]");
            o.positions.emplace_back(std::move(positions));
        }
        fields_.close();
        return o;
    }

private:
    std::string at(std::string_view field, std::size_t k) const {
        return fields_.path(field) + "[" + std::to_string(k) + "]";
    }

    ExpectedOutput begun(std::string_view output, Format format) {
        ExpectedOutput o{std::string(output), format, {}, {}, {}};
        o.shape = fields_.integers("shape", max_elements).value_or(Shape{});
        const auto n = valid_size(o.shape);
        if (!n || fields_.find("shape") == nullptr)
            reading_.reject(fields_.path("shape"), "is no shape", "write the sizes of the output");
        count_ = n ? static_cast<std::size_t>(*n) : 0;
        return o;
    }

    /// A list with one entry per value.
    const Json* sized(std::string_view field, bool needed) {
        const Json* json =
            needed ? fields_.required(field, "write one entry for each value") : fields_.find(field);
        if (json == nullptr) return nullptr;
        if (!json->is(Json::Kind::array) || json->items().size() != count_)
            reading_.reject(
                fields_.path(field),
                "found " + text::shown(*json) + ", expected a list of length " + std::to_string(count_),
                "write one entry for each value of the shape");
        return json;
    }

    Bits end(const Json& json, std::string_view field, std::size_t k, Format format) {
        const auto b = text::number_at(json, at(field, k), format, reading_);
        if (b && !is_integer(format) && (is_nan(format, *b) || is_infinite(format, *b)))
            reading_.reject(at(field, k), "found " + text::shown(json) + ", expected a finite number",
                            "name NaN and the infinities in `also`");
        return b.value_or(0);
    }

    void read_further(const Json& json, const std::string& path, Permitted& p) {
        for (const Json& word : json.items()) {
            if (word.text() == "open")
                p.open = true;
            else if (word.text() == "nan")
                p.nan = true;
            else if (word.text() == "inf")
                p.infinity = true;
            else if (word.text() == "-inf")
                p.minus_infinity = true;
            else
                reading_.reject(path, "found " + text::shown(word),
                                "use \"nan\", \"inf\", \"-inf\" or \"open\"");
        }
    }

    text::Fields fields_;
    Reading& reading_;
    std::size_t count_ = 0;
};

}  // namespace

std::string outputs_text(const Expected& e) {
    return text::joined(e.outputs,
                        [](const ExpectedOutput& o) { return json_string(o.name) + ":" + output_text(o); });
}

Expected outputs_at(text::Fields& fields, Format format, Reading& reading) {
    Expected e;
    for (const char* output : {"y", "dy", "dx"})
        if (const Json* json = fields.find(output))
            e.outputs.push_back(OutputReader(*json, fields.path(output), reading).values(output, format));
    if (const Json* json = fields.find("indices"))
        e.outputs.push_back(OutputReader(*json, fields.path("indices"), reading).indices());
    return e;
}

std::string formats_text(const std::vector<Format>& formats) {
    return list(formats, [](Format f) { return json_string(name(f)); });
}

std::vector<std::string> strings_at(const Json& json, const std::string& path, Reading& reading) {
    std::vector<std::string> r;
    if (!json.is(Json::Kind::array))
        reading.reject(path, "found " + text::shown(json), "write a list of strings");
    for (const Json& item : json.items()) {
        if (!item.is(Json::Kind::string))
            reading.reject(path, "holds " + text::shown(item), "write strings only");
        else
            r.emplace_back(item.text());
    }
    return r;
}

std::vector<Format> formats_at(const Json& json, const std::string& path, Reading& reading) {
    std::vector<Format> r;
    for (const std::string& s : strings_at(json, path, reading)) {
        const auto hit = std::find(format_names.begin(), format_names.end(), s);
        if (hit == format_names.end()) {
            reading.reject(path, "holds " + text::shown(s), "use " + text::listed(format_names));
            break;
        }
        r.push_back(static_cast<Format>(hit - format_names.begin()));
    }
    return r;
}

bool is_slug(std::string_view s) {
    if (s.empty() || s.size() > 100 || s.front() == '-' || s.back() == '-' || s.find("--") != s.npos)
        return false;
    return std::all_of(s.begin(), s.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

void read_description(text::Fields& fields, Vector& v, Reading& reading) {
    v.id = fields.string("id").value_or("");
    if (!is_slug(v.id) && !reading.failed())
        reading.reject(fields.path("id"), "found " + text::shown(v.id),
                       "write words of lower-case letters, digits and underscores with a dash between them");
    v.level = static_cast<Level>(fields.choice("level", level_names).value_or(0));
    v.clause = fields.string("clause").value_or("");
    if (const Json* flags = fields.required("flags", "list the flags; [] is allowed"))
        v.flags = strings_at(*flags, fields.path("flags"), reading);
    v.note = fields.string("note").value_or("");
    v.smoke = fields.boolean("smoke").value_or(false);
    if (v.note.empty()) reading.reject(fields.path("note"), "is missing", "say what the vector shows");
    if (!std::is_sorted(v.flags.begin(), v.flags.end()) ||
        std::adjacent_find(v.flags.begin(), v.flags.end()) != v.flags.end())
        reading.reject(fields.path("flags"), "are not in order", "sort them, each once");
}

namespace {

/// The answers, those of one text together.
std::string answers_text(const Vector& v) {
    std::vector<std::pair<std::string, std::vector<Format>>> groups;
    for (const StoredAnswer& a : v.answers) {
        const std::string s = outputs_text(a.expected);
        const auto known =
            std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == s; });
        if (known != groups.end())
            known->second.push_back(a.format);
        else
            groups.push_back({s, {a.format}});
    }
    return list(groups,
                [](const auto& g) { return "{\"dtypes\":" + formats_text(g.second) + "," + g.first + "}"; });
}

}  // namespace

namespace {

/// The fields of the content, each with its value.
std::vector<std::pair<std::string, std::string>> content_fields(const Vector& v) {
    std::vector<std::pair<std::string, std::string>> r{{"profiles", list(v.profiles, json_string)},
                                                       {"dtypes", formats_text(v.formats)},
                                                       {"case", v.question}};
    if (v.must_be_rejected()) {
        r.emplace_back("rejected", json_string(v.rejected));
    } else {
        r.emplace_back("exact", v.exact);
        r.emplace_back("answers", answers_text(v));
    }
    return r;
}

}  // namespace

std::string content_text(const Vector& v) {
    ObjectWriter out;
    for (const auto& [field, value] : content_fields(v)) out.add(field, value);
    return out.text();
}

}  // namespace vectorbase

std::string content_hash(const Vector& v) { return vectorbase::sha256(vectorbase::content_text(v)); }

std::string vector_text(const Vector& v) {
    std::string out =
        "{\"id\":" + json_string(v.id) + ",\n\"hash\":" + json_string(v.hash) +
        ",\n\"level\":" + json_string(name(v.level)) + ",\n\"clause\":" + json_string(v.clause) +
        ",\n\"flags\":" + text::list(v.flags, json_string) + ",\n\"note\":" + json_string(v.note);
    if (v.smoke) out += ",\n\"smoke\":true";
    for (const auto& [field, value] : vectorbase::content_fields(v)) out += ",\n\"" + field + "\":" + value;
    return out + "}";
}

std::string write_vector_file(const VectorFile& file) {
    std::string out = "{\"format\":1,\n\"op\":" + json_string(file.op) +
                      ",\n\"theme\":" + json_string(file.theme) +
                      ",\n\"count\":" + std::to_string(file.vectors.size()) + ",\n\"vectors\":[\n";
    for (std::size_t k = 0; k < file.vectors.size(); ++k)
        out += (k > 0 ? ",\n\n" : "\n") + vector_text(file.vectors[k]);
    return out + "\n]}\n";
}

Case instance(const Vector& v, Format f, const std::string& profile) {
    const auto c = read_case("{\"dtype\":" + json_string(name(f)) + ",\"profile\":" + json_string(profile) +
                             "," + v.question.substr(1));
    return *c;
}

}  // namespace poolproof

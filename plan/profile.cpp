// SPDX-License-Identifier: Apache-2.0
#include "plan/profile.hpp"

#include "text/fields.hpp"

#include <poolproof/plan.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace poolproof {

/// The files of profiles/, by name; written by the build.
extern const std::vector<std::pair<std::string_view, std::string_view>> profile_texts;

namespace {

using text::Fields;
using text::Json;
using text::Reading;

/// Each choice is {"value": .., "source": ..}: a choice without a source is refused.
Choices choices_of(const Json* json, const std::string& path, Reading& reading) {
    Choices r;
    if (json == nullptr) return r;
    Fields choices(*json, path, reading);
    const auto entry = [&](std::string_view name, auto read) {
        const Json* at = choices.find(name);
        if (at == nullptr) return;
        Fields fields(*at, choices.path(name), reading);
        read(fields);
        if (fields.string("source").value_or("").empty())
            reading.reject(fields.path("source"), "is missing", "say where the choice comes from");
        fields.close();
    };
    for (const ChoiceField& field : choice_fields())
        entry(field.name, [&](Fields& f) {
            if (const auto value = f.choice("value", field.values)) field.set(r, *value);
        });
    entry("elementary_ulp", [&](Fields& f) { r.elementary_ulp = f.number("value"); });
    choices.close();
    return r;
}

std::vector<std::string> strings(Fields& fields, std::string_view name) {
    std::vector<std::string> r;
    if (const Json* list = fields.find(name))
        for (const Json& item : list->items()) r.emplace_back(item.text());
    return r;
}

Profile read_profile(std::string_view json) {
    const auto document = text::parse(json);
    if (!document) throw std::logic_error("profile: " + message(document.rejection()));
    Reading reading;
    Fields fields(document->root, "", reading);
    Profile r;
    r.name = fields.string("name").value_or("");
    fields.string("about");
    r.base = choices_of(fields.find("choices"), "choices", reading);
    r.empty_output = fields.boolean("empty_output").value_or(false);
    r.row_column = fields.boolean("row_column").value_or(false);
    if (const Json* overrides = fields.find("overrides")) {
        Fields f(*overrides, "overrides", reading);
        r.global = choices_of(f.find("global"), "overrides.global", reading);
        r.sixteen_bit = choices_of(f.find("sixteen_bit"), "overrides.sixteen_bit", reading);
        f.close();
    }
    if (const Json* only = fields.find("only")) {
        Fields f(*only, "only", reading);
        r.ops = strings(f, "ops");
        r.modes = strings(f, "modes");
        r.formats = strings(f, "formats");
        r.attributes = strings(f, "attributes");
        r.spatial_ranks = f.integers("spatial_ranks").value_or(std::vector<Index>{});
        r.leading_axes = f.integer("leading_axes");
        f.close();
    }
    fields.close();
    if (reading.failed()) throw std::logic_error("profile '" + r.name + "': " + message(*reading.rejection));
    return r;
}

const std::vector<Profile>& profiles() {
    static const std::vector<Profile> all = [] {
        std::vector<Profile> r;
        for (const auto& [name, json] : profile_texts) r.push_back(read_profile(json));
        return r;
    }();
    return all;
}

}  // namespace

const Profile* find_profile(std::string_view name) {
    const auto& all = profiles();
    const auto hit = std::find_if(all.begin(), all.end(), [&](const Profile& p) { return p.name == name; });
    return hit == all.end() ? nullptr : &*hit;
}

const std::vector<std::string>& profile_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> r;
        for (const Profile& p : profiles()) r.push_back(p.name);
        return r;
    }();
    return names;
}

}  // namespace poolproof

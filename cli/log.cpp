// SPDX-License-Identifier: Apache-2.0
#include "cli/log.hpp"

#include "cli/files.hpp"
#include "cli/report_folder.hpp"
#include "cli/request.hpp"

#include <poolproof/text.hpp>

namespace poolproof::cli {

namespace {

constexpr Index kept_elements = Index{1} << 20;  // a larger case is a layer, which its seed makes again

std::string header_line(const Planned& planned) {
    return "{\"type\":\"header\",\"format\":1,\"generator\":" + std::to_string(generator_version) + "," +
           backends_field(planned.backends) + ",\"seed\":" + std::to_string(planned.request.seed) +
           ",\"cases\":" + std::to_string(planned.cases) +
           ",\"profile\":" + (planned.request.profile ? json_string(*planned.request.profile) : "null") +
           "," + filter_fields(planned.request) + ",\"vectors\":" + json_string(planned.vectors) +
           ",\"layers\":" + std::to_string(planned.layers) + "}";
}

}  // namespace

std::optional<Rejection> Log::add(const std::string& path, std::vector<OutputFile>& to, const char* option) {
    auto file = OutputFile::open(option, path);
    if (!file) return file.rejection();
    to.push_back(std::move(*file));
    return std::nullopt;
}

Checked<Log> Log::open(const std::optional<std::string>& file, const std::optional<std::string>& folder,
                       const Planned& planned) {
    Log log;
    if (folder)
        if (auto p = others_report(*folder, planned.backends)) return *p;
    if (file)
        if (auto p = log.add(*file, log.logs_, "--json")) return *p;
    if (folder) {
        if (auto p = make_folder("--report", *folder)) return *p;
        remove_buckets(*folder);
        if (auto p = log.add(*folder + "/" + check_log, log.logs_, "--report")) return *p;
        if (auto p = log.add(*folder + "/failures.jsonl", log.cases_, "--report")) return *p;
    }
    log.write(header_line(planned));
    return log;
}

void Log::write(const std::string& line) {
    for (OutputFile& f : logs_) f.write(line + "\n");
}

void Log::failure(const std::string& backend, const std::string& label, const Case& c,
                  const std::string& verdict) {
    if (c.input.size() > kept_elements)
        return write("{\"type\":\"failure\",\"backend\":" + json_string(backend) +
                     ",\"label\":" + json_string(label) + ",\"verdict\":" + verdict + "}");
    const std::string text = write_case(c);
    write("{\"type\":\"failure\",\"backend\":" + json_string(backend) + ",\"label\":" + json_string(label) +
          ",\"verdict\":" + verdict + ",\"case\":" + text + "}");
    for (OutputFile& f : cases_) f.write(text + "\n");
}

namespace {

std::string counts(const Totals& t) {
    std::string s =
        "\"cases\":" + std::to_string(t.cases) + ",\"not_covered\":" + std::to_string(t.not_covered);
    for (std::size_t k = 0; k < outcome_names.size(); ++k)
        s += ",\"" + std::string(outcome_names[k]) + "\":" + std::to_string(t.by_outcome[k]);
    return s + ",\"values\":" + std::to_string(t.values);
}

}  // namespace

void Log::totals(const Declaration& backend, const std::string& profile, const Totals& t) {
    write("{\"type\":\"backend\",\"backend\":" + json_string(backend.name) + ",\"version\":" +
          json_string(backend.version) + ",\"profile\":" + json_string(profile) + "," + counts(t) + "}");
    sums_.cases += t.cases;
    sums_.not_covered += t.not_covered;
    sums_.values += t.values;
    for (std::size_t k = 0; k < outcome_names.size(); ++k) sums_.by_outcome[k] += t.by_outcome[k];
}

std::optional<Rejection> Log::close(bool complete) {
    write(std::string("{\"type\":\"footer\",\"complete\":") + (complete ? "true" : "false") + "," +
          counts(sums_) + "}");
    std::optional<Rejection> first;
    for (auto* files : {&logs_, &cases_})
        for (OutputFile& f : *files)
            if (auto p = f.close(); p && !first) first = std::move(p);
    return first;
}

}  // namespace poolproof::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/log.hpp"

#include <poolproof/text.hpp>

#include <filesystem>

namespace poolproof::cli {

namespace {

constexpr Index kept_elements = Index{1} << 20;  // a larger case is a layer, which its seed makes again

}  // namespace

std::optional<Rejection> Log::add(const std::string& path, std::vector<OutputFile>& to, const char* option) {
    auto file = OutputFile::open(option, path);
    if (!file) return file.rejection();
    to.push_back(std::move(*file));
    return std::nullopt;
}

Checked<Log> Log::open(const std::optional<std::string>& file, const std::optional<std::string>& folder,
                       const Request& request, Index cases) {
    Log log;
    if (file)
        if (auto p = log.add(*file, log.logs_, "--json")) return *p;
    if (folder) {
        std::error_code error;
        std::filesystem::create_directories(*folder, error);
        if (error)
            return Rejection{"--report", "'" + *folder + "' cannot be made: " + error.message(),
                             "name another folder"};
        if (auto p = log.add(*folder + "/log.jsonl", log.logs_, "--report")) return *p;
        if (auto p = log.add(*folder + "/failures.jsonl", log.cases_, "--report")) return *p;
    }
    log.write("{\"type\":\"header\",\"format\":1,\"generator\":" + std::to_string(generator_version) +
              ",\"seed\":" + std::to_string(request.seed) + ",\"cases\":" + std::to_string(cases) + "}");
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

void Log::totals(const Declaration& backend, const std::string& profile, const Totals& t) {
    std::string line = "{\"type\":\"backend\",\"backend\":" + json_string(backend.name) +
                       ",\"version\":" + json_string(backend.version) +
                       ",\"profile\":" + json_string(profile) + ",\"cases\":" + std::to_string(t.cases) +
                       ",\"not_covered\":" + std::to_string(t.not_covered);
    for (std::size_t k = 0; k < outcome_names.size(); ++k)
        line += ",\"" + std::string(outcome_names[k]) + "\":" + std::to_string(t.by_outcome[k]);
    write(line + ",\"values\":" + std::to_string(t.values) + "}");
}

std::optional<Rejection> Log::close(bool complete) {
    write(std::string("{\"type\":\"footer\",\"complete\":") + (complete ? "true" : "false") + "}");
    std::optional<Rejection> first;
    for (auto* files : {&logs_, &cases_})
        for (OutputFile& f : *files)
            if (auto p = f.close(); p && !first) first = std::move(p);
    return first;
}

}  // namespace poolproof::cli

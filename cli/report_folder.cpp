// SPDX-License-Identifier: Apache-2.0
#include "cli/report_folder.hpp"

#include "cli/case_file.hpp"

#include <poolproof/text.hpp>

#include <filesystem>
#include <fstream>

namespace poolproof::cli {

namespace {

/// The text behind a key of one of our own lines, as it is written there.
std::string text_of(const std::string& line, const std::string& key) {
    const std::string before = "\"" + key + "\":\"";
    const std::size_t at = line.find(before);
    if (at == std::string::npos) return "";
    const std::size_t begin = at + before.size();
    return line.substr(begin, line.find('"', begin) - begin);
}

constexpr std::string_view backends_key = "\"backends\":[";

/// The backends of a check's header, to be shown.
std::string backends_of(const std::string& header) {
    const std::size_t at = header.find(backends_key), begin = at + backends_key.size();
    if (at == std::string::npos) return "backends that its header does not name";
    return header.substr(begin, header.find("],\"", begin) - begin);  // no string holds a quote as it stands
}

bool is_bucket(const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    constexpr std::size_t front = 7, back = 6;  // "bucket-", ".jsonl"
    return name.size() > front + back && name.starts_with("bucket-") && name.ends_with(".jsonl") &&
           name.find_first_not_of("0123456789", front) == name.size() - back;
}

std::vector<std::filesystem::path> buckets(const std::string& folder) {
    std::vector<std::filesystem::path> r;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (is_bucket(entry.path())) r.push_back(entry.path());
    return r;
}

}  // namespace

std::string bucket_file(const std::string& folder, std::size_t k) {
    return folder + "/bucket-" + std::to_string(k + 1) + ".jsonl";
}

std::optional<std::string> header_of(const std::string& folder, const std::string& log) {
    std::ifstream file(folder + "/" + log);
    std::string line;
    if (!file || !std::getline(file, line)) return std::nullopt;
    return line;
}

std::optional<Rejection> foreign_report(const std::string& folder, const std::string& own_log) {
    const std::string other = own_log == check_log ? fuzz_log : check_log;
    if (header_of(folder, other))
        return Rejection{
            "--report",
            "'" + folder + "' holds what 'poolproof " + (other == fuzz_log ? "fuzz" : "check") + "' reported",
            "name another folder, or remove that one"};
    const auto header = header_of(folder, own_log);
    if (header ? header->starts_with("{\"type\":\"header\"") : buckets(folder).empty()) return std::nullopt;
    return Rejection{"--report", "'" + folder + "' holds files that this program did not leave there",
                     "name another folder, or remove that one"};
}

std::string backends_field(const std::vector<std::string>& backends) {
    std::string s;
    for (const std::string& one : backends) s += (s.empty() ? "" : ",") + json_string(one);
    return std::string(backends_key) + s + "]";
}

std::optional<Rejection> others_report(const std::string& folder, const std::vector<std::string>& backends) {
    if (auto p = foreign_report(folder, check_log)) return p;
    const auto header = header_of(folder, check_log);
    if (!header || header->find(backends_field(backends) + ",\"") != std::string::npos) return std::nullopt;
    return Rejection{"--report", "'" + folder + "' holds the report of " + backends_of(*header),
                     "name another folder, or remove that one"};
}

Rejection other_run(const std::string& folder, const std::string& header) {
    return {
        "--report",
        "'" + folder + "' holds a run of other cases or of another backend: " + text_of(header, "backend") +
            " " + text_of(header, "version") + ", seed " +
            std::to_string(number_of(header, "seed").value_or(0)) + ", profile " + text_of(header, "profile"),
        "name another folder with --report, remove that one, or repeat that run's options"};
}

void remove_buckets(const std::string& folder) {
    std::error_code error;
    for (const auto& file : buckets(folder)) std::filesystem::remove(file, error);
}

}  // namespace poolproof::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/case_file.hpp"

#include "cli/files.hpp"
#include "cli/judging.hpp"
#include "cli/lines.hpp"

#include <poolproof/text.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>

namespace poolproof::cli {

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

int leave_open(std::FILE*) { return 0; }

/// Whether a line is not even JSON.
bool broken(const std::string& line) {
    const auto c = read_case(line);
    return !c && c.rejection().field == "json";
}

std::string field(const char* name, const std::string& json) {
    return ",\"" + std::string(name) + "\":" + json;
}

}  // namespace

std::optional<Origin> FiledCase::origin() const {
    const auto seed = number_of(about, "seed"), generator = number_of(about, "generator");
    if (!seed || !generator) return std::nullopt;
    return Origin{*seed, *generator};
}

Checked<std::vector<FiledCase>> read_case_file(const std::string& path) {
    if (std::filesystem::is_directory(path))
        return Rejection{"FILE", "'" + path + "' is a folder", "name a file in it, such as bucket-1.jsonl"};
    const File file =
        path == "-" ? File(stdin, leave_open) : File(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!file) return Rejection{"FILE", "'" + path + "' cannot be read", "name a file that exists"};
    std::vector<FiledCase> r;
    Lines lines(file.get());
    while (const auto line = lines.next()) {
        const bool remark = line->text.starts_with("{\"type\":");
        if (remark && !broken(line->text)) {
            if (!r.empty()) r.back().about += line->text + "\n";
            continue;
        }
        auto c = line->too_long
                     ? Checked<Case>(Rejection{"json", "the line is over 1 GiB", "use smaller tensors"})
                     : read_case(line->text);
        if (!c)
            return Rejection{path + ", line " + std::to_string(line->number), message(c.rejection()),
                             "mend that line"};
        r.push_back({std::move(*c), line->number, ""});
    }
    if (auto p = lines.unread("'" + path + "'")) return *p;
    if (r.empty()) return Rejection{"FILE", "'" + path + "' holds no case", "give one case per line"};
    return r;
}

std::string about(const Bucket& b, const Declaration& backend, const std::optional<Origin>& origin) {
    std::string s = "{\"type\":\"about\"" + field("bucket", json_string(b.name())) +
                    field("cases", std::to_string(b.cases)) + field("first", std::to_string(b.first)) +
                    field("reproduced", b.reproduced ? "true" : "false") +
                    field("backend", json_string(backend.name)) +
                    field("version", json_string(backend.version)) +
                    field("outcome", json_string(name(b.verdict.outcome))) +
                    field("clause", json_string(b.verdict.clause)) + field("answer", reply_text(b.answer));
    if (origin)
        s += field("seed", std::to_string(origin->seed)) +
             field("generator", std::to_string(origin->generator));
    std::string list;
    for (const Explanation& e : b.explanations) {
        if (!e.whole() || std::count(list.begin(), list.end(), '{') >= 5) break;
        list += (list.empty() ? "" : ",") + std::string("{\"fault\":") + json_string(e.name) +
                field("vice", json_string(e.vice)) + field("explained", std::to_string(e.explained)) +
                field("of", std::to_string(e.of)) + field("contradicted", std::to_string(e.contradicted)) +
                "}";
    }
    std::string shown;
    for (const Feature f : b.features) shown += (shown.empty() ? "" : ",") + json_string(name(f));
    return s + field("explanations", "[" + list + "]") + field("features", "[" + shown + "]") + "}";
}

std::optional<Rejection> write_case_file(const std::string& path, const Case& c, const std::string& about) {
    return write_file("--report", path, write_case(c) + "\n" + about + "\n");
}

std::optional<Index> number_of(const std::string& line, const std::string& key) {
    const std::size_t at = line.find("\"" + key + "\":");
    if (at == std::string::npos) return std::nullopt;
    const char* begin = line.data() + at + key.size() + 3;
    Index n = 0;
    const auto [stop, error] = std::from_chars(begin, line.data() + line.size(), n);
    return error == std::errc{} ? std::optional(n) : std::nullopt;
}

void print_bucket(const Bucket& b, const Case& c, const std::string& first) {
    std::printf("%s: %lld case%s, the first is %s\n", b.name().c_str(), static_cast<long long>(b.cases),
                b.cases == 1 ? "" : "s", first.c_str());
    const Explanation* const e = b.reproduced ? b.fault() : nullptr;
    if (e != nullptr) std::printf("%s", likeness(*e).c_str());
    if (!b.reproduced)
        std::printf(
            "  It failed once and not again: on what came before it, or on chance, and not on the case "
            "alone.\n");
    const auto settled = plan(c);
    std::printf("  %s", (settled ? verdict_text(b.verdict, *settled, c) : verdict_text(b.verdict)).c_str());
    std::printf("  case       %s\n", shown_case(c).c_str());
}

}  // namespace poolproof::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/law_log.hpp"

#include "cli/judging.hpp"
#include "cli/request.hpp"

#include <poolproof/text.hpp>

namespace poolproof::cli {

Checked<LawLog> LawLog::open(const std::optional<std::string>& path, const Request& request,
                             const Declaration& backend, std::uint64_t first, Index questions) {
    LawLog log;
    if (!path) return log;
    auto file = OutputFile::open("--json", *path);
    if (!file) return file.rejection();
    log.file_ = std::move(*file);
    log.write("{\"type\":\"header\",\"format\":1,\"command\":\"laws\",\"generator\":" +
              std::to_string(generator_version) + ",\"seed\":" + std::to_string(request.seed) +
              ",\"profile\":" + json_string(*request.profile) + ",\"backend\":" + json_string(backend.name) +
              ",\"version\":" + json_string(backend.version) + "," + filter_fields(request) +
              ",\"first\":" + std::to_string(first) + ",\"questions\":" + std::to_string(questions) + "}");
    return log;
}

void LawLog::failure(const LawJudged& j) {
    if (!file_) return;
    std::string cases, answers;
    for (std::size_t k = 0; k < j.relation.cases.size(); ++k) {
        cases += (k > 0 ? "," : "") + write_case(j.relation.cases[k]);
        answers += (k > 0 ? "," : "") + reply_text(j.answers[k]);
    }
    write("{\"type\":\"failure\",\"law\":" + json_string(j.law.name) +
          ",\"number\":" + std::to_string(j.number) + ",\"broken\":" + (j.verdict.broken ? "true" : "false") +
          ",\"side\":" + std::to_string(j.verdict.side) + ",\"verdict\":" + verdict_line(j.verdict.verdict) +
          ",\"cases\":[" + cases + "],\"answers\":[" + answers + "]}");
}

std::optional<Rejection> LawLog::close(const std::vector<Law>& laws, const LawTotals& totals, bool complete) {
    if (!file_) return std::nullopt;
    for (std::size_t k = 0; k < laws.size(); ++k) {
        const LawTotals::Row& row = totals.rows[k];
        std::string line = "{\"type\":\"law\",\"law\":" + json_string(laws[k].name);
        for (std::size_t o = 0; o < outcome_names.size(); ++o)
            line += ",\"" + std::string(outcome_names[o]) + "\":" + std::to_string(row.by_outcome[o]);
        write(line + ",\"broken\":" + std::to_string(row.broken) +
              ",\"compared\":" + std::to_string(row.compared) + "}");
    }
    const LawTotals::Row all = totals.sum();
    write(std::string("{\"type\":\"footer\",\"complete\":") + (complete ? "true" : "false") +
          ",\"questions\":" + std::to_string(all.asked()) + ",\"judged\":" + std::to_string(all.judged()) +
          ",\"bad\":" + std::to_string(all.bad()) + ",\"broken\":" + std::to_string(all.broken) +
          ",\"unmet\":" + std::to_string(totals.unmet) + "}");
    return file_->close();
}

}  // namespace poolproof::cli

// SPDX-License-Identifier: Apache-2.0
// `poolproof bench`: measures, prints a table, and writes the same rows as JSON if asked.
#include "bench/bench.hpp"

#include "cli/command.hpp"

#include <poolproof/text.hpp>

#include <fnmatch.h>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>

namespace poolproof::cli {

namespace {

constexpr const char* default_seconds = "0.1";

/// The patterns of all --only, each of which has to match a row.
Checked<std::vector<std::string>> patterns(const Arguments& a) {
    std::vector<std::string> r;
    for (const std::string& list : a.values("--only"))
        for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
            to = list.find(',', from);
            r.push_back(list.substr(from, to - from));
        }
    const auto names = bench::row_names();
    for (const std::string& p : r)
        if (std::none_of(names.begin(), names.end(),
                         [&](const std::string& n) { return fnmatch(p.c_str(), n.c_str(), 0) == 0; }))
            return Rejection{"--only", "'" + p + "' matches no row",
                             "rows are called as in '" + names.front() + "'; * matches any part of a name"};
    return r;
}

Checked<double> row_seconds(const std::string& value) {
    double s = 0;
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, s);
    if (error != std::errc{} || stop != end || !(s >= 0 && s <= 3600))
        return Rejection{"--seconds", "is '" + value + "'", "use a number from 0 to 3600"};
    return s;
}

std::string text(double figure) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.4g", figure);
    return buffer;
}

/// A line of headings wherever the figures are others than in the row above.
void print_table(const std::vector<bench::Row>& rows) {
    std::size_t widest = 0;
    for (const bench::Row& r : rows) widest = std::max(widest, r.name.size());
    const auto cell = [](const std::string& heading, const std::string& s) {
        std::printf("  %*s", static_cast<int>(std::max<std::size_t>(heading.size(), 9)), s.c_str());
    };
    std::string former;
    for (const bench::Row& r : rows) {
        std::string headings;
        for (const auto& [figure, value] : r.figures) headings += figure + " ";
        if (headings != former) {
            std::printf("%s%-*s", former.empty() ? "" : "\n", static_cast<int>(widest), "row");
            for (const auto& [figure, value] : r.figures) cell(figure, figure);
            std::printf("\n");
        }
        former = headings;
        std::printf("%-*s", static_cast<int>(widest), r.name.c_str());
        for (const auto& [figure, value] : r.figures) cell(figure, text(value));
        std::printf("\n");
    }
}

std::string json(const std::vector<bench::Row>& rows) {
    std::string s = "{\"rows\":[";
    for (const bench::Row& r : rows) {
        s += (s.back() == '[' ? "\n{\"name\":" : ",\n{\"name\":") + json_string(r.name);
        for (const auto& [figure, value] : r.figures) s += "," + json_string(figure) + ":" + text(value);
        s += "}";
    }
    return s + "\n]}\n";
}

}  // namespace

int run_bench(const Arguments& a) {
    if (!a.positional.empty())
        return refuse({a.positional.front(), "is not expected here", "choose rows with --only"});
    const auto only = patterns(a);
    if (!only) return refuse(only.rejection());
    const auto seconds = row_seconds(a.value("--seconds").value_or(default_seconds));
    if (!seconds) return refuse(seconds.rejection());
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(nullptr, std::fclose);
    if (const auto path = a.value("--json")) {
        file.reset(std::fopen(path->c_str(), "wb"));
        if (!file) return refuse({"--json", "'" + *path + "' cannot be written", "name a place that can"});
    }
    const auto rows = bench::measured(
        [&](std::string_view name) {
            return only->empty() || std::any_of(only->begin(), only->end(), [&](const std::string& p) {
                       return fnmatch(p.c_str(), std::string(name).c_str(), 0) == 0;
                   });
        },
        *seconds);
    print_table(rows);
    if (file) std::fputs(json(rows).c_str(), file.get());
    return Exit::ok;
}

}  // namespace poolproof::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/measuring.hpp"

#include "bench/page.hpp"
#include "bench/report.hpp"
#include "bench/rivals.hpp"

#include <fnmatch.h>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

namespace poolproof::cli {

namespace {

using bench::Row;

constexpr const char* default_seconds = "0.1";

bool matches(const std::vector<std::string>& patterns, std::string_view name) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& p) {
        return fnmatch(p.c_str(), std::string(name).c_str(), 0) == 0;
    });
}

/// The patterns of all --only, each of which has to match a row.
Checked<std::vector<std::string>> patterns(const Arguments& a) {
    std::vector<std::string> r;
    for (const std::string& list : a.values("--only"))
        for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
            to = list.find(',', from);
            r.push_back(list.substr(from, to - from));
        }
    auto names = bench::row_names();
    if (a.has("--sweep"))
        for (std::string& n : bench::swept_names()) names.push_back(std::move(n));
    for (const std::string& p : r)
        if (std::none_of(names.begin(), names.end(), [&](const std::string& n) { return matches({p}, n); }))
            return Rejection{"--only", "'" + p + "' matches no row",
                             "rows are called as in '" + names.front() + "'; * matches any part of a name"};
    return r;
}

/// Of the table and of the sweep.
std::vector<Row> measured(const std::function<bool(std::string_view)>& wanted, double seconds) {
    auto rows = bench::measured(wanted, seconds);
    for (Row& r : bench::swept(wanted, seconds)) rows.push_back(std::move(r));
    return rows;
}

Checked<double> row_seconds(const std::string& value) {
    double s = 0;
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, s);
    if (error != std::errc{} || stop != end || !(s >= 0 && s <= 3600))
        return Rejection{"--seconds", "is '" + value + "'", "use a number from 0 to 3600"};
    return s;
}

Checked<std::vector<Row>> former_rows(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Rejection{"--compare", "'" + path + "' cannot be read", "name a file that exists"};
    std::stringstream text;
    text << file.rdbuf();
    auto rows = bench::read_rows(text.str());
    if (rows) return rows;
    return Rejection{"--compare", "'" + path + "': " + message(rows.rejection()),
                     "name a file that 'poolproof bench --json' wrote"};
}

/// Measures again what seems worse, and tells what is worse both times.
int compare(const std::vector<Row>& before, const std::vector<Row>& rows, double seconds) {
    if (bench::compared_ratios(before, rows) == 0)
        return refuse({"--compare", "has no ratio of the rows that were measured",
                       "compare what was measured with the same rivals and --only"});
    const auto suspects = bench::worse_ratios(before, rows);
    const auto again = measured(
        [&](std::string_view name) {
            return std::any_of(suspects.begin(), suspects.end(),
                               [&](const bench::Worse& w) { return w.row == name; });
        },
        seconds);
    Index found = 0;
    for (const bench::Worse& w : bench::worse_ratios(before, again)) {
        const bool twice = std::any_of(suspects.begin(), suspects.end(), [&](const bench::Worse& s) {
            return s.row == w.row && s.figure == w.figure;
        });
        if (!twice) continue;
        ++found;
        std::printf("worse: %s: %s was %s, is %s\n", w.row.c_str(), w.figure.c_str(),
                    bench::text_of(w.before).c_str(), bench::text_of(w.after).c_str());
    }
    return found > 0 ? Exit::deviates : Exit::ok;
}

bool written(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    return static_cast<bool>(file.flush());
}

Rejection cannot_write(const char* option, const std::string& path) {
    return {option, "'" + path + "' cannot be written", "name a place that can"};
}

/// The page, and the plots beside it.
std::optional<Rejection> write_page(const std::string& path, const std::vector<Row>& rows) {
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    std::vector<std::string> pictures;
    for (const auto& [name, svg] : bench::pictures_of(rows)) {
        if (!written(folder + name, svg)) return cannot_write("--write", folder + name);
        pictures.push_back(name);
    }
    std::vector<std::string> versions;
    for (const bench::Rival& r : bench::rivals())
        if (std::find(versions.begin(), versions.end(), r.version) == versions.end())
            versions.push_back(r.version);
    if (!written(path, bench::page_of(rows, versions, pictures))) return cannot_write("--write", path);
    return std::nullopt;
}

}  // namespace

const std::vector<Option>& bench_options() {
    static const std::vector<Option> options{
        {"--only", "PATTERN,..", "only rows whose names match one of these shell patterns; may be repeated",
         true},
        {"--sweep", "",
         "200 random layers of realistic sizes, forward and backward, in place of the rows; or, of both, "
         "--only"},
        {"--json", "FILE",
         "write the rows into this file: {\"rows\":[{\"name\":..,\"reference_ms\":..},..]}"},
        {"--compare", "FILE", "exit 1 if a ratio is worse by more than 15 % than in this file of --json"},
        {"--write", "FILE",
         "write the rows as a Markdown page, with plots beside it, as docs/PERFORMANCE.md is"},
        {"--seconds", "N", "the time for each row, in seconds (default 0.1)"},
    };
    return options;
}

int measure(const Arguments& a) {
    if (!a.positional.empty())
        return refuse({a.positional.front(), "is not expected here", "choose rows with --only"});
    bench::add_onednn();
    const auto only = patterns(a);
    if (!only) return refuse(only.rejection());
    const auto seconds = row_seconds(a.value("--seconds").value_or(default_seconds));
    if (!seconds) return refuse(seconds.rejection());
    const auto former = a.has("--compare") ? former_rows(*a.value("--compare")) : std::vector<Row>{};
    if (!former) return refuse(former.rejection());
    if (const auto path = a.value("--json"); path && !written(*path, ""))
        return refuse(cannot_write("--json", *path));

    const auto rows = measured(
        [&, sweep = a.has("--sweep")](std::string_view name) {
            const bool swept = name.starts_with("sweep/");
            return only->empty() ? swept == sweep : (sweep || !swept) && matches(*only, name);
        },
        *seconds);
    std::fputs(bench::table_of(rows).c_str(), stdout);
    if (const auto path = a.value("--json"); path && !written(*path, bench::json_of(rows)))
        return refuse(cannot_write("--json", *path));
    if (const auto path = a.value("--write"))
        if (const auto p = write_page(*path, rows)) return refuse(*p);
    return a.has("--compare") ? compare(*former, rows, *seconds) : Exit::ok;
}

}  // namespace poolproof::cli

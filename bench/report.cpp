// SPDX-License-Identifier: Apache-2.0
#include "bench/report.hpp"

#include "text/fields.hpp"

#include <poolproof/text.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace poolproof::bench {

namespace {

/// What tells a measurement from another one on the same machine; times do not.
struct Ratio {
    std::string_view figure;
    bool greater_is_better;
};
constexpr std::array<Ratio, 3> ratios{{{"ratio", true}, {"best_ratio", true}, {"share", false}}};

std::string padded(const std::string& s, std::size_t width, bool left = false) {
    const std::string space(s.size() < width ? width - s.size() : 0, ' ');
    return left ? s + space : space + s;
}

/// Calls `use(row, ratio, before, after)` for each that both have.
template <class Use>
void for_each_ratio(const std::vector<Row>& before, const std::vector<Row>& after, Use use) {
    for (const Row& now : after) {
        const Row* const then = find_row(before, now.name);
        if (then == nullptr) continue;
        for (const Ratio& r : ratios) {
            const auto a = figure(*then, r.figure), b = figure(now, r.figure);
            if (a && b) use(now, r, *a, *b);
        }
    }
}

}  // namespace

std::optional<double> figure(const Row& row, std::string_view name) {
    for (const auto& [figure, value] : row.figures)
        if (figure == name) return value;
    return std::nullopt;
}

const Row* find_row(const std::vector<Row>& rows, std::string_view name) {
    const auto at = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == name; });
    return at == rows.end() ? nullptr : &*at;
}

std::string text_of(double figure) {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.4g", figure);
    return buffer.data();
}

std::string table_of(const std::vector<Row>& rows) {
    std::size_t widest = 0;
    for (const Row& r : rows) widest = std::max(widest, r.name.size());
    std::string out, former;
    for (const Row& r : rows) {
        std::string headings;
        for (const auto& [figure, value] : r.figures)
            headings += "  " + padded(figure, std::max<std::size_t>(figure.size(), 9));
        if (headings != former)
            out += (former.empty() ? "" : "\n") + padded("row", widest, true) + headings + "\n";
        former = headings;
        out += padded(r.name, widest, true);
        for (const auto& [figure, value] : r.figures)
            out += "  " + padded(text_of(value), std::max<std::size_t>(figure.size(), 9));
        out += "\n";
    }
    return out;
}

std::string json_of(const std::vector<Row>& rows) {
    std::string s = "{\"rows\":[";
    for (const Row& r : rows) {
        s += (s.back() == '[' ? "\n{\"name\":" : ",\n{\"name\":") + json_string(r.name);
        for (const auto& [figure, value] : r.figures) s += "," + json_string(figure) + ":" + text_of(value);
        s += "}";
    }
    return s + "\n]}\n";
}

Checked<std::vector<Row>> read_rows(std::string_view json) {
    const auto document = text::parse(json);
    if (!document) return document.rejection();
    text::Reading reading;
    text::Fields whole(document->root, "", reading);
    const text::Json* list = whole.required("rows", "use a file that 'poolproof bench --json' wrote");
    if (list == nullptr) return *reading.rejection;
    std::vector<Row> rows;
    for (const text::Json& item : list->items()) {
        if (reading.failed()) break;
        const std::string path = "rows[" + std::to_string(rows.size()) + "]";
        text::Fields fields(item, path, reading);
        fields.required("name", "name the row");
        Row r;
        r.name = fields.string("name").value_or("");
        for (const std::string_view name : item.names())
            if (name != "name") {
                const auto value = fields.number(name);
                if (value) r.figures.emplace_back(name, *value);
            }
        rows.push_back(std::move(r));
    }
    if (reading.failed()) return *reading.rejection;
    return rows;
}

std::size_t compared_ratios(const std::vector<Row>& before, const std::vector<Row>& after) {
    std::size_t n = 0;
    for_each_ratio(before, after, [&](const Row&, const Ratio&, double, double) { ++n; });
    return n;
}

std::vector<Worse> worse_ratios(const std::vector<Row>& before, const std::vector<Row>& after, double part) {
    std::vector<Worse> r;
    for_each_ratio(before, after, [&](const Row& row, const Ratio& ratio, double then, double now) {
        const bool is_worse = ratio.greater_is_better ? now < then * (1 - part) : now > then * (1 + part);
        if (is_worse) r.push_back({row.name, std::string(ratio.figure), then, now});
    });
    return r;
}

}  // namespace poolproof::bench

// SPDX-License-Identifier: Apache-2.0
// What `poolproof bench` does besides taking the time: rows as text, comparisons, plots, random layers.
#include "bench/report.hpp"
#include "bench/layers.hpp"
#include "bench/page.hpp"
#include "bench/plot.hpp"
#include "bench/sweep.hpp"
#include "bench/trial.hpp"

#include <poolproof/plan.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>

namespace poolproof::bench {
namespace {

const std::vector<Row> some_rows{
    {"max_pool/forward/f64/k3s2p1", {{"reference_ms", 1.25}, {"torch_ms", 30}, {"ratio", 24}}},
    {"judge/avg_pool/f64/k3s2p1", {{"judge_ms", 1.5}, {"torch_ms", 12}, {"share", 0.125}}},
};

std::vector<Row> with(const char* figure, double value) {
    auto rows = some_rows;
    for (Row& r : rows)
        for (auto& [name, v] : r.figures)
            if (name == figure) v = value;
    return rows;
}

TEST(Measured, RepeatsShortCallsOftenHoweverLongTheFirstOneTakes) {
    using Clock = std::chrono::steady_clock;
    int calls = 0;
    const auto work = [&] {
        const auto end = Clock::now() + std::chrono::microseconds(calls++ == 0 ? 500 : 0);
        while (Clock::now() < end) {}
    };
    const auto nothing = [](const std::vector<double>&) { return Figures(); };
    const auto rows = measured({{"row", [&] { return Trial{{work}, nothing}; }}}, 0);
    ASSERT_EQ(rows.size(), 1U);
    const auto repetitions = std::find_if(rows[0].figures.begin(), rows[0].figures.end(),
                                          [](const auto& f) { return f.first == "repetitions"; });
    ASSERT_NE(repetitions, rows[0].figures.end());
    EXPECT_GT(calls, 100 * repetitions->second);
}

TEST(Report, JsonIsReadBackAsItWasWritten) {
    const auto read = read_rows(json_of(some_rows));
    ASSERT_TRUE(read) << message(read.rejection());
    ASSERT_EQ(read->size(), some_rows.size());
    for (std::size_t k = 0; k < some_rows.size(); ++k) {
        EXPECT_EQ((*read)[k].name, some_rows[k].name);
        EXPECT_EQ((*read)[k].figures, some_rows[k].figures);
    }
}

TEST(Report, JsonHasOneObjectForARow) {
    EXPECT_EQ(json_of({some_rows[0]}),
              "{\"rows\":[\n{\"name\":\"max_pool/forward/f64/k3s2p1\",\"reference_ms\":1.25,\"torch_ms\":30,"
              "\"ratio\":24}\n]}\n");
}

TEST(Report, WhatIsNoReportIsRefusedByField) {
    EXPECT_EQ(read_rows("{}").rejection().field, "rows");
    EXPECT_EQ(read_rows(R"({"rows":[{"ratio":1}]})").rejection().field, "rows[0].name");
    EXPECT_EQ(read_rows(R"({"rows":[{"name":"a","ratio":"fast"}]})").rejection().field, "rows[0].ratio");
}

TEST(Report, AColumnIsNamedAgainWhereItChanges) {
    const std::string table = table_of(some_rows);
    EXPECT_NE(table.find("reference_ms"), std::string::npos);
    EXPECT_LT(table.find("max_pool"), table.find("judge_ms"));
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 5);
}

TEST(Compare, OnlyMoreThanTheAllowedPartIsWorse) {
    EXPECT_TRUE(worse_ratios(some_rows, with("ratio", 24 * 0.86)).empty());
    const auto worse = worse_ratios(some_rows, with("ratio", 24 * 0.84));
    ASSERT_EQ(worse.size(), 1U);
    EXPECT_EQ(worse[0].row, some_rows[0].name);
    EXPECT_EQ(worse[0].figure, "ratio");
    EXPECT_TRUE(worse_ratios(some_rows, with("ratio", 100)).empty());
}

TEST(Compare, AShareIsWorseWhenItGrows) {
    EXPECT_TRUE(worse_ratios(some_rows, with("share", 0.01)).empty());
    EXPECT_EQ(worse_ratios(some_rows, with("share", 0.2)).size(), 1U);
}

TEST(Compare, TimesAndRowsOfOneSideAreNotCompared) {
    EXPECT_TRUE(worse_ratios(some_rows, with("reference_ms", 1000)).empty());
    EXPECT_EQ(compared_ratios(some_rows, some_rows), 2U);
    EXPECT_EQ(compared_ratios({some_rows[0]}, {some_rows[1]}), 0U);
}

/// Whether tags open and close in turn, and no attribute is left open.
bool is_well_formed(const std::string& xml) {
    std::vector<std::string> open;
    for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
        const std::size_t end = xml.find('>', at);
        if (end == std::string::npos) return false;
        const std::string tag = xml.substr(at + 1, end - at - 1);
        if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return false;
        const std::string name = tag.substr(0, tag.find(' '));
        if (tag.back() == '/') continue;
        if (name[0] != '/') {
            open.push_back(name);
        } else {
            if (open.empty() || "/" + open.back() != name) return false;
            open.pop_back();
        }
    }
    return open.empty();
}

TEST(Plots, AreWellFormedAndHoldEverySeries) {
    const Plot p{"A < B & C", "kernel", "ms", {{"one", {{3, 0.1}, {31, 2}}}, {"<two>", {{3, 5}, {31, 60}}}}};
    const std::string svg = svg_of(p);
    EXPECT_TRUE(is_well_formed(svg)) << svg;
    EXPECT_NE(svg.find("&lt;two>"), std::string::npos);
    EXPECT_NE(svg.find("A &lt; B &amp; C"), std::string::npos);
    EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
}

TEST(Plots, PlaceGreaterValuesHigherAndFurtherRight) {
    const std::string svg = svg_of({"", "", "", {{"one", {{1, 1}, {10, 100}}}}});
    const auto path = svg.find("<path d=\"M");
    ASSERT_NE(path, std::string::npos);
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
    ASSERT_EQ(std::sscanf(svg.c_str() + path, "<path d=\"M%lf %lf L%lf %lf", &x1, &y1, &x2, &y2), 4);
    EXPECT_LT(x1, x2);
    EXPECT_GT(y1, y2);
}

TEST(Plots, OfNothingAreEmpty) { EXPECT_EQ(svg_of({"a", "b", "c", {{"d", {}}}}), ""); }

TEST(Page, HasATableForEachKindOfRowAndThePictures) {
    std::vector<Row> rows = some_rows;
    double ms = 1;
    for (const auto& layers : {kernel_growth(), tensor_growth()})
        for (const Layer& l : layers) rows.push_back({l.name(), {{"reference_ms", ms *= 2}}});
    const auto pictures = pictures_of(rows);
    ASSERT_EQ(pictures.size(), 2U);
    for (const auto& [name, svg] : pictures) EXPECT_TRUE(is_well_formed(svg)) << name;
    const std::string page = page_of(rows, {"LibTorch 9"}, {pictures[0].first});
    EXPECT_NE(page.find("| max_pool/forward/f64/k3s2p1 | 1.25 | 30 | 24 |"), std::string::npos);
    EXPECT_NE(page.find("| judge/avg_pool/f64/k3s2p1 | 1.5 | 12 | 0.125 |"), std::string::npos);
    EXPECT_NE(page.find("LibTorch 9"), std::string::npos);
    EXPECT_NE(page.find("](" + pictures[0].first + ")"), std::string::npos);
}

TEST(Rows, HaveNamesOfTheirOwn) {
    const auto names = row_names();
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
    for (const char* one :
         {"max_pool/forward/f64/k3s2p1", "max_pool/forward/f32/k2s2", "avg_pool/vjp/f64/k3s2p1",
          "max_pool/forward/f64/k3s2p1_indices", "adaptive_avg_pool/forward/f64/to7",
          "max_pool/forward/f64/3d_k3s2p1/2x16x24x56x56", "judge/avg_pool/f64/k3s2p1",
          "max_pool/forward/f64/k3s2p1/t2", "avg_pool/vjp/f64/k3s2p1/fresh"})
        EXPECT_NE(std::find(names.begin(), names.end(), one), names.end()) << one;
}

TEST(Layers, AreCasesOfTheirOutputsSize) {
    for (const Format f : {Format::f64, Format::f32})
        for (const Layer& l : standard_layers(f)) {
            const auto settled = plan(l.as_case());
            if (l.mode != Mode::forward) continue;
            ASSERT_TRUE(settled) << l.name() << ": " << message(settled.rejection());
            EXPECT_EQ(settled->output().shape, l.output_shape()) << l.name();
        }
}

TEST(Layers, ChannelsLastPutsChannelsBesideEachOther) {
    Values planes(Format::f32, 12);
    for (std::size_t k = 0; k < 12; ++k) planes.as<float>()[k] = static_cast<float>(k);
    const Values last = channels_last(planes, {2, 3, 2});
    const std::vector<float> expected{0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11};
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), last.as<float>().begin()));
}

TEST(Sweep, IsTheSameEveryTimeAndCanBeComputed) {
    const auto layers = sweep_layers(200, 1), again = sweep_layers(200, 1), other = sweep_layers(200, 2);
    ASSERT_EQ(layers.size(), again.size());
    Index backward = 0, equal = 0;
    for (std::size_t k = 0; k < layers.size(); ++k) {
        const Layer& l = layers[k];
        EXPECT_EQ(l.name(), again[k].name());
        equal += k < other.size() && l.name() == other[k].name() ? 1 : 0;
        backward += l.mode == Mode::vjp ? 1 : 0;
        const auto out = l.outputs();
        EXPECT_GE(*std::min_element(out.begin(), out.end()), 1) << l.name();
        EXPECT_LE(size(l.shape), Index{1} << 21);
    }
    EXPECT_GT(backward, 150);
    EXPECT_LT(equal, 20);
}

}  // namespace
}  // namespace poolproof::bench

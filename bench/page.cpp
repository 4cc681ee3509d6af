// SPDX-License-Identifier: Apache-2.0
#include "bench/page.hpp"

#include "bench/layers.hpp"
#include "bench/plot.hpp"
#include "bench/report.hpp"

#include <algorithm>
#include <fstream>
#include <thread>

namespace poolproof::bench {

namespace {

struct Section {
    const char *title, *about;
    bool (*holds)(const std::string& name);
};

bool begins(const std::string& s, const char* with) { return s.starts_with(with); }

bool is_layer(const std::string& s) {
    for (const char* other :
         {"judge/", "run/", "sweep", "oracle/", "expect/", "certified/", "verdict/", "generate/"})
        if (begins(s, other)) return false;
    return true;
}

const Section sections[] = {
    {"The reference and its rivals",
     "Milliseconds for a layer, [8,64,112,112] where the name says no other size. `ratio` is LibTorch's time "
     "(NCHW) over ours, `best_ratio` that of the fastest rival in its own best layout, `over_floor` ours "
     "over "
     "the time to read the input and write the output once. Output memory is in use already but in rows "
     "`/fresh`; `/t2` is two threads. Averages of floats are summed in float, as by all rivals, but in rows "
     "`/wide_sums`, where the reference sums in double, as it does unless asked otherwise.",
     is_layer},
    {"Random layers", "`best_ratio` as above, of every layer that `poolproof bench --sweep` draws.",
     [](const std::string& s) { return s == "sweep"; }},
    {"Judging a layer",
     "`share` is the cost of judging LibTorch's answer over LibTorch's own time (NCHW). `_perturbed`: every "
     "value at a random place in its permitted range; `_correctly_rounded`: only the exact value rounded is "
     "permitted. `memory_over_tensors`: the most memory in use, the tensors' included, over theirs. The last "
     "three figures are how many values each stage of the oracle settled.",
     [](const std::string& s) { return begins(s, "judge/"); }},
    {"Whole runs of small cases",
     "[2,3,8,8], k2: generated, asked, answered and judged. `backend_us` is the implementation alone, "
     "`outside_share` the part of a case's time that is not it. `frames` and `lines` are a C++ program "
     "behind "
     "the protocol, `python` the adapters' helper with answers that are looked up.",
     [](const std::string& s) { return begins(s, "run/"); }},
    {"The oracle, small cases",
     "Permitted sets by the exact oracle against the exact values alone (`times_exact`), by the certified "
     "path "
     "against the exact one, and the generator.",
     [](const std::string& s) {
         return begins(s, "expect/") || begins(s, "certified/") || begins(s, "generate/");
     }},
};

std::string processor() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "an unknown processor";
}

/// One table, with a column for every figure that some row has.
std::string table(const std::vector<const Row*>& rows) {
    std::vector<std::string> columns;
    for (const Row* r : rows)
        for (const auto& [name, value] : r->figures)
            if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
    std::string head = "| row |", rule = "|---|", body;
    for (const std::string& c : columns) {
        head += " " + c + " |";
        rule += "---:|";
    }
    for (const Row* r : rows) {
        body += "| " + r->name + " |";
        for (const std::string& c : columns) {
            const auto value = figure(*r, c);
            body += " " + (value ? text_of(*value) : "") + " |";
        }
        body += "\n";
    }
    return head + "\n" + rule + "\n" + body;
}

/// A line for each implementation that these layers have a time of.
Plot plot(const std::vector<Row>& rows, const std::vector<Layer>& layers, const std::vector<double>& xs) {
    Plot p;
    for (const char* who :
         {"reference", "torch", "torch_channels_last", "onednn", "torch_onednn", "memcpy"}) {
        Series s{who, {}};
        for (std::size_t k = 0; k < layers.size(); ++k) {
            const Row* const row = find_row(rows, layers[k].name());
            const auto ms = row == nullptr ? std::nullopt : figure(*row, std::string(who) + "_ms");
            if (ms && *ms > 0) s.points.emplace_back(xs[k], *ms);
        }
        if (s.points.size() > 1) p.series.push_back(std::move(s));
    }
    p.y = "ms";
    return p;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> pictures_of(const std::vector<Row>& rows) {
    std::vector<double> kernels, cells;
    for (const Layer& l : kernel_growth()) kernels.push_back(static_cast<double>(l.kernel.front()));
    for (const Layer& l : tensor_growth()) cells.push_back(static_cast<double>(size(l.shape)));
    Plot by_kernel = plot(rows, kernel_growth(), kernels), by_size = plot(rows, tensor_growth(), cells);
    by_kernel.title = "Maximum at stride 1 over [2,32,56,56], f64";
    by_kernel.x = "kernel";
    by_size.title = "Maximum k3s2p1, f64";
    by_size.x = "cells of the input";
    std::vector<std::pair<std::string, std::string>> r;
    for (const auto& [name, p] :
         {std::pair("performance-kernel.svg", &by_kernel), std::pair("performance-size.svg", &by_size)})
        if (std::string svg = svg_of(*p); !svg.empty()) r.emplace_back(name, std::move(svg));
    return r;
}

std::string page_of(const std::vector<Row>& rows, const std::vector<std::string>& rivals,
                    const std::vector<std::string>& pictures) {
    std::string with;
    for (const std::string& r : rivals) with += (with.empty() ? "" : ", ") + r;
    std::string s =
        "<!-- SPDX-License-Identifier: Apache-2.0 -->\n# Performance\n\nWritten by `poolproof bench --write "
        "docs/PERFORMANCE.md` on " +
        processor() + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores, against " +
        (with.empty() ? "no rival" : with) +
        ".\n\nAll rows are measured in one process, in turn, so that what slows the machine down slows none "
        "of "
        "them alone. A\ntime is the least of its repetitions, in CPU time of the one thread that works, or "
        "in "
        "time where several work;\n`spread` is how far the median repetition is above the least. Inputs "
        "differ "
        "from call to call. Figures are of this\nmachine and that minute: compare ratios, not times.\n";
    for (const Section& section : sections) {
        std::vector<const Row*> in;
        for (const Row& r : rows)
            if (section.holds(r.name)) in.push_back(&r);
        if (in.empty()) continue;
        s += std::string("\n## ") + section.title + "\n\n" + section.about + "\n\n" + table(in);
        if (section.holds == is_layer)
            for (const std::string& p : pictures) s += "\n![Cost](" + p + ")\n";
    }
    return s;
}

}  // namespace poolproof::bench

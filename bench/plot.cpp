// SPDX-License-Identifier: Apache-2.0
#include "bench/plot.hpp"

#include "bench/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace poolproof::bench {

namespace {

constexpr double width = 720, height = 420, left = 64, right = 170, top = 40, bottom = 48;
constexpr std::array colours{"#3b82c4", "#d9782d", "#3a9b6b", "#b4559c", "#8a8f36", "#7a6fd0"};

std::string escaped(const std::string& s) {
    std::string r;
    for (const char c : s) {
        if (c == '<')
            r += "&lt;";
        else if (c == '&')
            r += "&amp;";
        else
            r += c;
    }
    return r;
}

/// From numbers to places, by logarithms.
class Scale {
public:
    Scale(std::pair<double, double> range, double from, double to)
        : low_(std::log(range.first)), high_(std::log(range.second)), from_(from), to_(to) {
        if (high_ <= low_) high_ = low_ + 1;
    }
    double operator()(double v) const {
        return from_ + (to_ - from_) * (std::log(v) - low_) / (high_ - low_);
    }

private:
    double low_, high_, from_, to_;
};

std::string at(double v) {
    const double tenths = std::round(v * 10) / 10;
    return text_of(tenths);
}

std::string label(double x, double y, const char* anchor, const std::string& text, const char* kind = "t") {
    return "<text class=\"" + std::string(kind) + "\" x=\"" + at(x) + "\" y=\"" + at(y) +
           "\" text-anchor=\"" + anchor + "\">" + escaped(text) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2) {
    return "<line class=\"g\" x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) + "\" y2=\"" +
           at(y2) + "\"/>\n";
}

}  // namespace

std::string svg_of(const Plot& plot) {
    std::set<double> xs;
    std::pair<double, double> y_range{1e300, 1e-300};
    for (const Series& s : plot.series)
        for (const auto& [x, y] : s.points) {
            xs.insert(x);
            y_range = {std::min(y_range.first, y), std::max(y_range.second, y)};
        }
    if (xs.empty()) return {};
    const double low = std::pow(10, std::floor(std::log10(y_range.first))),
                 high = std::pow(10, std::ceil(std::log10(y_range.second)));
    const Scale to_x({*xs.begin(), *xs.rbegin()}, left, width - right),
        to_y({low, high}, height - bottom, top);
    std::string s = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + at(width) + " " +
                    at(height) +
                    "\" font-family=\"sans-serif\" font-size=\"12\">\n"
                    "<style>.t{fill:#444}.h{fill:#222;font-size:14px}.g{stroke:#8884}"
                    "@media(prefers-color-scheme:dark){.t{fill:#bbb}.h{fill:#ddd}}</style>\n";
    s += label(left, 22, "start", plot.title, "h");
    for (const double x : xs) {
        s += line(to_x(x), top, to_x(x), height - bottom);
        s += label(to_x(x), height - bottom + 16, "middle", text_of(x));
    }
    for (double y = low; y <= high * 1.001; y *= 10) {
        s += line(left, to_y(y), width - right, to_y(y));
        s += label(left - 6, to_y(y) + 4, "end", text_of(y));
    }
    s += label((left + width - right) / 2, height - 10, "middle", plot.x);
    s += label(8, top - 8, "start", plot.y);
    double lowest = -1e9;  // of the names so far, from above
    std::vector<const Series*> by_end;
    for (const Series& one : plot.series)
        if (!one.points.empty()) by_end.push_back(&one);
    std::stable_sort(by_end.begin(), by_end.end(), [](const Series* a, const Series* b) {
        return a->points.back().second > b->points.back().second;
    });
    for (const Series* one : by_end) {
        const std::string colour =
            colours[static_cast<std::size_t>(one - plot.series.data()) % colours.size()];
        std::string path;
        for (const auto& [x, y] : one->points)
            path += (path.empty() ? "M" : " L") + at(to_x(x)) + " " + at(to_y(y));
        s += "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"2\"/>\n";
        for (const auto& [x, y] : one->points)
            s += "<circle cx=\"" + at(to_x(x)) + "\" cy=\"" + at(to_y(y)) + "\" r=\"3\" fill=\"" + colour +
                 "\"/>\n";
        lowest = std::max(to_y(one->points.back().second) + 4, lowest + 15);
        s += "<text fill=\"" + colour + "\" x=\"" + at(to_x(one->points.back().first) + 8) + "\" y=\"" +
             at(lowest) + "\">" + escaped(one->name) + "</text>\n";
    }
    return s + "</svg>\n";
}

}  // namespace poolproof::bench

// SPDX-License-Identifier: Apache-2.0
// A plot as SVG, both axes logarithmic, readable on light and on dark ground.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace poolproof::bench {

/// Points of positive coordinates, from left to right.
struct Series {
    std::string name;
    std::vector<std::pair<double, double>> points;
};

struct Plot {
    std::string title, x, y;  ///< y with its unit
    std::vector<Series> series;
};

/// Empty for a plot without points.
std::string svg_of(const Plot& plot);

}  // namespace poolproof::bench

// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.hpp"

#include "bench/trial.hpp"

#include <algorithm>
#include <chrono>

namespace poolproof::bench {

namespace {

constexpr int rounds = 3;                   ///< and so the least number of repetitions
constexpr double least_repetition = 0.001;  ///< in seconds: far above what reading the clock costs

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Stopwatch {
public:
    /// Calls once to warm up and to see how many calls make a repetition.
    explicit Stopwatch(std::function<void()> work) : work_(std::move(work)) {
        const double once = seconds();
        calls_ = once < least_repetition ? static_cast<int>(least_repetition / (once + 1e-8)) + 1 : 1;
    }

    void repeat() { times_.push_back(seconds()); }

    double least() const { return *std::min_element(times_.begin(), times_.end()); }
    double spread() const {
        auto sorted = times_;
        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() / 2] / sorted.front() - 1;
    }
    std::size_t repetitions() const { return times_.size(); }

private:
    double seconds() const {
        const double from = now();
        for (int k = 0; k < calls_; ++k) work_();
        return (now() - from) / calls_;
    }

    std::function<void()> work_;
    int calls_ = 1;
    std::vector<double> times_;
};

class Running {
public:
    explicit Running(const Measure& m) : name_(m.name), trial_(m.start()) {
        for (auto& work : trial_.works) watches_.emplace_back(std::move(work));
    }

    void run(double seconds) {
        const double until = now() + seconds;
        do {
            for (Stopwatch& w : watches_) w.repeat();
        } while (now() < until);
    }

    Row row() const {
        std::vector<double> least;
        double spread = 0;
        for (const Stopwatch& w : watches_) {
            least.push_back(w.least());
            spread = std::max(spread, w.spread());
        }
        Row r{name_, trial_.figures(least)};
        r.figures.emplace_back("spread", spread);
        r.figures.emplace_back("repetitions", static_cast<double>(watches_.front().repetitions()));
        return r;
    }

private:
    std::string name_;
    Trial trial_;
    std::vector<Stopwatch> watches_;
};

std::vector<Measure> measures() {
    std::vector<Measure> all;
    add_oracle(all);
    add_reference(all);
    return all;
}

}  // namespace

std::vector<std::string> row_names() {
    std::vector<std::string> names;
    for (const Measure& m : measures()) names.push_back(m.name);
    return names;
}

std::vector<Row> measured(const std::function<bool(std::string_view)>& wanted, double seconds) {
    std::vector<Running> running;
    for (const Measure& m : measures())
        if (wanted(m.name)) running.emplace_back(m);
    for (int round = 0; round < rounds; ++round)
        for (Running& r : running) r.run(seconds / rounds);
    std::vector<Row> rows;
    for (const Running& r : running) rows.push_back(r.row());
    return rows;
}

}  // namespace poolproof::bench

// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.hpp"

#include "bench/layers.hpp"
#include "bench/report.hpp"
#include "bench/sweep.hpp"

#include <time.h>
#include <algorithm>

namespace poolproof::bench {

namespace {

constexpr int rounds = 5;
constexpr int least_repetitions = 3;
constexpr double least_repetition = 0.001;  ///< in seconds: far above what reading the clock costs

double seconds_of(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// What one work left in the caches does not serve the next: reads through more memory than they hold.
void forget() {
    constexpr std::size_t line = 64 / sizeof(std::uint64_t), lines = (std::size_t{96} << 20) / 64;
    static const std::vector<std::uint64_t> other(lines * line, 1);
    std::uint64_t all = 0;
    for (std::size_t k = 0; k < lines; ++k) all += other[k * line];
    keep(all);
}

class Stopwatch {
public:
    /// Warms up and sees how many calls make a repetition. The first calls are slower than those after them,
    /// and so would make one of too few.
    Stopwatch(std::function<void()> work, Clock clock)
        : work_(std::move(work)), clock_(clock == Clock::thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC) {
        double once = seconds();
        for (int tries = 0; once * calls_ < least_repetition && tries < 8; ++tries) {
            calls_ = std::max(calls_, static_cast<int>(1.25 * least_repetition / (once + 1e-8)) + 1);
            once = seconds();
        }
        times_.push_back(once);
    }

    void repeat() { times_.push_back(seconds()); }

    int repetitions() const { return static_cast<int>(times_.size()); }
    double least() const { return *std::min_element(times_.begin(), times_.end()); }
    double spread() const {
        auto sorted = times_;
        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() / 2] / sorted.front() - 1;
    }

private:
    /// Calls that make a repetition together find in the caches what the one before left there.
    double seconds() const {
        forget();
        const double from = seconds_of(clock_);
        for (int k = 0; k < calls_; ++k) work_();
        return (seconds_of(clock_) - from) / calls_;
    }

    std::function<void()> work_;
    clockid_t clock_;
    int calls_ = 1;
    std::vector<double> times_;
};

class Running {
public:
    explicit Running(const Measure& m) : name_(m.name), trial_(m.start()) {
        const double from = seconds_of(CLOCK_MONOTONIC);
        for (auto& work : trial_.works) watches_.emplace_back(std::move(work), trial_.clock);
        spent_ = seconds_of(CLOCK_MONOTONIC) - from;
    }

    /// Up to the round's share of the time, and of the least number of repetitions.
    void run(int round, double seconds) {
        const double from = seconds_of(CLOCK_MONOTONIC) - spent_;
        while (repetitions() < std::min(round, least_repetitions) || spent_ < seconds * round / rounds) {
            for (Stopwatch& w : watches_) w.repeat();
            spent_ = seconds_of(CLOCK_MONOTONIC) - from;
        }
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
        r.figures.emplace_back("repetitions", static_cast<double>(repetitions()));
        return r;
    }

private:
    int repetitions() const {
        int least = watches_.front().repetitions();
        for (const Stopwatch& w : watches_) least = std::min(least, w.repetitions());
        return least;
    }

    std::string name_;
    Trial trial_;
    std::vector<Stopwatch> watches_;
    double spent_ = 0;
};

}  // namespace

std::vector<Measure> measures() {
    std::vector<Measure> all;
    add_layers(all);
    add_judged(all);
    add_runs(all);
    add_oracle(all);
    return all;
}

std::vector<Row> measured(const std::vector<Measure>& these, double seconds) {
    std::vector<Running> running;
    running.reserve(these.size());
    for (const Measure& m : these) running.emplace_back(m);
    for (int round = 1; round <= rounds; ++round)
        for (Running& r : running) r.run(round, seconds);
    std::vector<Row> rows;
    rows.reserve(running.size());
    for (const Running& r : running) rows.push_back(r.row());
    return rows;
}

namespace {

/// The same ones every time.
std::vector<Measure> sweep_measures() {
    constexpr std::size_t layers = 200;
    constexpr std::uint64_t seed = 1;
    std::vector<Measure> all;
    for (const Layer& l : sweep_layers(layers, seed))
        all.push_back(
            {"sweep/" + std::to_string(all.size()) + "/" + l.name(), [l] { return compared(l, {}); }});
    return all;
}

std::vector<std::string> names_of(const std::vector<Measure>& measures) {
    std::vector<std::string> names;
    names.reserve(measures.size());
    for (const Measure& m : measures) names.push_back(m.name);
    return names;
}

std::vector<Measure> chosen(std::vector<Measure> all, const std::function<bool(std::string_view)>& wanted) {
    std::erase_if(all, [&](const Measure& m) { return !wanted(m.name); });
    return all;
}

}  // namespace

std::vector<std::string> row_names() { return names_of(measures()); }

std::vector<std::string> swept_names() { return names_of(sweep_measures()); }

std::vector<Row> measured(const std::function<bool(std::string_view)>& wanted, double seconds) {
    return measured(chosen(measures(), wanted), seconds);
}

std::vector<Row> swept(const std::function<bool(std::string_view)>& wanted, double seconds) {
    constexpr std::ptrdiff_t at_once = 8;  // whose tensors are in memory together
    const auto all = chosen(sweep_measures(), wanted);
    std::vector<Row> rows;
    for (auto from = all.begin(); from != all.end();) {
        const auto to = from + std::min(at_once, all.end() - from);
        for (Row& r : measured({from, to}, seconds)) rows.push_back(std::move(r));
        from = to;
    }
    std::vector<double> ratios;
    for (const Row& r : rows)
        if (const auto ratio = figure(r, "best_ratio")) ratios.push_back(*ratio);
    if (ratios.empty()) return rows;
    std::sort(ratios.begin(), ratios.end());
    const auto slower = std::count_if(ratios.begin(), ratios.end(), [](double r) { return r < 1; });
    rows.push_back({"sweep",
                    {{"median_best_ratio", ratios[ratios.size() / 2]},
                     {"least_best_ratio", ratios.front()},
                     {"slower_than_best", static_cast<double>(slower)},
                     {"layers", static_cast<double>(ratios.size())}}});
    return rows;
}

}  // namespace poolproof::bench

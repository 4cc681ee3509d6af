// SPDX-License-Identifier: Apache-2.0
// A row before it is measured: what to time, and what figures to make of the times.
#pragma once

#include "bench/bench.hpp"

namespace poolproof::bench {

/// What passes while a work runs: the CPU time of the calling thread, or, where others work too, the time.
enum class Clock { thread, wall };

/// Works are timed in turn, each a fixed amount of work on inputs of its own. `figures` is given the least
/// seconds that a call of each took.
struct Trial {
    std::vector<std::function<void()>> works;
    std::function<Figures(const std::vector<double>& seconds)> figures;
    Clock clock = Clock::thread;
};

/// `start` makes the inputs. It is called once, and only for a row that is wanted.
struct Measure {
    std::string name;
    std::function<Trial()> start;
};

/// Keeps the compiler from leaving out what made the value.
template <class T> void keep(const T& value) { asm volatile("" : : "r"(&value) : "memory"); }

void add_oracle(std::vector<Measure>& to);
void add_smooth(std::vector<Measure>& to);
void add_layers(std::vector<Measure>& to);
void add_judged(std::vector<Measure>& to);
void add_runs(std::vector<Measure>& to);

/// All of them, in order.
std::vector<Measure> measures();

std::vector<Row> measured(const std::vector<Measure>& these, double seconds);

}  // namespace poolproof::bench
